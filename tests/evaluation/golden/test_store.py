from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from documents.worker import work_through
from evaluation.golden import drafting, sample, store
from evaluation.golden.item import GoldPassage, Item
from evaluation.models import GoldenQuestion, GoldenSet
from portal.problems import UserProblem
from portal.scope import Scope, principal
from tests.conftest import Cast
from tests.documents.ingest.conftest import Shelf

WHO = Item("who", "Who may open it?", gold=(GoldPassage("pump.md", "trained technician"),))
WHEN = Item("when", "When is it cleaned?")


def asked(scope: Scope, golden_set: GoldenSet, version: int) -> list[str]:
    with principal(scope):
        return [row.text for row in store.questions_of(scope, golden_set.pk, version)]


def test_a_change_makes_a_version_and_keeps_the_one_before(cast: Cast) -> None:
    scope = cast.scope(cast.ben)
    golden_set = store.open_set(scope, "Pump")

    first = store.save(scope, golden_set, [WHO, WHEN], origin="import")
    second = store.save(scope, golden_set, [Item("who", "Who else may?"), WHEN], origin="import")
    third = store.save(scope, golden_set, [WHEN], origin="import", replace=True)
    again = store.save(scope, golden_set, [WHEN], origin="import", replace=True)

    assert [first, second] == [store.Saved(1, added=2), store.Saved(2, changed=1)]
    assert [third, again] == [store.Saved(3, removed=1), store.Saved(3)]
    assert [sorted(asked(scope, golden_set, version)) for version in (0, 1, 2, 3)] == [
        [],
        ["When is it cleaned?", "Who may open it?"],
        ["When is it cleaned?", "Who else may?"],
        ["When is it cleaned?"],
    ]


def test_a_question_about_a_private_document_is_its_owners_alone(shelf: Shelf) -> None:
    cast = shelf.cast
    shelf.put_and_read(
        "pump.md", "# Pump\n\nOnly a trained technician.\n", user=cast.ben, collection=cast.private(cast.ben)
    )
    scope = cast.scope(cast.ben)
    golden_set = store.open_set(scope, "Pump")
    store.save(scope, golden_set, [WHO, WHEN], origin="hand")

    assert asked(scope, golden_set, 1) == [WHO.text, WHEN.text]
    assert asked(cast.scope(cast.ada), golden_set, 1) == [WHEN.text]


def test_drafts_from_headings_are_asked_only_after_review(shelf: Shelf) -> None:
    care, who = "The inlet filter is cleaned monthly.", "Only a trained technician may open it."
    text = f"# Pump guide\n\n## Care\n\n{care}\n\n## Who may open it?\n\n{who}\n"
    document = shelf.put_and_read("pump.md", text)
    scope = shelf.cast.scope(shelf.cast.ada)
    golden_set = store.open_set(scope, "Pump")

    drafts = drafting.from_document(scope, document)
    count = store.draft(scope, golden_set, drafts, origin="draft")
    twice = store.draft(scope, golden_set, drafts, origin="draft")

    assert (count, twice, asked(scope, golden_set, 1)) == (2, 0, [])
    assert [draft.text for draft in drafts] == ["What does Pump guide say about Care?", "Who may open it?"]
    assert drafts[0].gold == (GoldPassage("pump.md", "The inlet filter is cleaned monthly."),)

    store.approve(scope, golden_set)
    assert asked(scope, golden_set, 1) == [draft.text for draft in drafts]


def test_a_reader_changes_nothing(cast: Cast) -> None:
    golden_set = store.open_set(cast.scope(cast.ada), "Pump")

    for change in (
        lambda scope: store.save(scope, golden_set, [WHO], origin="hand"),
        lambda scope: store.approve(scope, golden_set),
        lambda scope: store.open_set(scope, "Mine"),
    ):
        with pytest.raises(UserProblem, match=r"evaluation\.read_only"):
            change(cast.scope(cast.dot))


def test_the_sample_set_brings_its_documents_along(shelf: Shelf) -> None:
    scope = shelf.cast.scope(shelf.cast.ada)

    golden_set = sample.ensure(scope)
    waiting = sample.unread(scope)
    work_through()
    again = sample.ensure(scope)

    assert (waiting > 0, sample.unread(scope), again.version) == (True, 0, golden_set.version)
    assert (
        len(asked(shelf.cast.scope(shelf.cast.ada), golden_set, 1))
        == GoldenQuestion.objects.using("owner").count()
        > 20
    )


def test_the_command_exports_what_it_imported(cast: Cast, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "1", "question": "Where?", "expects": "decline"}\n')

    call_command("golden", "import", "Pump", tmp_path / "in.jsonl", "--as", "ben@example.org")
    call_command("golden", "export", "Pump", tmp_path / "out.csv", "--as", "dot@example.org")
    call_command("golden", "export", "Pump", tmp_path / "beir", "--as", "dot@example.org")

    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith("1,Where?,decline")
    assert (tmp_path / "beir" / "queries.jsonl").is_file()
