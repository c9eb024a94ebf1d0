"""Which words of a passage are marked, and which part of it is shown."""

from __future__ import annotations

import pytest

from documents.text import analyse
from retrieval.ranking.snippet import WIDTH, cut, matches


def marked(text: str, question: str, language: str = "en", phrases: tuple[str, ...] = ()) -> list[str]:
    terms = set(analyse.terms(question, language=language))
    return [text[a:b] for (a, b), _ in matches(text, terms, language=language, phrases=phrases)]


@pytest.mark.parametrize(
    ("text", "question", "language", "want"),
    [
        ("Filters are cleaned.", "cleaning a filter", "en", ["Filters", "cleaned"]),
        ("(E4304): too hot, E43045 not", "E4304", "en", ["E4304"]),
        ("call createCheckoutSession() now", "createCheckoutSession", "en", ["createCheckoutSession"]),
        ("see /v1/charges; version 2.0.10.", "/v1/charges 2.0.10", "en", ["/v1/charges", "2.0.10"]),
        ("Die Filter wurden gereinigt", "Filter gereinigt", "de", ["Filter", "gereinigt"]),
        ("过滤器每月清洗一次", "清洗", "zh", ["清洗"]),
        ("ตัวกรองทำความสะอาดทุกเดือน", "กรอง", "th", ["กร", "รอ", "อง"]),
        ("the café's menu", "cafe", "en", ["café's"]),
        ("nothing of it", "zebra", "en", []),
    ],
)
def test_words_are_marked_as_they_stand(text: str, question: str, language: str, want: list[str]) -> None:
    assert marked(text, question, language) == want


def test_a_phrase_is_marked_across_a_line_break() -> None:
    assert marked("an inlet\nFilter here", "zebra", phrases=("inlet filter",)) == ["inlet\nFilter"]


def test_a_short_passage_is_shown_whole() -> None:
    snippet = cut("A filter.", [((2, 8), "filter")])

    assert (snippet.start, snippet.end, snippet.spans) == (0, 9, ((2, 8),))


def test_a_long_passage_is_cut_to_where_most_of_the_question_stands() -> None:
    text = (
        "The filter is old. "
        + "Nothing of note happens here. " * 60
        + "The filter was cleaned by a technician. "
        + "End. " * 200
    )
    found = matches(text, set(analyse.terms("filter cleaned technician")), language="en")

    snippet = cut(text, found)

    shown = text[snippet.start : snippet.end]
    assert "filter was cleaned by a technician" in shown
    assert len(shown) <= WIDTH
    assert text[snippet.start - 1] == " "
    assert shown[-1] == "."


def test_a_table_is_cut_between_lines() -> None:
    text = "\n".join(f"| E{n} | the motor number {n} is hot |" for n in range(60))

    snippet = cut(text, matches(text, {"e41"}), by_line=True)

    assert "| E41 |" in text[snippet.start : snippet.end]
    assert text[snippet.start] == "|"
    assert text[snippet.end - 1] == "|"


def test_nothing_matched_shows_the_beginning() -> None:
    assert cut("word " * 400, []).start == 0
