from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.compare import compare
from evaluation.gate import DEFAULT, broken, read_rules
from evaluation.summary import Line, counts, means, summarise
from portal.problems import UserProblem

FIGURES = dict.fromkeys(("right", "evidence_match", "evidence_given", "ndcg_10", "faithfulness", "answered"), 1.0)


def line(key: str, **figures: float) -> Line:
    return Line(key, "answer", "answered", "", {**FIGURES, "unsupported": 0.0, **figures})


def noisy(seed: int, count: int, good: float = 0.7) -> list[Line]:
    draw = random.Random(seed)
    lines = []
    for number in range(count):
        right = float(draw.random() < good)
        ndcg = right * draw.random()
        lines.append(
            line(f"q{number}", right=right, evidence_match=right, ndcg_10=ndcg, faithfulness=round(draw.random(), 1))
        )
    return lines


def test_the_same_run_twice_is_no_evidence_of_anything() -> None:
    found = compare(noisy(1, 50), noisy(1, 50))

    assert (found.verdict, found.worse, found.better) == ("no evidence", [], [])
    assert {difference.p for difference in found.differences} == {1.0}


def test_a_planted_fault_is_called_worse_after_holm() -> None:
    before = noisy(2, 60)
    after = [
        replace(one, figures={**one.figures, "right": 0.0, "ndcg_10": one.figures["ndcg_10"] / 2}) for one in before
    ]

    found = compare(before, after)
    back = compare(after, before)

    assert {"right", "ndcg_10"} <= set(found.worse)
    assert all(d.p < 0.05 and d.change.high < 0 for d in found.differences if d.call == "worse")
    assert (found.verdict, back.verdict) == ("worse", "better")


def test_more_unsupported_answers_are_worse_and_not_better() -> None:
    before = noisy(3, 40)
    after = [replace(one, figures={**one.figures, "unsupported": 1.0}) for one in before]

    assert compare(before, after).worse == ["unsupported"]


def test_chance_is_called_a_change_in_at_most_seven_of_a_hundred() -> None:
    called = sum(
        compare(noisy(seed, 30), noisy(seed + 10_000, 30), rounds=200).verdict != "no evidence" for seed in range(1000)
    )

    assert called <= 70


def test_questions_are_paired_by_key_and_the_rest_is_only_counted() -> None:
    found = compare([line("a"), line("b"), line("c")], [line("b"), line("a", right=0.0), line("d")])

    assert [(pair.key, pair.went) for pair in found.pairs] == [("a", "worse"), ("b", "same")]
    assert (found.only_baseline, found.only_candidate) == (1, 1)


GATES: list[tuple[str, list[Line], Callable[[], list[Line]], list[str]]] = [
    ("", [line("a")], lambda: [line("a")], []),
    ("", [line("a")], lambda: [line("a", unsupported=1.0)], ["unsupported"]),
    ("", [line("a")], lambda: [line("a", evidence_given=0.0)], ["evidence"]),
    ("", [line("a")], lambda: [replace(line("a"), gold_missing=True)], ["evidence"]),
    ("", [line("a")], lambda: [replace(line("a"), outcome="error")], ["error"]),
    ("none", [line("a")], lambda: [line("a", unsupported=1.0)], []),
    ("wrong", [line("a")], lambda: [line("a", right=0.0)], ["wrong"]),
    ("ndcg_10<0.7,latency_ms>5", [line("a")], lambda: [line("a", ndcg_10=0.5, latency_ms=4)], ["ndcg_10<0.7"]),
    ("answer_held<0.1", [line("a")], lambda: [line("a")], ["answer_held<0.1"]),
]


@pytest.mark.parametrize(("rules", "before", "after", "expected"), GATES)
def test_a_gate_breaks_on_what_it_watches(
    rules: str, before: list[Line], after: Callable[[], list[Line]], expected: list[str]
) -> None:
    lines = after()

    found = broken(lines, read_rules(rules), compare(before, lines))

    assert [one.rule for one in found] == expected


def test_worse_than_the_baseline_breaks_the_gate() -> None:
    before = noisy(4, 40)
    after = [replace(one, figures={**one.figures, "ndcg_10": 0.0}) for one in before]

    assert [one.rule for one in broken(after, DEFAULT, compare(before, after))] == ["worse"]


def test_what_is_no_rule_is_refused() -> None:
    with pytest.raises(UserProblem):
        read_rules("unsupported,magic")


def test_means_are_weighted_and_leave_out_what_does_not_apply() -> None:
    heavy = replace(line("a", right=1.0, confidence=0.8), weight=3.0)
    lines = [heavy, line("b", right=0.0), Line("c", "decline", "declined", "", {})]

    found = means(lines)

    assert (found["right"], found["ndcg_10"]) == (0.75, 1.0)
    assert found["calibration_error"] == pytest.approx(0.2)
    assert counts(lines)["abstained_right"] == 1
    assert summarise(lines)["questions"] == 3
