"""P3: shared connections, shared threads, shared event loops. Whatever runs beside or after it, a scope sees its own."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import random
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.db import connections, transaction
from django.test import Client

from documents import queue
from documents.models import Chunk, Document, IngestJob
from portal.scope import OutsideScope, Scope, UserOnly, open_alias, principal
from tests.conftest import Cast, unguarded
from tests.isolation.canaries import HOMES, canary, foreign_canaries
from tests.isolation.planted import World, plant

POOL_OF_ONE = {"min_size": 1, "max_size": 1, "timeout": 20, "max_idle": 60}
REAL_POOL = {"min_size": 0, "max_size": 6, "timeout": 30, "max_idle": 60}


@pytest.fixture
def world(cast: Cast) -> World:
    return plant(cast)


@contextlib.contextmanager
def pooled(pool: dict[str, int]) -> Iterator[None]:
    """The serving aliases with psycopg's pool, as in production; the tests' own connections have none."""
    held = {alias: copy.deepcopy(connections[alias].settings_dict["OPTIONS"]) for alias in ("default", "serve")}
    for alias in held:
        connections[alias].close()
        connections[alias].settings_dict["OPTIONS"]["pool"] = pool
    try:
        yield
    finally:
        for alias, options in held.items():
            connections[alias].close()
            connections[alias].close_pool()  # type: ignore[attr-defined]
            connections[alias].settings_dict["OPTIONS"] = options


def everything_seen(scope: Scope) -> str:
    """All that the scope reads of texts, by the policies alone and without our own filters."""
    with principal(scope):
        titles = Document.objects.unscoped(reason="the policy alone").values_list("title", flat=True)
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT text FROM answers_question UNION ALL SELECT name FROM portal_collection")
            return " ".join([*titles, *(text for (text,) in cursor.fetchall())])


class Broken(Exception):
    """What one request in five dies of."""


def break_off() -> None:
    raise Broken


def one_request(scope: Scope, *, breaks: bool) -> str:
    try:
        seen = everything_seen(scope)
        if breaks:
            with principal(scope):
                list(Chunk.objects.visible_to(scope))
                break_off()
        return seen
    except Broken:
        return ""
    finally:
        connections["default"].close()


def test_a_pool_of_one_connection_keeps_two_people_apart(world: World) -> None:
    """200 mixed requests over the one connection, every fifth raising inside its principal; nobody's context stays."""
    scopes = {name: world.cast.scope(world.people[name]) for name in ("ada", "cy")}
    order = random.Random(7).choices(["ada", "cy"], k=200)
    wrong: list[str] = []
    anonymous = 0

    with pooled(POOL_OF_ONE):
        for number, who in enumerate(order):
            seen = one_request(scopes[who], breaks=number % 5 == 0)
            wrong += foreign_canaries(seen, who)
            assert number % 5 == 0 or canary(who, "title") in seen
            with unguarded("default"), connections["default"].cursor() as cursor:
                cursor.execute("SELECT count(*) FROM portal_collection")
                anonymous += cursor.fetchone()[0]
            connections["default"].close()

    assert wrong == []
    assert anonymous == 0


def test_threads_over_a_small_pool_keep_people_apart(world: World) -> None:
    scopes = {name: world.cast.scope(world.people[name]) for name in ("ada", "ben", "dot", "cy")}

    def work(number: int) -> tuple[str, str]:
        who = ("ada", "ben", "dot", "cy")[number % 4]
        return who, one_request(scopes[who], breaks=number % 5 == 4)

    with pooled({**POOL_OF_ONE, "max_size": 3}), ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(work, range(400)))

    assert [foreign_canaries(text, who) for who, text in seen if foreign_canaries(text, who)] == []
    assert sum(canary(who, "title") in text for who, text in seen) == 320


PATHS = ("/", "/library/", "/history/", "/library/?q=canary")


async def fifty_people(world: World, application: Any) -> list[tuple[str, int, str]]:
    """50 browsers, ten of each person, 20 requests each, all at once."""
    transport = httpx.ASGITransport(app=application, raise_app_exceptions=False)

    async def browse(who: str, number: int) -> list[tuple[str, int, str]]:
        cookies = {settings.SESSION_COOKIE_NAME: world.cookies[who]}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://testserver", cookies=cookies, timeout=120
        ) as client:
            own = f"/documents/{world.papers[who].document.ref}/"
            foreign = f"/documents/{world.papers['cy' if HOMES[who] != 'south' else 'ada'].document.ref}/"
            got = []
            for turn in range(20):
                answer = await client.get((*PATHS, own, foreign)[(turn + number) % 6])
                got.append((who, answer.status_code, f"{answer.url} {answer.headers} {answer.text}"))
            return got

    people = list(HOMES)
    answers = await asyncio.gather(*(browse(people[number % len(people)], number) for number in range(50)))
    return [answer for of_one in answers for answer in of_one]


def test_fifty_people_interleaved_under_asgi_see_their_own(world: World) -> None:
    from portal.asgi import application

    with pooled(REAL_POOL):
        answers = asyncio.run(fifty_people(world, application))

    leaks = {who: foreign for who, _, text in answers if (foreign := foreign_canaries(text, who))}
    assert leaks == {}
    assert len(answers) == 1000
    assert {status for _, status, _ in answers} <= {200, 404}
    assert sum(canary(who, "name") in text or canary(who, "title") in text for who, _, text in answers) >= 400


def test_jobs_of_two_workspaces_in_one_process_see_their_own(world: World) -> None:
    """claim → work → next claim on one connection, as documents.worker does; a lost fence sees nothing at all."""
    for name in ("ada", "cy", "ben"):
        IngestJob.objects.using("owner").filter(pk=world.papers[name].job.pk).update(state="queued")
    seen: dict[int, str] = {}
    claims = []

    while (claim := queue.claim()) is not None:
        claims.append(claim)
        with principal(claim.scope, using="ingest"):
            texts = Document.objects.using("ingest").values_list("title", flat=True)
            seen[claim.workspace_id] = seen.get(claim.workspace_id, "") + " ".join(texts)
    IngestJob.objects.using("owner").filter(pk=claims[0].job_id).update(attempt=9)
    with principal(claims[0].scope, using="ingest"):
        lost = Document.objects.using("ingest").count()

    assert len(claims) == 3
    assert "canary-cy" not in seen[world.cast.north.pk] and "canary-ada" in seen[world.cast.north.pk]
    assert "canary-ada" not in seen[world.cast.south.pk] and "canary-cy" in seen[world.cast.south.pk]
    assert lost == 0


def test_a_generator_that_outlives_its_principal_reads_nothing(world: World) -> None:
    scope = world.cast.scope(world.cast.ada)

    def stream() -> Iterator[str]:
        with principal(scope):
            rows = Document.objects.visible_to(scope)
        yield "first"
        yield from (row.title for row in rows)

    with pytest.raises(OutsideScope):
        list(stream())
    with unguarded("default"):
        assert list(stream()) == ["first"]


def test_a_principal_held_open_by_a_generator_refuses_everybody_else(world: World) -> None:
    ada, cy = world.cast.scope(world.cast.ada), world.cast.scope(world.cast.cy)

    def holding() -> Generator[int]:
        with principal(ada):
            yield 1

    held = holding()
    next(held)
    with pytest.raises(OutsideScope), principal(cy):
        pass
    held.close()

    assert canary("cy", "title") in everything_seen(cy)


@pytest.mark.parametrize("other", ["cy", "ben", "nobody's workspace", "the same person through a key"])
def test_principals_of_other_scopes_do_not_nest(other: str, world: World) -> None:
    ada = world.cast.scope(world.cast.ada)
    scopes: dict[str, Scope | UserOnly] = {
        "cy": world.cast.scope(world.cast.cy),
        "ben": world.cast.scope(world.cast.ben),
        "nobody's workspace": UserOnly(world.cast.ada.pk),
        "the same person through a key": Scope(ada.workspace_id, ada.user_id, api_key_id=1),
    }

    with principal(ada), pytest.raises(OutsideScope), principal(scopes[other]):
        pass


def test_a_principal_inside_a_foreign_transaction_is_refused(world: World) -> None:
    scope = world.cast.scope(world.cast.ada)

    with transaction.atomic(), pytest.raises(OutsideScope), principal(scope):
        pass


def test_an_exception_in_the_middle_leaves_neither_context_nor_rows(world: World) -> None:
    scope = world.cast.scope(world.cast.ada)

    def half_way() -> None:
        with principal(scope):
            Document.objects.visible_to(scope).update(problem_detail="half done")
            break_off()

    with pytest.raises(Broken):
        half_way()

    with pytest.raises(OutsideScope):
        open_alias(scope)
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT current_setting('footnote.ctx', true)")
        assert cursor.fetchone()[0] in ("", None)
    assert not Document.objects.using("owner").filter(problem_detail="half done").exists()


def test_what_an_injector_leaves_on_the_connection_is_gone_for_the_next(world: World) -> None:
    """Settings that survive a commit, among them somebody's own token for good, are reset by the next principal."""
    ada, cy = world.cast.scope(world.cast.ada), world.cast.scope(world.cast.cy)
    with principal(ada), connections["default"].cursor() as cursor:
        cursor.execute("SELECT current_setting('footnote.ctx')")
        token = cursor.fetchone()[0]
        cursor.execute(f"SET SESSION footnote.ctx = '{token}'; SET row_security = off; SET search_path = 'elsewhere'")

    seen = everything_seen(cy)

    assert canary("cy", "title") in seen and foreign_canaries(seen, "cy") == set()


def test_a_thread_that_inherits_an_open_principal_sees_nothing_through_its_own_connection(world: World) -> None:
    """asyncio.to_thread and sync_to_async copy context variables; the connection there is another one without a token."""
    import contextvars

    scope = world.cast.scope(world.cast.ada)
    seen: list[int] = []

    def look() -> None:
        seen.append(Document.objects.visible_to(scope).count())
        connections["default"].close()

    with principal(scope):
        inherited = contextvars.copy_context()
        thread = threading.Thread(target=inherited.run, args=(look,))
        thread.start()
        thread.join()
        here = Document.objects.visible_to(scope).count()

    assert (seen, here > 0) == ([0], True)


def test_one_browser_that_changes_hands_shows_each_their_own(world: World) -> None:
    """ada signs out on a shared machine, cy signs in: the same client, the same thread."""
    client = Client()
    pages = {}
    for who in ("ada", "cy", "ada"):
        client.post("/sign-in/", {"email": f"{who}@example.org", "password": "correct horse battery"})
        pages[who] = client.get("/library/").content.decode()
        client.post("/sign-out/")

    assert {who: foreign_canaries(page, who) for who, page in pages.items()} == {"ada": set(), "cy": set()}
    assert client.get("/library/").status_code == 302
