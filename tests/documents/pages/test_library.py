"""The Library: what is listed for whom, in which state and words, and at which cost."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import Document, EmbeddingModel
from documents.states import explain
from tests.conftest import Cast
from tests.documents.making import go_live, live_version, make_document, queue_job, signed_in

OWNER = "owner"
FRAME_QUERIES = 20
"""Session, account, scope and the frame's workspaces, with their savepoints and contexts."""


def rows(client: Client, **query: str) -> list[Any]:
    return list(client.get("/library/", query).context["library"].rows)


def titles(client: Client, **query: str) -> list[str]:
    return [row.title for row in rows(client, **query)]


def live_model() -> None:
    EmbeddingModel.objects.using(OWNER).create(name="test", dims=384, state="live")


def test_a_member_sees_shared_and_own_documents_and_nobody_elses(cast: Cast) -> None:
    make_document(cast.shared(cast.north), "everybody.md")
    make_document(cast.private(cast.ada), "adas-own.md")
    make_document(cast.shared(cast.south), "elsewhere.md")

    seen = {user.name: titles(signed_in(user)) for user in (cast.ada, cast.ben, cast.dot, cast.cy)}

    assert seen == {
        "Ada": ["adas-own.md", "everybody.md"],
        "Ben": ["everybody.md"],
        "Dot": ["everybody.md"],
        "Cy": ["elsewhere.md"],
    }


def test_a_deleted_document_is_not_listed_nor_counted(cast: Cast) -> None:
    make_document(cast.shared(cast.north), "here.md")
    make_document(cast.shared(cast.north), "gone.md", deleted_at=timezone.now())

    answer = signed_in(cast.ada).get("/library/")

    assert [row.title for row in answer.context["library"].rows] == ["here.md"]
    assert answer.context["library"].summary_label == "1 document"


def test_filters_narrow_the_list_and_counts_speak_of_everything_visible(cast: Cast) -> None:
    live_model()
    shared, own = cast.shared(cast.north), cast.private(cast.ada)
    make_document(shared, "handbook.md")
    make_document(own, "Handbook draft.md", state="attention", problem="documents.no_text")
    make_document(shared, "notes.md", state="words")
    make_document(cast.private(cast.ben), "handbook of ben.md")
    client = signed_in(cast.ada)

    answer = client.get("/library/", {"q": "HANDBOOK"})

    assert [row.title for row in answer.context["library"].rows] == ["Handbook draft.md", "handbook.md"]
    assert titles(client, state="attention") == ["Handbook draft.md"]
    assert titles(client, state="busy") == ["notes.md"]
    assert titles(client, collection=shared.ref, q="handbook") == ["handbook.md"]
    assert titles(client, collection=cast.private(cast.ben).ref) == []
    assert titles(client, state="no such state", page="nonsense") == ["notes.md", "Handbook draft.md", "handbook.md"]
    assert answer.context["library"].summary_label == "3 documents, 1 being read, 1 needs attention"
    assert [choice.count_label for choice in answer.context["library"].filters.states] == ["3", "1", "1", "1", "0"]
    assert answer.context["library"].is_filtered


def test_fifty_stand_on_a_page_and_the_links_keep_the_filters(cast: Cast) -> None:
    shared = cast.shared(cast.north)
    for number in range(51):
        Document.objects.using(OWNER).create(
            workspace=cast.north, collection=shared, name=f"{number}.md", name_key=f"{number}.md", kind="markdown"
        )

    answer = signed_in(cast.ada).get("/library/", {"q": ".md"})
    page = answer.context["page"]

    assert len(answer.context["library"].rows) == 50
    assert (page.label, page.of, page.previous_url) == ("1–50 of 51", "documents", "")
    assert page.next_url == "/library/?q=.md&page=2"
    assert titles(signed_in(cast.ada), q=".md", page="2") == ["0.md"]


def test_htmx_gets_the_list_alone_from_the_same_address(cast: Cast) -> None:
    answer = signed_in(cast.ada).get("/library/", headers={"HX-Request": "true"})

    assert answer.templates[0].name == "_document_list.html"
    assert "HX-Request" in answer.headers["Vary"]


def test_the_list_costs_the_same_for_one_document_and_for_fifty(cast: Cast) -> None:
    live_model()
    shared, client = cast.shared(cast.north), signed_in(cast.ada)

    def cost() -> int:
        with CaptureQueriesContext(connections["default"]) as queries:
            assert client.get("/library/").status_code == 200
        return len(queries)

    cost()  # the connection's own first steps
    empty = cost()
    queue_job(make_document(shared, "a.md", state="queued"), waited_s=90)
    make_document(shared, "b.md", state="words")
    few = cost()
    for number in range(24):
        queue_job(make_document(shared, f"a{number}.md", state="queued"), waited_s=90)
        make_document(shared, f"b{number}.md", state="words")
    many = cost()

    assert many == few == empty + 5  # the rows, and four about those on their way
    assert few <= FRAME_QUERIES + 13


@pytest.mark.parametrize(
    ("place", "label"), [(0, "Queued, first in line"), (2, "Queued, third in line"), (11, "Queued, 12th in line")]
)
def test_the_place_in_line_is_counted_among_visible_jobs_alone(cast: Cast, place: int, label: str) -> None:
    for number in range(3):
        queue_job(make_document(cast.shared(cast.south), f"hidden{number}.md", state="queued"), waited_s=50)
        queue_job(make_document(cast.private(cast.ben), f"hidden{number}.md", state="queued"), waited_s=50)
    for number in range(12):
        document = make_document(cast.shared(cast.north), f"{number}.md", state="queued")
        queue_job(document, waited_s=40 - number)

    row = next(row for row in rows(signed_in(cast.ada)) if row.title == f"{place}.md")

    assert row.state.label == label
    assert row.poll_s == 3 + place


def test_every_state_has_its_words(cast: Cast) -> None:
    live_model()
    shared = cast.shared(cast.north)
    queue_job(make_document(shared, "queued.md", state="queued"))
    make_document(shared, "reading.md", state="reading")
    make_document(shared, "words.md", state="words", passages=["one", "two"])
    make_document(shared, "down.md", state="words", problem="documents.embedder_down")
    make_document(shared, "ready.md", page_count=12)
    make_document(shared, "broken.md", state="attention", problem="documents.password")

    seen = {row.title: row for row in rows(signed_in(cast.ada))}

    said = {title: (row.state.kind, row.state.label, row.state.detail, row.poll_s) for title, row in seen.items()}
    assert said == {
        "queued.md": ("queued", "Queued, first in line", "", 3),
        "reading.md": ("reading", "Reading", "", 2),
        "words.md": ("words", "Searchable by words", "", 2),
        "down.md": ("words", "Searchable by words", explain("documents.embedder_down"), 10),
        "ready.md": ("ready", "Ready", "", 0),
        "broken.md": (
            "attention",
            "Needs attention",
            "The file is locked with a password. It is stored but unread. Upload a version without the password.",
            0,
        ),
    }
    assert seen["words.md"].state.progress_label == "0 of 2 vectors"
    assert (seen["ready.md"].pages_label, seen["ready.md"].passages_label) == ("12", "1")
    assert [title for title, row in seen.items() if row.may_retry] == ["broken.md"]


def test_without_a_model_words_are_the_end_and_the_page_says_so(cast: Cast) -> None:
    make_document(cast.shared(cast.north), "a.md", state="words")

    [row] = rows(signed_in(cast.ada))

    assert (row.state.detail, row.state.total, row.poll_s) == (explain("documents.no_model"), 0, 0)


def test_a_new_version_that_fails_says_that_the_one_before_still_answers(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    document.state, document.problem = "attention", "documents.broken"
    go_live(document, live_version(document))

    [row] = rows(signed_in(cast.ada))

    assert row.state.detail.endswith("Until then, questions are answered from the version before it.")


class TestNoWorker:
    """Case 21: a worker that is not there is said within a minute, with the cause."""

    def test_a_job_that_waits_over_a_minute_while_nothing_runs_says_so(self, cast: Cast) -> None:
        shared = cast.shared(cast.north)
        queue_job(make_document(shared, "old.md", state="queued"), waited_s=61)
        queue_job(make_document(shared, "new.md", state="queued"), waited_s=30)

        seen = {row.title: row.state.detail for row in rows(signed_in(cast.ada))}

        assert seen == {"old.md": explain("documents.no_worker"), "new.md": ""}

    def test_a_worker_that_is_busy_elsewhere_is_no_missing_worker(self, cast: Cast) -> None:
        queue_job(make_document(cast.shared(cast.north), "old.md", state="queued"), waited_s=600)
        busy = make_document(cast.shared(cast.south), "theirs.md", state="reading")
        queue_job(busy, state="running", lease_until=timezone.now() + timedelta(seconds=40))

        [row] = rows(signed_in(cast.ada))

        assert row.state.detail == ""

    def test_a_file_whose_worker_was_lost_and_not_replaced_says_so(self, cast: Cast) -> None:
        document = make_document(cast.shared(cast.north), "a.md", state="reading")
        queue_job(document, state="running", lease_until=timezone.now() - timedelta(seconds=20))

        [row] = rows(signed_in(cast.ada))

        assert row.state.detail == explain("documents.no_worker")


def test_a_reader_has_no_form_and_no_retry_in_a_shared_collection(cast: Cast) -> None:
    make_document(cast.shared(cast.north), "broken.md", state="attention", problem="documents.broken")

    reader, editor = signed_in(cast.dot).get("/library/"), signed_in(cast.ben).get("/library/")

    assert [choice.name for choice in reader.context["upload"].collections] == ["My documents"]
    assert "Read again" not in reader.content.decode()
    assert [choice.name for choice in editor.context["upload"].collections] == ["Shared", "My documents"]
    assert "Read again" in editor.content.decode()


def test_a_row_is_for_those_who_see_the_document(cast: Cast) -> None:
    document = make_document(cast.private(cast.ada), "a.md")
    address = f"/documents/{document.ref}/row/"

    answers = {user.name: signed_in(user).get(address).status_code for user in (cast.ada, cast.ben, cast.cy)}

    assert answers == {"Ada": 200, "Ben": 404, "Cy": 404}
