-- The signed context (portal/context.py) and what it lets a role see. Everything here is owned by footnote_definer, a
-- NOLOGIN role; every function is SECURITY DEFINER with a pinned search_path and returns ids, never content.
CREATE SCHEMA footnote;
GRANT USAGE ON SCHEMA footnote TO footnote_app, footnote_serve, footnote_worker, footnote_definer;
GRANT CREATE ON SCHEMA footnote TO footnote_definer;
GRANT USAGE ON SCHEMA public TO footnote_app, footnote_serve, footnote_worker, footnote_definer, footnote_backup;

CREATE TABLE footnote.context_key (
    key_id text PRIMARY KEY,
    inner_pad bytea NOT NULL CHECK (length(inner_pad) = 64),
    outer_pad bytea NOT NULL CHECK (length(outer_pad) = 64),
    binds_pid boolean NOT NULL DEFAULT true
);
GRANT SELECT ON footnote.context_key TO footnote_definer;

CREATE TYPE footnote.context AS (workspace_id bigint, user_id bigint, job_id bigint, job_attempt int, api_key_id bigint);

-- The context of this transaction, or NULL: forged, expired, of another role or backend, or none at all.
CREATE FUNCTION footnote.ctx() RETURNS footnote.context
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    token text := current_setting('footnote.ctx', true);
    part text[];
    key record;
BEGIN
    IF token IS NULL OR length(token) NOT BETWEEN 70 AND 400 THEN RETURN NULL; END IF;
    part := string_to_array(token, '|');
    IF cardinality(part) <> 9 THEN RETURN NULL; END IF;
    SELECT inner_pad, outer_pad, binds_pid INTO key FROM footnote.context_key k WHERE k.key_id = part[1];
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF part[9] <> encode(sha256(key.outer_pad || sha256(key.inner_pad
        || convert_to(array_to_string(part[1:8], '|'), 'UTF8'))), 'hex') THEN RETURN NULL; END IF;
    IF part[6] <> session_user::text OR part[8]::bigint < extract(epoch FROM clock_timestamp()) THEN RETURN NULL; END IF;
    IF key.binds_pid AND part[7] <> pg_backend_pid()::text THEN RETURN NULL; END IF;
    RETURN ROW(
        nullif(part[2], '')::bigint, nullif(part[3], '')::bigint,
        nullif(split_part(part[4], '.', 1), '')::bigint, nullif(split_part(part[4], '.', 2), '')::int,
        nullif(part[5], '')::bigint
    )::footnote.context;
END $$;

-- The person, while the account is active and the key, if one is used, is neither revoked nor expired.
CREATE FUNCTION footnote.ctx_user() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE c footnote.context := footnote.ctx();
BEGIN
    RETURN (
        SELECT u.id FROM public.portal_user u WHERE u.id = c.user_id AND u.is_active
          AND (c.api_key_id IS NULL OR EXISTS (
              SELECT FROM public.portal_apikey k WHERE k.id = c.api_key_id AND k.user_id = c.user_id
                 AND k.workspace_id = c.workspace_id AND k.revoked_at IS NULL
                 AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())))
    );
END $$;

-- The workspace, while the person is an active member of it and the key, if one is used, is neither revoked nor expired.
CREATE FUNCTION footnote.ctx_workspace() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE c footnote.context := footnote.ctx();
BEGIN
    RETURN (
        SELECT m.workspace_id FROM public.portal_membership m JOIN public.portal_user u ON u.id = m.user_id
        WHERE m.workspace_id = c.workspace_id AND m.user_id = c.user_id AND m.state = 'active' AND u.is_active
          AND (c.api_key_id IS NULL OR EXISTS (
              SELECT FROM public.portal_apikey k WHERE k.id = c.api_key_id AND k.user_id = c.user_id
                 AND k.workspace_id = c.workspace_id AND k.revoked_at IS NULL
                 AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())))
    );
END $$;

CREATE FUNCTION footnote.ctx_role() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE c footnote.context := footnote.ctx();
BEGIN
    RETURN (SELECT m.role FROM public.portal_membership m
            WHERE m.workspace_id = footnote.ctx_workspace() AND m.user_id = c.user_id);
END $$;

-- The collections of this workspace that the person sees: shared, own, granted; narrowed by the key.
CREATE FUNCTION footnote.ctx_collections() RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c footnote.context := footnote.ctx();
    workspace bigint := footnote.ctx_workspace();
BEGIN
    RETURN (
        SELECT coalesce(array_agg(l.id ORDER BY l.id), '{}') FROM public.portal_collection l
        WHERE l.workspace_id = workspace
          AND (l.kind = 'shared' OR l.owner_id = c.user_id
               OR (l.kind = 'granted' AND EXISTS (
                   SELECT FROM public.portal_grant g WHERE g.collection_id = l.id AND g.user_id = c.user_id)))
          AND (c.api_key_id IS NULL OR (
               SELECT k.collection_ids IS NULL OR l.id = ANY (k.collection_ids)
               FROM public.portal_apikey k WHERE k.id = c.api_key_id))
    );
END $$;

-- Those of them that the person may add to: shared ones as editor or owner, own ones, grants with may_edit.
CREATE FUNCTION footnote.ctx_writable() RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c footnote.context := footnote.ctx();
    member_role text := footnote.ctx_role();
BEGIN
    RETURN (
        SELECT coalesce(array_agg(l.id ORDER BY l.id), '{}') FROM public.portal_collection l
        WHERE l.id = ANY (footnote.ctx_collections())
          AND ((l.kind = 'shared' AND member_role IN ('owner', 'editor'))
               OR l.owner_id = c.user_id
               OR (l.kind = 'granted' AND EXISTS (SELECT FROM public.portal_grant g
                   WHERE g.collection_id = l.id AND g.user_id = c.user_id AND g.may_edit)))
    );
END $$;

CREATE FUNCTION footnote.ctx_api_key() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (footnote.ctx()).api_key_id;
END $$;

-- The password hash of the person in the context and of nobody else: fellow members see each other's rows, not this column.
-- No key may read it. The one function that returns more than ids.
CREATE FUNCTION footnote.own_password(account_id bigint) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF footnote.ctx_api_key() IS NOT NULL THEN RETURN NULL; END IF;
    RETURN (SELECT u.password FROM public.portal_user u WHERE u.id = account_id AND u.id = footnote.ctx_user());
END $$;

-- Before there is a scope: a sign-in's account, a key's owner. Ids alone.
CREATE FUNCTION footnote.user_by_email(address text) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT u.id FROM public.portal_user u WHERE lower(u.email) = lower(address) AND u.is_active);
END $$;

CREATE FUNCTION footnote.api_key_owner(key_ref text, secret_hash bytea,
    OUT api_key_id bigint, OUT workspace_id bigint, OUT user_id bigint)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT k.id, k.workspace_id, k.user_id INTO api_key_id, workspace_id, user_id FROM public.portal_apikey k
    WHERE k.ref = key_ref AND k.secret_sha256 = secret_hash AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp());
END $$;

GRANT SELECT ON public.portal_user, public.portal_membership, public.portal_collection, public.portal_grant,
    public.portal_apikey TO footnote_definer;
