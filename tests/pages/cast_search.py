"""The search page on good days and bad ones: before, with hits in every shape, with nothing, with words for why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from documents.text.layout import lay_out
from retrieval import page

LIST_OF_TAGS = ("audit 2026", "hr", "rindfleischetikettierungsüberwachung")


def option(field: str, at: int, value: str, count: str = "3", *, chosen: bool = False) -> page.Option:
    return page.Option(value, value.capitalize(), count, chosen, f"{field}-{at}")


def groups(*, chosen: bool = False) -> tuple[page.Group, ...]:
    return (
        page.Group(
            "collection",
            "Collections",
            tuple(option("collection", at, name) for at, name in enumerate(("shared", "my"))),
        ),
        page.Group(
            "tag",
            "Tags",
            tuple(option("tag", at, tag, chosen=chosen and not at) for at, tag in enumerate(LIST_OF_TAGS)),
        ),
        page.Group("kind", "Kinds of file", (option("kind", 0, "pdf"), option("kind", 1, "markdown", "1,204"))),
        page.Group("year", "Years", (option("year", 0, "2026"), option("year", 1, "2025", "0"))),
    )


def hit(number: int, title: str, text: str, **more: object) -> page.Hit:
    end = text.find(" ")
    made = page.Hit(
        number,
        title,
        "/documents/d1/?chunk=7#chunk-7",
        ("Logging", "Retention"),
        "page 4",
        "Shared",
        "",
        lay_out(text, spans=[(0, end)]),
        False,
        (
            page.Place("Words", "1st", "12.41"),
            page.Place("Meaning (cosine)", "not among the first 100", "–"),
            page.Place("Together", "", "0.871"),
        ),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def pages(title: str, long: str) -> Mapping[str, tuple[str, dict[str, object]]]:
    """By state, the template and what it gets beside the shell."""
    empty = page.form_of(page.Sent())
    asked = page.form_of(page.Sent("how long are access logs kept"))
    narrowed = page.form_of(page.Sent(long, tags=("audit 2026",), since="2026-01-01", mode="words", ranker="tfidf"))
    hits = (
        hit(1, title, "Access logs are kept for ninety days, then they are deleted by a job that runs at night."),
        hit(2, long, "x" * 300 + " and more", is_cut=True, version_label="version 2 of 3 May 2026", page_label=""),
    )
    rows = (page.StageRow("By words", "12 ms", "100"), page.StageRow("Together", "under 1 ms", "142"))
    found = page.Found(hits, "The nearest 2 passages, from 2 documents", "1,204 passages searched in 48 ms", (), rows)
    none = page.Found(
        (),
        "Nothing found",
        "1,204 passages searched in 9 ms",
        (
            "The search by meaning is not available right now. Words alone were searched.",
            "No passage fits these filters.",
        ),
        rows[:1],
        groups(chosen=True),
    )
    return {
        "search": ("search.html", {"search": empty, "found": page.Found(groups=groups())}),
        "search-filled": ("search.html", {"search": asked, "found": page.Found(groups=groups())}),
        "search-found": ("search.html", {"search": asked, "found": replace(found, groups=groups())}),
        "search-none": ("search.html", {"search": narrowed, "found": none}),
        "search-wrong": (
            "search.html",
            {"search": page.form_of(page.Sent(), error="There is nothing to search for yet."), "found": page.Found()},
        ),
    }
