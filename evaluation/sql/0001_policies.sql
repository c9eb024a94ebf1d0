-- Golden sets and runs are the workspace's; questions and results hide when one of their collections is out of sight.
DO $$
DECLARE
    name text;
    here text := 'workspace_id = (SELECT footnote.ctx_workspace())';
    edits text := '(SELECT footnote.ctx_role()) IN (''owner'', ''editor'')';
    sees text := 'collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]';
    mine text := 'user_id = (SELECT footnote.ctx_user())';
BEGIN
    FOREACH name IN ARRAY ARRAY['goldenset', 'goldenquestion', 'run', 'result', 'feedback'] LOOP
        EXECUTE format('ALTER TABLE evaluation_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON evaluation_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
    END LOOP;

    EXECUTE 'CREATE POLICY app_sees ON evaluation_goldenset FOR SELECT TO footnote_app USING (' || here || ')';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_goldenset FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || edits || ')';
    EXECUTE 'CREATE POLICY app_changes ON evaluation_goldenset FOR UPDATE TO footnote_app USING (' || here || ' AND ' || edits
        || ') WITH CHECK (' || here || ')';
    EXECUTE 'CREATE POLICY app_removes ON evaluation_goldenset FOR DELETE TO footnote_app USING (' || here || ' AND ' || edits || ')';

    EXECUTE 'CREATE POLICY app_sees ON evaluation_goldenquestion FOR SELECT TO footnote_app USING (' || here || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_goldenquestion FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND '
        || edits || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_changes ON evaluation_goldenquestion FOR UPDATE TO footnote_app USING (' || here || ' AND ' || edits
        || ' AND ' || sees || ') WITH CHECK (' || here || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_removes ON evaluation_goldenquestion FOR DELETE TO footnote_app USING (' || here || ' AND ' || edits
        || ' AND ' || sees || ')';

    -- A run is started in the own name alone; its evaluator writes the progress, editors may stop it.
    EXECUTE 'CREATE POLICY app_sees ON evaluation_run FOR SELECT TO footnote_app USING (' || here || ')';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_run FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || edits || ' AND '
        || mine || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_changes ON evaluation_run FOR UPDATE TO footnote_app USING (' || here || ' AND (' || mine || ' OR '
        || edits || ')) WITH CHECK (' || here || ')';
    EXECUTE 'CREATE POLICY app_removes ON evaluation_run FOR DELETE TO footnote_app USING (' || here || ' AND ' || edits || ')';

    EXECUTE 'CREATE POLICY app_sees ON evaluation_result FOR SELECT TO footnote_app USING (' || here || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_result FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || mine
        || ' AND ' || sees || ')';

    EXECUTE 'CREATE POLICY app_sees ON evaluation_feedback FOR SELECT TO footnote_app USING (' || here || ' AND ' || sees
        || ' AND (' || mine || ' OR ' || edits || '))';
    EXECUTE 'CREATE POLICY app_adds ON evaluation_feedback FOR INSERT TO footnote_app WITH CHECK (' || here || ' AND ' || mine
        || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_changes ON evaluation_feedback FOR UPDATE TO footnote_app USING (' || here || ' AND ' || sees
        || ' AND (' || mine || ' OR ' || edits || ')) WITH CHECK (' || here || ' AND ' || sees || ')';
    EXECUTE 'CREATE POLICY app_removes ON evaluation_feedback FOR DELETE TO footnote_app USING (' || here || ' AND ' || mine || ')';
END $$;

GRANT SELECT, INSERT, DELETE ON evaluation_goldenset, evaluation_goldenquestion, evaluation_run, evaluation_feedback TO footnote_app;
GRANT SELECT, INSERT ON evaluation_result TO footnote_app;
GRANT UPDATE (name, description, version, updated_at) ON evaluation_goldenset TO footnote_app;
GRANT UPDATE (text, expects, answers, key_facts, gold, tags, language, weight, collection_ids, since_version, until_version)
    ON evaluation_goldenquestion TO footnote_app;
GRANT UPDATE (name, state, total, done, crashes, lease_until, problem, summary, embedding_model, epochs, started_at, finished_at)
    ON evaluation_run TO footnote_app;
GRANT UPDATE (kind, reason, comment, passages, collection_ids, state) ON evaluation_feedback TO footnote_app;

-- A row cannot point across workspaces, and a result belongs to its run's evaluator.
ALTER TABLE evaluation_goldenquestion ADD CONSTRAINT question_of_set FOREIGN KEY (workspace_id, golden_set_id)
    REFERENCES evaluation_goldenset (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE evaluation_run ADD CONSTRAINT run_of_golden_set FOREIGN KEY (workspace_id, golden_set_id)
    REFERENCES evaluation_goldenset (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE evaluation_result ADD CONSTRAINT result_of_run FOREIGN KEY (workspace_id, user_id, run_id)
    REFERENCES evaluation_run (workspace_id, user_id, id) ON DELETE CASCADE;
ALTER TABLE evaluation_result ADD CONSTRAINT result_of_question FOREIGN KEY (workspace_id, question_id)
    REFERENCES evaluation_goldenquestion (workspace_id, id) ON DELETE CASCADE;
