"""The Document page and what can be done there: passages, versions, retry, cancel, delete, replace, download."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.models import Chunk, Document, IngestJob, Version
from documents.states import explain
from documents.text.section import ParseReport, Skipped
from portal.models import AuditEvent
from tests.conftest import Cast
from tests.documents.making import add_version, go_live, live_version, make_document, queue_job, signed_in, upload_of

OWNER = "owner"
MANY = [f"Passage number {number}." for number in range(1, 121)]


def address(document: Document, rest: str = "") -> str:
    return f"/documents/{document.ref}/{rest}"


def job_kinds(document: Document) -> list[tuple[str, str]]:
    return list(document.jobs.using(OWNER).order_by("id").values_list("kind", "state"))


def test_the_page_shows_passages_with_headings_offsets_and_facts(cast: Cast) -> None:
    document = make_document(
        cast.shared(cast.north), "a/guide.md", passages=["First one.", "Second."], title="The guide"
    )

    answer = signed_in(cast.dot).get(address(document))

    shown, [first, second] = answer.context["document"], answer.context["passages"]
    assert answer.status_code == 200
    assert (shown.title, shown.state.label, shown.range_label) == ("a/guide.md", "Ready", "Passages 1–2 of 2")
    assert (first.anchor, first.heading_path, first.offsets_label) == ("passage-1", ("Logging",), "characters 1–10")
    assert (second.heading_path, second.text, second.offsets_label) == ((), "Second.", "characters 13–19")
    assert [(fact.name, fact.value) for fact in shown.facts][:4] == [
        ("Title", "The guide"),
        ("Kind", "Markdown"),
        ("Size", "14 bytes"),
        ("Passages", "2"),
    ]
    assert not shown.may_edit


def test_a_named_passage_opens_its_page_and_is_lit_up(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", passages=MANY)
    chunk = Chunk.objects.using(OWNER).get(document=document, ordinal=106)
    client = signed_in(cast.ada)

    by_id = client.get(address(document), {"chunk": str(chunk.pk)})
    by_number = client.get(address(document), {"passage": "107"})
    page = client.get(by_id.headers["Location"])

    assert by_id.headers["Location"] == address(document, f"?chunk={chunk.pk}&page=3#passage-107")
    assert by_number.headers["Location"] == address(document, "?passage=107&page=3#passage-107")
    assert [row.number for row in page.context["passages"] if row.is_target] == [107]
    assert b"<mark>Passage number 107.</mark>" in page.content
    assert page.context["page"].label == "101–120 of 120"


@pytest.mark.parametrize(
    ("mark", "marked"),
    [
        ("8-14", ["number"]),
        ("0-7,15-18", ["Passage", "107"]),
        ("5-5,0-999", []),
        ("x,-4-7", ["age"]),
        ("", ["Passage number 107."]),
    ],
)
def test_the_very_words_are_marked_where_the_address_names_them(cast: Cast, mark: str, marked: list[str]) -> None:
    document = make_document(cast.shared(cast.north), "a.md", passages=MANY)
    client = signed_in(cast.ada)

    led = client.get(address(document), {"passage": "107", "mark": mark})
    page = client.get(led.headers["Location"])

    assert re.findall("<mark>([^<]*)</mark>", page.content.decode()) == marked


@pytest.mark.parametrize("parameter", ["chunk", "passage"])
@pytest.mark.parametrize("value", ["0", "-1", "99999999999999999999", "999999999999", "²", "x", "\x00"])
def test_a_passage_that_never_was_opens_the_document_from_its_start(cast: Cast, parameter: str, value: str) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    answer = signed_in(cast.ada).get(address(document), {parameter: value})

    assert answer.status_code == 200
    assert b"<mark>" not in answer.content


def test_an_older_version_is_shown_as_such_and_another_documents_is_404(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", passages=["Old words."])
    old = live_version(document)
    go_live(document, add_version(document, passages=["New words."], number=2, body=b"two"))
    other = make_document(cast.private(cast.ben), "b.md")
    client = signed_in(cast.ada)

    live = client.get(address(document))
    before = client.get(address(document), {"version": old.ref})
    chunk = Chunk.objects.using(OWNER).get(version=old)
    cited = client.get(address(document), {"version": old.ref, "chunk": str(chunk.pk)})
    foreign = client.get(address(document), {"version": live_version(other).ref})

    assert [row.text for row in live.context["passages"]] == ["New words."]
    assert [row.text for row in before.context["passages"]] == ["Old words."]
    assert (live.context["document"].is_old, before.context["document"].is_old) == (False, True)
    assert [(row.label[:9], row.is_live, row.is_shown) for row in before.context["document"].versions] == [
        ("Version 2", True, False),
        ("Version 1", False, True),
    ]
    assert cited.headers["Location"] == address(document, f"?version={old.ref}&chunk={chunk.pk}&page=1#passage-1")
    assert foreign.status_code == 404


def test_what_was_not_read_stands_on_the_page(cast: Cast) -> None:
    report = ParseReport(
        "pypdfium2",
        pages=21,
        pages_without_text=(3, 4, 5, 21),
        skipped=tuple(Skipped("picture", f"page {page}", "no text layer") for page in range(25)),
        hidden_characters=212,
        warnings=("undecodable-bytes",),
    )
    document = make_document(cast.shared(cast.north), "scan.pdf", report=report)

    shown = signed_in(cast.ada).get(address(document)).context["document"]

    assert shown.warning_label == "No text was found on pages 3–5 and 21."
    assert [(fact.name, fact.value) for fact in shown.report.facts] == [
        ("Reader", "pypdfium2"),
        ("Pages with text", "17 of 21"),
        ("Language", "English"),
    ]
    assert [warning[:30] for warning in shown.report.warnings] == [
        "No text was found on pages 3–5",
        "212 characters that a reader w",
        "Some bytes are no text in the ",
    ]
    assert (len(shown.report.skipped), shown.report.skipped_more) == (20, "and 5 more")


def test_a_document_that_waits_has_a_page_with_a_button_to_stop(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="queued")
    queue_job(document)

    answer = signed_in(cast.ben).get(address(document))

    assert answer.context["document"].state.label == "Queued, first in line"
    assert b"Stop reading" in answer.content
    assert b"Stop reading" not in signed_in(cast.dot).get(address(document)).content


def test_the_head_asks_again_and_reloads_the_page_once_other_passages_are_live(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="reading")
    client = signed_in(cast.ada)
    poll = client.get(address(document)).context["document"].url

    before = client.get(poll, headers={"HX-Request": "true"})
    document.state = "ready"
    go_live(document, Version.objects.using(OWNER).get(document=document))
    after = client.get(poll, headers={"HX-Request": "true"})

    assert (before.status_code, before.templates[0].name) == (200, "_document_head.html")
    assert (after.status_code, after.headers["HX-Refresh"]) == (204, "true")


def test_the_page_costs_the_same_for_one_passage_and_for_a_hundred(cast: Cast) -> None:
    client = signed_in(cast.ada)
    client.get("/library/")  # the connection's own first steps
    counts = []
    for name, passages in (("a.md", MANY[:1]), ("b.md", MANY)):
        document = make_document(cast.shared(cast.north), name, passages=passages)
        with CaptureQueriesContext(connections["default"]) as queries:
            client.get(address(document))
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 30


HIDDEN = ["", "row/", "original/", "delete/", "replace/", "move/"]
CHANGES = ["retry/", "cancel/", "delete/", "replace/", "disable/", "enable/", "move/", "purge/"]


def told(answer: Any) -> str:
    """The page without what is random in it."""
    return re.sub(r'(name="csrfmiddlewaretoken" value|X-CSRFToken[^:]*:)[^>]*', "", answer.content.decode())


@pytest.mark.parametrize("rest", HIDDEN)
def test_a_strangers_or_deleted_document_is_as_if_it_never_was(cast: Cast, rest: str) -> None:
    document = make_document(cast.private(cast.ada), "secret-canary.md", passages=["the canary sings"])
    gone = make_document(cast.private(cast.ada), "gone-canary.md", deleted_at=timezone.now())

    mine = signed_in(cast.ada).get(address(document, rest))
    mine.close()
    theirs = [signed_in(user).get(address(document, rest)) for user in (cast.ben, cast.root, cast.cy)]
    deleted = signed_in(cast.ada).get(address(gone, rest))
    never = signed_in(cast.cy).get(f"/documents/0123456789abcdef01/{rest}")

    assert mine.status_code == 200
    assert {answer.status_code for answer in (*theirs, deleted, never)} == {404}
    assert all(b"canary" not in answer.content for answer in (*theirs, deleted))
    assert told(theirs[2]) == told(never)


@pytest.mark.parametrize("rest", CHANGES)
def test_only_those_who_may_edit_change_a_document(cast: Cast, rest: str) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="attention", problem="documents.broken")
    before = Document.objects.using(OWNER).values().get(pk=document.pk)

    reader = signed_in(cast.dot).post(address(document, rest))
    stranger = signed_in(cast.cy).post(address(document, rest))

    assert (reader.status_code, stranger.status_code) == (403, 404)
    assert "You can read this collection but not change it." in reader.content.decode()
    assert Document.objects.using(OWNER).values().get(pk=document.pk) == before
    assert job_kinds(document) == []


def test_reading_again_queues_the_newest_version_once(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="attention", problem="documents.broken")
    client = signed_in(cast.ben)

    plain = client.post(address(document, "retry/"))
    scripted = client.post(address(document, "retry/"), headers={"HX-Request": "true"})

    assert plain.headers["Location"] == address(document)
    assert scripted.context["row"].state.label == "Queued, first in line"
    assert job_kinds(document) == [("ingest", "queued")]


def test_stopping_leaves_the_file_and_says_so(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md", state="queued")
    queue_job(document)
    client = signed_in(cast.ben)

    client.post(address(document, "cancel/"))
    shown = client.get(address(document)).context["document"]

    assert job_kinds(document) == [("ingest", "cancelled")]
    assert (shown.state.kind, shown.state.detail) == ("attention", explain("documents.cancelled"))
    assert shown.may_retry


def test_stopping_what_is_ready_changes_nothing(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")

    signed_in(cast.ben).post(address(document, "cancel/"))

    document.refresh_from_db(using=OWNER)
    assert document.state == "ready"


def test_deleting_asks_first_and_then_hides_the_document_at_once(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.ben)

    asked = client.get(address(document, "delete/"))
    done = client.post(address(document, "delete/"))
    receipt = client.get(address(document, "receipt/"))
    library = client.get("/library/")

    assert "Delete a.md?" in asked.content.decode()
    assert done.headers["Location"] == address(document, "receipt/")
    assert "a.md was deleted." in receipt.content.decode()
    assert "0 of 1 passage retrievable" in receipt.content.decode()
    assert library.context["library"].rows == ()
    assert job_kinds(document) == [("remove", "queued")]
    assert list(AuditEvent.objects.using(OWNER).order_by("id").values_list("action", "object_ref")) == [
        ("document.deleted", document.ref),
        ("document.receipt", document.ref),
    ]


def test_a_replaced_document_keeps_its_name_whatever_the_file_is_called(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "docs/handbook.md", body=b"one")
    client = signed_in(cast.ben)

    form = client.get(address(document, "replace/"))
    done = client.post(address(document, "replace/"), {"file": upload_of("handbook(1).txt", b"new words")})

    document.refresh_from_db(using=OWNER)
    assert b"Replace docs/handbook.md" in form.content
    assert done.headers["Location"] == address(document)
    assert (document.name, document.kind, document.state) == ("docs/handbook.md", "text", "queued")
    assert live_version(document).number == 1
    assert Document.objects.using(OWNER).count() == 1
    assert list(document.versions.using(OWNER).order_by("number").values_list("number", "file_name")) == [
        (1, "docs/handbook.md"),
        (2, "handbook(1).txt"),
    ]


def test_a_replacement_that_is_refused_says_why_and_changes_nothing(cast: Cast) -> None:
    document = make_document(cast.shared(cast.north), "a.md")
    client = signed_in(cast.ben)

    nothing = client.post(address(document, "replace/"))
    empty = client.post(address(document, "replace/"), {"file": upload_of("b.md", b"  ")})
    same = client.post(address(document, "replace/"), {"file": upload_of("b.md", b"original bytes")})

    assert (nothing.status_code, nothing.context["replacement"].error) == (422, explain("documents.no_file"))
    assert (empty.status_code, empty.context["replacement"].error) == (422, explain("documents.empty"))
    assert same.status_code == 302
    assert Version.objects.using(OWNER).count() == 1
    assert not IngestJob.objects.using(OWNER).exists()


class TestOriginal:
    """Cases 4 and 15: kept as it came, sent as a file, never run on this site."""

    @pytest.mark.parametrize(
        ("name", "disposition"),
        [
            ("plain.html", 'attachment; filename="plain.html"'),
            ("docs/Prüfung #1?.svg", "attachment; filename*=utf-8''Pr%C3%BCfung%20%231%3F.svg"),
            ('quo"te.md', 'attachment; filename="quo\\"te.md"'),
            ("🦉.md", "attachment; filename*=utf-8''%F0%9F%A6%89.md"),
        ],
    )
    def test_the_bytes_come_back_as_an_attachment_that_nothing_runs(
        self, cast: Cast, name: str, disposition: str
    ) -> None:
        body = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
        document = make_document(cast.shared(cast.north), name, body=body)

        answer = signed_in(cast.dot).get(address(document, "original/"))

        assert b"".join(answer.streaming_content) == body  # type: ignore[attr-defined]
        sent = {key: answer.headers[key] for key in ("Content-Disposition", "Content-Type", "Content-Security-Policy")}
        assert sent == {
            "Content-Disposition": disposition,
            "Content-Type": "application/octet-stream",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        }
        assert answer.headers["X-Content-Type-Options"] == "nosniff"

    def test_an_older_version_has_its_own_bytes(self, cast: Cast) -> None:
        document = make_document(cast.shared(cast.north), "a.md", body=b"one")
        old = live_version(document)
        go_live(document, add_version(document, passages=["x"], number=2, body=b"two"))
        client = signed_in(cast.ada)

        bodies = [
            b"".join(client.get(address(document, "original/"), query).streaming_content)  # type: ignore[attr-defined]
            for query in ({}, {"version": old.ref})
        ]

        assert bodies == [b"two", b"one"]

    def test_bytes_that_the_storage_lost_are_said_to_be_lost(self, cast: Cast, tmp_path: Any) -> None:
        document = make_document(cast.shared(cast.north), "a.md")
        for path in (tmp_path / "blobs").rglob("*"):
            if path.is_file():
                path.unlink()

        answer = signed_in(cast.ada).get(address(document, "original/"))

        assert answer.status_code == 410
        assert "The stored file can no longer be found." in answer.content.decode()
