"""Collections on pages: made, renamed, opened to named members, closed to them, removed."""

from __future__ import annotations

import pytest
from django.test import Client

from portal.models import AuditEvent, Collection, Grant, Membership
from tests.conftest import Cast
from tests.documents.making import signed_in

OWNER = "owner"


def make(client: Client, name: str, kind: str) -> Collection:
    answer = client.post("/library/collections/", {"name": name, "kind": kind})
    assert answer.status_code == 302
    found: Collection = Collection.objects.using(OWNER).get(name=name)
    assert answer.headers["Location"] == f"/library/collections/{found.ref}/"
    return found


def sees(client: Client, place: Collection) -> bool:
    return client.get(f"/library/collections/{place.ref}/").status_code == 200


def test_a_shared_collection_is_everybodys_and_a_granted_one_is_not(cast: Cast) -> None:
    ada, dot = signed_in(cast.ada), signed_in(cast.dot)

    shared, named = make(ada, "Handbook", "shared"), make(ada, "Board", "granted")

    assert sees(dot, shared) and not sees(dot, named)
    assert sees(ada, named)
    assert "Handbook" in dot.get("/library/").content.decode()


def test_a_member_is_let_in_and_out_again(cast: Cast) -> None:
    ada, dot = signed_in(cast.ada), signed_in(cast.dot)
    place = make(ada, "Board", "granted")
    member = Membership.objects.using(OWNER).get(user=cast.dot)

    ada.post(f"/library/collections/{place.ref}/people/", {"member": member.pk, "may_edit": "yes"})
    inside = dot.get(f"/library/collections/{place.ref}/").content.decode()
    ada.post(f"/library/collections/{place.ref}/people/", {"member": member.pk})
    grant = Grant.objects.using(OWNER).get()
    ada.post(f"/library/collections/{place.ref}/people/{grant.pk}/")

    assert "dot@example.org, may add to it" in inside and "Open it to them" not in inside
    assert not grant.may_edit
    assert not sees(dot, place)
    actions = list(AuditEvent.objects.using(OWNER).order_by("id").values_list("action", flat=True))
    assert actions == ["collection.made", "collection.opened", "collection.opened", "collection.closed"]


def test_the_page_offers_who_is_not_in_yet(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    place = make(ada, "Board", "granted")
    ben = Membership.objects.using(OWNER).get(user=cast.ben)
    ada.post(f"/library/collections/{place.ref}/people/", {"member": ben.pk})

    page = ada.get(f"/library/collections/{place.ref}/").content.decode()

    offered = page.split('name="member"')[1].split("</select>")[0]
    assert "dot@example.org" in offered
    assert "ben@example.org" not in offered and "ada@example.org" not in offered and "cy@example.org" not in offered


@pytest.mark.parametrize("member", ["", "x", "-1", "9" * 30, "123456789"])
def test_who_is_no_member_is_not_let_in(cast: Cast, member: str) -> None:
    ada = signed_in(cast.ada)
    place = make(ada, "Board", "granted")

    answer = ada.post(f"/library/collections/{place.ref}/people/", {"member": member})

    assert answer.status_code in (404, 422)
    assert not Grant.objects.using(OWNER).exists()


def test_a_member_of_another_workspace_is_not_let_in(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    place = make(ada, "Board", "granted")
    foreign = Membership.objects.using(OWNER).get(user=cast.cy)

    answer = ada.post(f"/library/collections/{place.ref}/people/", {"member": foreign.pk})

    assert (answer.status_code, Grant.objects.using(OWNER).count()) == (404, 0)


def test_a_shared_collection_is_opened_to_nobody(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    member = Membership.objects.using(OWNER).get(user=cast.dot)
    place = cast.shared(cast.north)

    answer = ada.post(f"/library/collections/{place.ref}/people/", {"member": member.pk})

    assert (answer.status_code, Grant.objects.using(OWNER).count()) == (403, 0)


def test_an_editor_makes_and_renames_but_lets_nobody_in_and_removes_nothing(cast: Cast) -> None:
    ben = signed_in(cast.ben)
    place = make(ben, "Notes", "granted")
    member = Membership.objects.using(OWNER).get(user=cast.dot)

    ben.post(f"/library/collections/{place.ref}/name/", {"name": "  Better   notes "})
    refused = [
        ben.post(f"/library/collections/{place.ref}/people/", {"member": member.pk}).status_code,
        ben.get(f"/library/collections/{place.ref}/remove/").status_code,
        ben.post(f"/library/collections/{place.ref}/remove/").status_code,
    ]

    assert Collection.objects.using(OWNER).get(pk=place.pk).name == "Better notes"
    assert refused == [403, 403, 403]


def test_a_reader_makes_none(cast: Cast) -> None:
    dot = signed_in(cast.dot)

    answer = dot.post("/library/collections/", {"name": "Mine", "kind": "shared"})

    assert answer.status_code == 403
    assert "Make a collection" not in dot.get("/library/").content.decode()
    assert "Make a collection" in signed_in(cast.ben).get("/library/").content.decode()


@pytest.mark.parametrize("form", [{"name": " "}, {"kind": "private"}, {"name": "a\x00b"}, {}])
def test_a_form_that_names_none_makes_none(cast: Cast, form: dict[str, str]) -> None:
    before = Collection.objects.using(OWNER).count()

    answer = signed_in(cast.ada).post("/library/collections/", {"name": "X", **form} if form else {})

    assert answer.status_code == 422
    assert Collection.objects.using(OWNER).count() == before


def test_an_empty_collection_is_removed_after_a_question(cast: Cast) -> None:
    ada = signed_in(cast.ada)
    place = make(ada, "Old", "shared")

    asked = ada.get(f"/library/collections/{place.ref}/remove/").content.decode()
    answer = ada.post(f"/library/collections/{place.ref}/remove/", follow=True).content.decode()

    assert "Remove Old?" in asked and "Old was removed." in answer
    assert not Collection.objects.using(OWNER).filter(pk=place.pk).exists()


def test_nobody_removes_the_own_private_collection(cast: Cast) -> None:
    place = cast.private(cast.ada)

    answer = signed_in(cast.ada).post(f"/library/collections/{place.ref}/remove/")

    assert answer.status_code == 403
    assert Collection.objects.using(OWNER).filter(pk=place.pk).exists()
