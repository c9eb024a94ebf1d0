-- What is kept after a document was deleted meanwhile holds no word of it, and neither does what is saved on the way.

-- A citation that is written after its document was deleted is written blank. The lock lets a deletion that is under way end, and
-- a later one find this row. Rows come in the order of their documents (answers.history), as deletions take them.
CREATE FUNCTION footnote.redact_late_citation() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM 1 FROM public.documents_document d
    WHERE d.workspace_id = NEW.workspace_id AND d.id = NEW.document_id AND d.deleted_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        NEW.passage := '';
        NEW.prefix := '';
        NEW.heading_path := '{}';
        NEW.title := '';
        NEW.source_url := '';
        NEW.redacted := true;
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION footnote.redact_late_citation() FROM PUBLIC;
CREATE TRIGGER redact_late_citation BEFORE INSERT ON answers_citation
    FOR EACH ROW EXECUTE FUNCTION footnote.redact_late_citation();
ALTER FUNCTION footnote.redact_late_citation() OWNER TO footnote_definer;

-- Whether all these documents are there and in sight, for who saves what was written from them: asked first in the saving
-- transaction, whose locks keep it true until its end.
CREATE FUNCTION footnote.are_standing(documents bigint[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    standing int;
    workspace bigint := footnote.ctx_workspace();
    visible bigint[] := footnote.ctx_collections();
BEGIN
    PERFORM 1 FROM public.documents_document d
    WHERE d.workspace_id = workspace AND d.id = ANY (documents) AND d.collection_id = ANY (visible) AND d.deleted_at IS NULL
    ORDER BY d.id FOR SHARE;
    GET DIAGNOSTICS standing = ROW_COUNT;
    RETURN standing = cardinality(documents);
END $$;
REVOKE ALL ON FUNCTION footnote.are_standing(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.are_standing(bigint[]) TO footnote_app;
ALTER FUNCTION footnote.are_standing(bigint[]) OWNER TO footnote_definer;
