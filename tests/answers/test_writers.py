"""The seam between the walk and whoever writes: quotes by default, another writer's text through the same audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from answers import ask as walk
from answers import history
from answers.ask import Walk
from answers.rules.question import Question
from answers.writers import Piece, Written, shown_numbers
from portal.scope import Scope
from retrieval.ranking.evidence import Passage
from tests.answers.conftest import Ask, answer_of
from tests.documents.ingest.conftest import Shelf

ASKED = "What does E4304 mean for the motor?"


class Scripted:
    """Writes what it was told to, whatever it reads."""

    def __init__(self, *pieces: str, found_nothing: bool = False) -> None:
        self.pieces = pieces
        self.found_nothing = found_nothing
        self.read: Sequence[Passage] = ()

    def write(self, scope: Scope, asked: Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
        self.read = passages
        yield from self.pieces
        yield Written(
            text="".join(self.pieces), sent=len(passages), mode="model", model="toy", found_nothing=self.found_nothing
        )


def walked(shelf: Shelf, writer: Scripted) -> tuple[list[walk.Event], Walk]:
    """The events, and the walk as it was handed to be kept."""
    from django.utils import timezone

    held: list[Walk] = []

    def keep(done: Walk, total_ms: int) -> walk.Kept:
        held.append(done)
        return history.keep(done, total_ms)

    scope = shelf.cast.scope(shelf.cast.ada)
    events = list(walk.ask(scope, ASKED, settings=walk.AskSettings(), now=timezone.now(), keep=keep, writer=writer))
    return events, held[0]


def test_quotes_are_the_default_and_stream_with_the_numbers_that_readers_see(ask: Ask, shelf: Shelf) -> None:
    events = ask(ASKED)

    text = "".join(event.text for event in events if isinstance(event, walk.Token))
    answer = answer_of(shelf, events)
    assert text.splitlines()[0].endswith(" [1]") and "motor is too hot" in text
    assert (answer.mode, answer.model, answer.prompt_version) == ("extractive", "", "extractive-1")


def test_another_writers_pieces_stream_in_order_and_pass_the_audit(ask: Ask, shelf: Shelf) -> None:
    writer = Scripted("E4304 means the motor ", "is too hot [1]. ", "It was painted blue in 1999 [9].")

    events, done = walked(shelf, writer)

    assert [event.text for event in events if isinstance(event, walk.Token)] == list(writer.pieces)
    assert done.audit is not None and "[9]" not in done.audit.text
    assert (done.audit.verdict, done.audit.removed_markers) == ("partly", 1)
    assert [sentence.support for sentence in done.audit.sentences] == ["supported", "not_supported"]
    assert answer_of(shelf, events).model == "toy"


def test_only_the_passages_that_were_sent_may_be_cited(ask: Ask, shelf: Shelf) -> None:
    class Reader(Scripted):
        def write(self, scope: Scope, asked: Question, passages: Sequence[Passage]) -> Iterator[Piece | Written]:
            yield Written(text="E4304 means the motor is too hot [1].", sent=0, mode="model")

    _, done = walked(shelf, Reader())

    assert done.audit is not None and (done.audit.text, done.audit.removed_markers) == (
        "E4304 means the motor is too hot.",
        1,
    )


def test_a_writer_that_finds_nothing_declines_with_the_nearest_passages(ask: Ask, shelf: Shelf) -> None:
    events, _ = walked(shelf, Scripted(found_nothing=True))

    answer = answer_of(shelf, events)
    roles = shelf.rows("SELECT DISTINCT role FROM answers_citation WHERE answer_id = %s", answer.pk)
    assert (answer.outcome, answer.reason, answer.verdict) == (
        "declined",
        "answers.writer_found_nothing",
        "not_found",
    )
    assert roles == [("nearest",)]


def test_numbers_count_from_one_in_reading_order() -> None:
    from answers.rules.extract import Draft, Quote

    draft = Draft(tuple(Quote(number, 0, 1, "x") for number in (4, 2, 4)))

    assert shown_numbers(draft) == {4: 1, 2: 2}
