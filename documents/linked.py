"""The links of a document's passages: to its neighbours in the collection where they lead there, else out to the web."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from documents.models import Chunk, Document, Version
from documents.text.links import Link, path_beside, resolved, unpacked, within
from documents.upload import document_name
from portal.scope import Scope

SHOWN = 30


@dataclass(frozen=True, slots=True)
class ShownLink:
    """`url` is a page of ours for a document that is here, else the web address, which is then shown too."""

    label: str
    url: str
    is_here: bool


def links_of_version(scope: Scope, version: Version) -> tuple[Link, ...]:
    """Needs an open principal; one query."""
    stored = Version.objects.visible_to(scope).filter(pk=version.pk).values_list("report__links", flat=True).first()
    return unpacked(stored or ())


def links_of_chunk(links: Sequence[Link], chunk: Chunk, base: str) -> list[dict[str, str]]:
    """As programs get them: the words, and the web address that they lead to or the path as the file gives it."""
    return [
        {"text": chunk.text[one.start : one.end], "url": resolved(one.target, base) or one.target}
        for one in within(links, chunk.start, chunk.end)
    ]


def shown_links(
    scope: Scope, document: Document, links: Sequence[Link], chunks: Iterable[Chunk]
) -> dict[int, tuple[ShownLink, ...]]:
    """By chunk id, the links of each passage that has any. Needs an open principal; one query when there is a link."""
    of = {chunk.pk: (chunk, within(links, chunk.start, chunk.end)) for chunk in chunks}
    here = _here(scope, document, {one.target for _, own in of.values() for one in own})
    found = {}
    for pk, (chunk, own) in of.items():
        rows = (_shown(chunk.text[one.start : one.end], one.target, document, here) for one in own)
        if shown := tuple(dict.fromkeys(row for row in rows if row))[:SHOWN]:
            found[pk] = shown
    return found


def _here(scope: Scope, document: Document, targets: set[str]) -> dict[str, str]:
    """Refs of documents in the same collection, by their names and by their addresses."""
    if not targets:
        return {}
    names = {document_name(path) for target in targets if (path := path_beside(target, document.name))}
    addresses = {url for target in targets if (url := _without_place(resolved(target, document.source_url)))}
    rows = (
        Document.objects.visible_to(scope)
        .filter(Q(name_key__in=names) | Q(source_url__in=addresses))
        .filter(collection_id=document.collection_id, deleted_at__isnull=True)
        .values_list("ref", "name_key", "source_url")
    )
    found: dict[str, str] = {}
    for ref, name, address in rows:
        found[name] = ref
        if address:
            found[address] = ref
    return found


def _shown(label: str, target: str, document: Document, here: dict[str, str]) -> ShownLink | None:
    """None for a relative link that leads to nothing known."""
    address = resolved(target, document.source_url)
    path = path_beside(target, document.name)
    ref = (here.get(document_name(path)) if path else None) or here.get(_without_place(address))
    if ref:
        return ShownLink(label, reverse("document", args=[ref]), is_here=True)
    return ShownLink(label, address, is_here=False) if address else None


def _without_place(address: str) -> str:
    return address.partition("#")[0]
