"""P4, what fits now: sessions, signing in, switching workspace. A copied row, a guessed name, an old cookie open nothing."""

from __future__ import annotations

import statistics
import time

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import Client

from portal.models import Membership, User
from portal.sessions import SessionStore, proof, stored
from tests.conftest import PASSWORD, Cast
from tests.isolation.canaries import canary, foreign_canaries
from tests.isolation.planted import World, plant

COOKIE = settings.SESSION_COOKIE_NAME


@pytest.fixture
def world(cast: Cast) -> World:
    return plant(cast)


def sign_in(client: Client, name: str, password: str = PASSWORD) -> int:
    return client.post("/sign-in/", {"email": f"{name}@example.org", "password": password}).status_code


def test_the_session_table_holds_neither_cookies_nor_their_proofs(world: World) -> None:
    client = Client()
    sign_in(client, "ada")
    cookie = client.cookies[COOKIE].value

    rows = " ".join(f"{row.session_key} {row.session_data}" for row in Session.objects.using("owner").all())

    assert stored(cookie) in rows
    assert cookie not in rows and proof(cookie) not in rows


def test_who_holds_no_cookie_lists_copies_and_ends_no_session(world: World) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM django_session")
        seen = cursor.fetchone()[0]
        cursor.execute("DELETE FROM django_session")
        ended = cursor.rowcount

    assert (seen, ended) == (0, 0)
    assert Session.objects.using("owner").count() >= len(world.cookies)


def test_a_row_of_the_table_is_no_cookie(world: World) -> None:
    """Neither the stored hash nor the proof opens the session, were the table or a statement to be read."""
    for value in (stored(world.cookies["ada"]), proof(world.cookies["ada"])):
        client = Client()
        client.cookies[COOKIE] = value
        assert client.get("/library/").status_code == 302


def test_signing_in_changes_the_cookie_that_was_planted_before(world: World) -> None:
    """Session fixation: the attacker's anonymous session does not become the victim's."""
    attacker, victim = Client(), Client()
    planted = SessionStore()
    planted["note"] = "planted"
    planted.create()
    assert planted.session_key is not None
    for client in (attacker, victim):
        client.cookies[COOKIE] = planted.session_key

    sign_in(victim, "ada")

    assert victim.cookies[COOKIE].value != planted.session_key
    assert attacker.get("/library/").status_code == 302


def test_signing_out_and_a_new_password_end_what_was_open(world: World) -> None:
    first, second = Client(), Client()
    for client in (first, second):
        sign_in(client, "ada")
    kept = first.cookies[COOKIE].value

    first.post("/sign-out/")
    replay = Client()
    replay.cookies[COOKIE] = kept
    whole = User.objects.using("owner").defer(None).get(pk=world.people["ada"].pk)
    whole.set_password("another long password")
    whole.save(using="owner")

    assert replay.get("/library/").status_code == 302
    assert second.get("/library/").status_code == 302


@pytest.mark.parametrize(
    ("name", "password"), [("ada", "wrong"), ("stranger", PASSWORD), ("", PASSWORD), ("gone", PASSWORD)]
)
def test_a_refused_sign_in_says_the_same_whoever_it_was(name: str, password: str, world: World) -> None:
    from portal.people import add_person

    gone = add_person("gone@example.org", password=PASSWORD)
    User.objects.using("owner").filter(pk=gone.pk).update(is_active=False)
    client, known = Client(), Client()

    refused = client.post("/sign-in/", {"email": f"{name}@example.org", "password": password})
    reference = known.post("/sign-in/", {"email": "ada@example.org", "password": "also wrong"})

    def plain(response: object, address: str) -> str:
        text = response.content.decode()  # type: ignore[attr-defined]
        token = text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        return str(text.replace(token, "").replace(address, ""))

    assert refused.status_code == reference.status_code == 422
    assert plain(refused, f"{name}@example.org") == plain(reference, "ada@example.org")


def test_an_unknown_address_takes_as_long_as_a_known_one(world: World, settings: object) -> None:
    """With the real hasher: the difference must be far below the time of one hash."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]  # type: ignore[attr-defined]
    ada = User.objects.using("owner").defer(None).get(pk=world.people["ada"].pk)
    ada.set_password(PASSWORD)
    ada.save(using="owner")

    def seconds(name: str) -> float:
        started = time.process_time()
        sign_in(Client(), name, "wrong")
        return time.process_time() - started

    for name in ("ada", "nobody"):
        seconds(name)
    known = statistics.median(seconds("ada") for _ in range(5))
    unknown = statistics.median(seconds("nobody") for _ in range(5))

    assert 0.5 < unknown / known < 2.0


def test_next_leads_nowhere_else(world: World) -> None:
    for target in (
        "https://example.com/",
        "//example.com/",
        "/\\example.com",
        "javascript:alert(1)",
        "http:example.com",
    ):
        client = Client()
        answer = client.post("/sign-in/", {"email": "ada@example.org", "password": PASSWORD, "next": target})
        assert answer.headers["Location"] == "/"


def test_switching_to_a_foreign_workspace_is_as_to_one_that_never_was(world: World) -> None:
    client = Client()
    client.cookies[COOKIE] = world.cookies["ada"]

    foreign = client.post("/workspace/switch/", {"workspace": world.places["south"].ref})
    never_was = client.post("/workspace/switch/", {"workspace": "0" * 18})
    after = client.get("/library/").content.decode()

    assert (foreign.status_code, never_was.status_code) == (404, 404)
    assert foreign_canaries(after, "ada") == set() and canary("ada", "name") in after


def test_a_session_bent_to_a_foreign_workspace_falls_back_to_the_own(world: World) -> None:
    """Were the session's workspace ever wrong, the database would still say no."""
    session = SessionStore(world.cookies["ada"])
    session["workspace_id"] = world.places["south"].pk
    session.save()
    client = Client()
    client.cookies[COOKIE] = world.cookies["ada"]

    page = client.get("/library/").content.decode()

    assert foreign_canaries(page, "ada") == set() and canary("ada", "name") in page


def test_a_suspension_ends_an_open_session_at_the_next_click(world: World) -> None:
    client = Client()
    client.cookies[COOKIE] = world.cookies["ben"]
    before = client.get("/library/").status_code

    Membership.objects.using("owner").filter(user=world.people["ben"]).update(state="suspended")
    after = client.get("/library/")

    assert (before, after.status_code) == (200, 403)
    assert foreign_canaries(after.content.decode(), "sam") == set()


def test_one_person_never_reads_a_fellow_members_password_hash(world: World) -> None:
    from portal.scope import principal

    scope = world.cast.scope(world.cast.ada)
    with principal(scope), connections["default"].cursor() as cursor:
        cursor.execute("SELECT id, footnote.own_password(id) IS NOT NULL FROM portal_user")
        readable = {user_id for user_id, given in cursor.fetchall() if given}

    assert readable == {world.cast.ada.pk}
