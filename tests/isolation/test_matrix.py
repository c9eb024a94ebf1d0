"""P1: every route × method × credential × place of an id. 0 leaks, and as if the thing never was."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, cast
from urllib.parse import quote

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from answers import ask
from answers.typed.schema import served
from documents.models import Document
from portal.models import User
from retrieval import api as retrieval_api
from tests.conftest import Cast
from tests.fakes.openai_server import OpenAIServer
from tests.isolation import admin_routes, agent_routes, api_routes, routes
from tests.isolation.canaries import HOMES, MAY_SEE, OWNER, canary, foreign_canaries
from tests.isolation.matrix import Answer, Case, Credential, Sent, ask_as
from tests.isolation.planted import World, first_of, home_of, key_of, plant
from tests.isolation.targets import Target, fresh, never, target_of

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
READS_ALONE = {("dot", "north"), ("ben", "granted")}
"""Who sees a thing but may not change it: refused in words, not hidden."""
READS_BY_ROLE = {("dot", "north")}
SCOPES = ("read", "ask", "ingest", "admin")
SLOTS = [field.name for field in fields(Target) if field.name.endswith(("_ref", "_id"))]
OF_WORKSPACE = ("workspace", "audit", "set", "run", "provider", "hook")
"""Canaries that carry the workspace's name whoever the request is aimed at."""


@dataclass(slots=True)
class Count:
    """What the whole matrix came to."""

    cells: int = 0
    requests: int = 0
    leaks: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)


def named_routes() -> Iterator[tuple[str, str]]:
    """(name, pattern) of every route that the resolver knows."""

    def walk(resolver: URLResolver, prefix: str, space: str) -> Iterator[tuple[str, str]]:
        for entry in resolver.url_patterns:
            where = prefix + str(entry.pattern)
            if isinstance(entry, URLResolver):
                yield from walk(entry, where, f"{entry.namespace}:" if entry.namespace else space)
            elif isinstance(entry, URLPattern):
                yield space + (entry.name or _unnamed(where)), where

    return walk(get_resolver(), "", "")


def _unnamed(pattern: str) -> str:
    """Django's admin leaves two routes without a name: an object's short address, and what catches the rest."""
    if pattern.endswith("<path:object_id>/"):
        _, app, model, _ = pattern.split("/", 3)
        return f"{app}_{model}_redirect"
    return "catch-all"


def declared() -> set[str]:
    of_global = {f"admin:{model}_{action}" for model in admin_routes.GLOBAL_MODELS for action in admin_routes.ACTIONS}
    return {case.route for case in routes.CASES} | set(routes.OPEN) | of_global | agent_routes.ROUTES


def test_every_route_has_a_rule_and_every_rule_a_route() -> None:
    known = {name for name, _ in named_routes()}

    assert known - declared() == set()
    assert declared() - known == set()


def test_every_operation_of_the_api_description_has_a_case() -> None:
    paths = cast("Any", SchemaGenerator)().get_schema(request=None, public=True)["paths"] | served()["paths"]
    described = {
        (path, method.upper()) for path, methods in paths.items() for method in methods if path != "/api/v1/schema/"
    }
    ghost = never()
    tried = {
        (_as_described(case.send(ghost, ghost).path, ghost), case.send(ghost, ghost).method) for case in api_routes.API
    }

    assert described - tried == set()


def _as_described(path: str, ghost: Target) -> str:
    path = path.replace(f"footnote:{ghost.collection_ref}", "{model}")
    for name in SLOTS:
        slot = {"message_ref": "{message}", "version_ref": "{version_ref}"}.get(
            name, "{id}" if name.endswith("_id") else "{ref}"
        )
        path = path.replace(str(getattr(ghost, name)), slot)
    return path


@pytest.fixture
def embedder(settings: Any) -> Iterator[None]:
    """A provider that answers, so that no question waits for one that does not."""
    caches: tuple[Any, ...] = (ask.question_embedder, retrieval_api.embedder)
    with OpenAIServer() as server:
        settings.EMBEDDER_URL, settings.EMBEDDER_MODEL = server.url, "toy"
        for cache in caches:
            cache.cache_clear()
        yield
        for cache in caches:
            if cache.cache_info().currsize:
                cache().close()
                cache.cache_clear()


@pytest.fixture
def world(cast: Cast, embedder: None) -> World:
    """Everybody but dot is staff, so that the admin's routes are tried by insiders of every workspace."""
    made = plant(cast)
    User.objects.using(OWNER).exclude(email="dot@example.org").update(is_staff=True)
    return made


def sessions(world: World) -> list[Credential]:
    return [Credential("no credential", "nobody")] + [
        Credential(f"session of {who}", who, cookie=world.cookies[who]) for who in world.people
    ]


def keys(world: World, needs: str) -> list[Credential]:
    """Every kind of key that could be held up; those of `who` nobody must be refused before anything is looked up."""
    ada, north, west = world.people["ada"], world.places["north"].pk, world.places["west"].pk
    others = tuple({"read", "ask", "ingest", "admin"} - {needs})
    shared = [world.papers["north"].collection.pk]
    bad = {
        "no credential": "",
        "revoked key": key_of("ada", ada, north, revoked_at="2020-01-01T00:00Z"),
        "expired key": key_of("ada", ada, north, expires_at="2020-01-01T00:00Z"),
        "key of a suspended member": key_of("north", world.people["sam"], north),
        "key with another's secret": world.keys["ada"].rsplit("_", 1)[0] + "_" + world.keys["cy"].rsplit("_", 1)[1],
        "unknown key": "fn_" + "0" * 18 + "_" + hashlib.sha256(b"guess").hexdigest(),
        "malformed key": "ada",
    }
    credentials = [Credential(name, "nobody", key=key) for name, key in bad.items()]
    credentials += [Credential(f"key of {who}", who, key=world.keys[who]) for who in HOMES]
    credentials.append(Credential("key without the scope", "scopeless", key=key_of("ada", ada, north, scopes=others)))
    credentials.append(Credential("ada's key of another workspace", "west", key=key_of("west", ada, west)))
    credentials.append(
        Credential(
            "ada's key for the shared collection", "root", key=key_of("north", ada, north, collection_ids=shared)
        )
    )
    credentials.append(Credential("ada's session", "nobody", cookie=world.cookies["ada"]))
    return credentials


def without(text: str, sent: Sent) -> str:
    for value in map(str, sent.query.values()):
        text = text.replace(quote(value), "").replace(value, "")
    return text


class Walk:
    """The matrix over one planted world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.count = Count()
        self.ghosts: dict[tuple[str, str, bool], Answer] = {}
        self.targets = {owner: target_of(world, owner) for owner in world.papers}
        self.sessions = sessions(world)
        self.keys = {needs: keys(world, needs) for needs in SCOPES}

    def case(self, case: Case) -> None:
        """A list says nothing of whom it is aimed at, so everybody asks for it once; it counts if it shows what it should."""
        for htmx in (False, True) if case.has_part else (False,):
            if case.is_list and not case.fresh and not case.names_aimed:
                for credential in self._credentials(case):
                    self._refused(case, credential, never(), "nobody", htmx=htmx)
                proved = [self._proves(case, self.targets[aim], aim, htmx=htmx) for aim in case.aims]
                self.count.cells += len(self._credentials(case)) if all(proved) else 0
                continue
            for aim in case.aims:
                self.aimed(case, aim, htmx=htmx)

    def _credentials(self, case: Case) -> list[Credential]:
        return self.keys[case.needs] if case.is_api else self.sessions

    def aimed(self, case: Case, aim: str, *, htmx: bool) -> None:
        """Everybody who may not, then who may: what was alive at the end was alive all along."""
        target = fresh(self.world, aim, state=case.fresh) if case.fresh else self.targets[aim]
        tried = 0
        for credential in self._credentials(case):
            if self._is_rightful(credential, case, aim) or (case.mixed and credential.who not in self.targets):
                continue
            self._refused(case, credential, target, aim, htmx=htmx)
            tried += 1
        if self._proves(case, target, aim, htmx=htmx):
            self.count.cells += tried

    def _is_rightful(self, credential: Credential, case: Case, aim: str) -> bool:
        seen = MAY_SEE.get(credential.who, set())
        return aim in seen and not (case.is_write and not case.is_list and self._only_reads(credential, case, aim))

    def _only_reads(self, credential: Credential, case: Case, aim: str) -> bool:
        return (credential.who, aim) in (READS_BY_ROLE if case.by_role else READS_ALONE)

    def _refused(self, case: Case, credential: Credential, target: Target, aim: str, *, htmx: bool) -> None:
        mine = self.targets.get(credential.who, never())
        sent = case.send(mine, target)
        answer = self._ask(credential, sent, case, htmx=htmx)
        label = f"{case.id} aimed at {aim} by {credential.name}{' (htmx)' if htmx else ''}"
        self._scan(label, credential, answer, sent, any_scope=case.any_scope)
        if case.did is not None and case.did(target):
            self.count.leaks.append(f"{label}: it took effect")
        wrong = self._expected(case, credential, aim, answer, mine, htmx=htmx)
        if wrong:
            self.count.differences.append(f"{label}: {wrong}")

    def _expected(
        self, case: Case, credential: Credential, aim: str, answer: Answer, mine: Target, *, htmx: bool
    ) -> str:
        """What is wrong with the answer, or ""."""
        if case.is_api and credential.who == "nobody":
            return "" if answer.status == 401 else f"{answer.status} instead of 401"
        if credential.who == "scopeless" and not case.any_scope:
            return "" if answer.status == 403 else f"{answer.status} instead of 403"
        if credential.who == "nobody":
            to_sign_in = re.search("/(sign-in|login)/", answer.location)
            return (
                "" if answer.status in (302, 204) and to_sign_in else f"{answer.status} instead of the way to sign in"
            )
        if case.is_write and self._only_reads(credential, case, aim):
            return "" if answer.status == 403 else f"{answer.status} instead of 403"
        if answer.status >= 500:
            return f"{answer.status}"
        if case.is_list:
            return ""
        ghost = self._never_was(case, credential, mine, htmx=htmx)
        same = (ghost.status, ghost.location, ghost.text) == (answer.status, answer.location, answer.text)
        return "" if same else f"{answer.status}, but {ghost.status} for what never was"

    def _never_was(self, case: Case, credential: Credential, mine: Target, *, htmx: bool) -> Answer:
        """What this sender gets for refs and ids that were never given out; asked once."""
        key = (case.id, credential.name, htmx)
        if case.fresh or key not in self.ghosts:
            self.ghosts[key] = self._ask(credential, case.send(mine, never()), case, htmx=htmx)
        return self.ghosts[key]

    def _proves(self, case: Case, target: Target, aim: str, *, htmx: bool) -> bool:
        """Whether the rightful sender's same request shows the canary, or takes effect."""
        who = aim if aim in HOMES else first_of(aim)
        credential = next(c for c in self._credentials(case) if c.who == who)
        sent = case.send(target, target)
        answer = self._ask(credential, sent, case, htmx=htmx)
        label = f"{case.id} aimed at {aim} by the rightful {who}{' (htmx)' if htmx else ''}"
        self._scan(label, credential, answer, sent, any_scope=case.any_scope)
        if case.did is not None:
            proves = case.did(target)
        elif case.shows == "email":
            proves = f"{who}@example.org" in answer.raw
        elif case.shows:
            proves = canary(home_of(aim) if case.shows in OF_WORKSPACE else aim, case.shows) in answer.raw
        else:
            return False
        if not proves:
            self.count.blind.append(f"{label}: {answer.status}")
        return proves

    def _ask(self, credential: Credential, sent: Sent, case: Case, *, htmx: bool) -> Answer:
        self.count.requests += 1
        return ask_as(credential, sent, follows=case.follows, htmx=htmx)

    def _scan(self, label: str, credential: Credential, answer: Answer, sent: Sent, *, any_scope: bool) -> None:
        """What the request itself said, and is said back, is no leak."""
        who = {"scopeless": "ada" if any_scope else "nobody", "west": "ada"}.get(credential.who, credential.who)
        if foreign := foreign_canaries(without(answer.raw, sent), who):
            self.count.leaks.append(f"{label}: {answer.status} shows things of {sorted(foreign)}")


@pytest.mark.parametrize("group", routes.GROUPS)
def test_nobody_reaches_what_is_not_theirs(
    group: str, world: World, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    walk = Walk(world)

    for case in routes.GROUPS[group]:
        walk.case(case)

    with capsys.disabled():
        sys.stdout.write(
            f"\nP1 {group}: {walk.count.cells} cells, {walk.count.requests} requests, {len(walk.count.leaks)} leaks\n"
        )
    record_property("p1_leaks", len(walk.count.leaks))
    record_property("p1_cells", walk.count.cells)
    assert walk.count.leaks == []
    assert walk.count.differences == []
    assert walk.count.blind == []
    assert Document.objects.using(OWNER).filter(pk=walk.targets["cy"].document_id, deleted_at__isnull=True).exists()


def test_no_route_answers_a_method_that_it_did_not_declare(world: World) -> None:
    """Whatever one sends, by whoever: never a 5xx, never somebody else's canary; an undeclared method changes nothing."""
    declared_methods: dict[str, set[str]] = {}
    paths: dict[str, str] = {}
    target = target_of(world, "ada")
    for case in routes.CASES:
        sent = case.send(target, target)
        declared_methods.setdefault(case.route, {"HEAD", "OPTIONS"}).add(sent.method)
        paths[case.route] = sent.path
    wrong = []

    for route, path in paths.items():
        for method in {"PUT", "PATCH", "DELETE", "POST", "TRACE"} - declared_methods[route]:
            is_api = path.startswith(("/api/", "/v1/"))
            ada = Credential(
                "ada", "ada", cookie="" if is_api else world.cookies["ada"], key=world.keys["ada"] if is_api else ""
            )
            answer = ask_as(ada, Sent(method, path))
            if foreign_canaries(answer.raw, "ada") or (
                answer.status not in (405, 403, 404) and not path.startswith("/admin/")
            ):
                wrong.append(f"{method} {route}: {answer.status}")
    assert wrong == []
    assert Document.objects.using(OWNER).filter(pk=target.document_id, deleted_at__isnull=True).exists()


def test_head_and_options_ask_for_the_same_rights(world: World) -> None:
    """They share the view: without a key 401, without the scope 403, aimed at another's thing as at nothing."""
    target, wrong = target_of(world, "cy"), []
    by_name = {credential.name: credential for needs in SCOPES for credential in keys(world, needs)}

    for case in api_routes.API:
        sent, ghost = case.send(target, target), case.send(never(), never())
        for method in ("HEAD", "OPTIONS"):
            nobody = ask_as(by_name["no credential"], Sent(method, sent.path)).status
            hidden = ask_as(by_name["key of ada"], Sent(method, sent.path, query=sent.query))
            never_was = ask_as(by_name["key of ada"], Sent(method, ghost.path, query=ghost.query))
            if nobody != 401 or hidden.status != never_was.status:
                wrong.append(f"{method} {case.id}: {nobody}, {hidden.status} and {never_was.status}")
        if sent.method == "GET" and not case.any_scope:
            scopeless = next(c for c in keys(world, case.needs) if c.who == "scopeless")
            if (status := ask_as(scopeless, Sent("HEAD", sent.path)).status) != 403:
                wrong.append(f"HEAD {case.id} without the scope: {status}")
    assert wrong == []


def test_open_routes_show_nothing_of_anybody(world: World) -> None:
    wrong = []
    for name, pattern in named_routes():
        if name not in routes.OPEN or "(?P" in pattern or name in ("sign_out", "golden_set_sample"):
            continue
        for credential in [*sessions(world), *(held for held in keys(world, "read") if held.key)]:
            answer = ask_as(credential, Sent("GET", f"/{pattern}"))
            if foreign_canaries(answer.raw, credential.who if credential.cookie else "nobody") or answer.status == 500:
                wrong.append(f"{name} by {credential.name}: {answer.status}")
    assert wrong == []
