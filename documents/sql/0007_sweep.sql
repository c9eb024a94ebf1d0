-- As in 0006, which PostgreSQL refused at the first call: a statement that deletes may not stand inside an expression.
SET LOCAL ROLE footnote_definer;
CREATE OR REPLACE FUNCTION footnote.drop_unused_blobs(older_than_s double precision, most int) RETURNS text[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE keys text[];
BEGIN
    WITH unused AS (
        SELECT b.id FROM public.documents_blob b
        WHERE b.created_at < clock_timestamp() - make_interval(secs => older_than_s)
          AND NOT EXISTS (SELECT FROM public.documents_version v WHERE v.workspace_id = b.workspace_id AND v.blob_id = b.id)
        ORDER BY b.id LIMIT most FOR UPDATE SKIP LOCKED),
    dropped AS (DELETE FROM public.documents_blob b USING unused u WHERE b.id = u.id RETURNING b.key)
    SELECT coalesce(array_agg(d.key::text), '{}') INTO keys FROM dropped d;
    RETURN keys;
END $$;
RESET ROLE;

-- Documents whose live version lacks vectors while nothing works on them, since a newer version failed or was cancelled: a job
-- each, at most once an hour. Returns how many.
CREATE FUNCTION footnote.queue_gaps(most int) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE queued bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM public.documents_embeddingmodel m WHERE m.state = 'live') THEN RETURN 0; END IF;
    INSERT INTO public.documents_ingestjob (workspace_id, collection_id, document_id, ref, kind, state, stage, attempt, crashes,
        retries, claimed_by, next_try_at, problem, created_at)
    SELECT d.workspace_id, d.collection_id, d.id, left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 18),
        'embed', 'queued', '', 0, 0, 0, '', clock_timestamp(), '', clock_timestamp()
    FROM public.documents_document d
    WHERE d.state = 'attention' AND d.deleted_at IS NULL AND d.live_version_id IS NOT NULL AND d.vector_count < d.chunk_count
      AND NOT EXISTS (SELECT FROM public.documents_ingestjob j WHERE j.document_id = d.id
          AND (j.state IN ('queued', 'running') OR (j.kind = 'embed' AND j.state <> 'cancelled' AND j.created_at > clock_timestamp() - interval '1 hour')))
    ORDER BY d.id LIMIT most;
    GET DIAGNOSTICS queued = ROW_COUNT;
    RETURN queued;
END $$;
CREATE INDEX document_gaps ON documents_document (id)
    WHERE state = 'attention' AND deleted_at IS NULL AND vector_count < chunk_count;
GRANT INSERT ON documents_ingestjob TO footnote_definer;
GRANT USAGE ON SEQUENCE documents_ingestjob_id_seq TO footnote_definer;
GRANT SELECT ON documents_embeddingmodel TO footnote_definer;
CREATE POLICY definer_adds ON documents_ingestjob FOR INSERT TO footnote_definer WITH CHECK (true);
GRANT EXECUTE ON FUNCTION footnote.queue_gaps(int) TO footnote_worker;
REVOKE ALL ON FUNCTION footnote.queue_gaps(int) FROM PUBLIC;
ALTER FUNCTION footnote.queue_gaps(int) OWNER TO footnote_definer;
