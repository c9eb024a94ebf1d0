-- Hand this app's functions to the role without a login, and close them to everybody who does not need them.
DO $$
DECLARE f regprocedure;
BEGIN
    FOREACH f IN ARRAY ARRAY['footnote.ctx_job()', 'footnote.ctx_job_document()', 'footnote.ctx_job_workspace()',
        'footnote.claim_job(text, int)', 'footnote.stop_poison()', 'footnote.queue_state()']::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    END LOOP;
END $$;
