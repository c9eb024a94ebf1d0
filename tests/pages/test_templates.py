"""What every page keeps, whatever it shows: no inline script or style, one h1, landmarks, ids, words in every state."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, Tag

from documents.text.blocks import BLOCK_KINDS, BlockKind
from tests.pages import cast, shapes
from tests.pages.render import ROOT, render

PAGES = sorted(cast.pages())


def soup_of(name: str) -> BeautifulSoup:
    return BeautifulSoup(render(*cast.pages()[name]), "html.parser")


def _address(tag: Tag) -> str:
    return str(tag.get("src") or tag.get("href") or tag.get("action") or "")


def _says_where_it_leads(tag: Tag) -> bool:
    """The one kind of foreign address: where a document says it comes from or leads, shown in full, opened without a referrer."""
    return tag.name == "a" and tag.get_text() == tag["href"] and tag["rel"] == ["noopener", "noreferrer", "nofollow"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_holds_no_inline_script_style_or_foreign_address(name: str) -> None:
    soup = soup_of(name)

    assert not soup.find_all("style")
    assert not soup.find_all(style=True)
    assert all(script.get("src") and not script.string for script in soup.find_all("script"))
    assert not [tag for tag in soup.find_all(True) for attribute in tag.attrs if attribute.startswith(("on", "hx-on"))]
    outside = [tag for tag in soup.select("[src],[href],[action]") if re.match(r"(https?:)?//", str(_address(tag)))]
    assert all(_says_where_it_leads(tag) for tag in outside)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_heading_one_main_and_unique_ids(name: str) -> None:
    soup = soup_of(name)

    ids = Counter(tag["id"] for tag in soup.find_all(id=True))
    assert len(soup.find_all("h1")) == 1
    assert len(soup.find_all("main")) == 1
    assert [one for one, count in ids.items() if count > 1] == []
    assert soup.title
    assert soup.title.get_text().strip().endswith("· Footnote")


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_points_at_within_itself_is_there(name: str) -> None:
    soup = soup_of(name)

    ids = {tag["id"] for tag in soup.find_all(id=True)}
    anchors = {str(tag["href"])[1:] for tag in soup.find_all("a", href=re.compile(r"^#."))}
    described = {word for tag in soup.select("[aria-describedby]") for word in str(tag["aria-describedby"]).split()}
    labelled = {str(tag["for"]) for tag in soup.find_all("label") if tag.get("for")}
    assert anchors | described | labelled <= ids


@pytest.mark.parametrize("name", PAGES)
def test_every_form_works_without_script(name: str) -> None:
    for form in soup_of(name).find_all("form"):
        assert form.find("button", type="submit"), form.get("id")
        if form.get("method") == "post":
            assert form.find("input", attrs={"name": "csrfmiddlewaretoken"}), form.get("id")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_for_at_most_ten_files(name: str) -> None:
    soup = soup_of(name)

    assert 1 + len(soup.find_all("script")) + len(soup.find_all("link")) <= 10


@pytest.mark.parametrize("path", sorted(ROOT.glob("templates/*.html")), ids=lambda path: path.name)
def test_a_template_says_what_it_needs_and_stays_short(path: object) -> None:
    text = (ROOT / "templates" / str(path)).read_text()

    assert "{% comment %}context:" in text
    assert len(text.splitlines()) <= 80


def test_a_chip_leads_to_its_source_and_back() -> None:
    soup = soup_of("answer")

    chips = soup.select("a.cite")
    assert chips[0].get("aria-label") == f"Source 1: {cast.TITLE}, page 14"
    assert {str(chip["href"]) for chip in chips} == {f"#source-{number}" for number in (1, 2, 3, 4)}
    assert [back["href"] for back in soup.select("[data-back]")] == ["#cite-1-1", "#cite-2-1", "#cite-3-1"]


def test_evidence_is_marked_only_where_it_was_located() -> None:
    soup = soup_of("answer")

    marked = {card["id"]: [mark.get_text() for mark in card.find_all("mark")] for card in soup.select(".source")}
    assert marked == {
        "source-1": ["They are kept for 90 days and then deleted automatically."],
        "source-2": [],
        "source-3": [cast.EXCEPTION],
        "source-4": [],
    }
    assert "nothing is marked" in soup.select_one("#source-2").get_text()  # type: ignore[union-attr]


def test_a_removed_source_shows_nothing_of_itself() -> None:
    removed = replace(cast.SOURCES[0], is_removed=True)
    answer = replace(cast.ANSWER, sources=(removed,), quotes=(replace(cast.QUOTES[0], is_removed=True, where=""),))

    page = render("answer.html", cast.signed_in(answer=answer, ask=cast.FOLLOW))

    assert "Source removed" in page
    for secret in (cast.RETENTION[:30], "kept for 90 days", "Retention", "page 14</span>"):
        assert secret not in page


KINDS: tuple[BlockKind | None, ...] = (None, *BLOCK_KINDS)


def table_or(text: str, kind: BlockKind | None) -> str:
    return f"| {text} | b |\n|---|---|\n| {text} | c |" if kind == "table" else text


def test_text_from_documents_is_escaped_everywhere() -> None:
    evil = '"><img src=x onerror=alert(1)>'
    source = replace(
        cast.SOURCES[0],
        title=evil,
        parts=tuple(part for kind in KINDS for part in cast.said(table_or(evil, kind), evil[:4], kind)),
        heading_path=(evil,),
        collection_name=evil,
    )
    answer = replace(
        cast.ANSWER,
        question=evil,
        sources=(source,),
        quotes=(replace(cast.QUOTES[0], text=evil, where=evil, parts=cast.said(evil)),),
    )

    page = render("answer.html", cast.signed_in(answer=answer, ask=replace(cast.FOLLOW, question=evil)))

    assert "<img" not in page
    assert BeautifulSoup(page, "html.parser").h1.get_text() == evil  # type: ignore[union-attr]


def test_a_refusal_and_a_missing_page_look_the_same() -> None:
    refused, missing = (re.sub(r'value="\w{64}"', "", render(*cast.pages()[name])) for name in ("403", "404"))

    assert refused == missing


def test_a_row_asks_again_only_while_its_document_is_on_the_way() -> None:
    busy, ready = cast.ROWS[1], cast.ROWS[0]

    polling = render("_document_row.html", {"row": busy, "now": cast.NOW})
    still = render("_document_row.html", {"row": ready, "now": cast.NOW})

    assert 'hx-trigger="every 2s"' in polling
    assert '<progress max="339" value="212"' in polling
    assert "hx-get" not in still


def test_a_partial_has_one_root_with_a_stable_id() -> None:
    context = cast.signed_in(
        answer=cast.ANSWER, history=cast.HISTORY, document=cast.DOCUMENT, passages=cast.PASSAGES, row=cast.ROWS[0]
    )
    context["sign_in"] = shapes.SignIn()
    roots = {
        "_ask_form.html": "ask-form",
        "_upload_form.html": "upload",
        "_upload_results.html": "upload-results",
        "_document_list.html": "document-list",
        "_document_row.html": "document-d1",
        "_document_filters.html": "document-filters",
        "_document_head.html": "document-head",
        "_document_facts.html": "about",
        "_answer.html": "answer",
        "_evidence.html": "evidence",
        "_history_list.html": "history-list",
        "_sign_in_form.html": "sign-in",
    }

    for name, root in roots.items():
        tags = BeautifulSoup(render(name, context), "html.parser").find_all(True, recursive=False)
        assert [tag.get("id") for tag in tags] == [root], name
