-- As redact_answers, for one version that answers no more (documents/sql/0016_old_versions.sql): called before its passages go.
CREATE FUNCTION footnote.redact_version(version bigint, OUT citations bigint, OUT answers bigint, OUT traces bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    written bigint;
    workspace bigint := footnote.ctx_workspace();
    since timestamptz;
    gone bigint[];
    quoting bigint[];
BEGIN
    citations := 0; answers := 0; traces := 0;
    SELECT v.created_at INTO since FROM public.documents_version v JOIN public.documents_document d ON d.id = v.document_id
    WHERE v.id = version AND v.workspace_id = workspace AND v.collection_id = ANY (footnote.ctx_writable())
      AND d.live_version_id IS DISTINCT FROM v.id;
    IF NOT FOUND THEN RETURN; END IF;
    gone := ARRAY(SELECT k.id FROM public.documents_chunk k WHERE k.version_id = version);
    quoting := ARRAY(SELECT DISTINCT c.answer_id FROM public.answers_citation c WHERE c.workspace_id = workspace AND c.version_id = version);
    UPDATE public.answers_citation c
    SET passage = '', prefix = '', heading_path = '{}', title = '', source_url = '', redacted = true
    WHERE c.workspace_id = workspace AND c.version_id = version;
    GET DIAGNOSTICS citations = ROW_COUNT;
    UPDATE public.answers_answer a SET text = '', notes = a.notes || '["answers.source_purged"]'::jsonb
    WHERE a.workspace_id = workspace AND a.id = ANY (quoting) AND a.text <> '';
    GET DIAGNOSTICS answers = ROW_COUNT;
    UPDATE public.answers_writtentext w SET text = '', sentences = '[]', redacted = true
    WHERE w.workspace_id = workspace AND w.answer_id = ANY (quoting);
    GET DIAGNOSTICS written = ROW_COUNT;
    answers := answers + written;
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
REVOKE ALL ON FUNCTION footnote.redact_version(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.redact_version(bigint) TO footnote_app;
ALTER FUNCTION footnote.redact_version(bigint) OWNER TO footnote_definer;

-- As in 0008; also of a version that was purged meanwhile.
SET LOCAL ROLE footnote_definer;
CREATE OR REPLACE FUNCTION footnote.redact_late_citation() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM public.documents_document d
    WHERE d.workspace_id = NEW.workspace_id AND d.id = NEW.document_id AND d.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND OR EXISTS (
        SELECT FROM public.documents_version v
        WHERE v.workspace_id = NEW.workspace_id AND v.id = NEW.version_id AND v.purged_at IS NOT NULL) THEN
        NEW.passage := '';
        NEW.prefix := '';
        NEW.heading_path := '{}';
        NEW.title := '';
        NEW.source_url := '';
        NEW.redacted := true;
    END IF;
    RETURN NEW;
END $$;
RESET ROLE;
