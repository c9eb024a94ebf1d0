-- Words of the live text, beside its chunks: what a switched-off document takes out of a question's statistics.
UPDATE documents_document d SET term_count = coalesce((SELECT sum(c.term_count) FROM documents_chunk c WHERE c.version_id = d.live_version_id), 0)
WHERE d.live_version_id IS NOT NULL;
GRANT UPDATE (term_count) ON documents_document TO footnote_worker;

-- Take the text, the passages and the file of one version that answers no more. NULL passages: it is not there, or it answers.
-- `file_key` is of bytes that no version has any more. The caller holds the document's lock and has blanked what answers quoted of it.
CREATE FUNCTION footnote.forget_version(version bigint, OUT passages bigint, OUT file_key text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE bytes bigint;
BEGIN
    SELECT v.blob_id INTO bytes FROM public.documents_version v JOIN public.documents_document d ON d.id = v.document_id
    WHERE v.id = version AND v.workspace_id = footnote.ctx_workspace() AND v.collection_id = ANY (footnote.ctx_writable())
      AND v.purged_at IS NULL AND d.deleted_at IS NULL AND d.live_version_id IS DISTINCT FROM v.id
      AND EXISTS (SELECT FROM public.documents_version n WHERE n.document_id = v.document_id AND n.number > v.number);
    IF NOT FOUND THEN RETURN; END IF;
    DELETE FROM public.documents_chunk c WHERE c.version_id = version;
    GET DIAGNOSTICS passages = ROW_COUNT;
    UPDATE public.documents_version v SET text = '', report = '{}', boxes = '', file_name = '', blob_id = NULL,
        sha256 = '', size_bytes = 0, valid_to = coalesce(v.valid_to, clock_timestamp()), purged_at = clock_timestamp()
    WHERE v.id = version;
    BEGIN
        DELETE FROM public.documents_blob b
        WHERE b.id = bytes AND NOT EXISTS (SELECT FROM public.documents_version v WHERE v.blob_id = b.id) RETURNING b.key INTO file_key;
    EXCEPTION WHEN foreign_key_violation THEN file_key := NULL;  -- the same bytes were uploaded again a moment before
    END;
END $$;
GRANT DELETE ON documents_chunk TO footnote_definer;
GRANT UPDATE (text, report, boxes, file_name, blob_id, sha256, size_bytes, valid_to, purged_at) ON documents_version TO footnote_definer;
CREATE POLICY definer_forgets ON documents_chunk FOR DELETE TO footnote_definer USING (true);
CREATE POLICY definer_forgets ON documents_version FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
GRANT EXECUTE ON FUNCTION footnote.forget_version(bigint) TO footnote_app;
REVOKE ALL ON FUNCTION footnote.forget_version(bigint) FROM PUBLIC;
ALTER FUNCTION footnote.forget_version(bigint) OWNER TO footnote_definer;
