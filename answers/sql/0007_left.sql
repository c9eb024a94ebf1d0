-- A question on its way is kept while it is of use, and what a model wrote holds no word of a deleted document.

-- Answers that failed or whose process is gone; a running one says twice a second that it lives. Never younger than an hour.
CREATE FUNCTION footnote.drop_left_questions(older_than_s double precision) RETURNS int
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE dropped int;
BEGIN
    DELETE FROM public.answers_liveanswer l WHERE l.saved_at < now() - make_interval(secs => greatest(older_than_s, 3600));
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION footnote.drop_left_questions(double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.drop_left_questions(double precision) TO footnote_worker;
GRANT SELECT, UPDATE, DELETE ON answers_liveanswer TO footnote_definer;
CREATE POLICY definer_reads ON answers_liveanswer FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_redacts ON answers_liveanswer FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_drops ON answers_liveanswer FOR DELETE TO footnote_definer USING (true);

-- Deleting a document also blanks what was saved of answers on their way that searched its collection.
SET LOCAL ROLE footnote_definer;
CREATE OR REPLACE FUNCTION footnote.redact_written() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.answers_writtentext SET text = '', sentences = '[]', redacted = true
    WHERE document_ids @> ARRAY[NEW.id] AND workspace_id = NEW.workspace_id;
    UPDATE public.answers_liveanswer SET partial = ''
    WHERE workspace_id = NEW.workspace_id AND collection_ids @> ARRAY[NEW.collection_id] AND partial <> '';
    RETURN NULL;
END $$;
RESET ROLE;

-- A document that is deleted while a model writes from it: its text is kept blank. The lock lets a deletion that is under way end.
CREATE FUNCTION footnote.redact_late() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE standing int;
BEGIN
    PERFORM 1 FROM public.documents_document d
    WHERE d.workspace_id = NEW.workspace_id AND d.id = ANY (NEW.document_ids) AND d.deleted_at IS NULL ORDER BY d.id FOR SHARE;
    GET DIAGNOSTICS standing = ROW_COUNT;
    IF standing < cardinality(NEW.document_ids) THEN
        NEW.text := '';
        NEW.sentences := '[]';
        NEW.redacted := true;
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION footnote.redact_late() FROM PUBLIC;
CREATE TRIGGER redact_late BEFORE INSERT ON answers_writtentext FOR EACH ROW EXECUTE FUNCTION footnote.redact_late();
ALTER FUNCTION footnote.drop_left_questions(double precision) OWNER TO footnote_definer;
ALTER FUNCTION footnote.redact_late() OWNER TO footnote_definer;
