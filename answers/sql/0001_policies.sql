-- A question, its answers, citations and traces are the asker's alone; a citation hides when its collection is out of sight.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['question', 'answer', 'citation', 'trace'] LOOP
        EXECUTE format('ALTER TABLE answers_%s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_all ON answers_%s TO footnote_owner USING (true) WITH CHECK (true)', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON answers_%s TO footnote_app', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['question', 'answer', 'trace'] LOOP
        EXECUTE format('CREATE POLICY app_own ON answers_%s TO footnote_app '
            'USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())) '
            'WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()))', name);
    END LOOP;
END $$;
-- A key that is narrowed to some collections sees no question that was asked of others, though its owner does.
CREATE POLICY key_narrows ON answers_question AS RESTRICTIVE TO footnote_app
    USING ((SELECT footnote.ctx_api_key()) IS NULL OR collection_ids <@ (SELECT footnote.ctx_collections())::bigint[]);
CREATE POLICY key_narrows ON answers_answer AS RESTRICTIVE TO footnote_app
    USING ((SELECT footnote.ctx_api_key()) IS NULL OR EXISTS (SELECT FROM answers_question q WHERE q.id = question_id));
CREATE POLICY key_narrows ON answers_trace AS RESTRICTIVE TO footnote_app
    USING ((SELECT footnote.ctx_api_key()) IS NULL OR EXISTS (SELECT FROM answers_answer a WHERE a.id = answer_id));
CREATE POLICY app_own ON answers_citation TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[]));

ALTER TABLE answers_answer ADD CONSTRAINT answer_question FOREIGN KEY (workspace_id, user_id, question_id)
    REFERENCES answers_question (workspace_id, user_id, id) ON DELETE CASCADE;
ALTER TABLE answers_citation ADD CONSTRAINT citation_answer FOREIGN KEY (workspace_id, user_id, answer_id)
    REFERENCES answers_answer (workspace_id, user_id, id) ON DELETE CASCADE;
ALTER TABLE answers_trace ADD CONSTRAINT trace_answer FOREIGN KEY (workspace_id, user_id, answer_id)
    REFERENCES answers_answer (workspace_id, user_id, id) ON DELETE CASCADE;

-- Deleting a document redacts what was quoted from it, in the deleting transaction and for every asker: the deleter cannot
-- see their rows, so the database does it (documents.lifecycle.delete says so too).
CREATE FUNCTION footnote.redact_citations() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.answers_citation SET passage = '', prefix = '', heading_path = '{}', title = '', source_url = '', redacted = true
    WHERE document_id = NEW.id AND workspace_id = NEW.workspace_id;
    RETURN NULL;
END $$;
CREATE TRIGGER redact_citations AFTER UPDATE OF deleted_at ON documents_document
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION footnote.redact_citations();
GRANT SELECT, UPDATE ON answers_citation TO footnote_definer;
CREATE POLICY definer_reads ON answers_citation FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON answers_citation FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
