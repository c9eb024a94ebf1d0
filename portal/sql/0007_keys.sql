-- A key's end only comes nearer: nobody revives a revoked one or lets one live longer, through whichever role.
CREATE FUNCTION footnote.keys_only_end() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
       OR (OLD.expires_at IS NOT NULL AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at))
       OR (OLD.replaced_at IS NOT NULL AND NEW.replaced_at IS DISTINCT FROM OLD.replaced_at) THEN
        RAISE EXCEPTION 'a key only ends' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION footnote.keys_only_end() FROM PUBLIC;
CREATE TRIGGER keys_only_end BEFORE UPDATE OF revoked_at, expires_at, replaced_at ON portal_apikey
    FOR EACH ROW WHEN (session_user <> 'footnote_owner') EXECUTE FUNCTION footnote.keys_only_end();

-- The equal of a key, made by its person or by the key itself, once; the old one ends after the overlap. Name, scopes,
-- collections and how long it lives are copied here, so that a program cannot make itself a wider key. Its id alone.
CREATE FUNCTION footnote.rotate_key(old_ref text, new_ref text, secret_hash bytea, overlap_minutes int) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c footnote.context := footnote.ctx();
    workspace bigint := footnote.ctx_workspace();
    old record;
    made bigint;
BEGIN
    IF workspace IS NULL OR length(secret_hash) <> 32 OR length(new_ref) <> 18 THEN RETURN NULL; END IF;
    SELECT k.* INTO old FROM public.portal_apikey k
    WHERE k.ref = old_ref AND k.workspace_id = workspace AND k.user_id = c.user_id
      AND (c.api_key_id IS NULL OR c.api_key_id = k.id)
      AND k.revoked_at IS NULL AND k.replaced_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    FOR UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO public.portal_apikey (workspace_id, user_id, ref, name, secret_sha256, scopes, collection_ids, expires_at, created_at)
    VALUES (old.workspace_id, old.user_id, new_ref, old.name, secret_hash, old.scopes, old.collection_ids,
            clock_timestamp() + (old.expires_at - old.created_at), clock_timestamp())
    RETURNING id INTO made;
    UPDATE public.portal_apikey k SET replaced_at = clock_timestamp(), expires_at = least(k.expires_at,
        clock_timestamp() + make_interval(mins => least(greatest(overlap_minutes, 0), 10080)))
    WHERE k.id = old.id;
    RETURN made;
END $$;
REVOKE ALL ON FUNCTION footnote.rotate_key(text, text, bytea, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION footnote.rotate_key(text, text, bytea, int) TO footnote_app;
ALTER FUNCTION footnote.rotate_key(text, text, bytea, int) OWNER TO footnote_definer;
GRANT INSERT, UPDATE (replaced_at, expires_at) ON portal_apikey TO footnote_definer;
CREATE POLICY definer_rotates ON portal_apikey FOR INSERT TO footnote_definer WITH CHECK (true);
CREATE POLICY definer_ends ON portal_apikey FOR UPDATE TO footnote_definer USING (true) WITH CHECK (true);
