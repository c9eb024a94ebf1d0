"""The self-check: is this database really the one that refuses? Run at start and by /ops/ready (P6 of docs/isolation.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from django.apps import apps
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import OperationalError, ProgrammingError, connections, transaction

from portal.database import CLOSED_STABLE, KEPT_FUNCTIONS, OPEN_FUNCTIONS, OPEN_VIEWS, ROLE_SETTINGS
from portal.events import Log

log = Log("portal.checks")
SERVING = {"default": "footnote_app", "serve": "footnote_serve", "ingest": "footnote_worker"}
EX_CONFIG = 78
"""sysexits.h: started with a configuration that must not serve."""

GLOBAL_TABLES = frozenset(
    {
        "django_migrations",
        "django_content_type",
        "auth_permission",
        "auth_group",
        "auth_group_permissions",
        "documents_embeddingmodel",
    }
)
"""Tables without a tenant's rows; everything else must be under forced row policies."""

DEFINER_FUNCTIONS = frozenset(
    {
        "accept_invitation",
        "admit",
        "api_key_owner",
        "claim_delivery",
        "claim_import",
        "claim_job",
        "claim_run",
        "ctx",
        "ctx_api_key",
        "ctx_collections",
        "ctx_is_operator",
        "ctx_job",
        "ctx_job_document",
        "ctx_job_workspace",
        "ctx_role",
        "ctx_user",
        "ctx_workspace",
        "ctx_writable",
        "are_standing",
        "drop_left_questions",
        "drop_old_deliveries",
        "drop_unused_blobs",
        "embedding_progress",
        "fill_embedding_model",
        "forget_version",
        "hears",
        "invitation",
        "join_as",
        "keep_blob",
        "move_citations",
        "move_statistics",
        "note_missing_blobs",
        "own_password",
        "queue_beside",
        "queue_gaps",
        "queue_state",
        "redact_answers",
        "redact_citations",
        "redact_gold",
        "redact_late",
        "redact_late_citation",
        "redact_version",
        "rotate_key",
        "redact_written",
        "runs_waiting",
        "spent_this_month",
        "stop_poison",
        "stored_blobs",
        "switch_embedding_model",
        "tell_hooks",
        "tell_of_document",
        "tell_of_run",
        "unknown_blobs",
        "user_by_email",
        "withdraw_offer",
        "workspace_queue",
    }
)
ASKED_FOR = "footnote.ctx_|footnote.session"
"""What the policy of a serving role must ask for: the signed context, or the session's proof."""


@register(Tags.database)
def isolation_holds(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Runs with `manage.py check --database default`; the web and worker processes run faults() before they serve."""
    if not databases or "default" not in databases:
        return []
    return [Error(fault, id="footnote.E001") for fault in faults()]


def faults() -> list[str]:
    """Every way in which isolation does not hold here; an empty list means it holds. Raises OperationalError when down."""
    found: list[str] = []
    for look in PARTS:
        try:
            found += look()
        except (ProgrammingError, psycopg.ProgrammingError) as error:
            what = look.__name__.strip("_").replace("_", " ")
            found.append(f"{what} cannot be looked for: {type(error.__cause__ or error).__name__}")
    return found


def refuse_unless_isolated(process: str) -> None:
    """Call before serving: ends the process with EX_CONFIG and one line per fault when isolation does not hold.

    A database that does not answer is not a fault: pages say so, and /ops/ready runs the same check when it is back.
    """
    try:
        found = faults()
    except OperationalError:
        log.warning("isolation.unchecked", process=process)
        return
    finally:
        for alias in SERVING:
            connections[alias].close()
    if not found:
        log.info("isolation.holds", process=process)
        return
    lines = "\n".join(f"  - {fault}" for fault in found)
    sys.stderr.write(
        f"The {process} does not start: the database would not keep workspaces apart.\n{lines}\n"
        "Nothing was read or changed. Run `manage.py bootstrap`, then start again; docs/isolation.md explains each line.\n"
    )
    raise SystemExit(EX_CONFIG)


def _rows(alias: str, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql, list(params))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


ROLE = """
SELECT session_user::text, current_setting('is_superuser') = 'on', row_security_active('portal_workspace'),
    has_database_privilege(current_database(), 'TEMP'), has_database_privilege(current_database(), 'CREATE'),
    has_schema_privilege('public', 'CREATE') OR has_schema_privilege('footnote', 'CREATE'),
    has_language_privilege('plpgsql', 'USAGE'),
    (SELECT min(c.relname) FROM pg_class c WHERE c.relowner = session_user::regrole),
    (SELECT min(m.roleid::regrole::text) FROM pg_auth_members m WHERE m.member = session_user::regrole)
"""


def _role_faults() -> Iterator[str]:
    seen = set()
    for alias, expected in SERVING.items():
        role, is_super, is_bound, makes_temp, makes_schema, makes_objects, programs, owned, member_of = _rows(
            alias, ROLE
        )[0]
        seen.add(role)
        says = {
            f"{alias} signs in as {role}, not as {expected}": role != expected,
            f"{alias} is a superuser": is_super,
            f"row security does not bind {alias}": not is_bound,
            f"{alias} may make temporary tables": makes_temp,
            f"{alias} may make schemas": makes_schema,
            f"{alias} may make objects in a schema": makes_objects,
            f"{alias} may run plpgsql of its own": programs,
            f"{alias} owns {owned}": owned,
            f"{alias} is a member of {member_of}": member_of,
        }
        yield from (fault for fault, holds in says.items() if holds)
    if len(seen) != len(SERVING):
        yield "two aliases share a role"


def _setting_faults() -> Iterator[str]:
    """A role may change its own settings for good: any that bootstrap did not make is told."""
    rows = _rows(
        "default",
        "SELECT s.setrole::regrole::text, unnest(s.setconfig) FROM pg_db_role_setting s"
        " WHERE s.setrole = ANY (SELECT r::regrole FROM unnest(%s::text[]) r)",
        [list(SERVING.values())],
    )
    expected = {(role, f"{key}={value}") for role, own in ROLE_SETTINGS.items() for key, value in own.items()}
    for role, setting in sorted(set(rows) ^ expected):
        yield f"{role} has other settings than bootstrap gave it: {setting.split('=')[0]}"


def _table_faults() -> Iterator[str]:
    tables = _rows(
        "default",
        "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)"
        " FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'f')",
    )
    for name, forced, has_policy in tables:
        if name not in GLOBAL_TABLES and not forced:
            yield f"{name} is not under forced row security"
        if name not in GLOBAL_TABLES and not has_policy:
            yield f"{name} has no policy"
    known = {name for name, *_ in tables}
    for model in apps.get_models():
        if model._meta.managed and model._meta.db_table not in known:
            yield f"{model._meta.db_table} is missing: run the migrations"
    for (name,) in _rows(
        "default",
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace IN ('public'::regnamespace, 'footnote'::regnamespace)"
        " AND (c.relkind = 'm' OR (c.relkind = 'v'"
        " AND NOT coalesce(c.reloptions::text ~ 'security_invoker=(true|on|1)', false)))",
    ):
        yield f"view {name} does not run as its reader"


def _policy_faults() -> Iterator[str]:
    """A serving role's policy is permissive only as far as the context says; nobody's policy is for everybody."""
    for name, policy in _rows(
        "default",
        "SELECT c.relname, p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE 0 = ANY (p.polroles)",
    ):
        yield f"policy {policy} on {name} is for everybody"
    for name, policy in _rows(
        "default",
        "SELECT c.relname, p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"
        " WHERE p.polroles && ARRAY(SELECT r::regrole::oid FROM unnest(%s::text[]) r)"
        " AND NOT (coalesce(pg_get_expr(p.polqual, p.polrelid), 'footnote.ctx_') ~ %s"
        " AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'footnote.ctx_') ~ %s)",
        [list(SERVING.values()), ASKED_FOR, ASKED_FOR],
    ):
        yield f"policy {policy} on {name} does not ask for the context"


GRANTS = """
SELECT c.relname, r.name, right_name FROM pg_class c, unnest(%s::text[]) r(name),
    unnest(ARRAY['TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN']) right_name
WHERE c.relnamespace IN ('public'::regnamespace, 'footnote'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm')
  AND has_table_privilege(r.name, c.oid, right_name)
UNION ALL
SELECT c.relname, 'PUBLIC', a.privilege_type FROM pg_class c, aclexplode(c.relacl) a
WHERE c.relnamespace IN ('public'::regnamespace, 'footnote'::regnamespace) AND a.grantee = 0
UNION ALL
SELECT c.relname, r.name, 'USAGE' FROM pg_class c, unnest(%s::text[]) r(name)
WHERE c.relnamespace IN ('public'::regnamespace, 'footnote'::regnamespace) AND c.relkind = 'S'
  AND has_sequence_privilege(r.name, c.oid, 'USAGE, SELECT, UPDATE')
UNION ALL
SELECT c.relname, 'footnote_serve', 'write' FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND (has_any_column_privilege('footnote_serve', c.oid, 'INSERT, UPDATE')
       OR has_table_privilege('footnote_serve', c.oid, 'DELETE'))
UNION ALL
SELECT 'context_key', r.name, 'SELECT' FROM unnest(%s::text[]) r(name)
WHERE has_any_column_privilege(r.name, 'footnote.context_key'::regclass, 'SELECT, INSERT, UPDATE')
UNION ALL
SELECT 'portal_user.password', r.name, 'SELECT' FROM unnest(%s::text[]) r(name)
WHERE has_column_privilege(r.name, 'portal_user'::regclass, 'password', 'SELECT')
"""


def _grant_faults() -> Iterator[str]:
    roles = list(SERVING.values())
    for name, role, right in _rows("default", GRANTS, [roles, roles, roles, roles]):
        yield f"{role} holds {right} on {name}"


def _function_faults() -> Iterator[str]:
    found = _rows(
        "default",
        "SELECT p.proname, p.proowner::regrole::text, coalesce(array_to_string(p.proconfig, ','), ''),"
        " has_function_privilege('public', p.oid, 'EXECUTE')"
        " FROM pg_proc p WHERE p.prosecdef AND p.pronamespace <> 'pg_catalog'::regnamespace",
    )
    names = {name for name, *_ in found}
    if names != DEFINER_FUNCTIONS:
        yield "security definer functions differ from the list: " + ", ".join(sorted(names ^ DEFINER_FUNCTIONS))
    for name, owner, config, is_public in found:
        if owner != "footnote_definer" or "search_path=pg_catalog, pg_temp" not in config or is_public:
            yield f"function {name} is not closed (owner {owner})"
    for role in SERVING.values():
        for (name,) in _rows("default", OPEN_FUNCTIONS, [list(KEPT_FUNCTIONS), list(CLOSED_STABLE), role]):
            yield f"{role} may call {name}"
        for (name,) in _rows("default", OPEN_VIEWS, [role]):
            yield f"{role} may read {name}"


def _write_faults() -> Iterator[str]:
    refused = {
        "serve": "INSERT INTO documents_embeddingmodel (name, dims, state, languages, created_at)"
        " VALUES ('x', 1, 'retired', '{}', now())",
        "default": "DELETE FROM documents_chunk",
        "ingest": "UPDATE portal_workspace SET name = 'x'",
    }
    for alias, sql in refused.items():
        try:
            with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
                _raw(cursor, sql)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction):
            continue
        yield f"{alias} may write what it must not: {sql.split(' ', 3)[:3]}"


def _context_faults() -> Iterator[str]:
    for alias in SERVING:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            _raw(cursor, "SELECT count(*) FROM portal_workspace")
            if cursor.fetchone()[0]:
                yield f"{alias} sees workspaces without a context"


def _raw(cursor: Any, sql: str) -> None:
    """Past STRICT_SCOPE, which guards our own code: here the database itself is asked."""
    cursor.cursor.execute(sql)


PARTS = (
    _setting_faults,
    _role_faults,
    _table_faults,
    _policy_faults,
    _grant_faults,
    _function_faults,
    _write_faults,
    _context_faults,
)
