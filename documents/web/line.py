"""Imports from the web: asked for by a person or a program, listed, tried again. The same for pages and API."""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from documents.models import WebImport
from documents.upload import document_name
from portal.addresses import read_address
from portal.models import AuditEvent, Collection
from portal.problems import UserProblem
from portal.scope import Scope, principal

MOST_WAITING = 500
"""Of a workspace: they are fetched one by one."""


def ask_for(scope: Scope, collection: Collection, url: str, *, name: str = "") -> WebImport:
    """Put the address into the line; one that waits or runs already is that one. Nothing is looked up or called here.

    Raises UserProblem portal.url_… for an address that is not to be called, portal.read_only, documents.imports_full.
    """
    if collection.pk not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    address = read_address(url, settings.OUTGOING_HOSTS)
    with principal(scope):
        waiting = WebImport.objects.visible_to(scope).filter(state__in=OPEN)
        if waiting.count() >= MOST_WAITING:
            raise UserProblem("documents.imports_full", retry_after_s=60)
        try:
            with transaction.atomic():
                made: WebImport = WebImport.objects.create_for(
                    scope,
                    collection_id=collection.pk,
                    user_id=scope.user_id,
                    url=address.url,
                    name=document_name(name) if name.strip() else "",
                )
        except IntegrityError:
            found: WebImport | None = waiting.filter(collection=collection, url=address.url).first()
            if found is None:  # it ended this very moment
                raise UserProblem("portal.key_in_use") from None
            return found
        AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="import.asked", object_ref=made.ref)
    return made


OPEN = (WebImport.State.QUEUED, WebImport.State.RUNNING)


def imports_of(scope: Scope) -> QuerySet[WebImport]:
    """Newest first. Needs an open principal."""
    rows: QuerySet[WebImport] = WebImport.objects.visible_to(scope).select_related("collection").order_by("-id")
    return rows


def find_import(scope: Scope, ref: str) -> WebImport:
    """Needs an open principal. Raises UserProblem portal.not_found."""
    found = imports_of(scope).filter(ref=ref).first()
    if found is None:
        raise UserProblem("portal.not_found")
    return found


def try_again(scope: Scope, found: WebImport) -> WebImport:
    """A new import of the same address, in the name of who asks; one that is on its way stays that one."""
    if found.state in OPEN:
        return found
    return ask_for(scope, found.collection, found.url, name=found.name)


def recent(scope: Scope, *, most: int = 8) -> list[WebImport]:
    """For the Library: what is on its way or ended in the last hour, and of failures those of a day. Needs an open principal."""
    now = timezone.now()
    rows = imports_of(scope)[: most * 4]
    hours = {WebImport.State.DONE: 1, WebImport.State.FAILED: 24}
    seen: set[tuple[int, str]] = set()
    shown = []
    for row in rows:
        key = (row.collection_id, row.url)
        age_h = (now - (row.finished_at or now)).total_seconds() / 3600
        if key not in seen and age_h < hours.get(WebImport.State(row.state), 1):
            shown.append(row)
        seen.add(key)
    return shown[:most]
