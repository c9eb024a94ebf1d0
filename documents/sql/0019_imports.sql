-- Imports from the web: seen by who sees the collection, made and carried on in their person's own name, while that person may
-- add to it. A worker claims by id and works in the person's scope.
ALTER TABLE documents_webimport ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON documents_webimport TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY app_sees ON documents_webimport FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]));
CREATE POLICY app_adds ON documents_webimport FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
    AND collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[]));
CREATE POLICY app_changes ON documents_webimport FOR UPDATE TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
    AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()));
GRANT SELECT, INSERT ON documents_webimport TO footnote_app;
GRANT UPDATE (state, next_try_at, lease_until, outcome, document_ref, counts, problem, problem_detail, etag, last_modified, finished_at)
    ON documents_webimport TO footnote_app;

ALTER TABLE documents_webimport ADD CONSTRAINT import_collection FOREIGN KEY (workspace_id, collection_id)
    REFERENCES portal_collection (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE documents_webimport ADD CONSTRAINT import_of_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;

-- The next import for a worker: one of a workspace at a time, the oldest first. One that was lost with its worker three times, or
-- whose person is no longer a member, is over. Ids alone.
CREATE FUNCTION footnote.claim_import(lease_seconds int, OUT import_id bigint, OUT import_attempt int, OUT workspace_id bigint, OUT user_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found_id bigint;
BEGIN
    UPDATE public.documents_webimport i SET state = 'failed', finished_at = clock_timestamp(), problem = CASE
        WHEN i.attempt >= 6 THEN 'documents.import_lost' ELSE 'documents.importer_gone' END
    WHERE (i.state = 'queued' OR (i.state = 'running' AND i.lease_until < clock_timestamp()))
      AND (i.attempt >= 6 OR NOT EXISTS (SELECT FROM public.portal_membership m JOIN public.portal_user u ON u.id = m.user_id
           WHERE m.workspace_id = i.workspace_id AND m.user_id = i.user_id AND m.state = 'active' AND u.is_active));
    SELECT i.id INTO found_id FROM public.documents_webimport i
    WHERE ((i.state = 'queued' AND i.next_try_at <= clock_timestamp()) OR (i.state = 'running' AND i.lease_until < clock_timestamp()))
      AND NOT EXISTS (SELECT FROM public.documents_webimport o WHERE o.workspace_id = i.workspace_id AND o.id <> i.id
                      AND o.state = 'running' AND o.lease_until >= clock_timestamp())
    ORDER BY i.next_try_at, i.id LIMIT 1 FOR UPDATE OF i SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE public.documents_webimport i SET state = 'running', attempt = i.attempt + 1,
        lease_until = clock_timestamp() + make_interval(secs => least(greatest(lease_seconds, 0), 600))
    WHERE i.id = found_id RETURNING i.id, i.attempt, i.workspace_id, i.user_id
    INTO import_id, import_attempt, workspace_id, user_id;
END $$;
GRANT SELECT, UPDATE ON documents_webimport TO footnote_definer;
CREATE POLICY definer_reads ON documents_webimport FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_claims ON documents_webimport FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
GRANT EXECUTE ON FUNCTION footnote.claim_import(int) TO footnote_worker;
REVOKE ALL ON FUNCTION footnote.claim_import(int) FROM PUBLIC;
ALTER FUNCTION footnote.claim_import(int) OWNER TO footnote_definer;
