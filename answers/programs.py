"""A kept question and its answer as plain data for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.urls import reverse

from answers import written
from answers.models import Answer, Citation, Question
from answers.quoted import as_text
from answers.sight import citations_of, unread_of
from answers.standing import standings
from documents.models import Document, Version
from portal.scope import Scope


@dataclass(frozen=True, slots=True)
class Sources:
    """What the cited rows point at today, as far as the asker sees it; a deleted document is not among them."""

    documents: Mapping[int, Document]
    versions: Mapping[int, Version]


def show_question(scope: Scope, question: Question, answer: Answer) -> dict[str, Any]:
    """The QuestionSerializer's data. Needs an open principal; some seven queries whatever the answer cites."""
    citations = citations_of(scope, answer)
    sources = _sources(scope, citations)
    unread = unread_of(scope, answer, citations)
    row = written.written_of(scope, answer)
    declined = answer.outcome == Answer.Outcome.DECLINED
    return {
        "ref": question.ref,
        "question": question.text,
        "typed": question.typed,
        "completed_by": question.completed_by,
        "conversation": question.conversation or question.ref,
        "language": question.language,
        "asked_at": question.asked_at,
        "answer": {
            "ref": answer.ref,
            "outcome": answer.outcome,
            "verdict": answer.verdict,
            "reason": answer.reason,
            "text": written.text_of(row) if answer.mode == "model" and not declined else as_text(answer, citations),
            "sentences": written.sentences_of(row),
            "quotes": _quotes(answer, citations),
            "citations": [_citation(citation, sources) for citation in citations],
            "sources_since": asdict(standings(scope, [answer], citations)[answer.pk]),
            "mode": answer.mode,
            "model": answer.model,
            "provider": answer.provider,
            "prompt_version": answer.prompt_version,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "cost_usd": answer.cost_usd,
            "first_token_ms": answer.first_token_ms,
            "removed_markers": answer.removed_markers,
            "searched_chunks": answer.searched_chunks,
            "notes": list(answer.notes),
            "unread_pages": unread.pages,
            "unread_documents": unread.documents,
            "total_ms": answer.total_ms,
            "created_at": answer.created_at,
        },
    }


def _sources(scope: Scope, citations: Sequence[Citation]) -> Sources:
    documents = Document.objects.visible_to(scope).filter(
        pk__in={citation.document_id for citation in citations}, deleted_at__isnull=True
    )
    versions = (
        Version.objects.visible_to(scope)
        .filter(pk__in={citation.version_id for citation in citations})
        .defer("text", "report", "boxes")
    )
    return Sources({row.pk: row for row in documents}, {row.pk: row for row in versions})


def _quotes(answer: Answer, citations: Sequence[Citation]) -> list[dict[str, Any]]:
    cited = {citation.number: citation for citation in citations if citation.role == Citation.Role.CITED}
    checks = iter(answer.checks)
    return [
        {
            "text": cited[number].passage[start:end] if number in cited else "",
            "citation": number,
            **dict(zip(("support", "faults"), next(checks, ("", [])), strict=True)),
        }
        for number, start, end in answer.quotes
    ]


def _citation(citation: Citation, sources: Sources) -> dict[str, Any]:
    document = sources.documents.get(citation.document_id)
    version = sources.versions.get(citation.version_id)
    is_removed = citation.redacted or document is None
    is_live = document is not None and document.live_version_id == citation.version_id
    return {
        "number": citation.number,
        "role": citation.role,
        "is_removed": is_removed,
        "document": None if document is None else document.ref,
        "url": None if document is None else _address(citation, document, version, is_live=is_live),
        "version": None if version is None else version.number,
        "is_live": is_live,
        "chunk": citation.chunk_id,
        "title": "" if is_removed else citation.title,
        "source_url": "" if is_removed else citation.source_url,
        "page": None if is_removed else citation.page,
        "heading_path": [] if is_removed else list(citation.heading_path),
        "snippet": "" if is_removed else citation.passage,
        "start": citation.start,
        "end": citation.end,
        "similarity": citation.similarity,
        "bm25": citation.bm25,
        "fused": citation.fused,
    }


def _address(citation: Citation, document: Document, version: Version | None, *, is_live: bool) -> str:
    old = f"&version={version.ref}" if version is not None and not is_live else ""
    return f"{reverse('document', args=[document.ref])}?chunk={citation.chunk_id}{old}"
