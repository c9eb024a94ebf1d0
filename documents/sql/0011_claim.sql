-- As in 0001, with a choice: a worker whose one place for making vectors is taken goes on reading.
SET LOCAL ROLE footnote_definer;
DROP FUNCTION footnote.claim_job(text, int);
RESET ROLE;
-- Claim the next job: the workspace with the fewest running jobs first, then the oldest; one job a document at a time. A job
-- whose lease ran out was lost with its worker; the third loss stops it. Without `with_vectors` none whose vectors alone are
-- missing. Ids alone.
CREATE FUNCTION footnote.claim_job(worker text, lease_seconds int, with_vectors boolean DEFAULT true,
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
GRANT EXECUTE ON FUNCTION footnote.claim_job(text, int, boolean) TO footnote_worker;
REVOKE ALL ON FUNCTION footnote.claim_job(text, int, boolean) FROM PUBLIC;
ALTER FUNCTION footnote.claim_job(text, int, boolean) OWNER TO footnote_definer;
