"""A document's name, address and tags, changed by whoever may change the document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from documents.models import Document
from documents.tags import read_tags
from documents.upload import document_name
from portal.models import AuditEvent
from portal.problems import UserProblem
from portal.scope import Scope


def describe(
    scope: Scope,
    document: Document,
    *,
    name: str | None = None,
    source_url: str | None = None,
    tags: Iterable[str] | None = None,
) -> None:
    """Change what is given. Needs an open principal with the document locked.

    Raises UserProblem portal.conflict when another document of the collection has that name, documents.bad_tags for what is no tag.
    """
    changes: dict[str, Any] = {}
    if name is not None:
        changes = {"name": document_name(name), "name_key": document_name(name)}
    if source_url is not None:
        changes["source_url"] = source_url
    if tags is not None:
        changes["tags"] = read_tags(tags)
    if not changes:
        return
    try:
        with transaction.atomic():
            Document.objects.visible_to(scope).filter(pk=document.pk).update(**changes, updated_at=timezone.now())
    except IntegrityError:
        raise UserProblem("portal.conflict") from None
    AuditEvent.objects.create_for(
        scope,
        user_id=scope.user_id,
        action="document.described",
        object_ref=document.ref,
        detail={"changed": sorted(set(changes) - {"name_key"})},
    )
