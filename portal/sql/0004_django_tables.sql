-- Django's own tables. The admin's log names things, so it is its writer's alone; sessions hold hashed keys (portal/sessions.py).
ALTER TABLE django_admin_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON django_admin_log TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY app_own ON django_admin_log TO footnote_app
    USING (user_id = (SELECT footnote.ctx_user())) WITH CHECK (user_id = (SELECT footnote.ctx_user()));
GRANT SELECT, INSERT ON django_admin_log TO footnote_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON django_session TO footnote_app;
GRANT SELECT ON django_content_type, django_migrations TO footnote_app, footnote_serve, footnote_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO footnote_app;
