-- Close the functions to everybody who does not need them, then hand them to the role without a login. In this order: after
-- ALTER … OWNER a REVOKE by the migrating role is a warning that nobody reads, and PUBLIC keeps EXECUTE.
DO $$
DECLARE f regprocedure;
BEGIN
    FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'footnote'::regnamespace AND p.prosecdef LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
    END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION footnote.ctx_user(), footnote.ctx_workspace(), footnote.ctx_role(), footnote.ctx_collections(),
    footnote.ctx_writable(), footnote.ctx_api_key() TO footnote_app, footnote_serve, footnote_worker;
GRANT EXECUTE ON FUNCTION footnote.user_by_email(text), footnote.api_key_owner(text, bytea), footnote.own_password(bigint)
    TO footnote_app;
DO $$
DECLARE f regprocedure;
BEGIN
    FOR f IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'footnote'::regnamespace AND p.prosecdef LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO footnote_definer', f);
    END LOOP;
END $$;
