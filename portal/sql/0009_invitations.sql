-- An invitation makes its bearer a member, once. The app role still makes nobody a member: these functions do, for the person in
-- the signed context or for a new account, and only while the inviting owner is one.
GRANT SELECT, INSERT, DELETE ON portal_invitation TO footnote_app;
ALTER TABLE portal_invitation ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_all ON portal_invitation TO footnote_owner USING (true) WITH CHECK (true);
CREATE POLICY app_sees ON portal_invitation FOR SELECT TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
    AND (SELECT footnote.ctx_api_key()) IS NULL);
CREATE POLICY app_adds ON portal_invitation FOR INSERT TO footnote_app WITH CHECK (
    workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
    AND (SELECT footnote.ctx_api_key()) IS NULL AND invited_by_id = (SELECT footnote.ctx_user())
    AND expires_at <= now() + interval '30 days 1 minute');
CREATE POLICY app_removes ON portal_invitation FOR DELETE TO footnote_app USING (
    workspace_id = (SELECT footnote.ctx_workspace()) AND (SELECT footnote.ctx_role()) = 'owner'
    AND (SELECT footnote.ctx_api_key()) IS NULL);
ALTER TABLE portal_invitation ADD CONSTRAINT invited_by_member FOREIGN KEY (workspace_id, invited_by_id)
    REFERENCES portal_membership (workspace_id, user_id) ON DELETE CASCADE;

GRANT SELECT, DELETE ON portal_invitation TO footnote_definer;
GRANT SELECT (id, name) ON portal_workspace TO footnote_definer;
GRANT INSERT ON portal_user, portal_membership, portal_collection, portal_auditevent TO footnote_definer;
CREATE POLICY definer_reads ON portal_invitation FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_uses ON portal_invitation FOR DELETE TO footnote_definer USING (true);
CREATE POLICY definer_names ON portal_workspace FOR SELECT TO footnote_definer USING (true);
CREATE POLICY definer_joins ON portal_user FOR INSERT TO footnote_definer WITH CHECK (NOT is_staff);
CREATE POLICY definer_joins ON portal_membership FOR INSERT TO footnote_definer WITH CHECK (true);
CREATE POLICY definer_joins ON portal_collection FOR INSERT TO footnote_definer WITH CHECK (kind = 'private');
CREATE POLICY definer_joins ON portal_auditevent FOR INSERT TO footnote_definer WITH CHECK (true);

-- What the bearer of an invitation may know before joining: where to, as what. Nothing once it is used, withdrawn or over.
CREATE FUNCTION footnote.invitation(secret_hash bytea, OUT workspace_name text, OUT member_role text)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT w.name, i.role INTO workspace_name, member_role
    FROM public.portal_invitation i JOIN public.portal_workspace w ON w.id = i.workspace_id
    JOIN public.portal_membership m ON m.workspace_id = i.workspace_id AND m.user_id = i.invited_by_id
    WHERE i.secret_sha256 = secret_hash AND i.expires_at > clock_timestamp() AND m.role = 'owner' AND m.state = 'active';
END $$;

-- For the two below alone: nobody may call it. The workspace's id, or NULL when the invitation is no longer good.
CREATE FUNCTION footnote.admit(secret_hash bytea, person bigint, collection_ref text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    used record;
BEGIN
    -- Deleting it is what makes it good once: of two that come together, one finds it gone.
    DELETE FROM public.portal_invitation i USING public.portal_membership m
    WHERE i.secret_sha256 = secret_hash AND i.expires_at > clock_timestamp()
      AND m.workspace_id = i.workspace_id AND m.user_id = i.invited_by_id AND m.role = 'owner' AND m.state = 'active'
      AND NOT EXISTS (SELECT FROM public.portal_membership o WHERE o.workspace_id = i.workspace_id AND o.user_id = person)
    RETURNING i.workspace_id, i.role, i.ref INTO used;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO public.portal_membership (workspace_id, user_id, role, state, created_at)
    VALUES (used.workspace_id, person, used.role, 'active', clock_timestamp());
    INSERT INTO public.portal_collection (workspace_id, ref, name, kind, owner_id, splitter, max_tokens, overlap_tokens, created_at)
    VALUES (used.workspace_id, collection_ref, 'My documents', 'private', person, 'structure', 250, 30, clock_timestamp());
    INSERT INTO public.portal_auditevent (workspace_id, user_id, action, object_ref, detail, at)
    VALUES (used.workspace_id, person, 'member.joined', used.ref, jsonb_build_object('role', used.role), clock_timestamp());
    RETURN used.workspace_id;
END $$;

-- The signed-in person joins; not through a key.
CREATE FUNCTION footnote.accept_invitation(secret_hash bytea, collection_ref text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF footnote.ctx_user() IS NULL OR footnote.ctx_api_key() IS NOT NULL THEN RETURN NULL; END IF;
    RETURN footnote.admit(secret_hash, footnote.ctx_user(), collection_ref);
END $$;

-- A new account joins. Its id; NULL when the invitation is no longer good; 0 when the address has an account already.
CREATE FUNCTION footnote.join_as(secret_hash bytea, address text, full_name text, password_hash text, collection_ref text)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    person bigint;
BEGIN
    IF (footnote.invitation(secret_hash)).member_role IS NULL THEN RETURN NULL; END IF;
    IF EXISTS (SELECT FROM public.portal_user u WHERE lower(u.email) = lower(address)) THEN RETURN 0; END IF;
    INSERT INTO public.portal_user (email, name, password, is_active, is_staff, joined_at)
    VALUES (lower(address), full_name, password_hash, true, false, clock_timestamp()) RETURNING id INTO person;
    IF footnote.admit(secret_hash, person, collection_ref) IS NULL THEN
        RAISE EXCEPTION 'the invitation was used meanwhile' USING ERRCODE = 'no_data_found';
    END IF;
    RETURN person;
END $$;

REVOKE ALL ON FUNCTION footnote.invitation(bytea), footnote.admit(bytea, bigint, text),
    footnote.accept_invitation(bytea, text), footnote.join_as(bytea, text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.invitation(bytea), footnote.accept_invitation(bytea, text),
    footnote.join_as(bytea, text, text, text, text) TO footnote_app;
ALTER FUNCTION footnote.invitation(bytea) OWNER TO footnote_definer;
ALTER FUNCTION footnote.admit(bytea, bigint, text) OWNER TO footnote_definer;
ALTER FUNCTION footnote.accept_invitation(bytea, text) OWNER TO footnote_definer;
ALTER FUNCTION footnote.join_as(bytea, text, text, text, text) OWNER TO footnote_definer;
