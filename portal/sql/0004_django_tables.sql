-- Django's own tables. The admin's log names things, so it is its writer's alone.
ALTER TABLE django_admin_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON django_admin_log TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY app_own ON django_admin_log TO footnote_app
    USING (user_id = (SELECT footnote.ctx_user())) WITH CHECK (user_id = (SELECT footnote.ctx_user()));
GRANT SELECT, INSERT ON django_admin_log TO footnote_app;

-- A session is reached by who holds its cookie (portal/sessions.py says the cookie's hash, the table keeps the hash of
-- that): nobody lists, copies or ends other people's sessions.
ALTER TABLE django_session ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON django_session TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY app_bears ON django_session TO footnote_app
    USING (session_key = left(encode(sha256(convert_to(
        (SELECT current_setting('footnote.session', true)), 'UTF8')), 'hex'), 40))
    WITH CHECK (session_key = left(encode(sha256(convert_to(
        (SELECT current_setting('footnote.session', true)), 'UTF8')), 'hex'), 40));
GRANT SELECT, INSERT, UPDATE, DELETE ON django_session TO footnote_app;
GRANT SELECT ON django_content_type, django_migrations TO footnote_app, footnote_serve, footnote_worker;
