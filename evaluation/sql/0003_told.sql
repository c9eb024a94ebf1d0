-- What webhooks are told of a run, in the transaction that ends it; only to who sees every collection that it searched.
CREATE FUNCTION footnote.tell_of_run() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM footnote.tell_hooks(NEW.workspace_id, 'run.finished', NEW.ref, NEW.collection_ids,
        jsonb_build_object('state', NEW.state, 'problem', nullif(NEW.problem, ''), 'done', NEW.done, 'total', NEW.total));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_of_run AFTER UPDATE OF state ON evaluation_run FOR EACH ROW
    WHEN (OLD.state IN ('queued', 'running') AND NEW.state IN ('done', 'failed', 'cancelled'))
    EXECUTE FUNCTION footnote.tell_of_run();
REVOKE ALL ON FUNCTION footnote.tell_of_run() FROM PUBLIC;
ALTER FUNCTION footnote.tell_of_run() OWNER TO footnote_definer;
