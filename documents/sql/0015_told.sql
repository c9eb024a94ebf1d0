-- What webhooks are told of a document, in the transaction of the change, whoever makes it: nine places do, two of them in here.
CREATE FUNCTION footnote.tell_of_document() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    number int := (SELECT v.number FROM public.documents_version v WHERE v.id = NEW.live_version_id);
    what text := CASE WHEN NEW.deleted_at IS NOT NULL THEN 'deleted' WHEN NEW.state = 'ready' THEN 'ready' ELSE 'needs_attention' END;
BEGIN
    IF NOT EXISTS (SELECT FROM public.portal_webhook h WHERE h.workspace_id = NEW.workspace_id) THEN RETURN NULL; END IF;
    PERFORM footnote.tell_hooks(NEW.workspace_id, 'document.' || what, NEW.ref, ARRAY[NEW.collection_id], jsonb_build_object(
        'state', CASE what WHEN 'deleted' THEN what ELSE NEW.state END, 'version', number,
        'problem', CASE what WHEN 'needs_attention' THEN nullif(NEW.problem, '') END));
    RETURN NULL;
END $$;
CREATE TRIGGER tell_of_document AFTER UPDATE OF state, problem, deleted_at ON documents_document FOR EACH ROW
    WHEN ((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
          OR (NEW.deleted_at IS NULL AND ((NEW.state = 'ready' AND OLD.state <> 'ready')
              OR (NEW.state = 'attention' AND (OLD.state <> 'attention' OR OLD.problem <> NEW.problem)))))
    EXECUTE FUNCTION footnote.tell_of_document();
REVOKE ALL ON FUNCTION footnote.tell_of_document() FROM PUBLIC;
ALTER FUNCTION footnote.tell_of_document() OWNER TO footnote_definer;
