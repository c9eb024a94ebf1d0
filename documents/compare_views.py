"""Two versions of a document beside each other: what went and what came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from documents.models import Document, Version
from documents.rows import counted, find
from documents.text.diff import Hunk, compare
from portal.pages import Choice, MemberRequest, member_page
from portal.scope import Scope, principal

LONGEST = 4_000_000
"""Characters of either text that are compared."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What document_compare.html shows."""

    title: str
    url: str
    old: tuple[Choice, ...]
    new: tuple[Choice, ...]
    summary: str
    hunks: tuple[Hunk, ...]
    is_cut: bool


@require_safe
@member_page
def document_compare(request: MemberRequest, ref: str) -> HttpResponseBase:
    """Without a choice the live version and the one before it."""
    with principal(request.scope):
        found = find(request.scope, ref)
        shown = _comparison(request.scope, found, request.GET.get("old", ""), request.GET.get("new", ""))
    return render(request, "document_compare.html", {"comparison": shown})


def _comparison(scope: Scope, document: Document, old_ref: str, new_ref: str) -> Comparison:
    rows = Version.objects.visible_to(scope).filter(document=document).defer("text", "report", "boxes")
    versions = list(rows.order_by("-number")[:100])
    new = _chosen(versions, new_ref) if new_ref else _live(versions, document)
    before = [version for version in versions if new and version.number < new.number]
    old = _chosen(versions, old_ref) if old_ref else next(iter(before), new)
    if new is None or old is None:
        raise Http404
    texts = dict(rows.filter(pk__in=(old.pk, new.pk)).values_list("pk", "text"))
    diff = compare(texts[old.pk][:LONGEST], texts[new.pk][:LONGEST])
    is_cut = diff.is_cut or any(len(text) > LONGEST for text in texts.values())
    return Comparison(
        title=document.name,
        url=reverse("document", args=[document.ref]),
        old=_choices(versions, old),
        new=_choices(versions, new),
        summary=_summary(old, new, texts, gone=diff.gone, came=diff.new),
        hunks=diff.hunks,
        is_cut=is_cut,
    )


def _chosen(versions: list[Version], ref: str) -> Version | None:
    return next((version for version in versions if version.ref == ref), None)


def _live(versions: list[Version], document: Document) -> Version | None:
    live = next((version for version in versions if version.pk == document.live_version_id), None)
    return live or next(iter(versions), None)


def _choices(versions: list[Version], chosen: Version) -> tuple[Choice, ...]:
    return tuple(
        Choice(version.ref, f"Version {version.number}, {version.created_at:%-d %b %Y}", is_chosen=version == chosen)
        for version in versions
    )


def _summary(old: Version, new: Version, texts: Mapping[int, str], *, gone: int, came: int) -> str:
    unread = [version for version in (old, new) if version.valid_from is None and not texts[version.pk]]
    if unread:
        return f"Version {unread[0].number} has not been read, so there is nothing to compare."
    if old.pk == new.pk or not (gone or came):
        return f"The texts of versions {old.number} and {new.number} are the same."
    return f"{counted(gone, 'line')} went and {counted(came, 'line')} came from version {old.number} to {new.number}."
