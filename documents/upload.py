"""An upload becomes a document version with a job, or is refused with a reason, before the request ends."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, OperationalError, connections

from documents import blobs, lifecycle, pressure
from documents.models import Document, Version
from documents.parsers.sniff import Refused, identify
from documents.text.normalise import name_key
from portal.events import Log
from portal.problems import SystemProblem, UserProblem
from portal.scope import Scope, principal

log = Log("documents.upload")
HEAD_BYTES = 64 * 1024
TRIES = 5
LONGEST_NAME = 255
DISK_FULL = "53100"
"""PostgreSQL's own word for it."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """Stored and queued; `number` is the version's, above 1 when a file of this name was already here."""

    document_ref: str
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The very same bytes are this document's newest version already, and nothing is wrong with it."""

    document_ref: str
    name: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Not stored. `code` names the words in portal.problems."""

    name: str
    code: str
    detail: str = ""
    retry_after_s: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files of an archive that hold nothing to read: `name` says which, `count` how many."""

    name: str
    count: int


class _Full(Exception):
    """The workspace's queue has no room for `wait_s` seconds."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


Outcome = Accepted | Duplicate | Rejected
Result = Outcome | LeftOut


@dataclass(frozen=True, slots=True)
class _Offer:
    """A file that passed the checks."""

    name: str
    kind: str
    sha256: bytes
    size_bytes: int
    source_url: str = ""
    may_overfill: bool = False
    document_ref: str = ""
    """Set for a new version of a document that is known; otherwise the name finds it."""


def document_name(path: str) -> str:
    """A file's identity in its collection: its relative path, each part in its one spelling (NFC), climbing parts dropped.

    One that is too long keeps its end, behind a mark that tells it from others with the same end.
    """
    parts = [name_key(part) for part in path.replace("\\", "/").split("/") if part.strip() not in ("", ".", "..")]
    name = "/".join(parts) or name_key(path)
    if len(name) <= LONGEST_NAME:
        return name
    return f"{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}…{name[13 - LONGEST_NAME :]}"


def accept(
    scope: Scope,
    collection_id: int,
    *,
    name: str,
    file: BinaryIO,
    size_bytes: int,
    source_url: str = "",
    may_overfill: bool = False,
) -> Outcome:
    """Check, store and queue one file. The same name again is a new version; the same bytes again are a Duplicate.

    Raises SystemProblem portal.disk_full. Nothing is stored for a Rejected file. `may_overfill` is for the operator's own
    commands: they wait for no room in the queue (documents/pressure.py).
    """
    name = document_name(name)
    if collection_id not in scope.writable_ids:
        return Rejected(name, "portal.read_only")
    offer = _examine(name, file, size_bytes)
    if isinstance(offer, Rejected):
        return offer
    return _store(scope, collection_id, replace(offer, source_url=source_url, may_overfill=may_overfill), file)


def accept_version(scope: Scope, document: Document, *, name: str, file: BinaryIO, size_bytes: int) -> Outcome:
    """As accept, for a new version of this very document, whatever the file is called (`handbook(1).pdf`)."""
    if document.collection_id not in scope.writable_ids:
        return Rejected(document.name, "portal.read_only")
    offer = _examine(document_name(name), file, size_bytes)
    if isinstance(offer, Rejected):
        return offer
    return _store(scope, document.collection_id, replace(offer, document_ref=document.ref), file)


def problem_of(file: UploadedFile[Any]) -> str:
    """The code of what went wrong while the file arrived (documents/incoming.py), or ""."""
    return str(getattr(file, "problem", ""))


def _examine(name: str, file: BinaryIO, size_bytes: int) -> _Offer | Rejected:
    if size_bytes > settings.MAX_UPLOAD_BYTES:
        return Rejected(name, "documents.too_large", f"The limit is {settings.MAX_UPLOAD_BYTES // 1_048_576} MB.")
    file.seek(0)
    found = identify(name, file.read(HEAD_BYTES))
    if isinstance(found, Refused):
        return Rejected(name, found.code, found.detail)
    return _Offer(name, found, blobs.sha256_of(file), size_bytes)


def _store(scope: Scope, collection_id: int, offer: _Offer, file: BinaryIO) -> Outcome:
    for _ in range(TRIES - 1):
        try:
            return _store_once(scope, collection_id, offer, file)
        except IntegrityError:
            # Another upload of the same name or bytes was a moment faster, or a deletion took the blob: visible now.
            continue
    return _store_once(scope, collection_id, offer, file)


def _store_once(scope: Scope, collection_id: int, offer: _Offer, file: BinaryIO) -> Outcome:
    stored_key = ""
    try:
        with principal(scope):
            document = _document(scope, collection_id, offer)
            newest = Version.objects.visible_to(scope).filter(document=document).order_by("-number").first()
            if newest and bytes(newest.sha256) == offer.sha256 and document.state != Document.State.ATTENTION:
                return Duplicate(document.ref, document.name)
            _find_room(scope, offer)
            blob_id = _keep_blob(offer)
            if blob_id is None:
                stored_key = blobs.store(file)
                blob_id = _keep_blob(offer, key=stored_key)
            number = newest.number + 1 if newest else 1
            version = Version.objects.create_for(
                scope,
                collection_id=collection_id,
                document=document,
                number=number,
                blob_id=blob_id,
                file_name=offer.name,
                sha256=offer.sha256,
                size_bytes=offer.size_bytes,
            )
            lifecycle.queue_version(scope, document, version)
    except _Full as full:  # after the rollback of the document that was begun
        return Rejected(offer.name, "documents.queue_full", pressure.detail(full.wait_s), full.wait_s)
    except OperationalError as error:
        # Whether the commit arrived is not known, so the bytes stay; documents.worker removes what nothing points at.
        if getattr(error.__cause__, "sqlstate", None) == DISK_FULL:
            raise SystemProblem("portal.disk_full") from error
        raise
    except BaseException:
        if stored_key:
            blobs.remove(stored_key)
        raise
    log.info("upload.accepted", document=document.ref, version=number, kind=offer.kind, bytes=offer.size_bytes)
    return Accepted(document.ref, document.name, number)


def _find_room(scope: Scope, offer: _Offer) -> None:
    """Raises _Full."""
    if not offer.may_overfill and (wait := pressure.wait_s(scope)):
        raise _Full(wait)


def _keep_blob(offer: _Offer, *, key: str | None = None) -> int | None:
    """The id of the workspace's blob of these bytes; made under the key when one is given, else None when there is none.

    A member does not see the blobs of other members' private versions, so the database looks (documents/sql/0001_queue.sql).
    """
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT footnote.keep_blob(%s::bytea, %s::text, %s::bigint)", [offer.sha256, key, offer.size_bytes]
        )
        kept: int | None = cursor.fetchone()[0]
    return kept


def _document(scope: Scope, collection_id: int, offer: _Offer) -> Document:
    """The document that the offer is a version of, locked, or a new one."""
    here = Document.objects.visible_to(scope).filter(collection_id=collection_id, deleted_at__isnull=True)
    known = here.filter(ref=offer.document_ref) if offer.document_ref else here.filter(name_key=offer.name)
    document: Document | None = known.select_for_update(no_key=True).first()
    if document is None and offer.document_ref:
        raise UserProblem("portal.not_found")
    if document is None:
        return Document.objects.create_for(
            scope,
            collection_id=collection_id,
            name=offer.name,
            name_key=offer.name,
            kind=offer.kind,
            source_url=offer.source_url,
            created_by_id=scope.user_id,
        )
    changes = {"kind": offer.kind, "source_url": offer.source_url or document.source_url}
    if changes != {"kind": document.kind, "source_url": document.source_url}:
        Document.objects.visible_to(scope).filter(pk=document.pk).update(**changes)
    return document
