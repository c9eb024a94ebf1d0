"""P5: one wall taken away at a time, so that the proofs can be seen to notice.

    pytest -p tests.isolation.mutants --mutant "a token's signature" -x tests/isolation

A mutant is a definer function rewritten, a policy opened, a constraint or a check dropped, or a Python function replaced. A
superuser makes it in the tests' own database after the migrations, for the whole run. `bench/mutants.py` runs them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import psycopg
import pytest
from django.db import connections
from psycopg.sql import SQL, Identifier

from portal.database import Admin

Change = Callable[["psycopg.Connection[Any]"], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`change` takes the wall away; `seen_by` names the proofs to run first, the rest of the suite follows when they stay green."""

    change: Change
    seen_by: str = "test_context.py"


def rewritten(function: str, old: str, new: str) -> Change:
    """The function with `old` replaced wherever it stands in its body."""

    def change(connection: psycopg.Connection[Any]) -> None:
        row = connection.execute(
            "SELECT pg_get_functiondef(p.oid) FROM pg_proc p "
            "WHERE p.proname = %s AND p.pronamespace = 'footnote'::regnamespace",
            [function],
        ).fetchone()
        assert row is not None, f"footnote.{function} is not there"
        assert old in row[0], f"{old!r} is not in footnote.{function}: renew the mutant"
        connection.execute(row[0].replace(old, new).encode())

    return change


def opened(table: str, policy: str) -> Change:
    """The policy lets every row pass."""

    def change(connection: psycopg.Connection[Any]) -> None:
        found = connection.execute(
            "SELECT qual IS NOT NULL, with_check IS NOT NULL FROM pg_policies WHERE tablename = %s AND policyname = %s",
            [table, policy],
        ).fetchone()
        assert found is not None, f"{table} has no policy {policy}: renew the mutant"
        parts = [SQL(" USING (true)")] * found[0] + [SQL(" WITH CHECK (true)")] * found[1]
        connection.execute(
            SQL("ALTER POLICY {} ON {}").format(Identifier(policy), Identifier(table)) + SQL("").join(parts)
        )

    return change


def executed(*statements: str) -> Change:
    def change(connection: psycopg.Connection[Any]) -> None:
        for statement in statements:
            connection.execute(statement.encode())

    return change


def replaced(module: str, name: str, stand_in: Callable[..., Any]) -> Change:
    """The class's or module's function is another one; `name` may be dotted."""

    def change(connection: psycopg.Connection[Any]) -> None:
        holder: Any = import_module(module)
        *way, last = name.split(".")
        for step in way:
            holder = getattr(holder, step)
        assert callable(getattr(holder, last))
        setattr(holder, last, stand_in)

    return change


def unforeign(table: str, towards: str) -> Change:
    """The table's composite foreign keys to the other one are gone."""

    def change(connection: psycopg.Connection[Any]) -> None:
        names = connection.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND confrelid = %s::regclass "
            "AND contype = 'f' AND cardinality(conkey) > 1",
            [table, towards],
        ).fetchall()
        assert names, f"{table} has no composite key to {towards}: renew the mutant"
        for (name,) in names:
            connection.execute(SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(Identifier(table), Identifier(name)))

    return change


REVOKED, EXPIRED = "k.revoked_at IS NULL", "k.expires_at IS NULL OR k.expires_at > clock_timestamp()"
GRANTED = """(l.kind = 'granted' AND EXISTS (
                   SELECT FROM public.portal_grant g WHERE g.collection_id = l.id AND g.user_id = c.user_id))"""

MUTANTS: Mapping[str, Mutant] = {
    # The signed context
    "a token's signature": Mutant(rewritten("ctx", "IF part[9] <>", "IF false AND part[9] <>")),
    "a token's role": Mutant(rewritten("ctx", "part[6] <> session_user::text OR", "")),
    "a token's end": Mutant(rewritten("ctx", "OR part[8]::bigint < extract(epoch FROM clock_timestamp())", "")),
    "a token's connection": Mutant(rewritten("ctx", "IF key.binds_pid AND", "IF false AND")),
    # Who a person is
    "a member's suspension": Mutant(rewritten("ctx_workspace", "m.state = 'active'", "true")),
    "an account that is closed": Mutant(rewritten("ctx_workspace", "AND u.is_active", "")),
    "a revoked key's context": Mutant(rewritten("ctx_workspace", REVOKED, "true")),
    "an expired key's context": Mutant(rewritten("ctx_workspace", EXPIRED, "true")),
    "another one's password": Mutant(rewritten("own_password", "AND u.id = footnote.ctx_user()", "")),
    # What a person sees and writes
    "the workspace of a collection": Mutant(rewritten("ctx_collections", "l.workspace_id = workspace", "true")),
    "the owner of a private collection": Mutant(
        rewritten("ctx_collections", "l.owner_id = c.user_id", "l.kind = 'private'")
    ),
    "the grant of a collection": Mutant(rewritten("ctx_collections", GRANTED, "l.kind = 'granted'")),
    "a key's collections": Mutant(
        rewritten("ctx_collections", "k.collection_ids IS NULL OR l.id = ANY (k.collection_ids)", "true")
    ),
    "a reader's hands": Mutant(rewritten("ctx_writable", "member_role IN ('owner', 'editor')", "true")),
    # What a worker holds
    "the end of a lease": Mutant(rewritten("ctx_job", "AND j.lease_until > clock_timestamp()", "")),
    "the attempt of a job": Mutant(rewritten("ctx_job", "AND j.attempt = c.job_attempt", "")),
    "the state of a job": Mutant(rewritten("ctx_job", "AND j.state = 'running'", "")),
    # Keys
    "a key's secret": Mutant(rewritten("api_key_owner", "AND k.secret_sha256 = secret_hash", ""), "test_matrix.py"),
    "a key's scope": Mutant(replaced("portal.api", "KeyScope.has_permission", lambda *_: True), "test_matrix.py"),
    # Policies
    "passages, for questions": Mutant(opened("documents_chunk", "serve_sees"), "test_hostile.py"),
    "documents, for pages": Mutant(opened("documents_document", "app_sees"), "test_hostile.py"),
    "documents, changed by pages": Mutant(opened("documents_document", "app_changes"), "test_hostile.py"),
    "passages, written by a worker": Mutant(opened("documents_chunk", "worker_adds"), "test_hostile.py"),
    "passages, removed by a worker": Mutant(opened("documents_chunk", "worker_removes"), "test_hostile.py"),
    # Tables
    "row security of questions": Mutant(
        executed("ALTER TABLE answers_question DISABLE ROW LEVEL SECURITY"), "test_hostile.py"
    ),
    "row security of keys": Mutant(executed("ALTER TABLE portal_apikey DISABLE ROW LEVEL SECURITY"), "test_hostile.py"),
    "the tie of a version to its document": Mutant(
        unforeign("documents_version", "documents_document"), "test_hostile.py"
    ),
    "a view for everybody": Mutant(
        executed(
            "CREATE VIEW public.peek AS SELECT * FROM documents_chunk", "GRANT SELECT ON public.peek TO footnote_app"
        ),
        "test_catalogue.py",
    ),
    "reading alone, for questions": Mutant(
        executed(
            "ALTER ROLE footnote_serve RESET default_transaction_read_only",
            "GRANT INSERT, UPDATE, DELETE ON documents_chunk TO footnote_serve",
            "CREATE POLICY serve_writes ON documents_chunk TO footnote_serve USING (true) WITH CHECK (true)",
        ),
        "test_hostile.py",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutant", default=os.environ.get("FOOTNOTE_MUTANT", ""), help="the wall to take away")


@pytest.fixture(autouse=True, scope="session")
def mutant(request: pytest.FixtureRequest, test_database: Admin) -> None:
    """Nothing without --mutant. Every run makes its database anew; ensure_roles puts back what belongs to the cluster."""
    if name := str(request.config.getoption("--mutant")):
        with test_database.connect(connections["default"].settings_dict["NAME"]) as connection:
            MUTANTS[name].change(connection)
