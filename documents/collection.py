"""What the page of a collection shows: how much of it was read, and how its documents are cut and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from documents.coverage import Coverage, coverage_of
from documents.report import LANGUAGES
from documents.rows import counted
from portal.members import Member, members_of
from portal.models import Collection
from portal.pages import Choice, collections_of
from portal.scope import Scope
from portal.shelves import Guest, guests_of, may_remove

SPLITTERS: Mapping[str, tuple[str, str]] = {
    "structure": ("By structure", "Along headings, lists, tables, code and pages. Right for almost everything."),
    "window": ("Word windows", "Pieces of one size that overlap, whatever the structure. For text without any."),
    "whole": ("Whole units", "One ticket, release or chapter a piece, cut only where it is too long."),
}
RANKERS: Mapping[str, tuple[str, str]] = {
    "": ("As this installation does", "By words and by meaning, unless its operator set it otherwise."),
    "hybrid": ("Words and meaning", "Names and codes by their words, paraphrases by their meaning."),
    "bm25": ("Words alone, BM25", "For parts lists, codes and tables, where a near meaning is a wrong one."),
    "tfidf": ("Words alone, TF-IDF", "As above; long passages with many hits weigh more."),
}
SMALLEST, LARGEST = 32, 250


@dataclass(frozen=True, slots=True)
class Profile:
    """How a collection cuts, keeps and searches its documents, as a form sends it."""

    splitter: str
    max_tokens: int
    overlap_tokens: int
    keeps_original: bool
    ranker: str = ""

    @classmethod
    def of(cls, collection: Collection) -> Profile:
        return cls(
            collection.splitter,
            collection.max_tokens,
            collection.overlap_tokens,
            collection.keeps_original,
            collection.ranker,
        )

    @classmethod
    def sent(cls, form: Mapping[str, str]) -> Profile | str:
        """The profile, or what is wrong with it in a sentence."""
        splitter, size, overlap = (form.get(name, "") for name in ("splitter", "max_tokens", "overlap_tokens"))
        if splitter not in SPLITTERS:
            return "Choose how the documents are cut."
        if not (_is_number(size) and SMALLEST <= int(size) <= LARGEST):
            return f"The size is a number of tokens from {SMALLEST} to {LARGEST}."
        if not (_is_number(overlap) and int(overlap) < int(size)):
            return "The overlap is a number of tokens below the size."
        if (ranker := form.get("ranker", "")) not in RANKERS:
            return "Choose how the collection is searched."
        return cls(splitter, int(size), int(overlap), form.get("keeps_original") == "yes", ranker)

    def cuts_as(self, other: Profile) -> bool:
        return (self.splitter, self.max_tokens, self.overlap_tokens) == (
            other.splitter,
            other.max_tokens,
            other.overlap_tokens,
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection as a line of the Library."""

    name: str
    url: str
    documents_label: str
    read_label: str
    is_short: bool


@dataclass(frozen=True, slots=True)
class CollectionPage:
    """What collection.html shows; `facts` are name and value."""

    ref: str
    name: str
    who_label: str
    library_url: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    may_edit: bool
    splitters: tuple[Choice, ...]
    rankers: tuple[Choice, ...]
    profile: Profile
    smallest: int = SMALLEST
    largest: int = LARGEST
    error: str = ""
    guests: tuple[Guest, ...] = ()
    is_granted: bool = False
    may_manage: bool = False
    others: tuple[Member, ...] = ()


def rows_of_collections(scope: Scope) -> tuple[CollectionRow, ...]:
    """Every collection in sight. Needs an open principal; three queries."""
    places = collections_of(scope)
    found = coverage_of(scope, [place.pk for place in places])
    return tuple(_row(place, found[place.pk]) for place in places)


def _row(place: Collection, seen: Coverage) -> CollectionRow:
    return CollectionRow(
        name=place.name,
        url=reverse("collection", args=[place.ref]),
        documents_label=counted(seen.documents, "document"),
        read_label=read_label(seen),
        is_short=bool(seen.unread_pages or seen.unread_documents),
    )


def read_label(seen: Coverage) -> str:
    """As a line of the Library says it; "" where nothing has pages."""
    return f"{seen.read_pages:,} of {counted(seen.pages, 'page')} read" if seen.pages else ""


def show_collection(scope: Scope, place: Collection, *, profile: Profile, error: str = "") -> CollectionPage:
    """Needs an open principal; two queries."""
    seen = coverage_of(scope, [place.pk])[place.pk]
    return CollectionPage(
        ref=place.ref,
        name=place.name,
        who_label=Collection.Kind(place.kind).label,
        library_url=f"{reverse('library')}?{urlencode({'collection': place.ref})}",
        facts=tuple(_facts(seen)),
        warnings=tuple(_warnings(seen)),
        may_edit=place.pk in scope.writable_ids,
        splitters=tuple(
            Choice(name, label, is_chosen=name == profile.splitter, documents_label=why)
            for name, (label, why) in SPLITTERS.items()
        ),
        rankers=tuple(
            Choice(name, label, is_chosen=name == profile.ranker, documents_label=why)
            for name, (label, why) in RANKERS.items()
        ),
        profile=profile,
        error=error,
        **_who(scope, place),
    )


def _who(scope: Scope, place: Collection) -> dict[str, Any]:
    """Who else sees it; for who may change that, the members who do not yet. At most two queries."""
    if place.kind != Collection.Kind.GRANTED:
        return {"may_manage": may_remove(scope, place)}
    guests, may_manage = guests_of(scope, place), may_remove(scope, place)
    inside = {guest.email for guest in guests}
    others = [one for one in members_of(scope) if not one.is_me and one.email not in inside] if may_manage else []
    return {"guests": guests, "is_granted": True, "may_manage": may_manage, "others": tuple(others)}


def _facts(seen: Coverage) -> Sequence[tuple[str, str]]:
    languages = ", ".join(f"{LANGUAGES.get(code, code)} ({count:,})" for code, count in seen.languages)
    facts = [
        ("Documents", f"{seen.documents:,}"),
        ("Read", f"{seen.documents - seen.unread_documents:,}"),
        ("Switched off", f"{seen.disabled:,}" if seen.disabled else ""),
        ("Pages with text", f"{seen.read_pages:,} of {seen.pages:,}" if seen.pages else ""),
        ("Tables", f"{seen.tables:,}" if seen.tables else ""),
        ("Parts not read", f"{seen.skipped:,}" if seen.skipped else ""),
        ("Languages", languages),
    ]
    return [fact for fact in facts if fact[1]]


def _warnings(seen: Coverage) -> Sequence[str]:
    found = []
    if seen.unread_documents:
        found.append(f"Nothing was read yet of {counted(seen.unread_documents, 'document')}; no answer knows them.")
    if seen.unread_pages:
        found.append(f"No text was found on {counted(seen.unread_pages, 'page')}; no answer knows them.")
    if seen.hidden_characters:
        found.append(f"{counted(seen.hidden_characters, 'character')} that a reader would not see were left out.")
    if seen.suspects:
        found.append(
            f"{counted(seen.suspects, 'place')} read like orders to a program. They are never obeyed; the reading report of "
            "each document leads there."
        )
    return found
