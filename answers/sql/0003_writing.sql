-- Models that write: their providers and budget (the workspace's owners set them, never through a key), what each call cost,
-- the breakers that processes share, answers on their way, and texts that were written.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['modelprovider', 'budget', 'spend', 'breaker', 'liveanswer', 'writtentext'] LOOP
        EXECUTE format('ALTER TABLE answers_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON answers_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['modelprovider', 'budget'] LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON answers_%s TO footnote_app', name);
        EXECUTE format('CREATE POLICY app_sees ON answers_%s FOR SELECT TO footnote_app '
            'USING (workspace_id = (SELECT footnote.ctx_workspace()))', name);
        EXECUTE format('CREATE POLICY app_adds ON answers_%s FOR INSERT TO footnote_app '
            'WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = ''owner'' '
            'AND (SELECT footnote.ctx_api_key()) IS NULL)', name);
        EXECUTE format('CREATE POLICY app_changes ON answers_%s FOR UPDATE TO footnote_app '
            'USING (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = ''owner'' '
            'AND (SELECT footnote.ctx_api_key()) IS NULL) '
            'WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()))', name);
        EXECUTE format('CREATE POLICY app_removes ON answers_%s FOR DELETE TO footnote_app '
            'USING (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = ''owner'' '
            'AND (SELECT footnote.ctx_api_key()) IS NULL)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['liveanswer', 'writtentext'] LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON answers_%s TO footnote_app', name);
    END LOOP;
END $$;

-- A call that was paid for stays on the books: rows are added and never changed. Members see their own, owners all.
GRANT SELECT, INSERT ON answers_spend TO footnote_app;
CREATE POLICY app_sees ON answers_spend FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND (user_id = (SELECT footnote.ctx_user()) OR (SELECT footnote.ctx_role()) = 'owner'));
CREATE POLICY app_adds ON answers_spend FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()));
CREATE INDEX spend_of_month ON answers_spend (workspace_id, at);

-- A breaker without a workspace is of an endpoint that the operator named, and shared by all workspaces.
GRANT SELECT, INSERT, UPDATE ON answers_breaker TO footnote_app;
CREATE POLICY app_shares ON answers_breaker TO footnote_app
    USING ((SELECT footnote.ctx_workspace()) IS NOT NULL
           AND (workspace_id IS NULL OR workspace_id = (SELECT footnote.ctx_workspace())))
    WITH CHECK ((SELECT footnote.ctx_workspace()) IS NOT NULL
           AND (workspace_id IS NULL OR workspace_id = (SELECT footnote.ctx_workspace())));

CREATE POLICY app_own ON answers_liveanswer TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()));
CREATE POLICY key_narrows ON answers_liveanswer AS RESTRICTIVE TO footnote_app
    USING ((SELECT footnote.ctx_api_key()) IS NULL OR collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);

-- What a model wrote may hold words of everything it read: it hides as soon as one of those collections is out of sight.
CREATE POLICY app_own ON answers_writtentext TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND collection_ids <@ (SELECT footnote.ctx_collections())::bigint[])
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);
ALTER TABLE answers_writtentext ADD CONSTRAINT written_answer FOREIGN KEY (workspace_id, user_id, answer_id)
    REFERENCES answers_answer (workspace_id, user_id, id) ON DELETE CASCADE;
ALTER TABLE answers_liveanswer ADD CONSTRAINT live_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;
CREATE INDEX written_of_document ON answers_writtentext USING gin (document_ids);

-- Deleting a document blanks what a model wrote after reading it, in the deleting transaction and for every asker.
CREATE FUNCTION footnote.redact_written() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.answers_writtentext SET text = '', sentences = '[]', redacted = true
    WHERE document_ids @> ARRAY[NEW.id] AND workspace_id = NEW.workspace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER redact_written AFTER UPDATE OF deleted_at ON documents_document
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION footnote.redact_written();
GRANT SELECT, UPDATE ON answers_writtentext TO footnote_definer;
CREATE POLICY definer_reads ON answers_writtentext FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON answers_writtentext FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);

-- This month's cost so far: of the workspace, and of the person in the context. Sums alone, for budgets.
CREATE FUNCTION footnote.spent_this_month(OUT workspace_usd float8, OUT member_usd float8)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    workspace bigint := footnote.ctx_workspace();
    person bigint := footnote.ctx_user();
BEGIN
    SELECT coalesce(sum(s.cost_usd), 0), coalesce(sum(s.cost_usd) FILTER (WHERE s.user_id = person), 0)
    INTO workspace_usd, member_usd FROM public.answers_spend s
    WHERE s.workspace_id = workspace AND s.at >= date_trunc('month', now(), 'UTC');
END $$;
GRANT SELECT ON answers_spend TO footnote_definer;
CREATE POLICY definer_reads ON answers_spend FOR SELECT TO footnote_definer USING (true);
