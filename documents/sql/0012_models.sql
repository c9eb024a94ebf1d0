-- Jobs of the stage 'beside' fill embedding models that no question uses yet (documents/model_switch.py): they are claimed when nothing
-- else waits, count neither as late nor against the files a workspace may have waiting, and their end says nothing of a document.
SET LOCAL ROLE footnote_definer;
-- As in 0011, what is beside the live model last.
CREATE OR REPLACE FUNCTION footnote.claim_job(worker text, lease_seconds int, with_vectors boolean DEFAULT true,
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
      AND (with_vectors OR j.kind <> 'embed')
      AND NOT EXISTS (SELECT FROM public.documents_ingestjob o WHERE o.document_id = j.document_id AND o.id <> j.id
                      AND o.state = 'running' AND o.lease_until >= clock_timestamp())
    ORDER BY j.stage = 'beside', coalesce(b.jobs, 0), j.next_try_at, j.id
    LIMIT 1 FOR UPDATE OF j SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE public.documents_ingestjob j
    SET state = 'running', attempt = j.attempt + 1, claimed_by = left(worker, 80),
        crashes = least(j.crashes + (found_job.state = 'running')::int, 30000),
        lease_until = clock_timestamp() + make_interval(secs => least(greatest(lease_seconds, 0), 600))
    WHERE j.id = found_job.id
    RETURNING j.id, j.attempt, j.workspace_id, j.document_id INTO job_id, job_attempt, workspace_id, document_id;
END $$;
-- As in 0001.
CREATE OR REPLACE FUNCTION footnote.stop_poison() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE lost record;
BEGIN
    FOR lost IN SELECT j.id, j.document_id, j.stage FROM public.documents_ingestjob j
        WHERE j.state = 'running' AND j.lease_until < clock_timestamp() AND j.crashes >= 2 AND j.kind <> 'remove'
        ORDER BY j.document_id LOOP
        PERFORM FROM public.documents_document d WHERE d.id = lost.document_id FOR NO KEY UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        UPDATE public.documents_ingestjob j
        SET state = 'failed', problem = 'documents.worker_lost', finished_at = clock_timestamp()
        WHERE j.id = lost.id AND j.state = 'running' AND j.lease_until < clock_timestamp();
        CONTINUE WHEN NOT FOUND OR lost.stage = 'beside';
        UPDATE public.documents_document d SET state = 'attention', problem = 'documents.worker_lost', problem_detail = ''
        WHERE d.id = lost.document_id AND d.deleted_at IS NULL;
    END LOOP;
END $$;
-- As in 0001; the oldest wait is that of what people wait for.
CREATE OR REPLACE FUNCTION footnote.queue_state(OUT waiting bigint, OUT running bigint, OUT lost bigint, OUT oldest_wait_s double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT count(*) FILTER (WHERE j.state = 'queued' AND j.next_try_at <= clock_timestamp()),
           count(*) FILTER (WHERE j.state = 'running' AND j.lease_until >= clock_timestamp()),
           count(*) FILTER (WHERE j.state = 'running' AND j.lease_until < clock_timestamp()),
           coalesce(extract(epoch FROM clock_timestamp() - min(j.next_try_at) FILTER (WHERE j.state = 'queued'
               AND j.stage <> 'beside' AND j.next_try_at <= clock_timestamp())), 0)
    INTO waiting, running, lost, oldest_wait_s
    FROM public.documents_ingestjob j WHERE j.state IN ('queued', 'running');
END $$;
-- As in 0006.
CREATE OR REPLACE FUNCTION footnote.workspace_queue(most bigint, OUT waiting bigint, OUT pace_s double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE workspace bigint := footnote.ctx_workspace();
BEGIN
    SELECT count(*) INTO waiting FROM (
        SELECT FROM public.documents_ingestjob j
        WHERE j.workspace_id = workspace AND j.state = 'queued' AND j.kind <> 'remove' AND j.stage <> 'beside' LIMIT most + 1) AS line;
    IF waiting >= most THEN
        SELECT 300.0 / nullif(count(*), 0) INTO pace_s FROM public.documents_ingestjob j
        WHERE j.workspace_id = workspace AND j.state IN ('done', 'failed')
          AND j.finished_at > clock_timestamp() - interval '300 seconds';
    END IF;
END $$;
RESET ROLE;
