"""An upload becomes a document version with a job, or is refused with a reason, before the request ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from django.conf import settings
from django.db import IntegrityError

from documents import blobs, lifecycle
from documents.models import Blob, Document, Version
from documents.parsers.sniff import Refused, identify
from documents.text.normalise import name_key
from portal.events import Log
from portal.scope import Scope, principal

log = Log("documents.upload")
HEAD_BYTES = 64 * 1024


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


Outcome = Accepted | Duplicate | Rejected


@dataclass(frozen=True, slots=True)
class _Offer:
    """A file that passed the checks."""

    name: str
    kind: str
    sha256: bytes
    size_bytes: int
    source_url: str


def document_name(path: str) -> str:
    """A file's identity in its collection: its relative path, each part in its one spelling (NFC), climbing parts dropped."""
    parts = [name_key(part) for part in path.replace("\\", "/").split("/") if part.strip() not in ("", ".", "..")]
    name = "/".join(parts) or name_key(path)
    return name if len(name) <= 255 else name[-255:].lstrip("/")


def accept(scope: Scope, collection_id: int, *, name: str, file: BinaryIO, size_bytes: int, source_url: str = "") -> Outcome:
    """Check, store and queue one file. The same name again is a new version; the same bytes again are a Duplicate.

    Raises SystemProblem portal.disk_full. Nothing is stored for a Rejected file.
    """
    name = document_name(name)
    if collection_id not in scope.writable_ids:
        return Rejected(name, "portal.read_only")
    if size_bytes > settings.MAX_UPLOAD_BYTES:
        return Rejected(name, "documents.too_large", f"The limit is {settings.MAX_UPLOAD_BYTES // 1_048_576} MB.")
    file.seek(0)
    found = identify(name, file.read(HEAD_BYTES))
    if isinstance(found, Refused):
        return Rejected(name, found.code, found.detail)
    offer = _Offer(name, found, blobs.sha256_of(file), size_bytes, source_url)
    try:
        return _store(scope, collection_id, offer, file)
    except IntegrityError:
        # Another upload of the same name or bytes was a moment faster; its row is visible now.
        return _store(scope, collection_id, offer, file)


def _store(scope: Scope, collection_id: int, offer: _Offer, file: BinaryIO) -> Outcome:
    stored_key = ""
    try:
        with principal(scope):
            document = _document(scope, collection_id, offer)
            newest = Version.objects.visible_to(scope).filter(document=document).order_by("-number").first()
            if newest and bytes(newest.sha256) == offer.sha256 and document.state != Document.State.ATTENTION:
                return Duplicate(document.ref, document.name)
            blob = Blob.objects.visible_to(scope).filter(sha256=offer.sha256).first()
            if blob is None:
                stored_key = blobs.store(file)
                blob = Blob.objects.create_for(
                    scope, sha256=offer.sha256, key=stored_key, size_bytes=offer.size_bytes
                )
            number = newest.number + 1 if newest else 1
            version = Version.objects.create_for(
                scope,
                collection_id=collection_id,
                document=document,
                number=number,
                blob=blob,
                file_name=offer.name,
                sha256=offer.sha256,
                size_bytes=offer.size_bytes,
            )
            lifecycle.queue_version(scope, document, version)
    except BaseException:
        if stored_key:
            blobs.remove(stored_key)
        raise
    log.info("upload.accepted", document=document.ref, version=number, kind=offer.kind, bytes=offer.size_bytes)
    return Accepted(document.ref, document.name, number)


def _document(scope: Scope, collection_id: int, offer: _Offer) -> Document:
    """The document of this name, locked, or a new one."""
    same_name = Document.objects.visible_to(scope).filter(
        collection_id=collection_id, name_key=offer.name, deleted_at__isnull=True
    )
    document: Document | None = same_name.select_for_update().first()
    if document is None:
        document = Document.objects.create_for(
            scope,
            collection_id=collection_id,
            name=offer.name,
            name_key=offer.name,
            kind=offer.kind,
            source_url=offer.source_url,
            created_by_id=scope.user_id,
        )
    return document

