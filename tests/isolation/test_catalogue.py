"""P6: the self-check is clean on this database, and finds each kind of fault when the database is made to have it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connections

from portal import checks, database
from portal.tenant import TenantModel
from tests.conftest import Cast

ADD_DEFINER = "CREATE FUNCTION public.backdoor() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM portal_user'"
FAULTS: dict[str, tuple[str, str, str]] = {
    "a table without row security": (
        "ALTER TABLE documents_chunk DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE documents_chunk ENABLE ROW LEVEL SECURITY",
        "documents_chunk is not under forced row security",
    ),
    "row security that the owner escapes": (
        "ALTER TABLE answers_question NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE answers_question FORCE ROW LEVEL SECURITY",
        "answers_question is not under forced row security",
    ),
    "a new table nobody declared": (
        "CREATE TABLE portal_note (id int)",
        "DROP TABLE portal_note",
        "portal_note is not under forced row security",
    ),
    "a new table with row security and no policy": (
        "CREATE TABLE portal_note (id int); ALTER TABLE portal_note ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        "DROP TABLE portal_note",
        "portal_note has no policy",
    ),
    "a missing table": (
        "ALTER TABLE answers_trace RENAME TO answers_trace_away",
        "ALTER TABLE answers_trace_away RENAME TO answers_trace",
        "answers_trace is missing: run the migrations",
    ),
    "a view of its owner's rights": (
        "CREATE VIEW peek AS SELECT * FROM documents_chunk",
        "DROP VIEW peek",
        "view peek does not run as its reader",
    ),
    "a materialized view": (
        "CREATE MATERIALIZED VIEW peek AS SELECT id FROM documents_chunk",
        "DROP MATERIALIZED VIEW peek",
        "view peek does not run as its reader",
    ),
    "a policy for everybody": (
        "CREATE POLICY open ON documents_chunk FOR SELECT USING (true)",
        "DROP POLICY open ON documents_chunk",
        "policy open on documents_chunk is for everybody",
    ),
    "a serving role's policy without the context": (
        "CREATE POLICY open ON documents_chunk FOR SELECT TO footnote_serve USING (true)",
        "DROP POLICY open ON documents_chunk",
        "policy open on documents_chunk does not ask for the context",
    ),
    "a definer function nobody listed": (
        ADD_DEFINER,
        "DROP FUNCTION public.backdoor()",
        "security definer functions differ from the list: backdoor",
    ),
    "a definer function that is not closed": (
        ADD_DEFINER,
        "DROP FUNCTION public.backdoor()",
        "function backdoor is not closed (owner postgres)",
    ),
    "a listed function that everybody may call": (
        "GRANT EXECUTE ON FUNCTION footnote.ctx() TO PUBLIC",
        "REVOKE EXECUTE ON FUNCTION footnote.ctx() FROM PUBLIC",
        "function ctx is not closed (owner footnote_definer)",
    ),
    "a listed function with an open search_path": (
        "ALTER FUNCTION footnote.ctx_user() RESET search_path",
        "ALTER FUNCTION footnote.ctx_user() SET search_path = pg_catalog, pg_temp",
        "function ctx_user is not closed (owner footnote_definer)",
    ),
    "temporary tables": (
        "GRANT TEMP ON DATABASE {database} TO footnote_app",
        "REVOKE TEMP ON DATABASE {database} FROM footnote_app",
        "default may make temporary tables",
    ),
    "schemas of its own": (
        "GRANT CREATE ON DATABASE {database} TO footnote_worker",
        "REVOKE CREATE ON DATABASE {database} FROM footnote_worker",
        "ingest may make schemas",
    ),
    "tables of its own": (
        "GRANT CREATE ON SCHEMA public TO footnote_serve",
        "REVOKE CREATE ON SCHEMA public FROM footnote_serve",
        "serve may make objects in a schema",
    ),
    "code of its own": (
        "GRANT USAGE ON LANGUAGE plpgsql TO footnote_app",
        "REVOKE USAGE ON LANGUAGE plpgsql FROM footnote_app",
        "default may run plpgsql of its own",
    ),
    "a role that owns a table": (
        "GRANT CREATE ON SCHEMA public TO footnote_app; ALTER TABLE auth_group OWNER TO footnote_app",
        "ALTER TABLE auth_group OWNER TO footnote_owner; REVOKE CREATE ON SCHEMA public FROM footnote_app",
        "default owns auth_group",
    ),
    "a role that is a member of another": (
        "GRANT footnote_definer TO footnote_serve",
        "REVOKE footnote_definer FROM footnote_serve",
        "serve is a member of footnote_definer",
    ),
    "a role past row security": (
        "ALTER ROLE footnote_serve BYPASSRLS",
        "ALTER ROLE footnote_serve NOBYPASSRLS",
        "row security does not bind serve",
    ),
    "a superuser": (
        "ALTER ROLE footnote_app SUPERUSER",
        "ALTER ROLE footnote_app NOSUPERUSER",
        "default is a superuser",
    ),
    "a write through serve": (
        "GRANT UPDATE ON documents_chunk TO footnote_serve",
        "REVOKE UPDATE ON documents_chunk FROM footnote_serve",
        "footnote_serve holds write on documents_chunk",
    ),
    "a write of chunks through app": (
        "GRANT DELETE ON documents_chunk TO footnote_app",
        "REVOKE DELETE ON documents_chunk FROM footnote_app",
        "default may write what it must not: ['DELETE', 'FROM', 'documents_chunk']",
    ),
    "a TRUNCATE, which no policy sees": (
        "GRANT TRUNCATE ON answers_question TO footnote_app",
        "REVOKE TRUNCATE ON answers_question FROM footnote_app",
        "footnote_app holds TRUNCATE on answers_question",
    ),
    "a grant to everybody": (
        "GRANT SELECT ON portal_workspace TO PUBLIC",
        "REVOKE SELECT ON portal_workspace FROM PUBLIC",
        "PUBLIC holds SELECT on portal_workspace",
    ),
    "a sequence that tells volumes": (
        "GRANT USAGE ON SEQUENCE documents_document_id_seq TO footnote_app",
        "REVOKE USAGE ON SEQUENCE documents_document_id_seq FROM footnote_app",
        "footnote_app holds USAGE on documents_document_id_seq",
    ),
    "the signing key": (
        "GRANT SELECT (inner_pad) ON footnote.context_key TO footnote_app; GRANT USAGE ON SCHEMA footnote TO footnote_app",
        "REVOKE SELECT (inner_pad) ON footnote.context_key FROM footnote_app",
        "footnote_app holds SELECT on context_key",
    ),
    "the password hashes": (
        "GRANT SELECT (password) ON portal_user TO footnote_app",
        "REVOKE SELECT (password) ON portal_user FROM footnote_app",
        "footnote_app holds SELECT on portal_user.password",
    ),
    "a setting through a function": (
        "GRANT EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) TO footnote_serve",
        "REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM footnote_serve",
        "footnote_serve may call set_config(text,text,boolean)",
    ),
    "the statistics of others": (
        "GRANT SELECT ON pg_catalog.pg_stat_activity TO PUBLIC",
        "REVOKE SELECT ON pg_catalog.pg_stat_activity FROM PUBLIC",
        "footnote_worker may read pg_stat_activity",
    ),
}


@contextlib.contextmanager
def mutated(admin: database.Admin, statement: str, undo: str) -> Iterator[None]:
    """The test database with one thing wrong, put right again whatever happens."""
    name = connections["default"].settings_dict["NAME"]
    with admin.connect(name) as connection:
        connection.execute(statement.replace("{database}", name).encode())
        try:
            yield
        finally:
            for alias in checks.SERVING:
                connections[alias].close()
            connection.execute(undo.replace("{database}", name).encode())


def test_the_self_check_is_clean(database: None) -> None:
    assert checks.faults() == []


def test_the_self_check_finds_every_kind_of_fault(database: None, test_database: database.Admin) -> None:
    """One test for all kinds: each costs five connections, the emptying of the database would cost more."""
    missed = {}
    for kind, (statement, undo, fault) in FAULTS.items():
        with mutated(test_database, statement, undo):
            found = checks.faults()
        if fault not in found:
            missed[kind] = found

    assert missed == {}
    assert checks.faults() == []


@pytest.mark.parametrize("alias", checks.SERVING)
def test_another_role_behind_an_alias_is_found(alias: str, database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(checks.SERVING, alias, "footnote_somebody_else")

    found = list(checks._role_faults())

    assert any(fault.startswith(f"{alias} signs in as") for fault in found)


def test_rows_without_a_context_are_found(cast: Cast, test_database: database.Admin) -> None:
    statement = "CREATE POLICY open ON portal_workspace FOR SELECT TO footnote_worker USING (true OR footnote.ctx_job() IS NULL)"

    with mutated(test_database, statement, "DROP POLICY open ON portal_workspace"):
        found = checks.faults()

    assert found == ["ingest sees workspaces without a context"]


def test_every_tenant_model_is_under_a_policy_of_the_app_role(database: None) -> None:
    models = [m._meta.db_table for m in apps.get_models() if issubclass(m, TenantModel)]

    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"
            " WHERE 'footnote_app'::regrole::oid = ANY (p.polroles) OR 'footnote_serve'::regrole::oid = ANY (p.polroles)"
        )
        governed = {name for (name,) in cursor.fetchall()}

    assert set(models) <= governed
    assert not set(models) & checks.GLOBAL_TABLES


def test_no_role_of_the_suite_may_do_what_a_superuser_does(database: None, test_database: database.Admin) -> None:
    with test_database.connect() as connection:
        rows = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname ~ '^footnote_(app|serve|worker|owner|definer)$' AND"
            " (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR rolinherit)"
        ).fetchall()

    assert rows == []


def test_the_self_check_costs_less_than_a_page(database: None) -> None:
    checks.faults()

    started = time.perf_counter()
    checks.faults()

    assert time.perf_counter() - started < 1.0


def test_a_process_refuses_to_start_on_a_database_that_leaks(
    database: None, test_database: database.Admin, capsys: pytest.CaptureFixture[str]
) -> None:
    statement, undo, fault = FAULTS["a policy for everybody"]

    with mutated(test_database, statement, undo), pytest.raises(SystemExit) as ended:
        checks.refuse_unless_isolated("worker")

    assert ended.value.code == checks.EX_CONFIG
    assert f"  - {fault}\n" in capsys.readouterr().err


@pytest.mark.parametrize("entry", ["portal.asgi", "portal.wsgi"])
def test_the_web_entry_points_check_before_they_serve(
    entry: str, database: None, test_database: database.Admin
) -> None:
    """The real process against the test database: it must end by itself with the code and the words."""
    name = connections["default"].settings_dict["NAME"]
    code = (
        "import django.conf as c, importlib, os; os.environ['DJANGO_SETTINGS_MODULE'] = 'portal.settings';"
        f"[d.update(NAME={name!r}) for d in c.settings.DATABASES.values()]; importlib.import_module({entry!r})"
    )
    statement, undo, fault = FAULTS["a table without row security"]

    sound = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    with mutated(test_database, statement, undo):
        unsound = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert sound.returncode == 0, sound.stderr
    assert unsound.returncode == checks.EX_CONFIG
    assert fault in unsound.stderr and "Traceback" not in unsound.stderr
