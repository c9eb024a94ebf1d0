-- Close this app's functions to everybody who does not need them, then hand them to the role without a login.
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.ctx_job()', 'footnote.ctx_job_document()', 'footnote.ctx_job_workspace()',
        'footnote.claim_job(text, int)', 'footnote.stop_poison()', 'footnote.unknown_blobs(text[])', 'footnote.queue_state()',
        'footnote.keep_blob(bytea, text, bigint)']::regprocedure[] LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
