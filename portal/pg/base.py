"""PostgreSQL, with one addition: a tenant table reached outside a principal raises while STRICT_SCOPE is on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.backends.postgresql import base

from portal.scope import OutsideScope, is_open


@functools.cache
def tenant_tables() -> frozenset[str]:
    """The tables of every TenantModel."""
    from portal.tenant import TenantModel

    return frozenset(m._meta.db_table for m in apps.get_models() if issubclass(m, TenantModel))


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.STRICT_SCOPE and self.alias != "owner":
            self.execute_wrappers.append(self._refuse_outside_scope)

    def _refuse_outside_scope(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if not is_open(self.alias) and isinstance(sql, str):
            for table in tenant_tables():
                if f'"{table}"' in sql:
                    raise OutsideScope(f"{table} was queried on {self.alias!r} outside `with principal(scope):`")
        return execute(sql, params, many, context)
