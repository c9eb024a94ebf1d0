-- Webhooks: an owner's, who hears of what that owner sees and while being an owner. What is told is written by triggers in the
-- transaction of the change; a worker claims it by id and sends it in the maker's own scope.
DO $$
DECLARE
    here text := 'workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = ''owner''';
    -- A key that is limited to some collections reaches no webhook: one hears of more than those.
    whole text := '((SELECT footnote.ctx_api_key()) IS NULL OR EXISTS (SELECT FROM portal_apikey k'
        || ' WHERE k.id = (SELECT footnote.ctx_api_key()) AND k.collection_ids IS NULL))';
    mine text := 'user_id = (SELECT footnote.ctx_user())';
    sees text := 'collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]';
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['webhook', 'delivery'] LOOP
        EXECUTE format('ALTER TABLE portal_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON portal_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
        EXECUTE format('CREATE POLICY definer_reads ON portal_%s FOR SELECT TO footnote_definer USING (true)', name);
    END LOOP;
    EXECUTE 'CREATE POLICY app_sees ON portal_webhook FOR SELECT TO footnote_app USING (' || here || ' AND ' || whole || ')';
    EXECUTE 'CREATE POLICY app_adds ON portal_webhook FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || mine || ' AND ' || whole || ')';
    EXECUTE 'CREATE POLICY app_changes ON portal_webhook FOR UPDATE TO footnote_app USING (' || here || ' AND ' || mine || ' AND ' || whole
        || ') WITH CHECK (' || here || ' AND ' || mine || ')';
    EXECUTE 'CREATE POLICY app_removes ON portal_webhook FOR DELETE TO footnote_app USING (' || here || ' AND ' || whole || ')';

    EXECUTE 'CREATE POLICY app_sees ON portal_delivery FOR SELECT TO footnote_app USING ('
        || here || ' AND ' || mine || ' AND ' || whole || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_adds ON portal_delivery FOR INSERT TO footnote_app WITH CHECK ('
        || here || ' AND ' || mine || ' AND ' || whole || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_changes ON portal_delivery FOR UPDATE TO footnote_app USING ('
        || here || ' AND ' || mine || ' AND ' || whole || ') WITH CHECK (' || here || ' AND ' || mine || ')';
END $$;
GRANT SELECT, INSERT, DELETE ON portal_webhook TO footnote_app;
GRANT UPDATE (name, url, events, nonce, old_nonce, old_until, off_at, off_why, taken_at) ON portal_webhook TO footnote_app;
GRANT SELECT, INSERT ON portal_delivery TO footnote_app;
GRANT UPDATE (state, next_try_at, give_up_at, lease_until, status, problem, took_ms, settled_at) ON portal_delivery TO footnote_app;

ALTER TABLE portal_webhook ADD CONSTRAINT hook_of_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE portal_webhook ADD CONSTRAINT hook_of_maker UNIQUE (workspace_id, user_id, id);
ALTER TABLE portal_delivery ADD CONSTRAINT delivery_of_hook FOREIGN KEY (workspace_id, user_id, hook_id)
    REFERENCES portal_webhook (workspace_id, user_id, id) ON DELETE CASCADE;

-- Whether this person is an active owner of the workspace and sees all of these collections now.
CREATE FUNCTION footnote.hears(workspace bigint, person bigint, collections bigint[]) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.portal_membership m JOIN public.portal_user u ON u.id = m.user_id
                   WHERE m.workspace_id = workspace AND m.user_id = person AND m.state = 'active' AND m.role = 'owner' AND u.is_active)
       AND NOT EXISTS (
           SELECT FROM unnest(collections) AS c (id) WHERE NOT EXISTS (
               SELECT FROM public.portal_collection l WHERE l.id = c.id AND l.workspace_id = workspace
                 AND (l.kind = 'shared' OR l.owner_id = person OR (l.kind = 'granted' AND EXISTS (
                      SELECT FROM public.portal_grant g WHERE g.collection_id = l.id AND g.user_id = person)))));
END $$;

-- One row for each webhook of the workspace that listens to this event and whose maker sees it: the outbox. Refs and states alone.
CREATE FUNCTION footnote.tell_hooks(workspace bigint, told_event text, told_subject text, collections bigint[], told jsonb) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.portal_delivery (workspace_id, user_id, hook_id, ref, event, subject_ref, collection_ids, told, state, attempt,
        next_try_at, give_up_at, problem, created_at)
    SELECT h.workspace_id, h.user_id, h.id, left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 18),
        told_event, told_subject, collections, told, 'pending', 0, clock_timestamp(), clock_timestamp() + interval '3 days', '',
        clock_timestamp()
    FROM public.portal_webhook h
    WHERE h.workspace_id = workspace AND h.off_at IS NULL AND told_event = ANY (h.events)
      AND footnote.hears(h.workspace_id, h.user_id, collections) ORDER BY h.id;
END $$;

-- The next message for a worker: the oldest that is due, of its document the first that is not settled, and of a webhook two at a
-- time, so that a slow one leaves room for others. What nobody may hear any more is settled here. Ids alone.
CREATE FUNCTION footnote.claim_delivery(lease_seconds int,
    OUT delivery_id bigint, OUT delivery_attempt int, OUT workspace_id bigint, OUT user_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE due record; why text;
BEGIN
    LOOP
        SELECT d.id, d.workspace_id, d.user_id, d.collection_ids, h.off_at INTO due
        FROM public.portal_delivery d JOIN public.portal_webhook h ON h.id = d.hook_id
        WHERE d.state = 'pending' AND d.next_try_at <= clock_timestamp()
          AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
          AND (d.subject_ref = '' OR NOT EXISTS (
               SELECT FROM public.portal_delivery o WHERE o.hook_id = d.hook_id AND o.subject_ref = d.subject_ref
                 AND o.state = 'pending' AND o.id < d.id))
          AND (SELECT count(*) FROM public.portal_delivery r WHERE r.hook_id = d.hook_id AND r.state = 'pending'
               AND r.lease_until >= clock_timestamp()) < 2
        ORDER BY d.next_try_at, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED;
        IF NOT FOUND THEN RETURN; END IF;
        why := CASE WHEN due.off_at IS NOT NULL THEN 'portal.hook_off'
                    WHEN NOT footnote.hears(due.workspace_id, due.user_id, due.collection_ids) THEN 'portal.hook_unheard' END;
        EXIT WHEN why IS NULL;
        UPDATE public.portal_delivery d SET state = 'failed', problem = why, settled_at = clock_timestamp() WHERE d.id = due.id;
    END LOOP;
    UPDATE public.portal_delivery d SET attempt = d.attempt + 1,
        lease_until = clock_timestamp() + make_interval(secs => least(greatest(lease_seconds, 0), 600))
    WHERE d.id = due.id RETURNING d.id, d.attempt, d.workspace_id, d.user_id
    INTO delivery_id, delivery_attempt, workspace_id, user_id;
END $$;

-- The log is kept a month; what is not settled is kept.
CREATE FUNCTION footnote.drop_old_deliveries() RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE dropped int;
BEGIN
    DELETE FROM public.portal_delivery d WHERE d.state <> 'pending' AND d.settled_at < clock_timestamp() - interval '30 days';
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END $$;

GRANT SELECT ON portal_webhook TO footnote_definer;
GRANT SELECT, INSERT, UPDATE, DELETE ON portal_delivery TO footnote_definer;
CREATE POLICY definer_tells ON portal_delivery FOR INSERT TO footnote_definer WITH CHECK (true);
CREATE POLICY definer_claims ON portal_delivery FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_drops ON portal_delivery FOR DELETE TO footnote_definer USING (true);
GRANT EXECUTE ON FUNCTION footnote.claim_delivery(int), footnote.drop_old_deliveries() TO footnote_worker;
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.hears(bigint, bigint, bigint[])', 'footnote.tell_hooks(bigint, text, text, bigint[], jsonb)',
        'footnote.claim_delivery(int)', 'footnote.drop_old_deliveries()']::regprocedure[] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
