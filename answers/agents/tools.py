"""The tools: the same use cases as the pages and the REST API, under the scope that the call's key has at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count
from django.urls import reverse

from answers.agents import schemas
from answers.api import answer_to, find_answer
from answers.programs import show_question
from documents.models import Chunk, Document
from documents.rows import find
from portal.models import Collection
from portal.problems import UserProblem, words_for
from portal.scope import Scope, principal
from retrieval.asked import Asked, fault, run

Arguments = Mapping[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: what the key sees now, and the address that the links of a result begin with."""

    scope: Scope
    site: str


@dataclass(frozen=True, slots=True)
class Tool:
    """`needs` is the key scope without which a call is refused; `run` gives what `gives` describes."""

    name: str
    title: str
    description: str
    needs: str
    takes: schemas.Schema
    gives: schemas.Schema
    run: Callable[[Caller, Arguments], Result]
    only_reads: bool = True


def search(caller: Caller, given: Arguments) -> Result:
    if code := fault(given["question"]):
        raise UserProblem(code)
    chosen = given.get("collections")
    asked = Asked(
        given["question"],
        k=given.get("k", 8),
        collections=None if chosen is None else tuple(chosen),
        documents=tuple(given.get("documents", ())),
    )
    answered = run(caller.scope, asked)
    return {
        "passages": [
            {
                "number": passage.rank,
                "document": passage.document_ref,
                "title": passage.title,
                "heading_path": list(passage.heading_path),
                "page": passage.page,
                "text": passage.text,
                "url": f"{caller.site}{reverse('document', args=[passage.document_ref])}?chunk={passage.chunk_id}",
                "source_url": passage.source_url,
                "chunk": passage.chunk_id,
            }
            for passage in answered.result.passages
        ],
        "searched_passages": answered.result.searched_chunks,
        "notes": _in_words(answered.notes),
    }


def ask(caller: Caller, given: Arguments) -> Result:
    ref = answer_to(caller.scope, given)
    with principal(caller.scope):
        kept = find_answer(caller.scope, ref)
        told = show_question(caller.scope, kept.question, kept)
    shown = told["answer"]
    return {
        "answer": ref,
        "asked": told["question"],
        "outcome": shown["outcome"],
        "reason": shown["reason"],
        "text": shown["text"] or words_for(shown["reason"]).title,
        "citations": [_citation(caller, citation) for citation in shown["citations"]],
        "mode": shown["mode"],
        "unread_pages": shown["unread_pages"],
        "url": f"{caller.site}{reverse('answer', args=[ref])}",
        "notes": _in_words(shown["notes"]),
    }


def _in_words(codes: Iterable[str]) -> list[str]:
    return [f"{words_for(code).title} {words_for(code).advice}".strip() for code in codes]


def _citation(caller: Caller, citation: Mapping[str, Any]) -> Result:
    same = ("number", "role", "document", "title", "heading_path", "page", "source_url", "is_live")
    url = citation["url"]
    return {
        **{name: citation[name] for name in same},
        "quote": citation["snippet"],
        "url": None if url is None else f"{caller.site}{url}",
    }


def get_document(caller: Caller, given: Arguments) -> Result:
    first, most = given.get("from_passage", 1), given.get("passages", schemas.READ_BY_DEFAULT)
    with principal(caller.scope):
        document = find(caller.scope, given["document"])
        live = document.live_version
        rows = Chunk.objects.visible_to(caller.scope).filter(version=live).order_by("ordinal").defer("fingerprint")
        total = rows.count() if live else 0
        read = list(rows[first - 1 : first - 1 + most]) if live else []
    after = first + len(read)
    return {
        "document": document.ref,
        "name": document.name,
        "title": document.title,
        "kind": document.kind,
        "collection": document.collection.ref,
        "state": document.state,
        "version": live.number if live else None,
        "source_url": document.source_url,
        "url": f"{caller.site}{reverse('document', args=[document.ref])}",
        "total_passages": total,
        "passages": [
            {
                "number": first + place,
                "heading_path": list(chunk.heading_path),
                "page": chunk.page,
                "kind": chunk.kind,
                "text": chunk.text,
            }
            for place, chunk in enumerate(read)
        ],
        "next_passage": after if read and after <= total else None,
    }


def list_collections(caller: Caller, given: Arguments) -> Result:
    with principal(caller.scope):
        documents = Document.objects.visible_to(caller.scope).filter(deleted_at__isnull=True)
        counts = dict(documents.order_by().values_list("collection_id").annotate(Count("pk")))
        rows = list(Collection.objects.visible_to(caller.scope).order_by("name", "id"))
    return {
        "collections": [
            {
                "collection": row.ref,
                "name": row.name,
                "kind": row.kind,
                "documents": counts.get(row.pk, 0),
                "may_edit": row.pk in caller.scope.writable_ids,
            }
            for row in rows
        ]
    }


TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "search",
            "Search the documents",
            "Finds the passages nearest to a question in the documents that this key may read. Returns their text, where"
            " it stands, and a link to each.",
            "read",
            schemas.SEARCH_TAKES,
            schemas.SEARCH_GIVES,
            search,
        ),
        Tool(
            "ask",
            "Ask a question",
            "Answers a question from the documents that this key may read; every sentence cites its passages by number."
            " Says so when the documents do not answer it. The question is kept in the history of the key's owner.",
            "ask",
            schemas.ASK_TAKES,
            schemas.ASK_GIVES,
            ask,
            only_reads=False,
        ),
        Tool(
            "get_document",
            "Read a document",
            "Reads one document, passage by passage in reading order. Call it again with next_passage to go on.",
            "read",
            schemas.DOCUMENT_TAKES,
            schemas.DOCUMENT_GIVES,
            get_document,
        ),
        Tool(
            "list_collections",
            "List the collections",
            "Lists the collections that this key sees, with their refs for search and ask.",
            "read",
            schemas.takes(),
            schemas.COLLECTIONS_GIVES,
            list_collections,
        ),
    )
}
