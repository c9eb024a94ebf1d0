"""The citations of an answer as they may be shown now."""

from __future__ import annotations

from answers.models import Answer, Citation
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
