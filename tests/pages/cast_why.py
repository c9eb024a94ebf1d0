"""The pages behind an answer on a bad day: long names, removed sources, every verdict's card, two sides that differ."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import SimpleNamespace as Shape

LISTS = ("Words (BM25)", "Meaning (cosine)", "Together", "Reranker")


def candidate(number: int, title: str, fate: str, *, where: str = "Retention › Logs, page 14") -> Shape:
    places = tuple((name, f"{number} (0.{number}21)" if title else "–") for name in LISTS)
    url = "/documents/d1/?chunk=7" if title else ""
    return Shape(
        number=number, title=title, where=where if title else "", version_label="version 3, replaced since", url=url,
        places=places, fate=fate,
    )  # fmt: skip


def why(question: str, long: str, now: datetime) -> Shape:
    stages = ("Checked and counted", "Question's vector", "Search", "… Words (BM25)", "… Meaning (cosine)", "Gates")
    return Shape(
        ref="a1",
        question=question,
        answered_at=now,
        timed=tuple(
            Shape(
                name=name, ms_label="12 ms", share=10, note="Search by meaning is not available right now." * (n == 4)
            )
            for n, name in enumerate(stages)
        ),
        lists=LISTS,
        candidates=(
            candidate(1, "Information security handbook", "quoted as source 1"),
            candidate(2, long, "given, not quoted"),
            candidate(3, "", "dropped by the budget"),
        ),
        gate_label="The evidence was held to be enough. Confidence 0.67 in [0, 1].",
        facts=(("Outcome", "Answered"), ("Configuration", "d03539955def51af"), ("Prompt version", "extractive-1")),
        settings=(("k", "8"), ("languages", "en"), ("model", "all-MiniLM-L6-v2")),
    )


def verdict(code: str, says: str, title: str = "") -> Shape:
    places = ("by words: place 12 of 100, score 3.214", "by meaning: not among 100") if title else ()
    advice = "Other passages stand higher in the lists taken together."
    where = "Retention › Logs" if title else ""
    return Shape(
        code=code,
        says=says,
        advice=advice,
        title=title,
        where=where,
        url="/documents/d1/" if title else "",
        places=places,
    )


def side(label: str, kind: str, verdict_label: str, long: str) -> Shape:
    lines = (
        Shape(title="[1] Information security handbook", url="/documents/d1/?chunk=7", is_other=False),
        Shape(title=f"[2] {long}", url="/documents/d2/?chunk=8", is_other=True),
        Shape(title="[3] source removed", url="", is_other=True),
    )
    return Shape(
        label=label, kind=kind, verdict=verdict_label, text="They are kept for 90 days. [1]\nNot more. [2]", reason="",
        lines=lines, facts=(("Written by", "quotes, no model"), ("Passages searched", "1,284")),
    )  # fmt: skip


def pages(question: str, long: str, now: datetime) -> Mapping[str, tuple[str, dict[str, object]]]:
    """name → (template, its own context)."""
    shown = why(question, long, now)
    marked = Shape(words="kept for 90 days", document=long)
    verdicts = (verdict("fusion", "lost in fusion", long), verdict("hidden", "not visible to you, or not there at all"))
    replay = Shape(
        then=side("Then", "ok", "Supported", long), now=side("Today", "warn", "Partly supported", long),
        changes=("The verdict would be “Partly supported”, it was “Supported”.", f"Replaced by a newer version since: {long}."),
    )  # fmt: skip
    answer = Shape(ref="a1", question=Shape(text=question))
    return {
        "why": ("answer_why.html", {"why": shown, "mark": None, "verdicts": (), "may_replay": True}),
        "why-not": ("answer_why.html", {"why": shown, "mark": marked, "verdicts": verdicts, "may_replay": True}),
        "why-nothing": ("answer_why.html", {"why": shown, "mark": marked, "verdicts": (), "may_replay": False}),
        "replay": ("answer_replay.html", {"replay": replay, "answer": answer}),
    }
