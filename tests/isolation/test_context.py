"""The signed context: what a role sees with it, without it and with a forged one (P2, forged contexts)."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import time
from collections.abc import Callable

import psycopg
import pytest
from django.conf import settings
from django.db import connections, transaction
from django.utils import timezone
from psycopg.sql import SQL, Literal

from documents.models import IngestJob
from portal.access import scope_of
from portal.context import LIFETIME_S, Context, sign
from portal.models import ApiKey, Collection, Membership, User, Workspace
from portal.scope import OutsideScope, principal
from tests.conftest import Cast, unguarded
from tests.isolation.attacker import connected
from tests.isolation.planted import World, plant

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


def forged_tokens(alias: str, victim: Context, own: Context, pid: int) -> dict[str, str]:
    """Ways to say one is the victim, each wrong in one part."""
    role, other = ROLES[alias], next(name for name in ROLES.values() if name != ROLES[alias])
    good = sign(victim, role, pid)
    body, mac = good.rsplit("|", 1)
    named = f"|{victim.user_id or victim.workspace_id}|"
    return {
        "no signature": body + "|",
        "the own signature under another's name": body + "|" + sign(own, role, pid).rsplit("|", 1)[1],
        "signature cut short": good[:-1],
        "signature in capitals": body + "|" + mac.upper(),
        "changed person": good.replace(named, f"|{(victim.user_id or victim.workspace_id or 0) + 1}|", 1),
        "expired": sign(victim, role, pid, now=0),
        "expiry pushed on": good.replace(body.rsplit("|", 1)[1], str(2**33)),
        "another backend": sign(victim, role, pid + 1),
        "no backend": sign(victim, role, 0),
        "another role": sign(victim, other, pid),
        "unknown key": "9" + good[1:],
        "no key": good[1:],
        "an empty key, which anybody can sign with": body + "|" + signed_with_nothing(body),
        "garbage": "|".join(["x" * 20] * 9),
        "too few parts": "|".join(good.split("|")[1:]),
        "too many parts": good + "|" + mac,
        "too long": good + "0" * 400,
        "sql in it": good.replace(role, "x' OR true --"),
        "line ends in it": good + "\n" + good,
        "empty": "",
    }


def signed_with_nothing(body: str) -> str:
    return hmac.new(b"", body.encode(), hashlib.sha256).hexdigest()


def contexts(alias: str, world: World) -> tuple[Context, Context]:
    """(cy's, ada's) as this role would carry them; a worker's are jobs that run."""
    if alias != "ingest":
        cast = world.cast
        return Context(cast.south.pk, cast.cy.pk, None, None), Context(cast.north.pk, cast.ada.pk, None, None)
    jobs = [world.papers[name].job for name in ("cy", "ada")]
    IngestJob.objects.using("owner").update(state="running", attempt=1, lease_until="2999-01-01T00:00Z")
    victim, own = (Context(job.workspace_id, None, (job.pk, 1), None) for job in jobs)
    return victim, own


def rows_with(connection: psycopg.Connection, token: str, *, lasting: bool = False) -> int:
    with connection.transaction():
        how = "SESSION" if lasting else "LOCAL"
        connection.execute(SQL("SET {} footnote.ctx = {}").format(SQL(how), Literal(token)))
        row = connection.execute("SELECT count(*) FROM documents_chunk").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("alias", ROLES)
def test_forged_contexts_see_nothing(alias: str, cast: Cast, record_property: Callable[[str, object], None]) -> None:
    victim, own = contexts(alias, plant(cast))

    with connected(alias) as connection:
        pid = connection.info.backend_pid
        good = rows_with(connection, sign(victim, ROLES[alias], pid))
        seen = {name: rows_with(connection, token) for name, token in forged_tokens(alias, victim, own, pid).items()}

    assert settings.CONTEXT_BINDS_PID
    assert good > 0
    assert len(seen) >= 8 and set(seen.values()) == {0}
    record_property("forged_contexts", len(seen))


@pytest.mark.parametrize("alias", ROLES)
def test_a_captured_token_is_worth_nothing_elsewhere(alias: str, cast: Cast) -> None:
    """Read from the own transaction and played again: on another connection, through another role, after a savepoint."""
    world = plant(cast)
    _, own = contexts(alias, world)
    others = [name for name in ROLES if name != alias]

    with connected(alias) as first, connected(alias) as second:
        token = sign(own, ROLES[alias], first.info.backend_pid)
        assert rows_with(first, token) > 0
        replayed = {"another connection": rows_with(second, token)}
        for other in others:
            with connected(other) as elsewhere:
                replayed[other] = rows_with(elsewhere, token)
        with first.transaction():
            with contextlib.suppress(psycopg.Error), first.transaction():
                first.execute(SQL("SET LOCAL footnote.ctx = {}").format(Literal(token)))
                first.execute("SELECT 1/0")
            row = first.execute("SELECT count(*) FROM documents_chunk").fetchone()
            replayed["after a savepoint that was rolled back"] = row[0] if row else -1
        row = first.execute("SELECT count(*) FROM documents_chunk").fetchone()
        replayed["after its transaction"] = row[0] if row else -1

    assert set(replayed.values()) == {0}, replayed


def test_a_token_dies_with_its_time_and_its_person(cast: Cast) -> None:
    """Kept for the whole session by an injector, it still ends with its expiry, the membership and the account."""
    world = plant(cast)
    ben = Context(cast.north.pk, cast.ben.pk, None, None)

    with connected("default") as connection:
        pid = connection.info.backend_pid
        dying = rows_with(
            connection, sign(ben, ROLES["default"], pid, now=time.time() - LIFETIME_S + 1.0), lasting=True
        )
        time.sleep(1.2)
        expired = connection.execute("SELECT count(*) FROM documents_chunk").fetchone()
        alive = rows_with(connection, sign(ben, ROLES["default"], pid), lasting=True)
        User.objects.using("owner").filter(pk=world.people["ben"].pk).update(is_active=False)
        closed = connection.execute("SELECT count(*) FROM documents_chunk").fetchone()

    assert dying > 0 and alive > 0
    assert (expired, closed) == ((0,), (0,))


@pytest.mark.parametrize("fate", ["revoked_at", "expires_at"])
def test_a_token_dies_with_the_key_that_it_was_made_for(cast: Cast, fate: str) -> None:
    """Also when it was made before: a request that is under way ends with the key."""
    world = plant(cast)
    key = ApiKey.objects.using("owner").get(user=cast.ada)
    held = Context(cast.north.pk, cast.ada.pk, None, key.pk)

    with connected("default") as connection:
        alive = rows_with(connection, sign(held, ROLES["default"], connection.info.backend_pid), lasting=True)
        ApiKey.objects.using("owner").filter(pk=key.pk).update(**{fate: timezone.now()})
        ended = connection.execute("SELECT count(*) FROM documents_chunk").fetchone()
        person = connection.execute("SELECT footnote.ctx_user()").fetchone()

    assert world.keys["ada"] and alive > 0
    assert (ended, person) == ((0,), (None,))


def test_a_person_reaches_these_collections_and_no_others(cast: Cast) -> None:
    """Exactly, by id: a policy that also asks for the workspace would hide a list that is too long."""
    world = plant(cast)
    place = {name: held.collection.pk for name, held in world.papers.items()}
    west = Collection.objects.using("owner").filter(workspace=world.places["west"]).values_list("pk", flat=True)
    sees = {
        "ada": ({"ada", "north", "granted"}, {"ada", "north", "granted"}),
        "ben": ({"ben", "north", "granted"}, {"ben", "north"}),
        "dot": ({"dot", "north"}, {"dot"}),
        "cy": ({"cy", "south"}, {"cy", "south"}),
    }

    for name, (read, written) in sees.items():
        scope = cast.scope(world.people[name])
        assert set(scope.collection_ids) == {place[owner] for owner in read}, name
        assert set(scope.writable_ids) == {place[owner] for owner in written}, name
        assert not set(scope.collection_ids) & set(west)

    key = ApiKey.objects.using("owner").get(user=cast.ada)
    ApiKey.objects.using("owner").filter(pk=key.pk).update(
        collection_ids=[place["north"], place["ben"], place["south"]]
    )
    narrow = scope_of(cast.ada.pk, cast.north.pk, api_key_id=key.pk)
    assert narrow is not None and narrow.collection_ids == narrow.writable_ids == (place["north"],)


def test_nobody_reads_the_password_of_another(cast: Cast) -> None:
    key = plant(cast).keys["ada"].split("_")[1]
    as_key = Context(cast.north.pk, cast.ada.pk, None, ApiKey.objects.using("owner").get(ref=key).pk)
    seen = {}

    for who, context in {"ada": Context(cast.north.pk, cast.ada.pk, None, None), "key": as_key}.items():
        with connected("default") as connection, connection.transaction():
            token = sign(context, ROLES["default"], connection.info.backend_pid)
            connection.execute(SQL("SET LOCAL footnote.ctx = {}").format(Literal(token)))
            for person in (cast.ada, cast.ben, cast.cy):
                row = connection.execute("SELECT footnote.own_password(%s)", [person.pk]).fetchone()
                seen[who, person.name] = bool(row and row[0])

    assert [pair for pair, is_there in seen.items() if is_there] == [("ada", "Ada")]
