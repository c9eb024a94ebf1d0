"""PostgreSQL, with two additions: a tenant table reached outside a principal raises while STRICT_SCOPE is on, and a server that
is known to be gone is not waited for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db.backends.postgresql import base

from portal.pg.outage import Outage, answers
from portal.scope import OutsideScope, is_open


@functools.cache
def tenant_tables() -> frozenset[str]:
    """The tables of every TenantModel."""
    from portal.tenant import TenantModel

    return frozenset(m._meta.db_table for m in apps.get_models() if issubclass(m, TenantModel))


@functools.cache
def outage_of(host: str, port: int) -> Outage:
    """What this process knows of the server; all aliases share it."""
    return Outage(lambda: answers(host, port))


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.STRICT_SCOPE and self.alias != "owner":
            self.execute_wrappers.append(self._refuse_outside_scope)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.pool:
            return super().get_new_connection(conn_params)
        outage = outage_of(str(self.settings_dict["HOST"]), int(self.settings_dict["PORT"]))
        if not outage.may_try():
            raise psycopg.OperationalError("the database does not answer")
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            outage.failed()
            raise

    def _refuse_outside_scope(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if not is_open(self.alias) and isinstance(sql, str):
            for table in tenant_tables():
                if f'"{table}"' in sql:
                    raise OutsideScope(f"{table} was queried on {self.alias!r} outside `with principal(scope):`")
        return execute(sql, params, many, context)
