"""Which chunks hold a gold passage today, and why none does: what the trace of a question is compared with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answers.rules.lost import Gold
from documents.models import Chunk, Version
from evaluation.golden.item import GoldPassage
from evaluation.golden.store import GoldDocument, find_documents
from portal.scope import Scope, principal

_NOISE = re.compile(r"[\s*_`|]+")


@dataclass(frozen=True, slots=True)
class _Piece:
    chunk_id: int
    start: int
    end: int
    text: str


class Shelves:
    """The searched documents that gold passages name, read once per turn of a run."""

    def __init__(self, scope: Scope, collection_ids: Sequence[int], names: Iterable[str]) -> None:
        self._scope = scope
        with principal(scope):
            self._documents = find_documents(scope, names, within=collection_ids)
        self._pieces: dict[int, list[_Piece]] = {}
        self._document_of: dict[int, int] = {}

    def locate(self, passage: GoldPassage) -> Gold:
        """Any document of that name will do; the best state of them counts."""
        found = [self._in_document(passage, document) for document in self._documents.get(passage.document, ())]
        state = next((s for s in ("held", "cut") if any(one.state == s for one in found)), "not_read")
        chunks = frozenset(chunk for one in found for chunk in one.chunk_ids)
        return Gold(passage.document, chunks, state, passage.gain)  # type: ignore[arg-type]

    def documents_of(self, chunk_ids: Sequence[int]) -> dict[int, int]:
        """Chunk id → document id, for those that the scope sees."""
        unknown = [chunk_id for chunk_id in chunk_ids if chunk_id not in self._document_of]
        if unknown:
            with principal(self._scope):
                rows = Chunk.objects.visible_to(self._scope).filter(pk__in=unknown).values_list("pk", "document_id")
                self._document_of.update(rows)
        return {chunk_id: self._document_of[chunk_id] for chunk_id in chunk_ids if chunk_id in self._document_of}

    def _in_document(self, passage: GoldPassage, document: GoldDocument) -> Gold:
        pieces = self._pieces_of(document)
        if not pieces:
            return Gold(passage.document, frozenset(), "not_read")
        if passage.is_document:
            return Gold(passage.document, frozenset(piece.chunk_id for piece in pieces), "held")
        if passage.start is not None and passage.end is not None:
            holding = [p for p in pieces if p.start <= passage.start and passage.end <= p.end]
            is_there = any(p.start < passage.end and passage.start < p.end for p in pieces)
        else:
            wanted = _plain(passage.quote)
            holding = [p for p in pieces if wanted in _plain(p.text)]
            is_there = bool(holding) or wanted in _plain(self._text_of(document))
        state = "held" if holding else "cut" if is_there else "not_read"
        return Gold(passage.document, frozenset(p.chunk_id for p in holding), state)  # type: ignore[arg-type]

    def _pieces_of(self, document: GoldDocument) -> list[_Piece]:
        if document.version_id is None:
            return []
        if document.id not in self._pieces:
            with principal(self._scope):
                rows = Chunk.objects.visible_to(self._scope).filter(version_id=document.version_id)
                values = rows.order_by("ordinal").values_list("pk", "start", "end", "text")
                self._pieces[document.id] = [_Piece(*row) for row in values]
        return self._pieces[document.id]

    def _text_of(self, document: GoldDocument) -> str:
        with principal(self._scope):
            rows = Version.objects.visible_to(self._scope).filter(pk=document.version_id or 0)
            return str(rows.values_list("text", flat=True).first() or "")


def _plain(text: str) -> str:
    """Without case, white space runs and the marks of Markdown, which a quote copied from a page does not have."""
    return _NOISE.sub(" ", text.casefold()).strip()
