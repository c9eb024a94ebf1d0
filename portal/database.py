"""Making the database that Footnote runs on: roles, the database itself, and what PostgreSQL leaves open that we close.

Runs with the superuser's address, in `manage.py bootstrap` and in the tests' set-up, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg import conninfo, sql

from portal.context import KEY_ID, pads

LOGIN_ROLES = ("owner", "app", "serve", "worker")
SERVING = ("footnote_app", "footnote_serve", "footnote_worker")
_QUIET = {"track_activities": "off", "jit": "off", "TimeZone": "UTC"}
ROLE_SETTINGS = {
    "footnote_app": _QUIET,
    "footnote_serve": {**_QUIET, "default_transaction_read_only": "on"},
    "footnote_worker": _QUIET,
}
"""Set for the roles themselves. The zone, because Django calls set_config() when it differs and no serving role may."""

KEPT_FUNCTIONS = (
    "amvalidate",
    "array_sample",
    "array_shuffle",
    "clock_timestamp",
    "gen_random_uuid",
    "pg_is_in_recovery",
    "pg_partition_ancestors",
    "pg_partition_tree",
    "random",
    "random_normal",
    "setseed",
    "timeofday",
    "uuidv4",
    "uuidv7",
)
"""The volatile functions of pg_catalog that stay open: none touches another session, a file, a setting or a sequence."""

CLOSED_STABLE = (
    "^pg_stat_get_",
    "^pg_(ls_|read_|show_|hba_|get_backend_memory|get_replication_slots|get_shmem|get_aios|cursor$|prepared_statement$)",
    "^pg_(listening_channels|postmaster_start_time|conf_load_time|tablespace_(databases|location)|relation_file)",
    "^pg_(filenode_relation|available_extension|extension_update_paths|timezone_names)",
    "^inet_server_",
    "_to_xml(schema|_and_xmlschema)?$",
)
"""Stable ones that are closed too: statistics, sessions, files, settings, and SQL inside an expression (query_to_xml)."""

OPEN_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
  AND (SELECT count(*) FROM pg_type t WHERE t.typtype = 'p' AND t.typname NOT IN ('record', 'void', 'any', 'anyarray', 'anyelement')
       AND (t.oid = p.prorettype OR t.oid = ANY (p.proargtypes))) = 0
  AND ((p.provolatile = 'v' AND p.proname <> ALL (%s::text[])) OR p.proname ~ ANY (%s::text[]))
  AND has_function_privilege(%s, p.oid, 'EXECUTE') ORDER BY 1
"""
"""What a role may call of pg_catalog and should not: parameters are KEPT_FUNCTIONS, CLOSED_STABLE and the role (or public).

By what a function is and not by a list of names, so that the next release of PostgreSQL brings no open one unseen.
"""

NAMED_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY (%s)
"""

OPEN_VIEWS = """
SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'v'
  AND (c.relname ~ '^pg_(stat|locks|roles|user|group|shadow|cursors|prepared|sequences|replication|settings|file_settings)'
       OR c.relname ~ '^pg_(hba|ident|shmem|backend_memory|aios|wait_events|available_ext|timezone_names)')
  AND has_table_privilege(%s, c.oid, 'SELECT') ORDER BY 1
"""

OWNER_KEEPS = (
    "set_config",
    "setval",
    "pg_relation_size",
    "pg_table_size",
    "pg_indexes_size",
    "pg_total_relation_size",
    "pg_database_size",
)

BACKUP_READS = ("pg_settings", "pg_roles")
BACKUP_CALLS = ("pg_show_all_settings", "lo_get", "pg_get_sequence_data")
"""What pg_dump looks at beside the catalogue, and calls; closed to everybody else."""


@dataclass(frozen=True, slots=True)
class Admin:
    """The superuser's address; `url` never reaches a log."""

    url: str

    def connect(self, database: str = "") -> psycopg.Connection:
        named = {"dbname": database} if database else {}
        return psycopg.connect(conninfo.make_conninfo(self.url, connect_timeout=10, **named), autocommit=True)


def ensure_roles(admin: Admin, passwords: Mapping[str, str]) -> None:
    """The four login roles with these passwords, the functions' owner and the backup role. Safe to run again."""
    with admin.connect() as connection:
        for role in LOGIN_ROLES:
            name = f"footnote_{role}"
            _ensure_role(connection, name)
            connection.execute(
                sql.SQL(
                    "ALTER ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS PASSWORD {}"
                ).format(sql.Identifier(name), sql.Literal(passwords[role]))
            )
        _ensure_role(connection, "footnote_definer")
        connection.execute("ALTER ROLE footnote_definer NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT")
        _ensure_role(connection, "footnote_backup")
        connection.execute("ALTER ROLE footnote_backup NOLOGIN NOSUPERUSER BYPASSRLS NOINHERIT")
        connection.execute("GRANT footnote_definer TO footnote_owner WITH INHERIT FALSE, SET TRUE")
        connection.execute("GRANT pg_read_all_data TO footnote_backup WITH INHERIT TRUE")
        for name in SERVING:
            # A role may change its own settings and password: what an injector did so is undone here.
            connection.execute(sql.SQL("ALTER ROLE {} RESET ALL").format(sql.Identifier(name)))
            for setting, value in ROLE_SETTINGS[name].items():
                connection.execute(
                    sql.SQL("ALTER ROLE {} SET {} = {}").format(
                        sql.Identifier(name), sql.Identifier(setting), sql.Literal(value)
                    )
                )


def _ensure_role(connection: psycopg.Connection, name: str) -> None:
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(name)))


def ensure_database(admin: Admin, name: str) -> None:
    """The database, owned by footnote_owner, with pgvector, and closed as harden() says."""
    with admin.connect() as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER footnote_owner TEMPLATE template0 ENCODING 'UTF8'").format(
                    sql.Identifier(name)
                )
            )
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO footnote_owner").format(sql.Identifier(name)))
    with admin.connect(name) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        harden(connection, name)


def harden(connection: psycopg.Connection, name: str) -> None:
    """Close what an injector could use to disturb, spy or stay: temp tables, signals, locks, sleeping, statistics."""
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name)))
    connection.execute(
        sql.SQL(
            "GRANT CONNECT ON DATABASE {} TO footnote_owner, footnote_app, footnote_serve, footnote_worker, footnote_backup"
        ).format(sql.Identifier(name))
    )
    connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    connection.execute("GRANT ALL ON SCHEMA public TO footnote_owner")
    connection.execute("REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC")
    connection.execute("GRANT USAGE ON LANGUAGE plpgsql TO footnote_owner, footnote_definer")
    for (function,) in connection.execute(
        OPEN_FUNCTIONS, [list(KEPT_FUNCTIONS), list(CLOSED_STABLE), "public"]
    ).fetchall():
        connection.execute(sql.SQL("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC").format(sql.SQL(function)))
    for (view,) in connection.execute(OPEN_VIEWS, ["public"]).fetchall():
        connection.execute(sql.SQL("REVOKE SELECT ON pg_catalog.{} FROM PUBLIC").format(sql.Identifier(view)))
    for view in BACKUP_READS:
        connection.execute(sql.SQL("GRANT SELECT ON pg_catalog.{} TO footnote_backup").format(sql.Identifier(view)))
    for names, roles in ((OWNER_KEEPS, "footnote_owner, footnote_backup"), (BACKUP_CALLS, "footnote_backup")):
        for (function,) in connection.execute(NAMED_FUNCTIONS, [list(names)]).fetchall():
            connection.execute(sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(sql.SQL(function), sql.SQL(roles)))


def seal_context_key(admin: Admin, name: str, key: bytes, *, binds_pid: bool) -> None:
    """Store the signing key's HMAC pads where only the functions' owner reads them."""
    inner, outer = pads(key)
    with admin.connect(name) as connection:
        connection.execute(
            "INSERT INTO footnote.context_key VALUES (%s, %s, %s, %s) ON CONFLICT (key_id) DO UPDATE "
            "SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad, binds_pid = excluded.binds_pid",
            [KEY_ID, inner, outer, binds_pid],
        )
