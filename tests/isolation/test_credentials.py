"""Ways to hold a key up that are none, keys that have ended in every way, and a key beside somebody's session: every API route.

The matrix (test_matrix.py) tries the states of a key on every aim; here are those that say nothing of whose thing it is.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from portal import keys
from portal.access import scope_of_key
from portal.models import Membership, User
from tests.isolation import agent_routes, routes
from tests.isolation.canaries import OWNER, foreign_canaries
from tests.isolation.matrix import Answer, Case, Credential, Sent, ask_as
from tests.isolation.planted import World, key_of
from tests.isolation.targets import never, target_of
from tests.isolation.test_agents import SPEAKS, as_told
from tests.isolation.test_matrix import embedder, world

__all__ = ["embedder", "world"]
API = (*(case for case in routes.CASES if case.is_api), *agent_routes.AGENTS)


def rotated(key: str, *, overlap_minutes: int) -> str:
    scope = scope_of_key(key)
    assert scope is not None
    return keys.rotate(scope, key.split("_")[1], overlap_minutes=overlap_minutes)


def dead(world: World) -> list[Credential]:
    """None of these opens anything, on any route."""
    ada, north = world.people["ada"], world.places["north"].pk
    good = world.keys["ada"]
    ended = key_of("ada", ada, north)
    rotated(ended, overlap_minutes=0)
    revoked = key_of("ada", ada, north)
    scope = scope_of_key(revoked)
    assert scope is not None
    keys.revoke(scope, revoked.split("_")[1])
    gone = User.objects.using(OWNER).create(email="gone@example.org", name="Gone", is_active=False)
    Membership.objects.using(OWNER).create(workspace=world.places["north"], user=gone, role="owner", state="active")
    basic = base64.b64encode(f"{good}:".encode()).decode()
    return [
        Credential("a key by Basic", "nobody", headers={"Authorization": f"Basic {basic}"}),
        Credential("a key without its scheme", "nobody", headers={"Authorization": good}),
        Credential(
            "a key in another header", "nobody", headers={"X-API-Key": good, "Proxy-Authorization": f"Bearer {good}"}
        ),
        Credential("a key as the session's cookie", "nobody", cookie=good),
        Credential("two keys", "nobody", headers={"Authorization": f"Bearer {good}, Bearer {good}"}),
        Credential("a key in capitals", "nobody", key=good.upper()),
        Credential("a replaced key after its overlap", "nobody", key=ended),
        Credential("a key that ended itself", "nobody", key=revoked),
        Credential("a key of a closed account", "nobody", key=key_of("north", gone, north)),
        Credential("a dead key in a signed-in browser", "nobody", key=ended, cookie=world.cookies["ada"]),
    ]


def send(case: Case, credential: Credential, sent: Sent) -> Answer:
    is_agents = case.route.startswith("mcp ")
    speaking = {**SPEAKS, **credential.headers} if is_agents else credential.headers
    answer = ask_as(replace(credential, headers=speaking), sent)
    return as_told(answer) if is_agents else answer


def test_no_dead_or_misplaced_key_opens_any_route(
    world: World, record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Aimed at the key owner's own things: 401 everywhere, and nothing of anybody."""
    target, wrong, cells, held = target_of(world, "ada"), [], 0, dead(world)
    in_query = dict.fromkeys(("key", "api_key", "access_token", "token", "authorization"), world.keys["ada"])
    before = {case.id: case.did is not None and case.did(target) for case in API}

    for case in API:
        sent = case.send(target, target)
        asking = replace(sent, query={**sent.query, **in_query})
        tries = [(one, sent) for one in held] + [(Credential("a key in the query", "nobody"), asking)]
        for credential, request in tries:
            answer = send(case, credential, request)
            cells += 1
            if answer.status != 401 or foreign_canaries(answer.raw, "nobody"):
                wrong.append(f"{case.id} with {credential.name}: {answer.status}")
    effects = [case.id for case in API if case.did is not None and case.did(target) and not before[case.id]]

    with capsys.disabled():
        sys.stdout.write(f"\nP1 credentials: {cells} cells, {len(wrong)} accepted\n")
    record_property("p1_cells", cells)
    record_property("p1_leaks", len(wrong) + len(effects))
    assert wrong == []
    assert effects == []


def test_a_key_in_somebodys_browser_sees_what_the_key_sees(world: World) -> None:
    """cy's key beside ada's session, aimed at ada's things: as cy's key alone, aimed at what never was."""
    target, mine, wrong = target_of(world, "ada"), target_of(world, "cy"), []
    both = Credential("cy's key in ada's browser", "cy", key=world.keys["cy"], cookie=world.cookies["ada"])

    for case in (one for one in API if not one.fresh):
        answer = send(case, both, case.send(mine, target))
        alone = send(case, replace(both, cookie=""), case.send(mine, never()))
        if foreign_canaries(answer.raw.replace(target.document_name, ""), "cy"):
            wrong.append(f"{case.id}: shows what the session may see")
        if answer.status != alone.status:
            wrong.append(f"{case.id}: {answer.status}, and {alone.status} for what never was")

    assert wrong == []


def test_both_keys_work_in_the_overlap_and_neither_sees_more(world: World) -> None:
    """The old one and its equal, limited to the shared collection: the same answers on every list."""
    ada, north = world.people["ada"], world.places["north"].pk
    shared = [world.papers["north"].collection.pk]
    old = key_of("north", ada, north, collection_ids=shared)
    new = rotated(old, overlap_minutes=30)
    lists = [case for case in API if case.is_list and case.send(never(), never()).method == "GET"]
    differ = []

    for case in lists:
        sent = case.send(never(), never())
        first, second = (
            send(case, Credential(name, "root", key=key), sent) for name, key in (("old", old), ("new", new))
        )
        if (first.status, foreign_canaries(first.raw, "root")) != (second.status, foreign_canaries(second.raw, "root")):
            differ.append(f"{case.id}: {first.status} and {second.status}")
        if first.status == 401:
            differ.append(f"{case.id}: the old key is dead in its overlap")

    assert len(lists) >= 8 and differ == []
