-- What a member does with a document after it was uploaded, what the worker counts of it, and what keeps rows and files equal.
GRANT UPDATE (disabled_at, purged_at) ON documents_document TO footnote_app;
GRANT UPDATE (skipped_count, table_count, hidden_characters, suspect_count) ON documents_document TO footnote_worker;
GRANT UPDATE (file_name) ON documents_version TO footnote_worker;

-- A moved document takes its share of the statistics along, in the moving transaction. Rows are locked in the order of ids,
-- so that two moves in opposite directions do not wait for each other in a circle. Fires after the foreign keys have carried
-- the collection on to versions, chunks, vectors, postings and jobs (triggers fire by name, RI_… first).
CREATE FUNCTION footnote.move_statistics() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE chunks bigint; terms bigint; spoken varchar[];
BEGIN
    IF NEW.live_version_id IS NULL THEN RETURN NULL; END IF;
    SELECT count(*), coalesce(sum(c.term_count), 0) INTO chunks, terms
    FROM public.documents_chunk c WHERE c.version_id = NEW.live_version_id;
    SELECT array_remove(ARRAY[v.language], '') INTO spoken FROM public.documents_version v WHERE v.id = NEW.live_version_id;
    PERFORM FROM public.documents_collectionstats s
    WHERE s.collection_id IN (OLD.collection_id, NEW.collection_id) ORDER BY s.collection_id FOR UPDATE;
    UPDATE public.documents_collectionstats s
    SET chunk_count = s.chunk_count - chunks, term_count = s.term_count - terms, epoch = s.epoch + 1
    WHERE s.collection_id = OLD.collection_id;
    INSERT INTO public.documents_collectionstats AS s (workspace_id, collection_id, chunk_count, term_count, languages, epoch)
    VALUES (NEW.workspace_id, NEW.collection_id, chunks, terms, spoken, 1)
    ON CONFLICT (collection_id) DO UPDATE SET chunk_count = s.chunk_count + excluded.chunk_count,
        term_count = s.term_count + excluded.term_count, epoch = s.epoch + 1,
        languages = CASE WHEN s.languages @> excluded.languages THEN s.languages ELSE s.languages || excluded.languages END;
    RETURN NULL;
END $$;
CREATE TRIGGER move_statistics AFTER UPDATE OF collection_id ON documents_document
    FOR EACH ROW WHEN (OLD.collection_id <> NEW.collection_id) EXECUTE FUNCTION footnote.move_statistics();

-- How many jobs wait in the asker's workspace, counted no further than `most` + 1, and once it is full the seconds that one
-- job took on average in the last five minutes (NULL when none was done).
CREATE FUNCTION footnote.workspace_queue(most bigint, OUT waiting bigint, OUT pace_s double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE workspace bigint := footnote.ctx_workspace();
BEGIN
    SELECT count(*) INTO waiting FROM (
        SELECT FROM public.documents_ingestjob j
        WHERE j.workspace_id = workspace AND j.state = 'queued' AND j.kind <> 'remove' LIMIT most + 1) AS line;
    IF waiting >= most THEN
        SELECT 300.0 / nullif(count(*), 0) INTO pace_s FROM public.documents_ingestjob j
        WHERE j.workspace_id = workspace AND j.state IN ('done', 'failed')
          AND j.finished_at > clock_timestamp() - interval '300 seconds';
    END IF;
END $$;

-- The stored files that rows speak of, a page at a time, for the sweep that looks whether they are there.
CREATE FUNCTION footnote.stored_blobs(after_id bigint, most int, OUT blob_id bigint, OUT blob_key text, OUT is_missing boolean)
RETURNS SETOF record
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT b.id, b.key::text, b.missing_at IS NOT NULL FROM public.documents_blob b
    WHERE b.id > after_id ORDER BY b.id LIMIT most;
END $$;

-- What the sweep found: bytes that are gone, or back. Nothing is deleted, since a storage may only be away for a while.
CREATE FUNCTION footnote.note_missing_blobs(gone bigint[], back bigint[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.documents_blob b SET missing_at = clock_timestamp() WHERE b.id = ANY (gone) AND b.missing_at IS NULL;
    UPDATE public.documents_blob b SET missing_at = NULL WHERE b.id = ANY (back);
END $$;

-- Rows of files that no version points at any more: removed, their keys returned so that the files follow. A version that is
-- being made of the very same bytes meanwhile is refused by its foreign key and tried again.
CREATE FUNCTION footnote.drop_unused_blobs(older_than_s double precision, most int) RETURNS text[]
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(WITH unused AS (
        SELECT b.id FROM public.documents_blob b
        WHERE b.created_at < clock_timestamp() - make_interval(secs => older_than_s)
          AND NOT EXISTS (SELECT FROM public.documents_version v WHERE v.workspace_id = b.workspace_id AND v.blob_id = b.id)
        ORDER BY b.id LIMIT most FOR UPDATE SKIP LOCKED), dropped AS (
        DELETE FROM public.documents_blob b USING unused u WHERE b.id = u.id RETURNING b.key)
        SELECT d.key::text FROM dropped d);
END $$;

GRANT SELECT ON documents_chunk, documents_version TO footnote_definer;
GRANT SELECT, INSERT, UPDATE ON documents_collectionstats TO footnote_definer;
GRANT UPDATE (missing_at), DELETE ON documents_blob TO footnote_definer;
CREATE POLICY definer_reads ON documents_chunk FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON documents_version FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON documents_collectionstats FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_adds ON documents_collectionstats FOR INSERT TO footnote_definer WITH CHECK (true);
CREATE POLICY definer_moves ON documents_collectionstats FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_notes ON documents_blob FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
CREATE POLICY definer_removes ON documents_blob FOR DELETE TO footnote_definer USING (true);

GRANT EXECUTE ON FUNCTION footnote.workspace_queue(bigint) TO footnote_app;
GRANT EXECUTE ON FUNCTION footnote.stored_blobs(bigint, int), footnote.note_missing_blobs(bigint[], bigint[]),
    footnote.drop_unused_blobs(double precision, int) TO footnote_worker;
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.move_statistics()', 'footnote.workspace_queue(bigint)', 'footnote.stored_blobs(bigint, int)',
        'footnote.note_missing_blobs(bigint[], bigint[])', 'footnote.drop_unused_blobs(double precision, int)']::regprocedure[] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
