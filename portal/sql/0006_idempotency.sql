-- What became of a POST that carried an Idempotency-Key: seen and written by the very key that sent it, and by nobody else.
ALTER TABLE portal_idempotencykey ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON portal_idempotencykey TO footnote_owner USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON portal_idempotencykey TO footnote_app;
GRANT UPDATE (status, location, body, request_sha256, created_at) ON portal_idempotencykey TO footnote_app;
CREATE POLICY app_own ON portal_idempotencykey TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND api_key_id = (SELECT footnote.ctx_api_key()))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND api_key_id = (SELECT footnote.ctx_api_key()));

-- A row goes with its key, which goes with its owner's membership.
ALTER TABLE portal_apikey ADD CONSTRAINT key_of_user UNIQUE (workspace_id, user_id, id);
ALTER TABLE portal_idempotencykey ADD CONSTRAINT idempotency_of_key FOREIGN KEY (workspace_id, user_id, api_key_id)
    REFERENCES portal_apikey (workspace_id, user_id, id) ON DELETE CASCADE;
