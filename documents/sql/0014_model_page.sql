-- What the installation's operators do with embedding models on the admin page (documents/model_page.py). The models are everybody's, so a
-- member who is staff is asked for, in a signed context and not through a key; everyone else gets nothing and changes nothing.
-- What documents/model_switch.py does as the owner is done here alike: the same statements, counts and words alone come back.
CREATE FUNCTION footnote.ctx_is_operator() RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT footnote.ctx_api_key() IS NULL AND EXISTS (
        SELECT FROM public.portal_user u WHERE u.id = footnote.ctx_user() AND u.is_staff AND u.is_active)
$$;

-- How far each model is over the live text of all workspaces.
CREATE FUNCTION footnote.embedding_progress(OUT model_id bigint, OUT chunks bigint, OUT vectors bigint, OUT waiting bigint, OUT troubled bigint)
RETURNS SETOF record LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT footnote.ctx_is_operator() THEN RETURN; END IF;
    RETURN QUERY
    SELECT m.id, coalesce(sum(d.chunk_count), 0)::bigint, coalesce(sum(least(d.chunk_count, coalesce(v.vectors, 0))), 0)::bigint,
        (SELECT count(*) FROM public.documents_ingestjob j WHERE j.stage = 'beside' AND j.state IN ('queued', 'running')
            AND m.state = 'building'),
        (SELECT count(*) FROM public.documents_ingestjob j WHERE j.stage = 'beside' AND j.state IN ('queued', 'running')
            AND j.problem <> '' AND m.state = 'building')
    FROM public.documents_embeddingmodel m
    LEFT JOIN public.documents_document d ON d.deleted_at IS NULL AND d.live_version_id IS NOT NULL
    LEFT JOIN (SELECT c.model_id AS of_model, c.document_id, count(*) AS vectors FROM public.documents_chunkvector c
        GROUP BY c.model_id, c.document_id) v ON v.document_id = d.id AND v.of_model = m.id
    GROUP BY m.id, m.state;
END $$;

-- Begin to fill a model beside the live one, or queue what is still missing. How many documents were queued; NULL where it is live.
CREATE FUNCTION footnote.fill_embedding_model(called text, size int, spoken text[]) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    chosen record;
    queued bigint;
BEGIN
    IF NOT footnote.ctx_is_operator() OR called = '' OR length(called) > 120 OR size NOT BETWEEN 0 AND 4000 THEN RETURN NULL; END IF;
    SELECT m.id, m.state INTO chosen FROM public.documents_embeddingmodel m WHERE m.name = called FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO public.documents_embeddingmodel (name, dims, state, languages, created_at)
        VALUES (called, size, 'building', spoken, clock_timestamp()) RETURNING id, state INTO chosen;
    ELSIF chosen.state = 'live' THEN
        RETURN NULL;
    ELSE
        UPDATE public.documents_embeddingmodel m SET state = 'building', languages = spoken,
            dims = CASE WHEN size = 0 THEN m.dims ELSE size END
        WHERE m.id = chosen.id;
    END IF;
    SELECT footnote.queue_beside(chosen.id) INTO queued;
    RETURN queued;
END $$;

-- A job for each document that lacks vectors under the model and is not worked on.
CREATE FUNCTION footnote.queue_beside(model bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE queued bigint;
BEGIN
    INSERT INTO public.documents_ingestjob (workspace_id, collection_id, document_id, ref, kind, state, stage, attempt, crashes,
        retries, claimed_by, next_try_at, problem, created_at)
    SELECT d.workspace_id, d.collection_id, d.id, left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 18),
        'embed', 'queued', 'beside', 0, 0, 0, '', clock_timestamp(), '', clock_timestamp()
    FROM public.documents_document d
    WHERE d.deleted_at IS NULL AND d.live_version_id IS NOT NULL
      AND (SELECT count(*) FROM public.documents_chunkvector v WHERE v.document_id = d.id AND v.model_id = model) < d.chunk_count
      AND NOT EXISTS (SELECT FROM public.documents_ingestjob j WHERE j.document_id = d.id AND j.state IN ('queued', 'running'));
    GET DIAGNOSTICS queued = ROW_COUNT;
    RETURN queued;
END $$;

-- One transaction: the model becomes live, the one before it stays filled. 'done', or why nothing was changed: 'refused', 'unknown',
-- 'live', 'missing' (without `force`).
CREATE FUNCTION footnote.switch_embedding_model(called text, force boolean) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    chosen record;
    missing bigint;
BEGIN
    IF NOT footnote.ctx_is_operator() THEN RETURN 'refused'; END IF;
    PERFORM FROM public.documents_document d ORDER BY d.id FOR NO KEY UPDATE;
    SELECT m.id, m.state INTO chosen FROM public.documents_embeddingmodel m WHERE m.name = called FOR UPDATE;
    IF NOT FOUND OR chosen.state = 'retired' THEN RETURN 'unknown'; END IF;
    IF chosen.state = 'live' THEN RETURN 'live'; END IF;
    SELECT p.chunks - p.vectors INTO missing FROM footnote.embedding_progress() p WHERE p.model_id = chosen.id;
    IF missing > 0 AND NOT coalesce(force, false) THEN RETURN 'missing'; END IF;
    UPDATE public.documents_embeddingmodel m SET state = 'building', live_until = clock_timestamp() WHERE m.state = 'live';
    UPDATE public.documents_embeddingmodel m SET state = 'live', live_until = NULL WHERE m.id = chosen.id;
    UPDATE public.documents_document d SET vector_count = n.vectors,
        state = CASE WHEN d.state NOT IN ('ready', 'words') THEN d.state
            WHEN d.chunk_count > 0 AND n.vectors >= d.chunk_count THEN 'ready' ELSE 'words' END,
        problem = CASE WHEN d.state = 'words' THEN '' ELSE d.problem END,
        problem_detail = CASE WHEN d.state = 'words' THEN '' ELSE d.problem_detail END
    FROM (SELECT o.id, (SELECT count(*) FROM public.documents_chunkvector v WHERE v.document_id = o.id AND v.model_id = chosen.id)
            AS vectors
        FROM public.documents_document o WHERE o.live_version_id IS NOT NULL) n
    WHERE d.id = n.id AND (d.vector_count <> n.vectors OR d.state = 'words');
    UPDATE public.documents_collectionstats s SET epoch = s.epoch + 1;
    IF missing > 0 THEN
        PERFORM footnote.queue_beside(chosen.id);
        UPDATE public.documents_ingestjob j SET stage = '' WHERE j.stage = 'beside' AND j.state = 'queued';
    END IF;
    RETURN 'done';
END $$;

GRANT SELECT ON documents_chunkvector TO footnote_definer;
CREATE POLICY definer_reads ON documents_chunkvector FOR SELECT TO footnote_definer USING (true);
GRANT UPDATE (vector_count) ON documents_document TO footnote_definer;
GRANT INSERT, UPDATE (state, live_until, languages, dims) ON documents_embeddingmodel TO footnote_definer;
GRANT USAGE ON SEQUENCE documents_embeddingmodel_id_seq TO footnote_definer;
GRANT EXECUTE ON FUNCTION footnote.embedding_progress(), footnote.fill_embedding_model(text, int, text[]),
    footnote.switch_embedding_model(text, boolean) TO footnote_app;
DO $$
DECLARE f text;
BEGIN
    FOREACH f IN ARRAY ARRAY['ctx_is_operator()', 'embedding_progress()', 'fill_embedding_model(text, int, text[])',
        'queue_beside(bigint)', 'switch_embedding_model(text, boolean)'] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION footnote.%s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION footnote.%s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
