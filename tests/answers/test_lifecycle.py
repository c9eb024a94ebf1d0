"""Case 18: a deleted, disabled, moved or purged source in answers that were given before."""

from __future__ import annotations

from answers.models import Answer, Citation, Trace
from answers.programs import show_question
from answers.redact import redact
from answers.shown import show
from documents import lifecycle
from documents.models import Version
from documents.old_version import purge_version
from documents.worker import work_through
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf

QUESTION = "How often is the inlet filter cleaned?"
OWNER = "owner"


def shown(shelf: Shelf, answer: Answer, user: User) -> str:
    """All that the answer's page and a program get of it."""
    scope = shelf.cast.scope(user)
    with principal(scope):
        return repr((show(scope, answer, permalink=""), show_question(scope, answer.question, answer)))


def test_a_disabled_source_is_blank_in_old_answers_until_it_is_enabled(shelf: Shelf, ask: Ask) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0])
    before = shown(shelf, answer, shelf.cast.ada)

    with principal(scope):
        lifecycle.disable(scope, document)
    disabled = shown(shelf, answer, shelf.cast.ada)
    again = answer_of(shelf, ask(QUESTION))
    with principal(scope):
        lifecycle.enable(scope, document)

    assert "cleaned monthly" in before
    assert "cleaned monthly" not in disabled
    assert "pump.md" not in disabled
    assert "is_removed=True" in disabled
    assert again.outcome == "declined"
    assert shown(shelf, answer, shelf.cast.ada) == before


def test_a_moved_source_hides_from_those_who_no_longer_see_it(shelf: Shelf, ask: Ask) -> None:
    mine, bens = answer_of(shelf, ask(QUESTION)), answer_of(shelf, ask(QUESTION, shelf.cast.ben), shelf.cast.ben)
    scope = shelf.cast.scope(shelf.cast.ada)
    document = shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0])

    with principal(scope):
        lifecycle.move(scope, document, shelf.cast.private(shelf.cast.ada))

    assert "cleaned monthly" in shown(shelf, mine, shelf.cast.ada)
    assert "cleaned monthly" not in shown(shelf, bens, shelf.cast.ben)


def test_a_purge_blanks_every_askers_quotes_prose_and_traces_and_counts_them(shelf: Shelf, ask: Ask) -> None:
    for user in (shelf.cast.ada, shelf.cast.ben):
        ask(QUESTION, user)
    Answer.objects.using(OWNER).filter(user=shelf.cast.ben).update(text="A model wrote: cleaned monthly [1].")
    other = shelf.put_and_read("other.md", "# Other\n\nThe outlet valve is painted blue every year.\n")
    kept = answer_of(shelf, ask("How often is the outlet valve painted?"))
    document = shelf.document(shelf.rows("SELECT ref FROM documents_document WHERE name = 'pump.md'")[0][0])
    chunk_ids = {pk for (pk,) in shelf.rows("SELECT id FROM documents_chunk WHERE document_id = %s", document.pk)}
    scope = shelf.cast.scope(shelf.cast.ada)

    with principal(scope):
        counts = lifecycle.purge(scope, document)
    work_through()

    assert counts == {"citations": 2, "answers": 1, "traces": 3}
    assert set(Citation.objects.using(OWNER).filter(document_id=document.pk).values_list("passage", "title")) == {
        ("", "")
    }
    bens = Answer.objects.using(OWNER).get(user=shelf.cast.ben)
    assert (bens.text, bens.notes) == ("", ["answers.source_purged"])
    traced = {
        candidate[0]
        for stages in Trace.objects.using(OWNER).values_list("stages", flat=True)
        for stage in stages
        for candidate in stage.get("candidates", ())
    }
    assert traced
    assert not traced & chunk_ids
    assert "painted blue" in shown(shelf, kept, shelf.cast.ada)
    assert shelf.document(other.ref).state == "ready"


def test_a_purged_version_is_blank_in_answers_and_the_others_are_not(shelf: Shelf, ask: Ask) -> None:
    before = answer_of(shelf, ask(QUESTION))
    document = shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0])
    text = Version.objects.using(OWNER).get(document=document).text
    shelf.put_and_read(document.name, f"# Pump\n\n{text}\n\nThe shaft is greased weekly.\n")
    after = answer_of(shelf, ask(QUESTION))
    first = Version.objects.using(OWNER).get(document=document, number=1)
    scope = shelf.cast.scope(shelf.cast.ada)
    quoted = "cleaned monthly" in shown(shelf, before, shelf.cast.ada)

    with principal(scope):
        counts = purge_version(scope, document, first)

    assert quoted
    assert counts["citations"] > 0
    assert "cleaned monthly" not in shown(shelf, before, shelf.cast.ada)
    assert "cleaned monthly" in shown(shelf, after, shelf.cast.ada)
    kept = Citation.objects.using(OWNER).filter(version_id=first.pk).values_list("passage", "redacted").distinct()
    assert list(kept) == [("", True)]


def test_who_may_only_read_redacts_nothing(shelf: Shelf, ask: Ask) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    document = shelf.document(shelf.rows("SELECT ref FROM documents_document")[0][0])
    counts = []

    for user in (shelf.cast.ada, shelf.cast.dot, shelf.cast.cy):
        scope = shelf.cast.scope(user)
        with principal(scope):
            counts.append(redact(scope, document.pk))

    assert counts == [{"citations": 0, "answers": 0, "traces": 0}] * 3
    assert "cleaned monthly" in shown(shelf, answer, shelf.cast.ada)


def test_an_answer_from_a_collection_with_unread_pages_says_so(shelf: Shelf, ask: Ask) -> None:
    answer, declined = answer_of(shelf, ask(QUESTION)), answer_of(shelf, ask("Who painted the ceiling of the chapel?"))
    before = shown(shelf, answer, shelf.cast.ada)
    scope = shelf.cast.scope(shelf.cast.ada)

    shelf.rows("UPDATE documents_document SET page_count = 10, unread_pages = 4 RETURNING id")
    with principal(scope):
        pages = [show(scope, one, permalink="") for one in (answer, declined)]
        program = show_question(scope, answer.question, answer)["answer"]

    assert "Not everything there was read" not in before
    assert [any("no text was found on 4 pages" in note.text for note in page.notes) for page in pages] == [True, True]
    assert (program["unread_pages"], program["unread_documents"]) == (4, 0)


def test_unread_pages_of_another_collection_are_not_said(shelf: Shelf, ask: Ask) -> None:
    own = shelf.cast.private(shelf.cast.ada)
    other = shelf.put_and_read("scan.md", "# Scan\n\nA picture of a cat.\n", collection=own)
    answer = answer_of(shelf, ask(QUESTION))

    shelf.rows("UPDATE documents_document SET page_count = 10, unread_pages = 4 WHERE id = %s RETURNING id", other.pk)

    assert "Not everything there was read" not in shown(shelf, answer, shelf.cast.ada)
