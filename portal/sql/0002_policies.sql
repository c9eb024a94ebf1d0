-- Row policies of portal's own tables. `TO role`, never PUBLIC; the owner's policy lets data migrations see rows under FORCE.
ALTER TABLE portal_user ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_workspace ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_membership ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_collection ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_grant ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_apikey ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE portal_auditevent ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY owner_all ON portal_user TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_workspace TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_membership TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_collection TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_grant TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_apikey TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY owner_all ON portal_auditevent TO footnote_owner USING (true) WITH CHECK (true);

CREATE POLICY definer_reads ON portal_user FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON portal_membership FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON portal_collection FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON portal_grant FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_reads ON portal_apikey FOR SELECT TO footnote_definer USING (true);

-- A person sees the own account and those of fellow members, but no password hash (footnote.own_password); changes the own
-- alone, never its rights, and not through a key.
GRANT SELECT (id, last_login, email, name, is_active, is_staff, joined_at) ON portal_user TO footnote_app;
GRANT UPDATE (password, last_login, name) ON portal_user TO footnote_app;
CREATE POLICY app_sees ON portal_user FOR SELECT TO footnote_app USING (
    id = (SELECT footnote.ctx_user())
    OR id IN (SELECT m.user_id FROM portal_membership m WHERE m.workspace_id = (SELECT footnote.ctx_workspace())));
CREATE POLICY app_changes ON portal_user FOR UPDATE TO footnote_app
    USING (id = (SELECT footnote.ctx_user()) AND (SELECT footnote.ctx_api_key()) IS NULL)
    WITH CHECK (id = (SELECT footnote.ctx_user()));

-- A key knows its own workspace alone, whatever else its owner is a member of.
GRANT SELECT ON portal_workspace TO footnote_app, footnote_serve;
CREATE POLICY app_sees ON portal_workspace FOR SELECT TO footnote_app USING (
    id = (SELECT footnote.ctx_workspace())
    OR ((SELECT footnote.ctx_api_key()) IS NULL AND id IN (
        SELECT m.workspace_id FROM portal_membership m
        WHERE m.user_id = (SELECT footnote.ctx_user()) AND m.state = 'active')));
CREATE POLICY serve_sees ON portal_workspace FOR SELECT TO footnote_serve USING (id = (SELECT footnote.ctx_workspace()));

-- Nobody is made a member through the app role: an owner who could insert any user id would read that person's account.
-- Owners change roles and end memberships; a program's key does neither.
GRANT SELECT, DELETE ON portal_membership TO footnote_app;
GRANT UPDATE (role, state) ON portal_membership TO footnote_app;
CREATE POLICY app_sees ON portal_membership FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    OR ((SELECT footnote.ctx_api_key()) IS NULL AND user_id = (SELECT footnote.ctx_user())));
CREATE POLICY app_changes ON portal_membership FOR UPDATE TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
           AND (SELECT footnote.ctx_api_key()) IS NULL)
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()));
CREATE POLICY app_removes ON portal_membership FOR DELETE TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
    AND (SELECT footnote.ctx_api_key()) IS NULL);

GRANT SELECT ON portal_collection TO footnote_serve;
GRANT SELECT, INSERT, DELETE ON portal_collection TO footnote_app;
GRANT UPDATE (name, kind, splitter, max_tokens, overlap_tokens) ON portal_collection TO footnote_app;
CREATE POLICY serve_sees ON portal_collection FOR SELECT TO footnote_serve USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND id = ANY ((SELECT footnote.ctx_collections())::bigint[]));
-- By the row itself and not by ctx_collections() alone, which cannot see the row that INSERT … RETURNING just made.
CREATE POLICY app_sees ON portal_collection FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND (id = ANY ((SELECT footnote.ctx_collections())::bigint[])
         OR ((SELECT footnote.ctx_api_key()) IS NULL AND (kind = 'shared' OR owner_id = (SELECT footnote.ctx_user())))));
CREATE POLICY app_adds ON portal_collection FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND ((kind = 'private' AND owner_id = (SELECT footnote.ctx_user()))
         OR (kind <> 'private' AND (SELECT footnote.ctx_role()) IN ('owner', 'editor'))));
CREATE POLICY app_changes ON portal_collection FOR UPDATE TO footnote_app
    USING (id = ANY ((SELECT footnote.ctx_writable())::bigint[]))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace())
        AND ((kind = 'private' AND owner_id = (SELECT footnote.ctx_user()))
             OR (kind <> 'private' AND (SELECT footnote.ctx_role()) IN ('owner', 'editor'))));
CREATE POLICY app_removes ON portal_collection FOR DELETE TO footnote_app USING (
    id = ANY ((SELECT footnote.ctx_writable())::bigint[]) AND (SELECT footnote.ctx_role()) = 'owner');

GRANT SELECT, INSERT, DELETE ON portal_grant TO footnote_app;
CREATE POLICY app_sees ON portal_grant FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND (user_id = (SELECT footnote.ctx_user()) OR collection_id = ANY ((SELECT footnote.ctx_collections())::bigint[])));
CREATE POLICY app_writes ON portal_grant FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND collection_id = ANY ((SELECT footnote.ctx_writable())::bigint[])
    AND (SELECT footnote.ctx_role()) = 'owner' AND (SELECT footnote.ctx_api_key()) IS NULL);
CREATE POLICY app_removes ON portal_grant FOR DELETE TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
    AND (SELECT footnote.ctx_api_key()) IS NULL);

-- Keys are their owner's alone, and a program cannot mint or revive one (no key may be used to write keys).
GRANT SELECT, INSERT ON portal_apikey TO footnote_app;
GRANT UPDATE (name, revoked_at, last_used_at) ON portal_apikey TO footnote_app;
-- A key sees and stamps its own row and no other.
CREATE POLICY app_sees ON portal_apikey FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
    AND coalesce((SELECT footnote.ctx_api_key()) = id, true));
CREATE POLICY app_adds ON portal_apikey FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
    AND (SELECT footnote.ctx_api_key()) IS NULL);
CREATE POLICY app_changes ON portal_apikey FOR UPDATE TO footnote_app
    USING (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user())
           AND coalesce((SELECT footnote.ctx_api_key()) = id, true))
    WITH CHECK (workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()));

GRANT SELECT, INSERT ON portal_auditevent TO footnote_app;
CREATE POLICY app_sees ON portal_auditevent FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace())
    AND (user_id = (SELECT footnote.ctx_user()) OR (SELECT footnote.ctx_role()) = 'owner'));
CREATE POLICY app_adds ON portal_auditevent FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND user_id = (SELECT footnote.ctx_user()));

-- A row cannot point across workspaces.
ALTER TABLE portal_grant ADD CONSTRAINT grant_collection_in_workspace FOREIGN KEY (workspace_id, collection_id)
    REFERENCES portal_collection (workspace_id, id) ON DELETE CASCADE;
ALTER TABLE portal_grant ADD CONSTRAINT grant_to_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE portal_collection ADD CONSTRAINT private_owner_is_member FOREIGN KEY (workspace_id, owner_id)
    REFERENCES portal_membership (workspace_id, user_id);
ALTER TABLE portal_apikey ADD CONSTRAINT key_owner_is_member FOREIGN KEY (workspace_id, user_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;
