"""The extractive writer: the one to three sentences that answer, quoted exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Final

from answers.rules.disagree import disagree
from answers.rules.instructions import is_instruction, is_step, shown_by
from answers.rules.question import Question
from answers.rules.question import read as read_question
from answers.rules.scoring import Scored, Weights, score
from answers.rules.units import UnitKind
from retrieval.ranking.evidence import Passage

MAX_QUOTES: Final = 3
MAX_CHARACTERS: Final = 400
FOLLOW: Final = 0.6
"""A further sentence is quoted when its score is at least this share of the best one's."""

CANDIDATES: Final = 8
DISAGREE: Final = "answers.passages_disagree"
"""The note of an answer whose draft has disagreeing quotes."""

WEIGHTS: Final = Weights()
_PARTS: Final = re.compile(
    r"(?<=[?？])\s*|,?\s+(?:and|und|et|y)\s+(?=(?:who|when|where|why|how|what|which|wer|wann|wo|warum|wie)\b)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"(?<=[,;:–—])\s+|\s+(?=[(–—])|(?<=[，；：、])")


@dataclass(frozen=True, slots=True)
class Quote:
    """`text` is `passages[passage_no - 1].text[start:end]`; `score` is comparable inside one draft only."""

    passage_no: int
    start: int
    end: int
    text: str
    kind: UnitKind = "sentence"
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Draft:
    """Quotes in the order to be read: documents by their best passage, inside one by place.

    Empty when no unit shares a term with the question and none was given a similarity.
    """

    sentences: tuple[Quote, ...] = ()
    disagreeing: tuple[tuple[int, int], ...] = ()
    """Places in `sentences` of two quotes, from different documents, that differ in a number or a date."""

    @property
    def text(self) -> str:
        """The quotes, one to a line, each with its marker; line breaks inside a sentence are shown as spaces."""
        return "\n".join(shown for _, shown in self.lines)

    @property
    def lines(self) -> tuple[tuple[Quote, str], ...]:
        """Each quote with its line of `text`."""
        return tuple((quote, f"{_shown(quote)} [{quote.passage_no}]") for quote in self.sentences)


def write(
    question: Question,
    passages: Sequence[Passage],
    *,
    similarity: Mapping[tuple[int, int], float] | None = None,
    weights: Weights = WEIGHTS,
) -> Draft:
    """At most three quotes and 400 characters in all, whatever the passages hold.

    `similarity` may give the cosine of the question and a unit by (passage_no, unit start); an absent one counts
    nothing. A question of several parts gets the best quote of each part first.
    """
    draft = _Choice(passages, is_how_to=question.kind == "how_to")
    scored = score(question, passages, similarity or {}, weights)
    for part in _parts(question)[:MAX_QUOTES]:
        _take_best(draft, score(part, passages, similarity or {}, weights) if part is not question else scored)
    ranked = _ranked(scored)
    if (rival := _rival(question, ranked, passages)) is not None:
        draft.take(rival, scored[rival.passage_no - 1])
    for candidate in ranked:
        if candidate.score < FOLLOW * ranked[0].score:
            break
        if len(candidate.terms) >= min(2, len(question.terms)) and not draft.tells_enough(candidate):
            draft.take(candidate, scored[candidate.passage_no - 1])
    quotes = tuple(_in_reading_order(draft.quotes, passages))
    return Draft(quotes, tuple(_disagreeing(question, quotes, passages)))


def candidates(question: Question, passages: Sequence[Passage], *, most: int = CANDIDATES) -> tuple[Quote, ...]:
    """The sentences worth embedding before `write`: the best by words, whole, best first."""
    ranked = _ranked(score(question, passages, {}, WEIGHTS))[:most]
    return tuple(
        Quote(c.passage_no, c.unit.start, c.unit.end, passages[c.passage_no - 1].text[c.unit.start : c.unit.end])
        for c in ranked
    )


def _rival(question: Question, ranked: Sequence[Scored], passages: Sequence[Passage]) -> Scored | None:
    """The best candidate of another document that says with another figure what the best one says."""
    if not ranked or question.kind in ("how_to", "why"):
        return None
    best, *others = ranked
    first = passages[best.passage_no - 1]
    own = first.text[best.unit.start : best.unit.end]
    for candidate in others:
        if candidate.score < FOLLOW * best.score:
            return None
        passage = passages[candidate.passage_no - 1]
        if passage.document_id != first.document_id and disagree(
            question, own, passage.text[candidate.unit.start : candidate.unit.end], first.language or "en"
        ):
            return candidate
    return None


def _disagreeing(question: Question, quotes: Sequence[Quote], passages: Sequence[Passage]) -> Iterator[tuple[int, int]]:
    if question.kind in ("how_to", "why"):
        return
    for (i, first), (j, second) in combinations(enumerate(quotes), 2):
        one, other = passages[first.passage_no - 1], passages[second.passage_no - 1]
        if one.document_id != other.document_id and disagree(question, first.text, second.text, one.language or "en"):
            yield i, j


def _parts(question: Question) -> list[Question]:
    read = [read_question(part) for part in _PARTS.split(question.text) if part.strip()]
    parts = [replace(part, language=question.language) for part in read if isinstance(part, Question)]
    return parts if len(parts) > 1 else [question]


def _take_best(draft: _Choice, scored: list[list[Scored]]) -> None:
    for candidate in _ranked(scored):
        if draft.take(candidate, scored[candidate.passage_no - 1]):
            return


def _ranked(scored: list[list[Scored]]) -> list[Scored]:
    """Best first; equal scores in reading order. A unit with nothing of the question is no candidate."""
    candidates = [s for of_passage in scored for s in of_passage if s.terms or s.score > 1]
    return sorted(candidates, key=lambda s: (-s.score, s.passage_no, s.unit.place))


class _Choice:
    """The quotes taken so far, and whether one more still fits."""

    def __init__(self, passages: Sequence[Passage], *, is_how_to: bool = False) -> None:
        self._passages = passages
        self._is_how_to = is_how_to
        self.quotes: list[Quote] = []
        self._whole: set[int] = set()
        """The passages of which an instruction is quoted with its code or steps."""

    def take(self, candidate: Scored, of_passage: list[Scored]) -> bool:
        """Take a candidate with what it needs to be understood; False when that does not fit or is there already."""
        wanted = [q for q in self._with_surroundings(candidate, of_passage) if not self._has(q)]
        if not wanted or len(self.quotes) + len(wanted) > MAX_QUOTES or _length(self.quotes + wanted) > MAX_CHARACTERS:
            return False
        self.quotes += wanted
        return True

    def tells_enough(self, candidate: Scored) -> bool:
        """Of a how-to, once an instruction is quoted: what is no instruction adds nothing, nor do its document's others."""
        if not (self._is_how_to and self.quotes):
            return False
        passage = self._passages[candidate.passage_no - 1]
        if any(self._passages[no - 1].version_id == passage.version_id for no in self._whole):
            return True
        text = passage.text
        told = candidate.unit.kind == "code" or is_step(text, candidate.unit)
        return not told and not is_instruction(text[candidate.unit.start : candidate.unit.end])

    def _with_surroundings(self, candidate: Scored, of_passage: list[Scored]) -> list[Quote]:
        unit = candidate.unit
        if unit.introduces or _heads_table(candidate, of_passage):
            return self._introduction(candidate, of_passage)
        if unit.kind == "sentence" and unit.end - unit.start > MAX_CHARACTERS:
            return [self._clauses(candidate)]
        if self._is_how_to and (told := self._told(candidate, of_passage)):
            return [told]
        own = self._quote(candidate, unit.start, unit.end)
        if unit.lead is None or unit.lead == unit.place:
            return [own]
        lead = of_passage[unit.lead]
        between = self._passages[candidate.passage_no - 1].text[lead.unit.end : unit.start]
        if unit.kind == "code" and not between.strip():
            return [self._quote(candidate, lead.unit.start, unit.end)]
        return [self._quote(lead, lead.unit.start, lead.unit.end), own]

    def _introduction(self, candidate: Scored, of_passage: list[Scored]) -> list[Quote]:
        """A sentence that ends with a colon, or the header of a table, with as much of what follows as fits, as one quote.

        Alone it says nothing: when nothing fits, nothing is quoted.
        """
        start, end = candidate.unit.start, candidate.unit.end
        room = MAX_CHARACTERS - _length(self.quotes)
        followers = of_passage[candidate.unit.place + 1 :]
        for follower in followers:
            if follower.unit.end - start > room or follower.unit.lead != candidate.unit.place:
                break
            end = follower.unit.end
        if end == candidate.unit.end:
            return []
        return [self._quote(candidate, start, end)]

    def _told(self, candidate: Scored, of_passage: list[Scored]) -> Quote | None:
        """The instruction whole: a sentence with the code or steps right after it, a step with the steps around it.

        As much of it as there is room for; None when there is nothing more to it than the candidate.
        """
        text = self._passages[candidate.passage_no - 1].text
        found = [s.unit for s in of_passage]
        first = last = candidate.unit.place
        if is_step(text, candidate.unit):
            while first and is_step(text, found[first - 1]):
                first -= 1
            if first and found[first].lead == first - 1:
                first -= 1
        elif not (candidate.unit.kind == "sentence" and shown_by(text, found, first)):
            return None
        room = MAX_CHARACTERS - _length(self.quotes)
        while first < candidate.unit.place and candidate.unit.end - found[first].start > room:
            first += 1
        while last + 1 < len(found) and found[last + 1].end - found[first].start <= room:
            if not (is_step(text, found[last + 1]) or (shown_by(text, found, last) and found[last + 1].kind == "code")):
                break
            last += 1
        if last == first:
            return None
        self._whole.add(candidate.passage_no)
        return self._quote(candidate, found[first].start, found[last].end)

    def _clauses(self, candidate: Scored) -> Quote:
        """The run of clauses of an overlong sentence, within the limit, that holds most of the question."""
        text = self._passages[candidate.passage_no - 1].text
        start, end = _best_window(text, candidate.unit.start, candidate.unit.end, candidate.terms)
        return self._quote(candidate, start, end)

    def _quote(self, of: Scored, start: int, end: int) -> Quote:
        text = self._passages[of.passage_no - 1].text[start:end]
        return Quote(of.passage_no, start, end, text, of.unit.kind, round(of.score, 4))

    def _has(self, quote: Quote) -> bool:
        place = self._place(quote)
        return any(
            quote.text == other.text or (place[0] == have[0] and place[1] < have[2] and have[1] < place[2])
            for other in self.quotes
            for have in (self._place(other),)
        )

    def _place(self, quote: Quote) -> tuple[int, int, int]:
        """Passages of one document overlap: the place in the document tells whether a quote was taken before."""
        passage = self._passages[quote.passage_no - 1]
        return passage.version_id, passage.start + quote.start, passage.start + quote.end


def _heads_table(candidate: Scored, of_passage: list[Scored]) -> bool:
    """The header row of a table that has rows in this passage."""
    unit = candidate.unit
    return unit.kind == "row" and any(s.unit.kind == "row" and s.unit.lead == unit.place for s in of_passage)


def _best_window(text: str, start: int, end: int, terms: frozenset[str]) -> tuple[int, int]:
    cuts = [start, *(start + m.end() for m in _CLAUSE.finditer(text[start:end])), end]
    clauses = [(a, min(b, a + MAX_CHARACTERS)) for a, b in pairwise(cuts) if text[a:b].strip()]
    windows = [(a, b) for i, (a, _) in enumerate(clauses) for _, b in clauses[i:] if b - a <= MAX_CHARACTERS]
    a, b = max(windows, key=lambda w: (_hits(text[w[0] : w[1]], terms), w[0] - w[1]))
    if b < end and not text[b - 1].isspace() and text[b].isalnum() and " " in text[a:b]:
        b = a + text[a:b].rindex(" ")
    return a, a + len(text[a:b].rstrip())


def _hits(text: str, terms: frozenset[str]) -> int:
    folded = text.casefold()
    return sum(1 for term in terms if term in folded)


def _length(quotes: Sequence[Quote]) -> int:
    return sum(len(quote.text) for quote in quotes)


def _shown(quote: Quote) -> str:
    return quote.text if "\n" in quote.text and quote.kind == "code" else " ".join(quote.text.split())


def _in_reading_order(quotes: list[Quote], passages: Sequence[Passage]) -> Iterator[Quote]:
    first: dict[int, int] = {}
    for quote in sorted(quotes, key=lambda q: q.passage_no):
        first.setdefault(passages[quote.passage_no - 1].version_id, quote.passage_no)
    return iter(
        sorted(
            quotes,
            key=lambda q: (first[passages[q.passage_no - 1].version_id], passages[q.passage_no - 1].start + q.start),
        )
    )
