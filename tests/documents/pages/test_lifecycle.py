"""Switching off, moving, purging and the receipt, on pages and in the admin."""

from __future__ import annotations

import pytest
from django.urls import reverse

from documents.models import Document
from portal.models import AuditEvent, Collection
from tests.conftest import Cast
from tests.documents.making import make_document, signed_in
from tests.documents.pages.test_admin import act

OWNER = "owner"


def address(document: Document, rest: str = "") -> str:
    return f"/documents/{document.ref}/{rest}"


def test_switching_off_is_said_on_the_page_and_in_the_library_and_undone(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.ben)

    off = client.post(address(document, "disable/"), follow=True).content.decode()
    library = client.get("/library/").context["library"].rows[0].state
    on = client.post(address(document, "enable/"), follow=True).content.decode()

    assert "a.md answers no question until it is switched on again." in off
    assert "Switched off" in off
    assert "Switch on" in off
    assert (library.kind, library.label) == ("off", "Switched off")
    assert "Switched off" not in on
    assert "a.md answers questions again." in on


def test_what_is_switched_off_can_be_listed_and_is_counted_once(cast: Cast) -> None:
    off, _ = (make_document(cast.shared(cast.north), name, body=name.encode()) for name in ("a.md", "b.md"))
    client = signed_in(cast.ben)
    client.post(address(off, "disable/"))

    library = client.get("/library/?state=off").context["library"]

    assert [row.title for row in library.rows] == ["a.md"]
    assert library.summary_label == "2 documents"
    assert {choice.label: choice.count_label for choice in library.filters.states}["Switched off"] == "1"


def test_moving_offers_where_one_may_add_and_says_where_it_went(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.ben)
    own = cast.private(cast.ben)

    form = client.get(address(document, "move/"))
    done = client.post(address(document, "move/"), {"collection": own.ref}, follow=True)

    assert [choice.ref for choice in form.context["move"].collections] == [own.ref]
    assert "a.md was moved to My documents." in done.content.decode()
    document.refresh_from_db(using=OWNER)
    assert document.collection_id == own.pk
    assert signed_in(cast.ada).get(address(document)).status_code == 404


def test_a_move_that_cannot_be_says_why_and_keeps_the_form(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    make_document(cast.private(cast.ben), "a.md", body=b"mine")
    client = signed_in(cast.ben)

    taken = client.post(address(document, "move/"), {"collection": cast.private(cast.ben).ref})
    foreign = client.post(address(document, "move/"), {"collection": cast.private(cast.ada).ref})

    assert taken.status_code == 409
    assert "A document of this name is in that collection already." in taken.content.decode()
    assert foreign.status_code == 404
    document.refresh_from_db(using=OWNER)
    assert document.collection_id == cast.shared(cast.north).pk


def test_the_receipt_is_for_the_deleter_and_the_owner_alone(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    signed_in(cast.ben).post(address(document, "delete/"))

    seen = {
        user: signed_in(getattr(cast, user)).get(address(document, "receipt/")) for user in ("ada", "ben", "dot", "cy")
    }

    assert {user: answer.status_code for user, answer in seen.items()} == {
        "ada": 200,
        "ben": 200,
        "dot": 404,
        "cy": 404,
    }
    page = seen["ada"].content.decode()
    assert "0 of 1 passage retrievable" in page
    assert "ben@example.org" in page
    assert "1 passage wait to be removed from storage" in page


def test_purging_asks_first_and_leaves_no_name(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "secret-plan.md")
    client = signed_in(cast.ben)

    asked = client.get(address(document, "purge/"))
    done = client.post(address(document, "purge/"), follow=True)

    assert "Purge secret-plan.md?" in asked.content.decode()
    assert "The document was purged. Blanked: 0 citations, 0 answers, 0 traces." in done.content.decode()
    assert "secret-plan" not in done.content.decode()
    assert client.get(address(document, "purge/")).status_code == 404
    document.refresh_from_db(using=OWNER)
    assert document.name == "(purged)"


def test_a_deleted_document_can_be_purged_from_its_receipt(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "secret-plan.md")
    client = signed_in(cast.ben)
    client.post(address(document, "delete/"))

    receipt = client.get(address(document, "receipt/")).content.decode()
    client.post(address(document, "purge/"))
    after = client.get(address(document, "receipt/")).content.decode()

    assert address(document, "purge/") in receipt
    assert address(document, "purge/") not in after
    assert "It was purged" in after


@pytest.mark.parametrize("action", ["switch_off", "switch_on", "purge"])
def test_the_admin_does_the_same(cast: Cast, action: str) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    if action == "switch_on":
        Document.objects.using(OWNER).update(disabled_at="2026-01-01T00:00Z")
    client = signed_in(cast.root)

    asked = act(client, action, document)
    if action == "purge":
        assert "a.md" in asked.content.decode()
        assert not Document.objects.using(OWNER).filter(purged_at__isnull=False).exists()
        act(client, action, document, post="yes")

    document.refresh_from_db(using=OWNER)
    did = {"switch_off": document.disabled_at, "switch_on": not document.disabled_at, "purge": document.purged_at}
    assert did[action]
    assert AuditEvent.objects.using(OWNER).filter(object_ref=document.ref).exists()


def test_deleting_in_the_admin_leaves_a_receipt_too(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    act(signed_in(cast.root), "delete_selected", document, post="yes")

    event = AuditEvent.objects.using(OWNER).get(action="document.receipt")
    assert (event.object_ref, event.detail["passages"], event.detail["retrievable"]) == (document.ref, 1, 0)


def test_a_reader_is_offered_none_of_it(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    page = signed_in(cast.dot).get(address(document)).content.decode()

    for route in ("disable", "enable", "move", "purge", "delete"):
        assert reverse(f"document_{route}", args=[document.ref]) not in page
    assert Collection.objects.using(OWNER).filter(pk=document.collection_id).exists()


def test_the_admin_moves_to_a_chosen_collection_and_says_what_could_not_be(cast: Cast) -> None:
    first, second = (make_document(cast.shared(cast.north), name, body=name.encode()) for name in ("a.md", "b.md"))
    own = cast.private(cast.root)
    make_document(own, "b.md", body=b"mine")
    client = signed_in(cast.root)

    asked = act(client, "move", first, second)
    done = act(client, "move", first, second, collection=own.ref)

    assert "a.md" in asked.content.decode()
    assert own.ref in asked.content.decode()
    assert "1 document moved." in done.content.decode()
    assert "Left alone: b.md. A document of this name is in that collection already." in done.content.decode()
    places = dict(
        Document.objects.using(OWNER).filter(pk__in=(first.pk, second.pk)).values_list("name", "collection_id")
    )
    assert places == {"a.md": own.pk, "b.md": cast.shared(cast.north).pk}
