"""Who is asking: a frozen Scope, and principal(scope), the only way a tenant row is ever reached."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from django.db import connections, transaction

from portal.context import Context, sign

Role = Literal["owner", "editor", "reader"]


class OutsideScope(RuntimeError):
    """A tenant table was queried outside `with principal(scope):`. Open one around the query."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One person, key or job in one workspace, with the collections it sees and those it may add to.

    Made by `portal.access` alone, from what the database says at that moment; the row policies compute the same from the
    signed context, so a stale Scope sees less, never more.
    """

    workspace_id: int
    user_id: int | None
    role: Role | None = None
    collection_ids: tuple[int, ...] = ()
    writable_ids: tuple[int, ...] = ()
    api_key_id: int | None = None
    key_scopes: tuple[str, ...] = ()
    job: tuple[int, int] | None = None
    """(job id, attempt): the fence of a worker; void as soon as another attempt claimed the job."""

    @property
    def can_manage(self) -> bool:
        return self.role == "owner"

    @property
    def context(self) -> Context:
        return Context(self.workspace_id, self.user_id, self.job, self.api_key_id)


@dataclass(frozen=True, slots=True)
class UserOnly:
    """A signed-in person before a workspace is chosen: sees the own account and the own memberships, nothing else."""

    user_id: int

    @property
    def context(self) -> Context:
        return Context(None, self.user_id, None, None)


_open: ContextVar[tuple[tuple[str, Scope | UserOnly], ...]] = ContextVar("footnote_open_principals", default=())


def open_alias(scope: Scope) -> str:
    """The alias of the innermost principal that is open for this scope. Raises OutsideScope when there is none."""
    for alias, held in reversed(_open.get()):
        if held == scope:
            return alias
    raise OutsideScope("no principal is open for this scope: wrap the query in `with principal(scope):`")


def is_open(alias: str) -> bool:
    return any(held_alias == alias for held_alias, _ in _open.get())


@contextlib.contextmanager
def principal(scope: Scope | UserOnly, using: str = "default") -> Iterator[None]:
    """One short transaction on `using` that carries the signed context of `scope`.

    Opening the same scope again inside it is a savepoint. Raises OutsideScope when another scope, or a transaction without
    one, already holds the connection: contexts never nest, so none can outlive its transaction.
    """
    held = dict(_open.get())
    if using in held:
        if held[using] != scope:
            raise OutsideScope(f"another scope holds the {using!r} connection: close it before opening this one")
        with transaction.atomic(using=using):
            yield
        return
    connection = connections[using]
    if connection.in_atomic_block:
        raise OutsideScope(f"a transaction without a scope is open on {using!r}: open the principal first")
    with transaction.atomic(using=using):
        with connection.cursor() as cursor:
            token = sign(scope.context, connection.settings_dict["USER"], connection.connection.info.backend_pid)
            # RESET undoes what an earlier statement may have left on a pooled connection. No role may call set_config(), and
            # a token is made of ids, a role name and hex digits: nothing in it needs quoting.
            cursor.execute(f"RESET ALL; SET LOCAL footnote.ctx = '{token}'")
        mark = _open.set((*_open.get(), (using, scope)))
        try:
            yield
        finally:
            _open.reset(mark)
