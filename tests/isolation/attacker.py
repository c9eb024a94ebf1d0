"""Somebody who holds one of our roles' connections: runs anything, keeps everything that comes back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
from django.db import connections
from psycopg.sql import SQL, Literal

from portal.checks import SERVING
from portal.context import Context, sign
from portal.database import Admin
from tests.isolation.planted import World


@dataclass(slots=True)
class Loot:
    """What one statement gave: text of rows, errors and notices; `error` is the last one's class."""

    text: str = ""
    error: str = ""
    notices: list[str] = field(default_factory=list)


@contextlib.contextmanager
def connected(alias: str) -> Iterator[psycopg.Connection]:
    """A plain connection of the alias's role, as a stolen password would give."""
    settings = connections[alias].settings_dict
    with psycopg.connect(
        host=settings["HOST"],
        port=settings["PORT"],
        dbname=settings["NAME"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        options="-c statement_timeout=3000",
        autocommit=True,
    ) as connection:
        yield connection


def enter(connection: psycopg.Connection, context: Context, alias: str) -> str:
    """Take the rightful context for the open transaction; returns its token."""
    token = sign(context, SERVING[alias], connection.info.backend_pid)
    connection.execute(SQL("SET LOCAL footnote.ctx = {}").format(Literal(token)))
    return token


def attack(connection: psycopg.Connection, sql: str, *, context: Context | None, alias: str) -> Loot:
    """Run it in a transaction of its own, commit when it went through, and say all that was seen."""
    loot = Loot()
    connection.add_notice_handler(lambda note: loot.notices.append(f"{note.message_primary} {note.message_detail}"))
    try:
        with connection.transaction():
            if context is not None:
                enter(connection, context, alias)
            loot.text = _copied(connection, sql) if sql.startswith("COPY") else _fetched(connection, sql)
    except psycopg.Error as error:
        loot.error = type(error).__name__
        loot.text += f" {error} {error.diag.message_detail} {error.diag.message_hint} {error.diag.context}"
    loot.text += " ".join(loot.notices)
    if not connection.closed:
        connection.execute("RESET ALL; CLOSE ALL; DEALLOCATE ALL")
    return loot


def _fetched(connection: psycopg.Connection, sql: str) -> str:
    seen: list[str] = []
    with connection.cursor() as cursor:
        cursor.execute(sql.encode())
        while True:
            if cursor.description is not None:
                seen.extend(" ".join(_plain(value) for value in row) for row in cursor.fetchall())
            if not cursor.nextset():
                return "\n".join(seen)


def _copied(connection: psycopg.Connection, sql: str) -> str:
    with connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
        if "FROM STDIN" in sql:
            copy.write(b"1\t1\tthief\tx\tshared\t\\N\tstructure\t250\t30\tnow\n")
            return ""
        return "\n".join(bytes(piece).decode() for piece in copy)


def _plain(value: object) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, bytes | memoryview) else str(value)


COLUMNS = """
SELECT c.relname, array_agg(a.attname::text) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relnamespace IN ('public'::regnamespace, 'footnote'::regnamespace) AND c.relkind = 'r' GROUP BY c.relname ORDER BY 1
"""


CATALOGUE = {
    "roles": "SELECT string_agg(a::text, ',' ORDER BY oid) FROM pg_authid a",
    "role settings": "SELECT string_agg(s::text, ',' ORDER BY s::text) FROM pg_db_role_setting s",
    "memberships of roles": "SELECT string_agg(m::text, ',' ORDER BY oid) FROM pg_auth_members m",
    "policies": "SELECT string_agg(p::text, ',' ORDER BY oid) FROM pg_policy p",
    "functions": "SELECT string_agg(concat(oid, prosrc, proacl, proowner), ',' ORDER BY oid) FROM pg_proc",
    "relations": "SELECT string_agg(concat(oid, relname, relacl, relowner, relrowsecurity, relforcerowsecurity), ',' ORDER BY oid)"
    " FROM pg_class WHERE relkind <> 't'",
    "schemas": "SELECT string_agg(n::text, ',' ORDER BY oid) FROM pg_namespace n WHERE nspname !~ '^pg_(temp|toast_temp)'",
    "triggers": "SELECT string_agg(t::text, ',' ORDER BY oid) FROM pg_trigger t",
    "sequences": "SELECT string_agg(concat(sequencename, last_value), ',' ORDER BY sequencename) FROM pg_sequences"
    " WHERE sequencename ~ 'user|workspace|embedding'",
}


class Witness:
    """The superuser's view of everything that is not ada's to change: one digest per table, and of the catalogue."""

    def __init__(self, admin: Admin, world: World) -> None:
        self._connection = admin.connect(connections["default"].settings_dict["NAME"])
        cast = world.cast
        north, south, ada, ben = cast.north.pk, cast.south.pk, cast.ada.pk, cast.ben.pk
        private = world.papers["ben"].collection.pk
        self._parts = []
        for table, columns in self._connection.execute(COLUMNS).fetchall():
            if table == "portal_user":
                which = f"id <> {ada}"
            elif table == "portal_workspace":
                which = "true"
            elif table == "portal_membership":
                which = f"workspace_id <> {north}"
            elif "workspace_id" not in columns:
                which = "true"
            else:
                which = f"workspace_id = {south}"
                which += (
                    f" OR collection_id = {private}" if "collection_id" in columns and "user_id" not in columns else ""
                )
                which += f" OR user_id = {ben}" if "user_id" in columns else ""
                which += f" OR id = {private}" if table == "portal_collection" else ""
            schema = "footnote" if table == "context_key" else "public"
            self._parts.append(
                f"SELECT '{table}' AS name, md5(coalesce(string_agg(t::text, chr(10) ORDER BY t::text), '')) AS digest,"
                f" count(*) FROM {schema}.{table} t WHERE {which}"
            )

        self._parts += [f"SELECT '{name}', md5(({sql})), 0" for name, sql in CATALOGUE.items()]

    def look(self) -> dict[str, tuple[str, int]]:
        rows = self._connection.execute(" UNION ALL ".join(self._parts).encode()).fetchall()
        return {name: (digest, count) for name, digest, count in rows}

    def close(self) -> None:
        self._connection.close()
