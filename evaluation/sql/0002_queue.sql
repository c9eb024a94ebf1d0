-- The next run for a worker: lost runs first become claimable again, the third loss without a result in between stops one, and a
-- run whose evaluator left is over. One run of a workspace at a time. Ids alone; the work is done in the evaluator's own scope.
CREATE FUNCTION footnote.claim_run(worker text, lease_seconds int,
    OUT run_id bigint, OUT run_attempt int, OUT workspace_id bigint, OUT user_id bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE found_run record;
BEGIN
    UPDATE public.evaluation_run r SET state = 'failed', finished_at = clock_timestamp(), problem = CASE
        WHEN r.state = 'running' AND r.crashes >= 2 THEN 'evaluation.worker_lost' ELSE 'evaluation.evaluator_gone' END
    WHERE (r.state = 'queued' OR (r.state = 'running' AND r.lease_until < clock_timestamp()))
      AND ((r.state = 'running' AND r.crashes >= 2)
           OR NOT EXISTS (SELECT FROM public.portal_membership m JOIN public.portal_user u ON u.id = m.user_id
                          WHERE m.workspace_id = r.workspace_id AND m.user_id = r.user_id AND m.state = 'active' AND u.is_active));
    SELECT r.id, r.state INTO found_run FROM public.evaluation_run r
    WHERE (r.state = 'queued' OR (r.state = 'running' AND r.lease_until < clock_timestamp()))
      AND NOT EXISTS (SELECT FROM public.evaluation_run o WHERE o.workspace_id = r.workspace_id AND o.id <> r.id
                      AND o.state = 'running' AND o.lease_until >= clock_timestamp())
    ORDER BY r.id LIMIT 1 FOR UPDATE OF r SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE public.evaluation_run r
    SET state = 'running', attempt = r.attempt + 1, claimed_by = left(worker, 80),
        started_at = coalesce(r.started_at, clock_timestamp()), crashes = r.crashes + (found_run.state = 'running')::int,
        lease_until = clock_timestamp() + make_interval(secs => least(greatest(lease_seconds, 0), 600))
    WHERE r.id = found_run.id
    RETURNING r.id, r.attempt, r.workspace_id, r.user_id INTO run_id, run_attempt, workspace_id, user_id;
END $$;

-- How many runs wait or were lost with their worker: what a worker's own look asks.
CREATE FUNCTION footnote.runs_waiting() RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT count(*) FROM public.evaluation_run r
            WHERE r.state = 'queued' OR (r.state = 'running' AND r.lease_until < clock_timestamp()));
END $$;

-- Deleting a document blanks what golden questions and feedback quoted from it; its name stays, so that a run says "not read".
CREATE FUNCTION footnote.redact_gold() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.evaluation_goldenquestion q SET gold = (
        SELECT jsonb_agg(CASE WHEN g ->> 'document' = NEW.name THEN g || '{"quote": ""}'::jsonb ELSE g END ORDER BY place)
        FROM jsonb_array_elements(q.gold) WITH ORDINALITY AS e (g, place))
    WHERE q.workspace_id = NEW.workspace_id AND NEW.collection_id = ANY (q.collection_ids)
      AND q.gold @> jsonb_build_array(jsonb_build_object('document', NEW.name));
    UPDATE public.evaluation_feedback f SET passages = (
        SELECT jsonb_agg(CASE WHEN g ->> 'document' = NEW.name THEN g || '{"quote": ""}'::jsonb ELSE g END ORDER BY place)
        FROM jsonb_array_elements(f.passages) WITH ORDINALITY AS e (g, place))
    WHERE f.workspace_id = NEW.workspace_id AND NEW.collection_id = ANY (f.collection_ids)
      AND f.passages @> jsonb_build_array(jsonb_build_object('document', NEW.name));
    RETURN NULL;
END $$;
CREATE TRIGGER redact_gold AFTER UPDATE OF deleted_at ON documents_document
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION footnote.redact_gold();

GRANT SELECT, UPDATE ON evaluation_run, evaluation_goldenquestion, evaluation_feedback TO footnote_definer;
CREATE POLICY definer_reads ON evaluation_run FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_moves ON evaluation_run FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_reads ON evaluation_goldenquestion FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON evaluation_goldenquestion FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_reads ON evaluation_feedback FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON evaluation_feedback FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);

GRANT EXECUTE ON FUNCTION footnote.claim_run(text, int), footnote.runs_waiting() TO footnote_worker;
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.claim_run(text, int)', 'footnote.runs_waiting()', 'footnote.redact_gold()']::regprocedure[] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
