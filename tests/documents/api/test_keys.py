"""Keys: how they are made, what is kept of them, and what an unfit one gets."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from portal.keys import make_key
from portal.models import ApiKey
from portal.people import add_workspace
from portal.problems import UserProblem
from tests.conftest import Cast
from tests.documents.api.conftest import Program

OWNER = "owner"


def status(key: str) -> int:
    return int(Program(key).get("/collections/").status_code)


def test_a_key_works_and_only_the_hash_of_its_secret_is_kept(cast: Cast) -> None:
    row, key = make_key(cast.scope(cast.ada), "reports", scopes=["ask", "read", "read"])

    prefix, ref, secret = key.split("_", 2)
    kept = ApiKey.objects.using(OWNER).get()
    assert (prefix, ref, kept.pk, kept.user, kept.workspace) == ("fn", row.ref, row.pk, cast.ada, cast.north)
    assert bytes(kept.secret_sha256) == hashlib.sha256(secret.encode()).digest()
    assert (kept.scopes, kept.collection_ids, kept.expires_at) == (["read", "ask"], None, None)
    assert status(key) == 200
    assert ApiKey.objects.using(OWNER).get().last_used_at is not None


@pytest.mark.parametrize("scopes", [[], ["write"], ["read", "root"]])
def test_unknown_or_no_scopes_make_no_key(cast: Cast, scopes: list[str]) -> None:
    with pytest.raises(UserProblem, match="key_scopes"):
        make_key(cast.scope(cast.ada), "x", scopes=scopes)

    assert not ApiKey.objects.using(OWNER).exists()


def test_revoked_expired_suspended_and_garbled_keys_are_refused_alike(cast: Cast) -> None:
    keys = {name: make_key(cast.scope(cast.ada), name, scopes=["read"]) for name in ("good", "revoked", "expired")}
    keys["suspended"] = make_key(cast.scope(cast.ben), "suspended", scopes=["read"])
    ApiKey.objects.using(OWNER).filter(name="revoked").update(revoked_at=timezone.now())
    ApiKey.objects.using(OWNER).filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    cast.north.membership_set.using(OWNER).filter(user=cast.ben).update(state="suspended")
    plain = {name: key for name, (_, key) in keys.items()}
    ref = keys["good"][0].ref
    garbled = ["fn_", "fn__", f"fn_{ref}_", f"fn_{ref}_wrong", "x" * 5000, "fn_é_é", plain["good"] + "_", "\x00"]

    seen = {name: status(key) for name, key in plain.items()}
    answers = [Program(key).get("/collections/") for key in (*garbled, plain["revoked"])]

    assert seen == {"good": 200, "revoked": 401, "expired": 401, "suspended": 401}
    assert {(answer.status_code, answer.content) for answer in answers} == {(401, answers[-1].content)}


def test_a_session_opens_no_program_route_and_a_key_no_page(cast: Cast) -> None:
    from tests.documents.making import signed_in

    _, key = make_key(cast.scope(cast.ada), "x", scopes=["read", "ingest", "ask"])

    page = Client().get("/library/", headers={"Authorization": f"Bearer {key}"})
    route = signed_in(cast.ada).get("/api/v1/documents/")

    assert page.status_code == 302
    assert route.status_code == 401


def command(*args: Any, **options: Any) -> str:
    out = StringIO()
    call_command("make_key", *args, stdout=out, **options)
    return out.getvalue().strip()


def test_the_command_prints_a_key_that_works(cast: Cast) -> None:
    key = command("ADA@example.org", scopes="read,ask", name="cron", days=7)

    kept = ApiKey.objects.using(OWNER).get()
    assert status(key) == 200
    assert (kept.name, kept.scopes) == ("cron", ["read", "ask"])
    assert kept.expires_at is not None
    assert timedelta(days=6) < kept.expires_at - timezone.now() <= timedelta(days=7)


def test_the_command_says_what_it_lacks(cast: Cast) -> None:
    second = add_workspace("Second", owner=cast.ada)

    with pytest.raises(CommandError, match="No active account"):
        command("nobody@example.org")
    with pytest.raises(CommandError, match=f"{second.ref} .Second"):
        command("ada@example.org")
    with pytest.raises(CommandError, match="Known are: read, ask, ingest, admin"):
        command("ben@example.org", scopes="everything")
    assert command("ada@example.org", workspace=second.ref).startswith("fn_")
    assert ApiKey.objects.using(OWNER).get().workspace == second
