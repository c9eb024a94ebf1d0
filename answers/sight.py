"""The citations of an answer as they may be shown now."""

from __future__ import annotations

from answers.models import Answer, Citation
from documents.coverage import Unread, unread_in
from documents.models import Document
from portal.scope import Scope


def citations_of(scope: Scope, answer: Answer) -> list[Citation]:
    """By number. What cites a disabled document is blank as if it were deleted, for as long as it is disabled.

    Needs an open principal; two queries. The rows are for reading: saving one would keep the blanks.
    """
    citations = list(Citation.objects.visible_to(scope).filter(answer=answer).order_by("number"))
    documents = Document.objects.visible_to(scope).filter(
        pk__in={citation.document_id for citation in citations}, disabled_at__isnull=False
    )
    disabled = set(documents.values_list("pk", flat=True))
    for citation in citations:
        if citation.document_id in disabled:
            citation.redacted, citation.heading_path = True, []
            citation.title = citation.source_url = citation.passage = citation.prefix = ""
    return citations


def unread_of(scope: Scope, answer: Answer, citations: list[Citation]) -> Unread:
    """What is unread in the collections that the answer was drawn from, or was looked for in when it was declined.

    Needs an open principal; one query.
    """
    cited = {citation.collection_id for citation in citations if citation.role == Citation.Role.CITED}
    return unread_in(scope, cited or set(answer.question.collection_ids) or set(scope.collection_ids))


def unread_label(unread: Unread) -> str:
    """A sentence for the answer, or "" when all was read."""
    pages = "1 page" if unread.pages == 1 else f"{unread.pages:,} pages"
    documents = "1 document" if unread.documents == 1 else f"{unread.documents:,} documents"
    parts = [part for part, count in ((pages, unread.pages), (documents, unread.documents)) if count]
    if not parts:
        return ""
    return (
        f"Not everything there was read: no text was found on {' and in '.join(parts)}. This answer does not know them."
    )
