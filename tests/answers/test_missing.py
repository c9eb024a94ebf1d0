"""Why not this passage? Each verdict from a situation that really leads to it, and nothing of what is out of sight."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from bs4 import BeautifulSoup

from answers import missing
from answers.missing import Mark, Verdict
from answers.models import Answer, Trace
from answers.rules.lost import STAGES
from documents import lifecycle
from documents.models import Chunk, Document, Version
from portal.models import User
from portal.scope import principal
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf
from tests.documents.making import signed_in
from tests.fakes.openai_server import OpenAIServer, Status

QUESTION = "What does E4304 mean for the motor?"


def look(shelf: Shelf, answer: Answer, *, user: User | None = None, **mark: object) -> tuple[Verdict, ...]:
    return missing.look(shelf.cast.scope(user or shelf.cast.ada), answer, Mark(**mark))  # type: ignore[arg-type]


def codes(verdicts: Sequence[Verdict]) -> list[str]:
    return [verdict.code for verdict in verdicts]


@pytest.fixture
def crowd(shelf: Shelf) -> Shelf:
    """Ten guides that all hold the question's words."""
    for number in range(10):
        shelf.put_and_read(
            f"guide-{number}.md", f"# Guide {number}\n\nWhat does E4304 mean for the motor fault {number}.\n"
        )
    return shelf


def by_fate(shelf: Shelf, answer: Answer) -> dict[str, list[Verdict]]:
    """Every guide's verdict, by code."""
    found: dict[str, list[Verdict]] = {}
    for number in range(10):
        for verdict in look(shelf, answer, words=f"motor fault {number}"):
            found.setdefault(verdict.code, []).append(verdict)
    return found


def test_a_crowd_is_quoted_given_dropped_by_the_budget_or_lost_in_fusion(ask: Ask, crowd: Shelf) -> None:
    answer = answer_of(crowd, ask(QUESTION))

    fates = by_fate(crowd, answer)

    assert set(fates) == {"", "unused", "budget", "fusion"}
    assert len(fates["budget"]) == 2  # eight are kept, six are given
    assert len(fates[""]) + len(fates["unused"]) <= 6
    assert fates["fusion"][0].places[:2] and all("not among" not in place for place in fates["fusion"][0].places[:2])
    assert all(verdict.title.startswith("Guide") and verdict.url for verdicts in fates.values() for verdict in verdicts)


def test_what_shares_no_word_is_not_in_the_lexical_list(ask: Ask, crowd: Shelf) -> None:
    crowd.put_and_read("gear.md", "# Gear\n\nOverheating shows as a red lamp.\n")
    answer = answer_of(crowd, ask(QUESTION))

    [verdict] = look(crowd, answer, words="shows as a red lamp")

    assert verdict.code == "not_lexical"
    assert any(place.startswith("by meaning: place") for place in verdict.places)


def test_what_has_no_vector_yet_is_not_in_the_dense_list(ask: Ask, crowd: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(Status(401))
    crowd.put_and_read("late.md", "# Late\n\n" + "Halls and pumps stand here for long. " * 30 + "The motor hums.\n")
    answer = answer_of(crowd, ask(QUESTION))

    [verdict] = look(crowd, answer, words="The motor hums")

    assert verdict.code == "not_dense"


def test_what_is_in_neither_list_says_so(ask: Ask, crowd: Shelf, embedder: OpenAIServer) -> None:
    embedder.script(Status(401))
    crowd.put_and_read("other.md", "# Other\n\nBicycles need oil.\n")
    answer = answer_of(crowd, ask(QUESTION))

    assert codes(look(crowd, answer, words="Bicycles need oil")) == ["not_listed"]


def test_words_on_both_sides_of_a_cut_are_named_as_cut(ask: Ask, shelf: Shelf) -> None:
    text = "\n\n".join(
        f"Paragraph {n} about valves. " + f"Valve {n} opens when the lever is down. " * 12 for n in range(12)
    )
    document = shelf.put_and_read("valves.md", text)
    answer = answer_of(shelf, ask(QUESTION))
    first, second = Chunk.objects.using("owner").filter(document=document).order_by("ordinal")[:2]
    whole = Version.objects.using("owner").get(document=document).text

    [verdict] = look(shelf, answer, words=whole[second.start - 250 : first.end + 250], document="valves.md")

    assert (verdict.code, verdict.title) == ("cut", document.title or document.name)


def test_words_that_were_not_read_of_a_document_are_named_as_not_read(ask: Ask, shelf: Shelf) -> None:
    shelf.put("waiting.md", "# Waiting\n\nThe relief valve is green.\n")
    answer = answer_of(shelf, ask(QUESTION))

    [verdict] = look(shelf, answer, words="The relief valve is green", document="waiting.md")

    assert verdict.code == "not_read"


def test_a_collection_that_was_left_out_is_named_as_not_searched(ask: Ask, shelf: Shelf) -> None:
    own = shelf.cast.private(shelf.cast.ada)
    shelf.put_and_read("note.md", "# Note\n\nE4304 is the motor's own fuse.\n", collection=own)
    shared = shelf.cast.shared(shelf.cast.north)
    answer = answer_of(shelf, ask(QUESTION, collection_ids=(shared.pk,)))

    assert codes(look(shelf, answer, words="the motor's own fuse")) == ["not_searched"]


def test_a_document_that_was_switched_off_is_named_as_such(ask: Ask, shelf: Shelf) -> None:
    off = shelf.put_and_read("off.md", "# Off\n\nE4304 is the motor's loudest fault.\n")
    scope = shelf.cast.scope(shelf.cast.ada)
    with principal(scope):
        lifecycle.disable(scope, off)
    answer = answer_of(shelf, ask(QUESTION))

    assert codes(look(shelf, answer, words="the motor's loudest fault", document="off.md")) == ["disabled"]


def test_what_came_after_the_answer_is_named_as_later(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    shelf.put_and_read("new.md", "# New\n\nE4304 is gone since release 9.\n")

    assert codes(look(shelf, answer, words="E4304 is gone since release 9")) == ["later"]


def test_a_passage_that_the_gates_held_too_weak_carries_the_gate_s_words(ask: Ask, shelf: Shelf) -> None:
    answer = answer_of(shelf, ask("Who won the football championship in Brazil?"))

    [verdict] = look(shelf, answer, words="Only a trained technician may open")

    assert (answer.outcome, verdict.code) == ("declined", "declined")
    assert verdict.advice.endswith(missing.ADVICE["declined"]) and verdict.advice != missing.ADVICE["declined"]


def test_what_a_reranker_placed_below_the_kept_is_named_as_cut_by_it(ask: Ask, crowd: Shelf) -> None:
    answer = answer_of(crowd, ask(QUESTION))
    lost = by_fate(crowd, answer)["fusion"][0]
    chunk_id = int(lost.url.rpartition("chunk=")[2])
    trace = Trace.objects.using("owner").get(answer=answer)
    trace.stages = [*trace.stages, {"name": "search.reranked", "ms": 3.0, "candidates": [[chunk_id, 9, 0.1]]}]
    trace.save(using="owner")

    [verdict] = look(crowd, answer, chunk_id=chunk_id)

    assert verdict.code == "rerank"
    assert "by the reranker: place 9 of 1, score 0.100" in verdict.places


def test_every_verdict_has_words_and_advice() -> None:
    ours = set(STAGES) - {"refused", "answered", "error"}

    assert ours == set(missing.ADVICE)


SECRET = "The vault code is kept behind the seventh painting"


@pytest.fixture
def hidden(shelf: Shelf) -> Document:
    """A document that ben alone sees."""
    return shelf.put_and_read(
        "vault.md", f"# Vault\n\n{SECRET}.\n", user=shelf.cast.ben, collection=shelf.cast.private(shelf.cast.ben)
    )


def test_what_the_asker_cannot_see_is_told_as_what_does_not_exist(ask: Ask, shelf: Shelf, hidden: Document) -> None:
    answer = answer_of(shelf, ask(QUESTION))
    chunk = Chunk.objects.using("owner").get(document=hidden)

    real = [
        look(shelf, answer, words=SECRET),
        look(shelf, answer, words=SECRET, document=hidden.name),
        look(shelf, answer, document=hidden.ref),
        look(shelf, answer, chunk_id=chunk.pk),
    ]
    never = [
        look(shelf, answer, words="The cellar key hangs beside the eighth window"),
        look(shelf, answer, words=SECRET, document="cellar.md"),
        look(shelf, answer, document="0" * 18),
        look(shelf, answer, chunk_id=999_999_999),
    ]

    assert real == never
    assert {code for verdicts in real for code in codes(verdicts)} == {"hidden"}
    assert codes(look(shelf, answer_of_ben(ask, shelf), user=shelf.cast.ben, words=SECRET)) != ["hidden"]


def answer_of_ben(ask: Ask, shelf: Shelf) -> Answer:
    return answer_of(shelf, ask(QUESTION, user=shelf.cast.ben), user=shelf.cast.ben)


def test_the_page_of_what_is_hidden_is_the_page_of_what_never_was(ask: Ask, shelf: Shelf, hidden: Document) -> None:
    address = f"/answers/{answer_of(shelf, ask(QUESTION)).ref}/why-not/"
    client = signed_in(shelf.cast.ada)

    pages = [client.post(address, {"document": name}) for name in (hidden.name, "cellar.md")]

    texts = [
        BeautifulSoup(page.content, "html.parser").get_text().replace(hidden.name, "X").replace("cellar.md", "X")
        for page in pages
    ]
    assert [page.status_code for page in pages] == [200, 200]
    assert texts[0] == texts[1]
    assert "Not visible to you, or not there at all" in texts[0]
