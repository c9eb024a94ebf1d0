-- Answers that may be given again, and whether a workspace wants that. An entry is seen, and can be made, by who sees every
-- collection that was searched for it; nobody changes one, and what has expired may be swept by whoever sees it.
ALTER TABLE answers_cachedanswer ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON answers_cachedanswer TO footnote_owner USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON answers_cachedanswer TO footnote_app;
CREATE POLICY app_sees ON answers_cachedanswer FOR SELECT TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace())
           AND collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);
CREATE POLICY app_adds ON answers_cachedanswer FOR INSERT TO footnote_app
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND cardinality(collection_ids) > 0
           AND collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);
CREATE POLICY app_sweeps ON answers_cachedanswer FOR DELETE TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace())
           AND collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);

ALTER TABLE answers_answeroptions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON answers_answeroptions TO footnote_owner USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON answers_answeroptions TO footnote_app;
CREATE POLICY app_sees ON answers_answeroptions FOR SELECT TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()));
CREATE POLICY app_adds ON answers_answeroptions FOR INSERT TO footnote_app
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
           AND (SELECT footnote.ctx_api_key()) IS NULL);
CREATE POLICY app_changes ON answers_answeroptions FOR UPDATE TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
           AND (SELECT footnote.ctx_api_key()) IS NULL)
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()));
CREATE POLICY app_removes ON answers_answeroptions FOR DELETE TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
           AND (SELECT footnote.ctx_api_key()) IS NULL);
