-- Hand the functions to the role without a login, and close them to everybody who does not need them.
DO $$
DECLARE f regprocedure;
BEGIN
    FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'footnote'::regnamespace AND p.prosecdef LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION footnote.ctx_user(), footnote.ctx_workspace(), footnote.ctx_role(), footnote.ctx_collections(),
    footnote.ctx_writable(), footnote.ctx_api_key() TO footnote_app, footnote_serve, footnote_worker;
GRANT EXECUTE ON FUNCTION footnote.user_by_email(text), footnote.api_key_owner(text, bytea) TO footnote_app;
