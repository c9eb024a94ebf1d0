"""The self-check: is this database really the one that refuses? Run at start and by /ops/ready (P6 of docs/isolation.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connections, transaction

SERVING = {"default": "footnote_app", "serve": "footnote_serve", "ingest": "footnote_worker"}
GLOBAL_TABLES = frozenset(
    {
        "django_migrations",
        "django_content_type",
        "django_session",
        "auth_permission",
        "auth_group",
        "auth_group_permissions",
        "documents_embeddingmodel",
    }
)
"""Tables without a tenant's rows; everything else must be under forced row policies."""

DEFINER_FUNCTIONS = frozenset(
    {
        "api_key_owner",
        "claim_job",
        "ctx",
        "ctx_api_key",
        "ctx_collections",
        "ctx_job",
        "ctx_job_document",
        "ctx_job_workspace",
        "ctx_role",
        "ctx_user",
        "ctx_workspace",
        "ctx_writable",
        "queue_state",
        "redact_citations",
        "stop_poison",
        "user_by_email",
    }
)


@register(Tags.database)
def isolation_holds(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Runs with `manage.py check --database default`; the web and worker processes run faults() before they serve."""
    if not databases or "default" not in databases:
        return []
    return [Error(fault, id="footnote.E001") for fault in faults()]


def faults() -> list[str]:
    """Every way in which isolation does not hold here; an empty list means it holds. Raises OperationalError when down."""
    return [*_role_faults(), *_table_faults(), *_function_faults(), *_write_faults(), *_context_faults()]


def _rows(alias: str, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql, list(params))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _role_faults() -> Iterator[str]:
    seen = set()
    for alias, expected in SERVING.items():
        role, is_super = _rows(alias, "SELECT session_user, current_setting('is_superuser')")[0]
        seen.add(role)
        if role != expected:
            yield f"{alias} signs in as {role}, not as {expected}"
        if is_super == "on":
            yield f"{alias} is a superuser"
        owned = _rows(
            alias,
            "SELECT c.relname FROM pg_class c WHERE c.relowner = session_user::regrole AND c.relkind IN ('r', 'v', 'm')",
        )
        if owned:
            yield f"{alias} owns {owned[0][0]}"
        if _rows(alias, "SELECT row_security_active('portal_workspace')")[0][0] is not True:
            yield f"row security does not bind {alias}"
        if _rows(alias, "SELECT has_database_privilege(current_database(), 'TEMP')")[0][0]:
            yield f"{alias} may make temporary tables"
        for other in ("footnote_owner", "footnote_definer", "footnote_backup"):
            if _rows(alias, "SELECT pg_has_role(session_user, %s, 'MEMBER')", [other])[0][0]:
                yield f"{alias} is a member of {other}"
    if len(seen) != len(SERVING):
        yield "two aliases share a role"


def _table_faults() -> Iterator[str]:
    tables = _rows(
        "default",
        "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')",
    )
    for name, enabled, forced in tables:
        if name not in GLOBAL_TABLES and not (enabled and forced):
            yield f"{name} is not under forced row security"
    known = {name for name, _, _ in tables}
    for model in apps.get_models():
        if model._meta.managed and model._meta.db_table not in known:
            yield f"{model._meta.db_table} is missing: run the migrations"
    for (name,) in _rows(
        "default",
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND (c.relkind = 'm' OR (c.relkind = 'v'"
        " AND NOT coalesce(c.reloptions::text LIKE '%%security_invoker=true%%', false)))",
    ):
        yield f"view {name} does not run as its reader"
    for name, policy in _rows(
        "default",
        "SELECT c.relname, p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE p.polroles = '{0}'::oid[]",
    ):
        yield f"policy {policy} on {name} is for everybody"


def _function_faults() -> Iterator[str]:
    found = _rows(
        "default",
        "SELECT p.proname, p.proowner::regrole::text, coalesce(array_to_string(p.proconfig, ','), ''),"
        " has_function_privilege('public', p.oid, 'EXECUTE')"
        " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prosecdef AND n.nspname IN ('footnote', 'public')",
    )
    names = {name for name, *_ in found}
    if names != DEFINER_FUNCTIONS:
        yield "security definer functions differ from the list: " + ", ".join(sorted(names ^ DEFINER_FUNCTIONS))
    for name, owner, config, is_public in found:
        if owner != "footnote_definer" or "search_path=pg_catalog, pg_temp" not in config or is_public:
            yield f"function {name} is not closed (owner {owner})"


def _write_faults() -> Iterator[str]:
    refused = {
        "serve": "INSERT INTO documents_embeddingmodel (name, dims, state, languages, created_at) VALUES ('x', 1, 'retired', '{}', now())",
        "default": "DELETE FROM documents_chunk",
        "ingest": "UPDATE portal_workspace SET name = 'x'",
    }
    for alias, sql in refused.items():
        try:
            with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
                _raw(cursor, sql)
        except DatabaseError:
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
