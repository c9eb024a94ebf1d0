"""Called through bench.inside beside services: questions for exact names, made from a set's own chunks, through search()."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from django.core.management import call_command

from answers.ask import question_embedder
from bench.inside_sets import Seat, ingested
from bench.registry import say
from documents.models import Chunk
from documents.text import analyse
from portal.scope import principal
from retrieval.search import Query, search

KINDS: Mapping[str, re.Pattern[str]] = {
    "code": re.compile(r"[A-Za-z]+(?:[.-][A-Za-z]*)?[-.]?\d{3,}(?:-\d+)?"),
    "setting": re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"),
    "path": re.compile(r"/?[\w.-]+(?:/[\w.-]+)+/?"),
    "version": re.compile(r"v?\d+(?:\.\d+)+(?:[a-z]+\d*)?"),
    "function": re.compile(r"[A-Za-z_]\w*(?:[._]\w+|[A-Z]\w+)+(?:\(\))?"),
}
ASKED = ("What does {} mean?", "Where is {} described?", "{}", "How do I use {}?")
WORD = re.compile(r"[^\s,;:()\[\]{}<>\"'`*|]+(?:\(\))?")


def measure(folder: str, count: int) -> dict[str, float]:
    """The share of questions whose one right chunk is first, and first three. A name is asked for when one chunk holds it."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    seat = ingested(Path(folder))
    chosen = questions(names_of(seat), count)
    first = third = 0
    missed: list[str] = []
    kinds: Counter[str] = Counter()
    for place, (kind, name, chunk_id) in enumerate(chosen):
        text = ASKED[place % len(ASKED)].format(name)
        vector = question_embedder().embed([text], priority="question")[0]
        found = search(seat.scope, Query(text, vector=vector, k=3, collection_ids=(seat.collection,), language="en"))
        ranked = [passage.chunk_id for passage in found.passages]
        first += ranked[:1] == [chunk_id]
        third += chunk_id in ranked
        kinds[kind] += 1
        if ranked[:1] != [chunk_id]:
            missed.append(f"{kind} {name}")
    say(f"# {len(chosen)} names: {dict(kinds)}; first {first}, among three {third}; missed: {', '.join(missed[:12])}")
    return {"asked": float(len(chosen)), "first": first / len(chosen), "third": third / len(chosen)}


def names_of(seat: Seat) -> dict[str, list[tuple[str, int]]]:
    """By kind, (name as written, chunk) of every identifier that one chunk alone holds."""
    with principal(seat.scope):
        rows = list(
            Chunk.objects.visible_to(seat.scope)
            .filter(collection_id=seat.collection, document__deleted_at__isnull=True)
            .values_list("pk", "document__title", "heading_path", "text")
        )
    holders: dict[str, set[int]] = defaultdict(set)
    written: dict[str, str] = {}
    for chunk_id, title, path, text in rows:
        for term in analyse.terms(" ".join((title, *path, text)), language="en"):
            holders[term].add(chunk_id)
        for word in WORD.findall(text):
            bare = word.strip(".-/!?=~#")
            if analyse.is_identifier(bare) and len(terms := analyse.identifiers(bare)) == 1:
                written.setdefault(terms[0], bare)
    by_kind: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for term, name in written.items():
        kind = next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), "")
        if kind and len(holders[term]) == 1:
            by_kind[kind].append((name, next(iter(holders[term]))))
    return by_kind


def questions(by_kind: Mapping[str, Iterable[tuple[str, int]]], count: int) -> list[tuple[str, str, int]]:
    """`count` of them, the kinds by turns, each kind's in the order of their hashes: the same every time."""
    lines = {
        kind: sorted(names, key=lambda item: hashlib.sha256(item[0].encode()).hexdigest(), reverse=True)
        for kind, names in sorted(by_kind.items())
    }
    chosen: list[tuple[str, str, int]] = []
    while len(chosen) < count and any(lines.values()):
        for kind, names in lines.items():
            if names and len(chosen) < count:
                chosen.append((kind, *names.pop()))
    return chosen
