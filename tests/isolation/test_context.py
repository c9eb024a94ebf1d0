"""The signed context: what a role sees with it, without it and with a forged one (P2, forged contexts)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.conf import settings
from django.db import connections, transaction
from psycopg.sql import SQL, Literal

from portal.context import Context, sign
from portal.models import Collection, Membership, User, Workspace
from portal.scope import OutsideScope, principal
from tests.conftest import Cast, unguarded

ROLES = {"default": "footnote_app", "serve": "footnote_serve", "ingest": "footnote_worker"}


def test_the_roles_of_the_suite_are_the_real_ones(database: None) -> None:
    seen = {}
    for alias in (*ROLES, "owner"):
        with connections[alias].cursor() as cursor:
            cursor.execute("SELECT session_user")
            seen[alias] = cursor.fetchone()[0]

    assert seen == {**ROLES, "owner": "footnote_owner"}


def test_a_member_sees_the_own_workspace_and_not_the_other(cast: Cast) -> None:
    scope = cast.scope(cast.ada)

    with principal(scope):
        collections = list(Collection.objects.visible_to(scope).values_list("name", flat=True).order_by("name"))
        workspaces = list(Workspace.objects.unscoped(reason="the policy alone").values_list("name", flat=True))
        emails = set(User.objects.values_list("email", flat=True))

    assert collections == ["My documents", "Shared"]
    assert workspaces == ["North"]
    assert emails == {"ada@example.org", "ben@example.org", "dot@example.org", "root@example.org"}


def test_no_context_sees_nothing_through_any_role(cast: Cast) -> None:
    for alias in ROLES:
        with unguarded(alias), transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute('SELECT count(*) FROM "portal_collection"')
            assert cursor.fetchone()[0] == 0


def test_a_tenant_query_outside_a_principal_raises(cast: Cast) -> None:
    with pytest.raises(OutsideScope):
        list(Collection.objects.all())


def test_a_suspended_member_loses_everything_at_the_next_statement(cast: Cast) -> None:
    scope = cast.scope(cast.ben)
    with principal(scope):
        before = Collection.objects.visible_to(scope).count()

    Membership.objects.using("owner").filter(user=cast.ben).update(state="suspended")

    with principal(scope):
        after = Collection.objects.visible_to(scope).count()
    assert (before, after) == (2, 0)


def forged_tokens(cast: Cast, pid: int) -> dict[str, str]:
    """Eight ways to say one is cy, each wrong in one part."""
    victim = Context(cast.south.pk, cast.cy.pk, None, None)
    good = sign(victim, "footnote_app", pid)
    body, mac = good.rsplit("|", 1)
    return {
        "no signature": body + "|",
        "another's signature": sign(Context(cast.north.pk, cast.ada.pk, None, None), "footnote_app", pid).rsplit(
            "|", 1
        )[0]
        + "|"
        + mac,
        "changed user": good.replace(f"|{cast.cy.pk}|", f"|{cast.ada.pk}|", 1),
        "expired": sign(victim, "footnote_app", pid, now=0),
        "another backend": sign(victim, "footnote_app", pid + 1),
        "another role": sign(victim, "footnote_serve", pid),
        "unknown key": "9" + good[1:],
        "garbage": "|".join(["x" * 20] * 9),
        "too long": good + "0" * 400,
        "sql in it": good.replace("footnote_app", "x' OR true --"),
    }


def test_forged_contexts_see_nothing(cast: Cast, record_property: Callable[[str, object], None]) -> None:
    connection = connections["default"]
    connection.ensure_connection()
    pid = connection.connection.info.backend_pid
    good = sign(Context(cast.south.pk, cast.cy.pk, None, None), "footnote_app", pid)
    seen = {}
    for name, token in {"good": good, **forged_tokens(cast, pid)}.items():
        with unguarded("default"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(SQL("SET LOCAL footnote.ctx = {}").format(Literal(token)))
            cursor.execute('SELECT count(*) FROM "portal_collection"')
            seen[name] = cursor.fetchone()[0]

    assert seen.pop("good") == 2
    record_property("forged_contexts", list(seen.values()).count(0))
    assert settings.CONTEXT_BINDS_PID
    assert len(seen) >= 8 and set(seen.values()) == {0}
