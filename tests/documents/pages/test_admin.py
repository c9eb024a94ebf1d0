"""The Django admin: staff alone, and for them no more than their scope sees and their role may change."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import Chunk, Document, EmbeddingModel, IngestJob, Version
from portal.keys import make_key
from portal.models import ApiKey, AuditEvent, Collection, Grant, Membership, User
from portal.people import join
from tests.conftest import Cast
from tests.documents.making import make_document, queue_job, signed_in

OWNER = "owner"
LISTS = ["document", "version", "chunk", "ingestjob"]
PORTAL_LISTS = ["collection", "membership", "apikey", "auditevent", "grant"]


def rows(client: Client, model: str, app: str = "documents", **query: str) -> list[Any]:
    answer = client.get(f"/admin/{app}/{model}/", query)
    assert answer.status_code == 200, answer.status_code
    return list(answer.context["cl"].result_list)


def act(client: Client, action: str, *documents: Document, **more: str) -> Any:
    form = {"action": action, "_selected_action": [document.pk for document in documents], **more}
    return client.post("/admin/documents/document/", form, follow=True)


@pytest.fixture
def staff_editor(cast: Cast) -> User:
    """ben as staff: an editor, who may not manage the workspace."""
    User.objects.using(OWNER).filter(pk=cast.ben.pk).update(is_staff=True)
    return cast.ben


def test_only_staff_enter(cast: Cast) -> None:
    answers = {user.name: signed_in(user).get("/admin/", follow=True) for user in (cast.root, cast.ada, cast.cy)}
    outside = Client().get("/admin/documents/document/", follow=False)
    there = Client().get(outside.headers["Location"])

    assert {name: answer.status_code for name, answer in answers.items()} == {"Root": 200, "Ada": 404, "Cy": 404}
    assert there.headers["Location"] == "/sign-in/?next=/admin/documents/document/"


@pytest.mark.parametrize("model", LISTS)
def test_lists_show_what_the_scope_sees_and_nothing_else(cast: Cast, model: str) -> None:
    for collection, name in [
        (cast.shared(cast.north), "seen.md"),
        (cast.private(cast.root), "own.md"),
        (cast.private(cast.ada), "adas-canary.md"),
        (cast.shared(cast.south), "south-canary.md"),
    ]:
        queue_job(make_document(collection, name, passages=[f"text of {name}"]))
    queue_job(make_document(cast.shared(cast.north), "gone-canary.md", deleted_at=timezone.now()))
    hidden = Document.objects.using(OWNER).filter(name__in=["adas-canary.md", "south-canary.md"])
    keys: dict[str, list[int]] = {
        "document": [row.pk for row in hidden],
        "version": [row.pk for row in Version.objects.using(OWNER).filter(document__in=hidden)],
        "chunk": [row.pk for row in Chunk.objects.using(OWNER).filter(document__in=hidden)],
        "ingestjob": [row.pk for row in IngestJob.objects.using(OWNER).filter(document__in=hidden)],
    }
    client = signed_in(cast.root)

    listed = client.get(f"/admin/documents/{model}/")
    opened = [client.get(f"/admin/documents/{model}/{key}/change/", follow=True) for key in keys[model]]

    found = {getattr(row, "document", row).name for row in listed.context["cl"].result_list}
    assert found - {"gone-canary.md"} == {"seen.md", "own.md"}
    assert len(opened) == 2
    assert all(answer.redirect_chain for answer in opened)
    assert all(b"canary" not in answer.content for answer in (listed, *opened))


def test_every_list_and_every_page_of_a_row_opens(cast: Cast) -> None:
    EmbeddingModel.objects.using(OWNER).create(name="test", dims=384, state="live")
    document = make_document(cast.shared(cast.north), "a.md")
    job = queue_job(document)
    make_key(cast.scope(cast.root), "x", scopes=["read"])
    AuditEvent.objects.using(OWNER).create(workspace=cast.north, user=cast.ada, action="test")
    client = signed_in(cast.root)

    for model in [*LISTS, "embeddingmodel"]:
        [row] = rows(client, model) if model in LISTS else EmbeddingModel.objects.using(OWNER).all()
        assert client.get(f"/admin/documents/{model}/{row.pk}/change/").status_code == 200, model
        assert client.get(f"/admin/documents/{model}/{row.pk}/history/").status_code == 200, model
    for model in PORTAL_LISTS:
        for row in rows(client, model, "portal"):
            assert client.get(f"/admin/portal/{model}/{row.pk}/change/").status_code == 200, model
    assert rows(client, "document", q="A.M", state__exact="ready") == [document]
    assert rows(client, "ingestjob", q=job.ref) == [job]


@pytest.mark.parametrize("model", LISTS)
def test_a_list_costs_the_same_for_one_row_and_for_many(cast: Cast, model: str) -> None:
    client = signed_in(cast.root)

    def cost() -> int:
        with CaptureQueriesContext(connections["default"]) as queries:
            rows(client, model)
        return len(queries)

    queue_job(make_document(cast.shared(cast.north), "a.md"))
    cost()
    one = cost()
    for number in range(8):
        queue_job(make_document(cast.private(cast.root), f"{number}.md"))

    # The list of collections to filter by may take its second row with one savepoint less or more.
    assert cost() == one <= 25


def test_what_no_role_may_write_offers_no_form(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    chunk = Chunk.objects.using(OWNER).get(document=document)
    client = signed_in(cast.root)

    for model in ("version", "chunk", "ingestjob", "embeddingmodel"):
        assert client.get(f"/admin/documents/{model}/add/").status_code == 403, model
    assert client.get("/admin/documents/document/add/").status_code == 403
    assert client.post(f"/admin/documents/chunk/{chunk.pk}/change/", {"text": "changed"}).status_code == 403
    assert client.post(f"/admin/documents/chunk/{chunk.pk}/delete/", {"post": "yes"}).status_code == 403
    chunk.refresh_from_db(using=OWNER)
    assert chunk.text == "Access logs are kept for 90 days."


def test_documents_are_read_again_and_stopped_from_the_list(cast: Cast) -> None:
    broken = make_document(cast.shared(cast.north), "broken.md", state="attention", problem="documents.broken")
    waiting = make_document(cast.shared(cast.north), "waiting.md", state="queued")
    queue_job(waiting)
    client = signed_in(cast.root)

    again = act(client, "read_again", broken)
    stopped = act(client, "cancel_reading", broken, waiting)

    states = dict(Document.objects.using(OWNER).values_list("name", "state"))
    assert "1 document queued to be read again." in again.content.decode()
    assert "2 documents stopped." in stopped.content.decode()
    assert states == {"broken.md": "attention", "waiting.md": "attention"}
    assert set(IngestJob.objects.using(OWNER).values_list("state", flat=True)) == {"cancelled"}
    assert LogEntry.objects.using(OWNER).filter(user=cast.root).count() == 3


def test_deleting_asks_and_then_goes_through_the_lifecycle(cast: Cast) -> None:
    first, second = (make_document(cast.shared(cast.north), name) for name in ("first.md", "second.md"))
    client = signed_in(cast.root)

    asked = act(client, "delete_selected", first)
    act(client, "delete_selected", first, post="yes")
    single = client.post(f"/admin/documents/document/{second.pk}/delete/", {"post": "yes"})

    assert "first.md" in asked.content.decode()
    assert single.status_code == 302
    assert not Document.objects.using(OWNER).filter(deleted_at__isnull=True).exists()
    assert set(IngestJob.objects.using(OWNER).values_list("kind", "state")) == {("remove", "queued")}
    assert AuditEvent.objects.using(OWNER).filter(action="document.deleted").count() == 2
    assert rows(client, "document") == []


def test_a_collection_that_may_only_be_read_is_left_alone(cast: Cast) -> None:
    team = Collection.objects.using(OWNER).create(workspace=cast.north, name="Team", kind="granted", owner=cast.ada)
    Grant.objects.using(OWNER).create(workspace=cast.north, collection=team, user=cast.root)
    document = make_document(team, "a.md", state="attention", problem="documents.broken")
    client = signed_in(cast.root)

    again = act(client, "read_again", document)
    asked = act(client, "delete_selected", document, post="yes")
    single = client.post(f"/admin/documents/document/{document.pk}/delete/", {"post": "yes"})

    assert "1 document left alone: you may read them and not change them." in again.content.decode()
    assert (asked.status_code, single.status_code) == (403, 403)
    assert rows(client, "document") == [document]
    assert not IngestJob.objects.using(OWNER).exists()


def test_an_address_of_a_source_is_changed_and_nothing_else(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.root)

    answer = client.post(
        f"/admin/documents/document/{document.pk}/change/", {"source_url": "https://example.org/a", "name": "b.md"}
    )

    document.refresh_from_db(using=OWNER)
    assert answer.status_code == 302
    assert (document.source_url, document.name) == ("https://example.org/a", "a.md")


def test_owners_change_members_but_not_themselves_and_editors_nobody(cast: Cast, staff_editor: User) -> None:
    memberships = {row.user_id: row for row in Membership.objects.using(OWNER).filter(workspace=cast.north)}

    def change(client: Client, user: User) -> int:
        address = f"/admin/portal/membership/{memberships[user.pk].pk}/change/"
        return int(client.post(address, {"role": "reader", "state": "suspended"}).status_code)

    root, ben = signed_in(cast.root), signed_in(staff_editor)
    seen = [change(root, cast.dot), change(root, cast.root), change(ben, cast.ada)]

    states = dict(Membership.objects.using(OWNER).filter(workspace=cast.north).values_list("user__name", "state"))
    assert seen == [302, 403, 403]
    assert states == {"Ada": "active", "Ben": "active", "Dot": "suspended", "Root": "active"}
    assert list(AuditEvent.objects.using(OWNER).values_list("action", "detail")) == [
        ("membership.reader.suspended", {"user": cast.dot.pk})
    ]


def test_collections_are_made_and_shared_with_named_members(cast: Cast) -> None:
    join(cast.south, cast.root, role=Membership.Role.READER)
    profile = {"splitter": "structure", "max_tokens": "250", "overlap_tokens": "30"}
    client = signed_in(cast.root)

    made = client.post("/admin/portal/collection/add/", {"name": "Team", "kind": "granted", **profile})
    private = client.post("/admin/portal/collection/add/", {"name": "Mine", "kind": "private", **profile})
    team = Collection.objects.using(OWNER).get(name="Team")
    shared = client.post("/admin/portal/grant/add/", {"collection": team.pk, "user": cast.dot.pk, "may_edit": "on"})
    foreign = client.post("/admin/portal/grant/add/", {"collection": cast.shared(cast.south).pk, "user": cast.dot.pk})
    renamed = client.post(f"/admin/portal/collection/{team.pk}/change/", {"name": "Crew", "kind": "shared", **profile})

    assert (made.status_code, private.status_code, shared.status_code) == (302, 200, 302)
    assert foreign.status_code == 200
    assert renamed.status_code == 302
    team.refresh_from_db(using=OWNER)
    assert (team.workspace, team.owner, team.name, team.kind) == (cast.north, cast.root, "Crew", "granted")
    assert list(Grant.objects.using(OWNER).values_list("user", "may_edit")) == [(cast.dot.pk, True)]
    assert team.pk in cast.scope(cast.dot).writable_ids


def test_own_keys_are_listed_without_their_secret_and_revoked(cast: Cast) -> None:
    mine, plain = make_key(cast.scope(cast.root), "mine", scopes=["read"])
    make_key(cast.scope(cast.ada), "adas-canary", scopes=["read"])
    client = signed_in(cast.root)

    listed = client.get("/admin/portal/apikey/")
    page = client.get(f"/admin/portal/apikey/{mine.pk}/change/")
    client.post("/admin/portal/apikey/", {"action": "revoke", "_selected_action": [mine.pk]})

    assert b"canary" not in listed.content
    assert plain.rpartition("_")[2] not in page.content.decode()
    assert {key.name: key.revoked_at is not None for key in ApiKey.objects.using(OWNER)} == {
        "mine": True,
        "adas-canary": False,
    }


@pytest.mark.parametrize("path", ["password_change/", "logout/", "r/1/1/"])
def test_routes_that_the_portal_has_itself_are_not_there(cast: Cast, path: str) -> None:
    assert signed_in(cast.root).get(f"/admin/{path}", follow=True).status_code == 404
