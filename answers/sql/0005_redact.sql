-- A citation is seen where its document is seen: it follows a document that is moved, in the moving transaction. What a model
-- wrote from it is seen where all its sources are, the new collection among them.
CREATE FUNCTION footnote.move_citations() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.answers_citation c SET collection_id = NEW.collection_id
    WHERE c.document_id = NEW.id AND c.workspace_id = NEW.workspace_id;
    UPDATE public.answers_writtentext w SET collection_ids = w.collection_ids || NEW.collection_id
    WHERE w.document_ids @> ARRAY[NEW.id] AND w.workspace_id = NEW.workspace_id AND NEW.collection_id <> ALL (w.collection_ids);
    RETURN NULL;
END $$;
CREATE TRIGGER move_citations AFTER UPDATE OF collection_id ON documents_document
    FOR EACH ROW WHEN (OLD.collection_id <> NEW.collection_id) EXECUTE FUNCTION footnote.move_citations();

-- Everything that answers hold of a deleted document, for every asker: what was quoted, what a model wrote from it, and the
-- places of its passages in traces. Only for who may write to the document's collection; counts alone.
CREATE FUNCTION footnote.redact_answers(document bigint, OUT citations bigint, OUT answers bigint, OUT traces bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    written bigint;
    workspace bigint := footnote.ctx_workspace();
    since timestamptz;
    gone bigint[];
BEGIN
    citations := 0; answers := 0; traces := 0;
    SELECT d.created_at INTO since FROM public.documents_document d
    WHERE d.id = document AND d.workspace_id = workspace AND d.deleted_at IS NOT NULL
      AND d.collection_id = ANY (footnote.ctx_writable());
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE public.answers_citation c
    SET passage = '', prefix = '', heading_path = '{}', title = '', source_url = '', redacted = true
    WHERE c.document_id = document AND c.workspace_id = workspace;
    GET DIAGNOSTICS citations = ROW_COUNT;
    UPDATE public.answers_answer a SET text = '', notes = a.notes || '["answers.source_purged"]'::jsonb
    WHERE a.workspace_id = workspace AND a.text <> '' AND EXISTS (
        SELECT FROM public.answers_citation c WHERE c.answer_id = a.id AND c.document_id = document);
    GET DIAGNOSTICS answers = ROW_COUNT;
    UPDATE public.answers_writtentext w SET text = '', sentences = '[]', redacted = true
    WHERE w.document_ids @> ARRAY[document] AND w.workspace_id = workspace;
    GET DIAGNOSTICS written = ROW_COUNT;
    answers := answers + written;
    gone := ARRAY(
        SELECT k.id FROM public.documents_chunk k WHERE k.document_id = document AND k.workspace_id = workspace
        UNION SELECT c.chunk_id FROM public.answers_citation c WHERE c.document_id = document AND c.workspace_id = workspace);
    UPDATE public.answers_trace t SET stages = (
        SELECT coalesce(jsonb_agg(CASE WHEN jsonb_typeof(s -> 'candidates') = 'array' THEN s || jsonb_build_object('candidates', (
            SELECT coalesce(jsonb_agg(k ORDER BY n), '[]') FROM jsonb_array_elements(s -> 'candidates') WITH ORDINALITY AS i (k, n)
            WHERE (k ->> 0)::bigint <> ALL (gone))) ELSE s END ORDER BY place), '[]')
        FROM jsonb_array_elements(t.stages) WITH ORDINALITY AS e (s, place))
    WHERE t.workspace_id = workspace AND t.created_at >= since AND EXISTS (
        SELECT FROM jsonb_array_elements(t.stages) AS s,
            jsonb_array_elements(CASE WHEN jsonb_typeof(s -> 'candidates') = 'array' THEN s -> 'candidates' ELSE '[]' END) AS k
        WHERE (k ->> 0)::bigint = ANY (gone));
    GET DIAGNOSTICS traces = ROW_COUNT;
END $$;

GRANT SELECT, UPDATE ON answers_answer, answers_trace TO footnote_definer;
CREATE POLICY definer_reads ON answers_answer FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON answers_answer FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_reads ON answers_trace FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON answers_trace FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
GRANT EXECUTE ON FUNCTION footnote.redact_answers(bigint) TO footnote_app;
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.move_citations()', 'footnote.redact_answers(bigint)']::regprocedure[] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
