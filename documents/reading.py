"""One document as its page shows it: the passages of a version, what was read of it and what was not, its versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Q
from django.urls import reverse

from documents.linked import ShownLink, shown_links
from documents.models import Chunk, Document, Version
from documents.old_version import may_purge
from documents.parsers import kinds
from documents.report import Fact, Report, report_of, warning_label
from documents.rows import counted, may_retry, size_label, version_label
from documents.scanner import may_be_given
from documents.states import State, outlook, poll_s, state_of
from documents.text.blocks import Block, passage_blocks, unpacked, within
from documents.text.headings import short
from documents.text.layout import Part, lay_out
from documents.text.links import unpacked as links_unpacked
from portal.paging import Page, page_of
from portal.scope import Scope

Spans = tuple[tuple[int, int], ...]
PER_PAGE = 50
VERSIONS_SHOWN = 100
MARKS_SHOWN = 20
REF = re.compile(r"[0-9a-f]{18}")
SUSPECTS_SHOWN = 5
MARK = re.compile(r"\b([0-9]{1,6})-([0-9]{1,6})\b")


@dataclass(frozen=True, slots=True)
class VersionRow:
    label: str
    added_at: datetime
    url: str
    is_live: bool
    is_shown: bool
    is_purged: bool
    purge_url: str
    receipt_url: str


@dataclass(frozen=True, slots=True)
class SuspectPlace:
    """Where a document reads like orders to a program."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """What document.html shows around the passages."""

    ref: str
    title: str
    collection_name: str
    state: State
    url: str
    version_label: str
    is_old: bool
    live_url: str
    poll_s: int
    warning_label: str
    range_label: str
    may_edit: bool
    may_retry: bool
    may_cancel: bool
    is_off: bool
    tags: tuple[tuple[str, str], ...]
    tags_text: str
    is_purged: bool
    original_label: str
    original_url: str
    facts: tuple[Fact, ...]
    report: Report
    suspects: tuple[SuspectPlace, ...]
    compare_url: str
    versions: tuple[VersionRow, ...]


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A chunk in its place. `heading_path` is said where the page does not show these headings before it."""

    number: int
    anchor: str
    text: str
    parts: tuple[Part, ...]
    heading_path: tuple[str, ...]
    page_label: str
    is_target: bool
    offsets_label: str
    source_url: str = ""
    chunk_id: int = 0
    links: tuple[ShownLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A document with the version to show: the asked one, else the live one, else the newest.

    `answer_ref` names the answer that a passage is being chosen for, "" when none is.
    """

    document: Document
    version: Version
    versions: tuple[Version, ...]
    answer_ref: str = ""

    @property
    def is_old(self) -> bool:
        return self.document.live_version_id is not None and self.version.pk != self.document.live_version_id

    @property
    def query(self) -> dict[str, str]:
        """Names the version where it is not the one shown anyway."""
        choosing = {"for": self.answer_ref} if self.answer_ref else {}
        return {"version": self.version.ref, **choosing} if self.is_old else choosing


def opened(scope: Scope, document: Document, version_ref: str) -> Opened | None:
    """The document with its versions, newest first; None when it has no version of that ref. Two queries."""
    versions = tuple(
        Version.objects.visible_to(scope)
        .filter(document=document)
        .defer("text", "report", "boxes")
        .order_by("-number")[:VERSIONS_SHOWN]
    )
    if version_ref:
        chosen = next((version for version in versions if version.ref == version_ref), None)
    else:
        chosen = next((version for version in versions if version.pk == document.live_version_id), None) or next(
            iter(versions), None
        )
    return Opened(document, chosen, versions) if chosen else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The passage that an address names: `?chunk=` by its id, as citations do, or `?passage=` by its number.

    `marks` are the places in it to mark, as `?mark=12-80,95-120` says; without them all of it is marked.
    """

    query: dict[str, str]
    marks: Spans = ()

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Wanted:
        names = {name: query[name] for name in ("chunk", "passage") if _is_number(query.get(name, ""))}
        marks = tuple((int(start), int(end)) for start, end in MARK.findall(query.get("mark", ""))[:MARKS_SHOWN])
        return cls(dict(list(names.items())[:1]), marks if names else ())

    def number(self, scope: Scope, version: Version) -> int | None:
        """The passage's number in the version, from 1; None when it has no such passage."""
        if not self.query:
            return None
        [(name, value)] = self.query.items()
        filters = {"pk": int(value)} if name == "chunk" else {"ordinal": int(value) - 1}
        chunks = Chunk.objects.visible_to(scope).filter(version=version, **filters)
        ordinal: int | None = chunks.values_list("ordinal", flat=True).first()
        return None if ordinal is None else ordinal + 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def address(seen: Opened, wanted: Wanted, number: int) -> str:
    """The page of passages that holds the passage, and the passage's own anchor."""
    marks = {"mark": ",".join(f"{start}-{end}" for start, end in wanted.marks)} if wanted.marks else {}
    query = {**seen.query, **wanted.query, **marks, "page": str((number - 1) // PER_PAGE + 1)}
    return f"{reverse('document', args=[seen.document.ref])}?{urlencode(query)}#passage-{number}"


def show_passages(
    scope: Scope, seen: Opened, *, page: str, target: int | None, marks: Spans = ()
) -> tuple[tuple[PassageRow, ...], Page | None, str]:
    """One page of passages, the links around it, and "Passages 1–50 of 188".

    Needs an open principal; three queries, and one more when words in them lead somewhere.
    """
    chunks = Chunk.objects.visible_to(scope).filter(version=seen.version).defer("fingerprint").order_by("ordinal")
    pages = Paginator(chunks, PER_PAGE)
    current = pages.get_page(page)
    stored = Version.objects.visible_to(scope).filter(pk=seen.version.pk).values_list("report__blocks", "report__links")
    blocks, links = stored.first() or ((), ())
    shown = list(current.object_list)
    leading = shown_links(scope, seen.document, links_unpacked(links or ()), shown)
    found = _passages(shown, unpacked(blocks or ()), target, marks)
    rows = tuple(replace(row, links=leading.get(row.chunk_id, ())) for row in found)
    url = reverse("document", args=[seen.document.ref])
    label = f"Passages {current.start_index():,}–{current.end_index():,} of {pages.count:,}" if pages.count else ""
    return rows, page_of(current, url=url, query=seen.query, of="passages"), label


def _passages(
    chunks: Iterable[Chunk], blocks: Sequence[Block], target: int | None, marks: Spans
) -> Iterable[PassageRow]:
    outline = _Outline()
    page: int | None = None
    origin = ""
    for chunk in chunks:
        number = chunk.ordinal + 1
        is_target = number == target
        own = passage_blocks(within(blocks, chunk.start, chunk.end), chunk.kind, chunk.text)
        spans = (marks or ((0, len(chunk.text)),)) if is_target else ()
        parts = lay_out(chunk.text, own, spans=spans, prefix=chunk.prefix)
        path = outline.news(tuple(chunk.heading_path), parts)
        yield PassageRow(
            number=number,
            anchor=f"passage-{number}",
            text=chunk.text,
            parts=tuple(outline.entered(part) for part in parts),
            heading_path=path,
            page_label=f"page {chunk.page}" if chunk.page is not None and chunk.page != page else "",
            is_target=is_target,
            offsets_label=f"characters {chunk.start + 1:,}–{chunk.end:,}",
            source_url=chunk.source_url if chunk.source_url != origin else "",
            chunk_id=chunk.pk,
        )
        page, origin = chunk.page, chunk.source_url


class _Outline:
    """The headings that the page has shown so far; those of the passages begin at the third level, under "Passages"."""

    def __init__(self) -> None:
        self._open: tuple[str, ...] = ()
        self._level = 2

    def news(self, path: tuple[str, ...], parts: Sequence[Part]) -> tuple[str, ...]:
        """The headings above a passage that the page has not shown; those that it begins with itself are not told."""
        if parts and parts[0].kind == "heading":
            path = path[: max(0, parts[0].level - 1)]
        if path == self._open[: len(path)]:
            return ()
        self._open = path
        return path

    def entered(self, part: Part) -> Part:
        """The part, a heading with its level on the page: never more than one below the heading before it."""
        if part.kind != "heading":
            return part
        if part.level:
            self._open = (*self._open[: part.level - 1], short(part.words.text))
        self._level = min(max(part.level, 1) + 2, self._level + 1, 6)
        return replace(part, outline=self._level)


def show_document(scope: Scope, seen: Opened, *, range_label: str) -> DocumentPage:
    """Needs an open principal; one query, and at most four more while the document is on its way."""
    document, version = seen.document, seen.version
    queue = outlook(scope, [document])
    stored = Version.objects.visible_to(scope).filter(pk=version.pk).values_list("report", flat=True).first() or {}
    url = reverse("document", args=[document.ref])
    may_edit = document.collection_id in scope.writable_ids
    return DocumentPage(
        ref=document.ref,
        title=document.name,
        collection_name=document.collection.name,
        state=state_of(document, queue),
        url=f"{url}?{urlencode({**seen.query, 'was': live_ref(document)})}",
        version_label=version_label(version),
        is_old=seen.is_old,
        live_url=url,
        poll_s=poll_s(document, queue),
        warning_label=warning_label(stored),
        range_label=range_label,
        may_edit=may_edit,
        may_retry=may_retry(scope, document),
        may_cancel=may_edit and document.state in (Document.State.QUEUED, Document.State.READING),
        is_off=document.disabled_at is not None,
        tags=tuple((tag, f"{reverse('search')}?{urlencode({'tag': tag})}") for tag in document.tags),
        tags_text=", ".join(document.tags),
        is_purged=version.purged_at is not None,
        original_label=_original_label(document, version),
        original_url=f"{reverse('document_original', args=[document.ref])}?{urlencode({'version': version.ref})}",
        facts=tuple(_facts(document, version, stored, range_label)),
        report=report_of(stored, version.language),
        suspects=suspect_places(scope, seen, stored.get("suspects") or ()),
        compare_url=_compare_url(seen),
        versions=tuple(_version_row(seen, row, may_edit=may_edit) for row in seen.versions),
    )


def suspect_places(scope: Scope, seen: Opened, spans: Sequence[Sequence[int]]) -> tuple[SuspectPlace, ...]:
    """The first places that read like orders, each in its passage. No query without any, else one."""
    shown = [(int(start), int(end)) for start, end in spans[:SUSPECTS_SHOWN]]
    if not shown:
        return ()
    around = Q(*(Q(start__lte=start, end__gt=start) for start, _ in shown), _connector=Q.OR)
    chunks = Chunk.objects.visible_to(scope).filter(around, version=seen.version).order_by("ordinal")
    held = list(chunks.values_list("ordinal", "start", "end"))
    places = []
    for start, end in shown:
        chunk = next((one for one in held if one[1] <= start < one[2]), None)
        if chunk is not None:
            number, marks = chunk[0] + 1, ((start - chunk[1], min(end, chunk[2]) - chunk[1]),)
            places.append(
                SuspectPlace(f"Passage {number:,}", address(seen, Wanted({"passage": str(number)}, marks), number))
            )
    return tuple(places)


def _compare_url(seen: Opened) -> str:
    earlier = (one for one in seen.versions if one.number < seen.version.number and one.purged_at is None)
    before = next(earlier, None)
    if before is None or seen.version.purged_at is not None:
        return ""
    query = urlencode({"old": before.ref, "new": seen.version.ref})
    return f"{reverse('document_compare', args=[seen.document.ref])}?{query}"


def live_ref(document: Document) -> str:
    """Names what the page's passages come from: a page that polls learns from it that there are others now."""
    return document.live_version.ref if document.live_version else "none"


def _original_label(document: Document, version: Version) -> str:
    if version.blob_id is None or not may_be_given(version):
        return ""
    return f"Download original ({kinds.NAMES.get(document.kind, document.kind)}, {size_label(version.size_bytes)})"


def _facts(document: Document, version: Version, stored: dict[str, Any], range_label: str) -> Iterable[Fact]:
    if document.title and document.title != document.name:
        yield Fact("Title", document.title)
    if document.source_url:
        yield Fact("Source", document.source_url)
    yield Fact("Kind", kinds.NAMES.get(document.kind, document.kind))
    yield Fact("Size", size_label(version.size_bytes))
    if stored.get("pages"):
        yield Fact("Pages", f"{stored['pages']:,}")
    if range_label:
        yield Fact("Passages", range_label.rpartition(" of ")[2])
    if entries := stored.get("entries"):
        yield Fact("Holds", counted(len(entries), entries[0]["kind"]))
    yield Fact("Added", f"{document.created_at:%-d %b %Y}")
    if document.created_by:
        yield Fact("Added by", document.created_by.email)


def _version_row(seen: Opened, version: Version, *, may_edit: bool) -> VersionRow:
    document = seen.document
    is_live = version.pk == document.live_version_id
    url = reverse("document", args=[document.ref])
    return VersionRow(
        label=f"Version {version.number}, {'purged' if version.purged_at else size_label(version.size_bytes)}",
        added_at=version.created_at,
        url=url if is_live else f"{url}?{urlencode({'version': version.ref})}",
        is_live=is_live,
        is_shown=version.pk == seen.version.pk,
        is_purged=version.purged_at is not None,
        purge_url=reverse("version_purge", args=[document.ref, version.ref])
        if may_edit and may_purge(document, version, seen.versions[0])
        else "",
        receipt_url=reverse("version_receipt", args=[document.ref, version.ref])
        if may_edit and version.purged_at
        else "",
    )
