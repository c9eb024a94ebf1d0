from __future__ import annotations

from bench.inside_golden import held_of_answered
from evaluation.summary import Line


def line(outcome: str, **figures: float) -> Line:
    return Line("q", "answer", outcome, "", figures, (), 1.0, False)


def test_only_answered_questions_count_for_what_their_quotes_hold() -> None:
    lines = [
        line("answered", answer_held=1.0),
        line("answered", answer_held=0.0),
        line("declined", answer_held=0.0),
        line("answered"),
    ]

    assert held_of_answered(lines) == 0.5
    assert held_of_answered([]) == 0.0
