-- The queue's functions: what a worker may know before it holds a job, and the fence while it does.

-- The job of this context, while this very attempt holds its lease. NULL fences everything that the worker writes.
CREATE FUNCTION footnote.ctx_job() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE c footnote.context := footnote.ctx();
BEGIN
    RETURN (SELECT j.id FROM public.documents_ingestjob j
            WHERE j.id = c.job_id AND j.attempt = c.job_attempt AND j.workspace_id = c.workspace_id
              AND j.state = 'running' AND j.lease_until > clock_timestamp());
END $$;

CREATE FUNCTION footnote.ctx_job_document() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT j.document_id FROM public.documents_ingestjob j WHERE j.id = footnote.ctx_job());
END $$;

CREATE FUNCTION footnote.ctx_job_workspace() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT j.workspace_id FROM public.documents_ingestjob j WHERE j.id = footnote.ctx_job());
END $$;

-- Claim the next job: the workspace with the fewest running jobs first, then the oldest; one job a document at a time. A job
-- whose lease ran out was lost with its worker; the third loss stops it. Ids alone.
CREATE FUNCTION footnote.claim_job(worker text, lease_seconds int,
    OUT job_id bigint, OUT job_attempt int, OUT workspace_id bigint, OUT document_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found_job record;
BEGIN
    PERFORM footnote.stop_poison();
    WITH busy AS (
        SELECT r.workspace_id, count(*) AS jobs FROM public.documents_ingestjob r
        WHERE r.state = 'running' AND r.lease_until >= clock_timestamp() GROUP BY r.workspace_id)
    SELECT j.id, j.state INTO found_job
    FROM public.documents_ingestjob j LEFT JOIN busy b ON b.workspace_id = j.workspace_id
    WHERE ((j.state = 'queued' AND j.next_try_at <= clock_timestamp())
           OR (j.state = 'running' AND j.lease_until < clock_timestamp()))
      AND NOT EXISTS (SELECT FROM public.documents_ingestjob o WHERE o.document_id = j.document_id AND o.id <> j.id
                      AND o.state = 'running' AND o.lease_until >= clock_timestamp())
    ORDER BY coalesce(b.jobs, 0), j.next_try_at, j.id
    LIMIT 1 FOR UPDATE OF j SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE public.documents_ingestjob j
    SET state = 'running', attempt = j.attempt + 1, claimed_by = left(worker, 80),
        crashes = least(j.crashes + (found_job.state = 'running')::int, 30000),
        lease_until = clock_timestamp() + make_interval(secs => least(greatest(lease_seconds, 0), 600))
    WHERE j.id = found_job.id
    RETURNING j.id, j.attempt, j.workspace_id, j.document_id INTO job_id, job_attempt, workspace_id, document_id;
END $$;

-- Jobs lost with their worker for the third time: stopped, and said on the document. What a deletion removes goes on. Locks
-- the document before the job, as everything does, and leaves what another one holds to the next call.
CREATE FUNCTION footnote.stop_poison() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE lost record;
BEGIN
    FOR lost IN SELECT j.id, j.document_id FROM public.documents_ingestjob j
        WHERE j.state = 'running' AND j.lease_until < clock_timestamp() AND j.crashes >= 2 AND j.kind <> 'remove'
        ORDER BY j.document_id LOOP
        PERFORM FROM public.documents_document d WHERE d.id = lost.document_id FOR NO KEY UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        UPDATE public.documents_ingestjob j
        SET state = 'failed', problem = 'documents.worker_lost', finished_at = clock_timestamp()
        WHERE j.id = lost.id AND j.state = 'running' AND j.lease_until < clock_timestamp();
        CONTINUE WHEN NOT FOUND;
        UPDATE public.documents_document d SET state = 'attention', problem = 'documents.worker_lost', problem_detail = ''
        WHERE d.id = lost.document_id AND d.deleted_at IS NULL;
    END LOOP;
END $$;

-- How much waits, how much runs, and how long the oldest has waited: for the readiness page and the poll.
CREATE FUNCTION footnote.queue_state(OUT waiting bigint, OUT running bigint, OUT lost bigint, OUT oldest_wait_s double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*) FILTER (WHERE j.state = 'queued' AND j.next_try_at <= clock_timestamp()),
           count(*) FILTER (WHERE j.state = 'running' AND j.lease_until >= clock_timestamp()),
           count(*) FILTER (WHERE j.state = 'running' AND j.lease_until < clock_timestamp()),
           coalesce(extract(epoch FROM clock_timestamp() - min(j.next_try_at) FILTER (WHERE j.state = 'queued'
               AND j.next_try_at <= clock_timestamp())), 0)
    INTO waiting, running, lost, oldest_wait_s
    FROM public.documents_ingestjob j WHERE j.state IN ('queued', 'running');
END $$;

-- The workspace's blob of these bytes, kept once: its id, made when a storage key is given, else NULL when there is none.
-- Members see the blobs of versions they see; that the same bytes are elsewhere in the workspace is told to who has them.
CREATE FUNCTION footnote.keep_blob(content_sha256 bytea, storage_key text, size bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    workspace bigint := footnote.ctx_workspace();
    kept bigint;
BEGIN
    IF workspace IS NULL OR cardinality(footnote.ctx_writable()) = 0 THEN RETURN NULL; END IF;
    IF storage_key IS NOT NULL THEN
        INSERT INTO public.documents_blob (workspace_id, sha256, key, size_bytes, created_at)
        VALUES (workspace, content_sha256, storage_key, size, clock_timestamp());
    END IF;
    SELECT b.id INTO kept FROM public.documents_blob b WHERE b.workspace_id = workspace AND b.sha256 = content_sha256;
    RETURN kept;
END $$;

-- Which of these storage keys no blob has: what an upload or a removal left behind when it was killed half-way.
CREATE FUNCTION footnote.unknown_blobs(keys text[]) RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(SELECT k FROM unnest(keys) AS k WHERE NOT EXISTS (SELECT FROM public.documents_blob b WHERE b.key = k));
END $$;
