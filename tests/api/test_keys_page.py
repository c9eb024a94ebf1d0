"""Keys: made, seen, replaced with overlap, ended; on the page and by the key itself."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connections
from django.test import Client
from django.utils import timezone

from portal import keys
from portal.models import ApiKey, AuditEvent
from portal.problems import UserProblem
from portal.scope import Scope, principal
from tests.conftest import Cast
from tests.documents.api.conftest import Program, ProgramFor
from tests.documents.making import signed_in

OWNER = "owner"
KEY = re.compile(r"fn_[0-9a-f]{18}_[A-Za-z0-9_-]{43}")


def make(client: Client, **form: Any) -> Any:
    return client.post("/keys/", {"name": "reports", "scope": ["read"], "days": "30", **form})


def status(key: str) -> int:
    return int(Program(key).get("/collections/").status_code)


def test_a_key_is_made_on_the_page_and_shown_once(cast: Cast) -> None:
    ada = signed_in(cast.ada)

    made = make(ada, collection=[cast.shared(cast.north).ref])
    [key] = KEY.findall(made.content.decode())
    again = ada.get("/keys/").content.decode()

    row = ApiKey.objects.using(OWNER).get()
    assert (row.name, row.scopes, row.collection_ids) == ("reports", ["read"], [cast.shared(cast.north).pk])
    assert row.expires_at is not None
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)
    assert status(key) == 200
    assert KEY.findall(again) == []
    assert "reports" in again
    assert "not used yet" not in ada.get("/keys/").content.decode()
    assert made.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    "form", [{"name": " "}, {"scope": []}, {"scope": ["root"]}, {"days": "7000"}, {"collection": ["0" * 18]}]
)
def test_no_key_is_made_of_a_form_that_means_none(cast: Cast, form: dict[str, Any]) -> None:
    answer = make(signed_in(cast.ada), **form)

    assert (answer.status_code, ApiKey.objects.using(OWNER).count()) == (422, 0)
    assert 'role="alert"' in answer.content.decode()


def test_a_key_for_a_hidden_collection_is_not_made(cast: Cast) -> None:
    make(signed_in(cast.ada), collection=[cast.private(cast.ben).ref])

    assert not ApiKey.objects.using(OWNER).exists()


def test_a_replaced_key_works_for_the_overlap_and_its_equal_goes_on(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    [old] = KEY.findall(make(ada, collection=[cast.shared(cast.north).ref]).content.decode())
    first = ApiKey.objects.using(OWNER).get()

    [new] = KEY.findall(ada.post(f"/keys/{first.ref}/rotate/", {"overlap": "60"}).content.decode())
    both = [status(old), status(new)]
    old_row, new_row = ApiKey.objects.using(OWNER).order_by("id")
    twice = ada.post(f"/keys/{first.ref}/rotate/", {"overlap": "60"})

    same = ("name", "scopes", "collection_ids", "user_id", "workspace_id")
    assert both == [200, 200]
    assert [getattr(old_row, name) for name in same] == [getattr(new_row, name) for name in same]
    assert old_row.expires_at is not None
    assert new_row.expires_at is not None
    assert timedelta(minutes=59) < old_row.expires_at - timezone.now() <= timedelta(minutes=60)
    assert timedelta(days=29) < new_row.expires_at - timezone.now() <= timedelta(days=30)
    assert (twice.status_code, ApiKey.objects.using(OWNER).count()) == (409, 2)


def test_a_key_that_is_replaced_without_overlap_ends_at_once(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    row, old = keys.make_key(scope, "x", scopes=["read"])

    new = keys.rotate(scope, row.ref, overlap_minutes=0)

    assert (status(old), status(new)) == (401, 200)


def test_a_revoked_key_opens_nothing_and_stands_among_the_ended(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    [key] = KEY.findall(make(ada).content.decode())
    ref = ApiKey.objects.using(OWNER).get().ref

    asked = ada.get(f"/keys/{ref}/revoke/")
    done = ada.post(f"/keys/{ref}/revoke/", follow=True)

    assert "Revoke reports?" in asked.content.decode()
    assert "Keys that have ended" in done.content.decode()
    assert status(key) == 401
    actions = list(AuditEvent.objects.using(OWNER).order_by("id").values_list("action", "object_ref"))
    assert actions == [("key.made", ref), ("key.revoked", ref)]


def test_others_see_and_end_no_key_of_mine(cast: Cast) -> None:
    row, key = keys.make_key(cast.scope(cast.ada), "mine", scopes=["read"])

    for who in (cast.ben, cast.root, cast.cy):
        client = signed_in(who)
        assert "mine" not in client.get("/keys/").content.decode()
        assert client.post(f"/keys/{row.ref}/revoke/").status_code == 404
        assert client.post(f"/keys/{row.ref}/rotate/", {"overlap": "0"}).status_code == 404
    assert status(key) == 200


def test_a_program_replaces_and_ends_its_own_key_and_no_other(cast: Cast, program: ProgramFor) -> None:
    one, two = program(cast.ada, "ingest"), program(cast.ada, "admin")
    ref, other = (held.key.split("_")[1] for held in (one, two))

    seen = one.get("/keys/").json()
    foreign = [one.get(f"/keys/{other}/").status_code, one.delete(f"/keys/{other}/").status_code]
    foreign.append(one.post(f"/keys/{other}/rotate/", {}).status_code)
    made = one.post(f"/keys/{ref}/rotate/", {"overlap_minutes": 5}).json()["key"]
    ended = Program(made).delete(f"/keys/{made.split('_')[1]}/").status_code

    assert [(row["ref"], row["scopes"]) for row in seen] == [(ref, ["ingest"])]
    assert foreign == [404, 404, 404]
    assert (ended, Program(made).get("/keys/").status_code) == (204, 401)
    assert ApiKey.objects.using(OWNER).get(ref=made.split("_")[1]).scopes == ["ingest"]
    assert (one.get("/keys/").status_code, two.get("/keys/").status_code) == (200, 200)


@pytest.mark.parametrize(
    "change",
    [
        "revoked_at = NULL",
        "expires_at = now() + interval '9 years'",
        "expires_at = NULL",
        "replaced_at = NULL",
        "scopes = '{admin}'",
    ],
)
def test_the_database_lets_no_key_live_longer_or_reach_further(cast: Cast, change: str) -> None:
    scope = cast.scope(cast.ada)
    row, _ = keys.make_key(scope, "x", scopes=["read"], expires_at=timezone.now() + timedelta(days=1))
    keys.rotate(scope, row.ref, overlap_minutes=60)
    keys.revoke(scope, row.ref)

    with pytest.raises(DatabaseError), principal(scope), connections["default"].cursor() as cursor:
        cursor.execute(f"UPDATE portal_apikey SET {change} WHERE id = {row.pk}")


def test_no_key_makes_an_equal_of_another_through_the_database(cast: Cast) -> None:
    row, _ = keys.make_key(cast.scope(cast.ada), "x", scopes=["read"])
    other, _ = keys.make_key(cast.scope(cast.ada), "y", scopes=["admin"])
    contexts = [
        Scope(cast.north.pk, cast.ada.pk, api_key_id=row.pk),
        Scope(cast.north.pk, cast.ben.pk),
        Scope(cast.south.pk, cast.cy.pk),
    ]

    for scope in contexts:
        with principal(scope), connections["default"].cursor() as cursor:
            cursor.execute("SELECT footnote.rotate_key(%s::text, %s::text, sha256('x'), 60)", [other.ref, "a" * 18])
            assert cursor.fetchone() == (None,)
    assert ApiKey.objects.using(OWNER).count() == 2


def test_who_ended_a_key_cannot_replace_it(cast: Cast) -> None:
    scope = cast.scope(cast.ada)
    row, _ = keys.make_key(scope, "x", scopes=["read"])
    keys.revoke(scope, row.ref)

    with pytest.raises(UserProblem) as raised:
        keys.rotate(scope, row.ref, overlap_minutes=60)

    assert raised.value.code == "portal.key_over"


def test_a_key_replaces_itself_without_an_overlap_and_hears_of_its_successor(cast: Cast, program: ProgramFor) -> None:
    old = program(cast.ben, "read")
    [row] = old.get("/keys/").json()

    made = old.post(f"/keys/{row['ref']}/rotate/", {"overlap_minutes": 0})

    told = made.json()
    new = Program(told["key"])
    assert (made.status_code, old.get("/keys/").status_code) == (201, 401)
    assert [told["ref"]] == [key["ref"] for key in new.get("/keys/").json()] != [row["ref"]]
    assert (told["name"], told["scopes"], told["is_replaced"]) == (row["name"], row["scopes"], False)
    assert AuditEvent.objects.using("owner").filter(action="key.rotated", object_ref=row["ref"]).count() == 1
