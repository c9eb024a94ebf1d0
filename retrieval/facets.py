"""What a result can be narrowed by, counted in documents that the asker sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connections

from documents.parsers import kinds
from portal.models import Collection
from portal.scope import Scope, principal
from retrieval.lexical import Place
from retrieval.search import ALIAS
from retrieval.sql import statement

FACETS, CHOICES, TAGS = statement("facets"), statement("choices"), statement("tags")
MOST_TAGS = 50
NAMES = ("collections", "kinds", "languages", "years")
LANGUAGES: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facet:
    """One value: how many documents of the result have it, and how many there are at all."""

    value: str
    name: str
    found: int
    total: int


@dataclass(slots=True)
class _Counted:
    found: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)


def facets_of(scope: Scope, chunk_ids: Sequence[int]) -> dict[str, tuple[Facet, ...]]:
    """By name (NAMES), every value that a document of the asker's has: those of most found documents first."""
    with principal(scope, using=ALIAS):
        place = Place(ALIAS, scope.workspace_id, scope.collection_ids)
        rows = Collection.objects.visible_to(scope).values_list("pk", "ref", "name")
        collections = {pk: (ref, name) for pk, ref, name in rows}
        counted = _counted(place, chunk_ids)
        tags = _tags(place, chunk_ids)
    labels = {str(pk): name for pk, (_, name) in collections.items()}
    refs = {str(pk): ref for pk, (ref, _) in collections.items()}
    return {
        "collections": _listed(counted["collections"], labels, refs),
        "kinds": _listed(counted["kinds"], kinds.NAMES, {}),
        "languages": _listed(counted["languages"], LANGUAGES, {}),
        "years": _listed(counted["years"], {}, {}),
        "tags": tags,
    }


def _counted(place: Place, chunk_ids: Sequence[int]) -> dict[str, _Counted]:
    counted = {name: _Counted() for name in NAMES}
    with connections[place.alias].cursor() as cursor:
        cursor.execute(CHOICES, place.keys)
        for *values, count in cursor.fetchall():
            for name, value in zip(NAMES, values, strict=True):
                counted[name].total[_text(value)] += count
        if chunk_ids:
            cursor.execute(FACETS, {**place.keys, "chunks": list(chunk_ids)})
            for _, *values in cursor.fetchall():
                for name, value in zip(NAMES, values, strict=True):
                    counted[name].found[_text(value)] += 1
    return counted


def _tags(place: Place, chunk_ids: Sequence[int]) -> tuple[Facet, ...]:
    with connections[place.alias].cursor() as cursor:
        cursor.execute(TAGS, {**place.keys, "chunks": list(chunk_ids), "limit": MOST_TAGS})
        return tuple(Facet(tag, tag, found, total) for tag, found, total in cursor.fetchall())


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _listed(counted: _Counted, labels: Mapping[str, str], refs: Mapping[str, str]) -> tuple[Facet, ...]:
    """Values that nobody knows (a language that could not be told) are none to choose."""
    values = sorted(
        (value for value in counted.total if value), key=lambda v: (-counted.found[v], -counted.total[v], v)
    )
    return tuple(
        Facet(refs.get(value, value), labels.get(value, value), counted.found[value], counted.total[value])
        for value in values
    )
