"""Questions drafted by a model: taken only where its sentence and its fact stand in the section, else the heading asks."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.urls import reverse

from documents.models import Document
from evaluation.golden import drafting
from evaluation.golden.item import GoldPassage, Item
from evaluation.models import GoldenQuestion, GoldenSet
from tests.answers.conftest import Name, model, operator_names  # noqa: F401
from tests.documents.ingest.conftest import Shelf, embedder, shelf  # noqa: F401
from tests.documents.making import signed_in
from tests.fakes.model_server import ModelServer, Says, Status

TEXT = "# Logs\n\n## Access logs\n\nThey are kept for 90 days. Then they go.\n\n## Error logs\n\nThey are kept for a year.\n"
SOUND = "QUESTION: How long are access logs kept?\nSENTENCE: They are kept for 90 days.\nFACT: 90 days"
HEADING = Item(
    "k", "What does Logs say about Access logs?", gold=(GoldPassage("logs.md", "They are kept"),), tags=("draft",)
)


@pytest.fixture
def logs(shelf: Shelf) -> Document:  # noqa: F811
    return shelf.put_and_read("logs.md", TEXT)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (SOUND, "How long are access logs kept?"),
        (SOUND.lower(), "how long are access logs kept?"),
        (SOUND.replace("90 days.", "91 days."), HEADING.text),
        (SOUND.replace("FACT: 90 days", "FACT: a year"), HEADING.text),
        (SOUND.replace("?", "."), HEADING.text),
        ("I cannot help with that.", HEADING.text),
        ("", HEADING.text),
    ],
)
def test_only_what_stands_in_the_section_is_taken(said: str, question: str) -> None:
    section = TEXT if said != SOUND.lower() else TEXT.lower()

    assert drafting._written(HEADING, section, said).text == question


def test_a_model_words_the_drafts_that_a_person_then_reviews(
    shelf: Shelf,  # noqa: F811
    logs: Document,
    model: ModelServer,  # noqa: F811
    operator_names: Name,  # noqa: F811
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    model.usually = Status(400)
    client = signed_in(shelf.cast.ada)
    client.post(reverse("golden_set_create"), {"name": "Logs"})
    page = reverse("golden_set", args=[GoldenSet.objects.using("owner").get().ref])

    offered = client.get(page).content.decode()
    client.post(f"{page}draft/", {"document": "logs.md", "model": "yes"})

    rows = {row.text: row for row in GoldenQuestion.objects.using("owner")}
    mine = rows["How long are access logs kept?"]
    assert "Let the model write" in offered
    assert (mine.is_draft, mine.key_facts, mine.gold[0]["quote"]) == (True, ["90 days"], "They are kept for 90 days.")
    assert [row.is_draft for row in rows.values()] == [True] * len(rows)
    assert any(text.startswith("What does Logs say") for text in rows)


def test_without_a_model_the_page_offers_none(shelf: Shelf, logs: Document) -> None:  # noqa: F811
    client = signed_in(shelf.cast.ada)
    client.post(reverse("golden_set_create"), {"name": "Logs"})
    golden_set = GoldenSet.objects.using("owner").get()

    page = client.get(reverse("golden_set", args=[golden_set.ref])).content.decode()

    assert "Let the model write" not in page


def test_the_command_drafts_with_and_without_a_model(
    shelf: Shelf,  # noqa: F811
    logs: Document,
    model: ModelServer,  # noqa: F811
    operator_names: Name,  # noqa: F811
) -> None:
    operator_names(model)
    model.script(Says.text(SOUND))
    model.usually = Status(400)

    call_command("golden", "draft", "Logs", "logs.md", "--model", "--as", "ada@example.org")
    call_command("golden", "draft", "Logs again", "logs.md", "--as", "ada@example.org")

    tags = [row.tags for row in GoldenQuestion.objects.using("owner").filter(golden_set__name="Logs").order_by("pk")]
    again = GoldenQuestion.objects.using("owner").filter(golden_set__name="Logs again")
    assert ["draft", "model"] in tags
    assert {tuple(row.tags) for row in again} == {("draft",)}
