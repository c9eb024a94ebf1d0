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
CLOSED_FUNCTIONS = (
    "pg_terminate_backend(int, bigint)",
    "pg_cancel_backend(int)",
    "pg_sleep(double precision)",
    "pg_sleep_for(interval)",
    "pg_sleep_until(timestamptz)",
    "pg_notify(text, text)",
    "pg_advisory_lock(bigint)",
    "pg_advisory_lock(int, int)",
    "pg_advisory_xact_lock(bigint)",
    "pg_advisory_xact_lock(int, int)",
    "pg_try_advisory_lock(bigint)",
    "pg_try_advisory_lock(int, int)",
    "pg_try_advisory_xact_lock(bigint)",
    "pg_try_advisory_xact_lock(int, int)",
    "pg_advisory_lock_shared(bigint)",
    "pg_advisory_xact_lock_shared(bigint)",
    "lo_create(oid)",
    "lo_creat(int)",
    "lo_open(oid, int)",
    "lo_from_bytea(oid, bytea)",
    "lo_get(oid)",
    "lo_put(oid, bigint, bytea)",
    "lo_unlink(oid)",
    "lo_import(text)",
    "lo_export(oid, text)",
    "pg_export_snapshot()",
    "pg_stat_get_activity(int)",
    "pg_stat_get_backend_activity(int)",
    "pg_stat_get_live_tuples(oid)",
    "pg_stat_get_dead_tuples(oid)",
    "pg_stat_get_tuples_inserted(oid)",
    "pg_stat_get_tuples_updated(oid)",
    "pg_stat_get_tuples_deleted(oid)",
    "pg_relation_size(regclass, text)",
    "pg_table_size(regclass)",
    "pg_total_relation_size(regclass)",
    "pg_indexes_size(regclass)",
    "pg_database_size(oid)",
    "pg_database_size(name)",
    "pg_read_file(text)",
    "pg_ls_dir(text)",
)
CLOSED_VIEWS = (
    "pg_stat_activity",
    "pg_stat_all_tables",
    "pg_stat_user_tables",
    "pg_stat_all_indexes",
    "pg_stat_user_indexes",
    "pg_statio_all_tables",
    "pg_statio_user_tables",
    "pg_stats",
    "pg_prepared_statements",
    "pg_locks",
    "pg_roles",
    "pg_user",
)


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
        connection.execute("GRANT pg_read_all_data TO footnote_backup")
        for name in SERVING:
            connection.execute(sql.SQL("ALTER ROLE {} SET track_activities = off").format(sql.Identifier(name)))
            connection.execute(sql.SQL("ALTER ROLE {} SET jit = off").format(sql.Identifier(name)))
        connection.execute("ALTER ROLE footnote_serve SET default_transaction_read_only = on")


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
    for function in CLOSED_FUNCTIONS:
        connection.execute(sql.SQL("REVOKE EXECUTE ON FUNCTION pg_catalog.{} FROM PUBLIC").format(sql.SQL(function)))
    for view in CLOSED_VIEWS:
        connection.execute(sql.SQL("REVOKE SELECT ON pg_catalog.{} FROM PUBLIC").format(sql.Identifier(view)))


def seal_context_key(admin: Admin, name: str, key: bytes, *, binds_pid: bool) -> None:
    """Store the signing key's HMAC pads where only the functions' owner reads them."""
    inner, outer = pads(key)
    with admin.connect(name) as connection:
        connection.execute(
            "INSERT INTO footnote.context_key VALUES (%s, %s, %s, %s) ON CONFLICT (key_id) DO UPDATE "
            "SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad, binds_pid = excluded.binds_pid",
            [KEY_ID, inner, outer, binds_pid],
        )
