"""People: invited, joined, changed, shut out; the own name and password. On the pages and by the database's own rules."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from portal import invitations
from portal.members import change_member, members_of
from portal.models import AuditEvent, Collection, Invitation, Membership, User
from portal.problems import UserProblem
from portal.scope import principal
from tests.conftest import PASSWORD, Cast
from tests.documents.making import signed_in

OWNER = "owner"
CODE = re.compile(r"fni_[A-Za-z0-9_-]{32}")
NEW = {"email": "Kim@Example.org", "name": "Kim", "password": "a long enough secret", "join": "yes"}


def code_from(client: Client, **form: str) -> str:
    answer = client.post("/people/", {"role": "reader", "note": "for Kim", **form})
    assert answer.status_code == 200
    [code] = set(CODE.findall(answer.content.decode()))
    return str(code)


def membership(cast: Cast, user: User) -> Membership:
    return Membership.objects.using(OWNER).get(workspace=cast.north, user=user)


def test_an_invitation_is_shown_once_and_kept_as_a_hash(cast: Cast) -> None:
    ada = signed_in(cast.ada)

    code = code_from(ada, role="editor")
    again = ada.get("/people/").content.decode()

    row = Invitation.objects.using(OWNER).get()
    assert code not in again and "for Kim" in again
    assert code.encode() not in bytes(row.secret_sha256)
    assert row.role == "editor"
    assert timedelta(days=6) < row.expires_at - timezone.now() <= timedelta(days=7)


def test_a_stranger_joins_with_it_once(cast: Cast) -> None:
    code = code_from(signed_in(cast.ada), role="editor")
    kim = Client()

    first = kim.post("/join/", {"code": code})
    joined = kim.post("/join/", {"code": code, **NEW})
    library = kim.get("/library/")
    late = Client().post("/join/", {"code": code, **NEW, "email": "lou@example.org"})

    assert "Join North" in first.content.decode()
    assert (joined.status_code, joined.headers["Location"], library.status_code) == (302, "/", 200)
    user = User.objects.using(OWNER).get(email="kim@example.org")
    assert not user.is_staff
    assert membership(cast, user).role == "editor"
    assert Collection.objects.using(OWNER).filter(workspace=cast.north, owner=user, kind="private").count() == 1
    assert AuditEvent.objects.using(OWNER).filter(action="member.joined", user=user).count() == 1
    assert late.status_code == 422
    assert not User.objects.using(OWNER).filter(email="lou@example.org").exists()


def test_somebody_with_an_account_joins_signed_in(cast: Cast) -> None:
    code = code_from(signed_in(cast.ada))
    cy = signed_in(cast.cy)

    taken = Client().post("/join/", {"code": code, **NEW, "email": "CY@example.org"})
    offered = cy.post("/join/", {"code": code}).content.decode()
    joined = cy.post("/join/", {"code": code, "join": "yes"}, follow=True).content.decode()

    assert "has an account already" in taken.content.decode()
    assert "You join as cy@example.org" in offered
    assert "You are a member of North now." in joined
    assert membership(cast, cast.cy).role == "reader"
    assert Collection.objects.using(OWNER).filter(owner=cast.cy, kind="private").count() == 2


@pytest.mark.parametrize("fate", ["withdrawn", "over", "owner demoted", "owner shut out", "never was"])
def test_an_invitation_that_is_no_longer_good_lets_nobody_in(cast: Cast, fate: str) -> None:
    ada, client = signed_in(cast.ada), Client()
    code = "fni_" + "x" * 32 if fate == "never was" else code_from(ada)
    row = Invitation.objects.using(OWNER).first()
    mine = Membership.objects.using(OWNER).filter(workspace=cast.north, user=cast.ada)
    if fate == "withdrawn":
        assert row is not None
        ada.post(f"/people/invitations/{row.ref}/withdraw/")
    if fate == "over":
        Invitation.objects.using(OWNER).update(expires_at=timezone.now())
    if fate == "owner demoted":
        mine.update(role="editor")
    if fate == "owner shut out":
        mine.update(state="suspended")

    first, second = client.post("/join/", {"code": code}), client.post("/join/", {"code": code, **NEW})

    assert (first.status_code, second.status_code) == (422, 422)
    assert "not good" in first.content.decode()
    assert not User.objects.using(OWNER).filter(email="kim@example.org").exists()


def test_a_member_and_a_suspended_member_cannot_use_it_to_change_what_they_are(cast: Cast) -> None:
    code = code_from(signed_in(cast.ada), role="owner")
    Membership.objects.using(OWNER).filter(user=cast.dot).update(state="suspended")

    for person in (cast.ben, cast.dot):
        with pytest.raises(UserProblem) as refused:
            invitations.accept(person.pk, code)
        assert refused.value.code == "portal.invitation_over"

    assert membership(cast, cast.ben).role == "editor"
    assert membership(cast, cast.dot).state == "suspended"
    assert Invitation.objects.using(OWNER).count() == 1


def test_of_many_that_come_together_one_gets_in(cast: Cast) -> None:
    code = code_from(signed_in(cast.ada))
    got: list[str] = []
    together = threading.Barrier(6)

    def come(number: int) -> None:
        together.wait()
        try:
            invitations.join_as(code, email=f"k{number}@example.org", name="", password="a long enough secret")
            got.append("in")
        except UserProblem as problem:
            got.append(problem.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=come, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(got) == ["in", *["portal.invitation_over"] * 5]
    assert User.objects.using(OWNER).filter(email__startswith="k").count() == 1


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"email": "kim"}, "not an e-mail address"),
        ({"password": "short"}, "too easy to guess"),
        ({"password": "password123"}, "too easy to guess"),
    ],
)
def test_what_makes_no_account_keeps_the_invitation_and_what_was_typed(
    cast: Cast, form: dict[str, str], words: str
) -> None:
    code = code_from(signed_in(cast.ada))

    answer = Client().post("/join/", {"code": code, **NEW, **form})

    page = answer.content.decode()
    assert answer.status_code == 422 and words in page
    assert 'value="Kim"' in page and 'type="password" value' not in page
    assert NEW["password"] not in page
    assert Invitation.objects.using(OWNER).count() == 1


def test_guesses_of_codes_are_attempts_to_sign_in(cast: Cast, settings: object) -> None:
    settings.LIMIT_SIGN_IN = 2  # type: ignore[attr-defined]
    client = Client()

    seen = [client.post("/join/", {"code": "fni_guess"}, REMOTE_ADDR="192.0.2.77").status_code for _ in range(4)]

    assert seen[0] == 422 and seen[-1] == 429


def test_only_owners_see_and_make_invitations(cast: Cast) -> None:
    code_from(signed_in(cast.ada))
    ben = signed_in(cast.ben)

    page = ben.get("/people/").content.decode()
    made = ben.post("/people/", {"role": "owner"})

    assert "for Kim" not in page and "Invite somebody" not in page
    assert "ada@example.org" in page and "cy@example.org" not in page
    assert made.status_code == 403
    assert Invitation.objects.using(OWNER).count() == 1


def test_an_owner_changes_roles_and_shuts_out(cast: Cast) -> None:
    ada, ben = signed_in(cast.ada), signed_in(cast.ben)
    place = f"/people/{membership(cast, cast.ben).pk}/"

    demoted = ada.post(place, {"role": "reader"}, follow=True).content.decode()
    ada.post(place, {"role": "reader", "state": "suspended"})
    outside = ben.get("/library/").status_code
    ada.post(place, {"role": "owner", "state": "active"})

    assert "Ben is a reader from the next request on." in demoted
    assert outside == 403
    assert (membership(cast, cast.ben).role, ben.get("/library/").status_code) == ("owner", 200)
    actions = set(AuditEvent.objects.using(OWNER).values_list("action", flat=True))
    assert {"membership.reader.active", "membership.reader.suspended", "membership.owner.active"} <= actions


def test_a_workspace_keeps_an_owner(cast: Cast) -> None:
    """Nobody gives up the own ownership, and of two owners who demote each other one stays."""
    Membership.objects.using(OWNER).filter(workspace=cast.north).exclude(user=cast.ada).update(role="owner")
    ada, ben = membership(cast, cast.ada).pk, membership(cast, cast.ben).pk
    with pytest.raises(UserProblem):
        change_member(cast.scope(cast.ada), ada, role="reader", state="active")
    stale = cast.scope(cast.ben)

    change_member(cast.scope(cast.ada), ben, role="reader", state="active")
    with pytest.raises(UserProblem) as refused:
        change_member(stale, ada, role="reader", state="active")

    assert refused.value.code in ("portal.owner_only", "portal.not_found")
    assert membership(cast, cast.ada).role == "owner"


@pytest.mark.parametrize("form", [{"role": "god"}, {"role": "reader", "state": "dead"}, {}])
def test_a_role_that_is_none_changes_nothing(cast: Cast, form: dict[str, str]) -> None:
    answer = signed_in(cast.ada).post(f"/people/{membership(cast, cast.ben).pk}/", form)

    assert answer.status_code == 422
    assert membership(cast, cast.ben).role == "editor"


def test_members_are_listed_owners_first(cast: Cast) -> None:
    scope = cast.scope(cast.dot)
    with principal(scope):
        seen = [(member.name, member.role, member.is_me) for member in members_of(scope)]

    assert seen == [
        ("Ada", "owner", False),
        ("Root", "owner", False),
        ("Ben", "editor", False),
        ("Dot", "reader", True),
    ]


def test_a_person_changes_the_own_name(cast: Cast) -> None:
    signed_in(cast.ben).post("/account/", {"name": "  Ben   Jones "})

    assert User.objects.using(OWNER).get(pk=cast.ben.pk).name == "Ben Jones"


def test_a_new_password_signs_every_other_browser_out(cast: Cast) -> None:
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        client.post("/sign-in/", {"email": "ben@example.org", "password": PASSWORD})

    here.post("/account/password/", {"old": PASSWORD, "new": "another long secret"})

    assert (here.get("/account/").status_code, elsewhere.get("/account/").status_code) == (200, 302)
    again = Client().post("/sign-in/", {"email": "ben@example.org", "password": "another long secret"})
    assert again.status_code == 302


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("wrong", "another long secret", "another one"),
        (PASSWORD, "short", "too easy"),
    ],
)
def test_a_password_is_not_changed_for(cast: Cast, old: str, new: str, words: str) -> None:
    before = User.objects.using(OWNER).defer(None).get(pk=cast.ben.pk).password

    answer = signed_in(cast.ben).post("/account/password/", {"old": old, "new": new}, follow=True)

    assert answer.status_code == 422 and words in answer.content.decode()
    assert User.objects.using(OWNER).defer(None).get(pk=cast.ben.pk).password == before
