-- Row policies of the corpus: app and serve see what their person sees; a worker reads its job's workspace and writes its
-- job's document, while its lease holds.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['blob', 'document', 'version', 'chunk', 'chunkvector', 'posting', 'collectionstats', 'ingestjob'] LOOP
        EXECUTE format('ALTER TABLE documents_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON documents_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['document', 'version', 'chunk', 'chunkvector', 'collectionstats', 'ingestjob'] LOOP
        EXECUTE format('CREATE POLICY app_sees ON documents_%s FOR SELECT TO footnote_app USING ('
            'workspace_id = (SELECT footnote.ctx_workspace()) '
            'AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]))', name);
        EXECUTE format('GRANT SELECT ON documents_%s TO footnote_app', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['document', 'chunk', 'chunkvector', 'posting', 'collectionstats'] LOOP
        EXECUTE format('CREATE POLICY serve_sees ON documents_%s FOR SELECT TO footnote_serve USING ('
            'workspace_id = (SELECT footnote.ctx_workspace()) '
            'AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]))', name);
        EXECUTE format('GRANT SELECT ON documents_%s TO footnote_serve', name);
    END LOOP;
    -- Vectors of equal text anywhere in the workspace are reused, so a worker reads the workspace of its job …
    FOREACH name IN ARRAY ARRAY['blob', 'document', 'version', 'chunk', 'chunkvector', 'posting', 'collectionstats'] LOOP
        EXECUTE format('CREATE POLICY worker_sees ON documents_%s FOR SELECT TO footnote_worker USING ('
            'workspace_id = (SELECT footnote.ctx_job_workspace()))', name);
        EXECUTE format('GRANT SELECT ON documents_%s TO footnote_worker', name);
    END LOOP;
    -- … and writes its job's document alone.
    FOREACH name IN ARRAY ARRAY['chunk', 'chunkvector', 'posting'] LOOP
        EXECUTE format('CREATE POLICY worker_adds ON documents_%s FOR INSERT TO footnote_worker WITH CHECK ('
            'workspace_id = (SELECT footnote.ctx_job_workspace()) '
            'AND document_id = (SELECT footnote.ctx_job_document()))', name);
        EXECUTE format('CREATE POLICY worker_removes ON documents_%s FOR DELETE TO footnote_worker USING ('
            'document_id = (SELECT footnote.ctx_job_document()))', name);
        EXECUTE format('CREATE POLICY worker_changes ON documents_%s FOR UPDATE TO footnote_worker '
            'USING (document_id = (SELECT footnote.ctx_job_document())) '
            'WITH CHECK (document_id = (SELECT footnote.ctx_job_document()))', name);
        EXECUTE format('GRANT INSERT, UPDATE, DELETE ON documents_%s TO footnote_worker', name);
    END LOOP;
END $$;

GRANT SELECT ON documents_embeddingmodel TO footnote_app, footnote_serve, footnote_worker;

-- Uploads.
GRANT SELECT ON documents_blob TO footnote_app;
CREATE POLICY app_sees ON documents_blob FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND EXISTS (
        SELECT FROM documents_version v WHERE v.workspace_id = documents_blob.workspace_id AND v.blob_id = documents_blob.id));
GRANT SELECT, INSERT ON documents_blob TO footnote_definer;
CREATE POLICY definer_reads ON documents_blob FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_adds ON documents_blob FOR INSERT TO footnote_definer WITH CHECK (true);

GRANT INSERT ON documents_document, documents_version, documents_ingestjob, documents_collectionstats TO footnote_app;
GRANT UPDATE (name, name_key, kind, collection_id, source_url, state, problem, problem_detail, updated_at, deleted_at)
    ON documents_document TO footnote_app;
GRANT UPDATE (state, next_try_at, finished_at, problem) ON documents_ingestjob TO footnote_app;
GRANT UPDATE (epoch) ON documents_collectionstats TO footnote_app;
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['version', 'ingestjob', 'collectionstats'] LOOP
        EXECUTE format('CREATE POLICY app_adds ON documents_%s FOR INSERT TO footnote_app WITH CHECK ('
            'workspace_id = (SELECT footnote.ctx_workspace()) '
            'AND collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[]))', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['document', 'ingestjob', 'collectionstats'] LOOP
        EXECUTE format('CREATE POLICY app_changes ON documents_%s FOR UPDATE TO footnote_app '
            'USING (collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[])) '
            'WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) '
            'AND collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[]))', name);
    END LOOP;
END $$;

CREATE POLICY app_adds ON documents_document FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[])
    AND coalesce(created_by_id = (SELECT footnote.ctx_user()), true));

-- The worker's own job, document, version, statistics; the collection's profile and the workspace's content key.
GRANT UPDATE (title, state, problem, problem_detail, live_version_id, chunk_count, vector_count, page_count, unread_pages,
    updated_at) ON documents_document TO footnote_worker;
CREATE POLICY worker_changes ON documents_document FOR UPDATE TO footnote_worker
    USING (id = (SELECT footnote.ctx_job_document())) WITH CHECK (id = (SELECT footnote.ctx_job_document()));
GRANT UPDATE (text, language, report, pipeline, valid_from, valid_to, blob_id) ON documents_version TO footnote_worker;
CREATE POLICY worker_changes ON documents_version FOR UPDATE TO footnote_worker
    USING (document_id = (SELECT footnote.ctx_job_document())) WITH CHECK (document_id = (SELECT footnote.ctx_job_document()));
GRANT DELETE ON documents_blob TO footnote_worker;
CREATE POLICY worker_removes ON documents_blob FOR DELETE TO footnote_worker USING (
    workspace_id = (SELECT footnote.ctx_job_workspace()));
GRANT SELECT ON documents_ingestjob TO footnote_worker;
GRANT UPDATE (kind, state, stage, retries, crashes, lease_until, next_try_at, problem, finished_at) ON documents_ingestjob TO footnote_worker;
CREATE POLICY worker_sees ON documents_ingestjob FOR SELECT TO footnote_worker USING (id = (SELECT footnote.ctx_job()));
CREATE POLICY worker_changes ON documents_ingestjob FOR UPDATE TO footnote_worker
    USING (id = (SELECT footnote.ctx_job())) WITH CHECK (document_id = (SELECT footnote.ctx_job_document()));
GRANT INSERT, UPDATE ON documents_collectionstats TO footnote_worker;
CREATE POLICY worker_adds ON documents_collectionstats FOR INSERT TO footnote_worker WITH CHECK (
    workspace_id = (SELECT footnote.ctx_job_workspace()) AND collection_id IN (
        SELECT d.collection_id FROM documents_document d WHERE d.id = (SELECT footnote.ctx_job_document())));
CREATE POLICY worker_changes ON documents_collectionstats FOR UPDATE TO footnote_worker USING (
    workspace_id = (SELECT footnote.ctx_job_workspace()) AND collection_id IN (
        SELECT d.collection_id FROM documents_document d WHERE d.id = (SELECT footnote.ctx_job_document())))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_job_workspace()) AND collection_id IN (
        SELECT d.collection_id FROM documents_document d WHERE d.id = (SELECT footnote.ctx_job_document())));
GRANT SELECT ON portal_workspace, portal_collection TO footnote_worker;
CREATE POLICY worker_sees ON portal_workspace FOR SELECT TO footnote_worker USING (id = (SELECT footnote.ctx_job_workspace()));
CREATE POLICY worker_sees ON portal_collection FOR SELECT TO footnote_worker USING (
    workspace_id = (SELECT footnote.ctx_job_workspace()) AND id IN (
        SELECT d.collection_id FROM documents_document d WHERE d.id = (SELECT footnote.ctx_job_document())));

-- The functions' owner: reads the queue, moves jobs and says so on the document.
GRANT SELECT, UPDATE ON documents_ingestjob TO footnote_definer;
CREATE POLICY definer_reads ON documents_ingestjob FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_moves ON documents_ingestjob FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (state, problem, problem_detail) ON documents_document TO footnote_definer;
CREATE POLICY definer_reads ON documents_document FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_moves ON documents_document FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);

GRANT EXECUTE ON FUNCTION footnote.ctx_job(), footnote.ctx_job_document(), footnote.ctx_job_workspace() TO footnote_worker;
GRANT EXECUTE ON FUNCTION footnote.claim_job(text, int), footnote.unknown_blobs(text[]) TO footnote_worker;
GRANT EXECUTE ON FUNCTION footnote.queue_state() TO footnote_worker, footnote_app;
GRANT EXECUTE ON FUNCTION footnote.keep_blob(bytea, text, bigint) TO footnote_app;
