"""Documents in a state of one's choice, written past the queue through the owner role; and people who are signed in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from io import BytesIO
from typing import Any

from django.test import Client
from django.utils import timezone

from documents import blobs
from documents.models import Blob, Chunk, CollectionStats, Document, IngestJob, Version
from documents.text.section import ParseReport
from portal.models import Collection, User
from tests.conftest import PASSWORD

OWNER = "owner"


def signed_in(user: User) -> Client:
    client = Client()
    answer = client.post("/sign-in/", {"email": user.email, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def upload_of(name: str, body: bytes = b"# Title\n\nSome words.\n") -> BytesIO:
    file = BytesIO(body)
    file.name = name
    return file


def make_document(
    collection: Collection,
    name: str,
    *,
    passages: Sequence[str] = ("Access logs are kept for 90 days.",),
    body: bytes = b"original bytes",
    state: str = Document.State.READY,
    report: ParseReport | None = None,
    **fields: Any,
) -> Document:
    """A document whose one version holds these passages; a state before `words` has none that is live."""
    place = {"workspace_id": collection.workspace_id, "collection_id": collection.pk}
    document: Document = Document.objects.using(OWNER).create(
        **place, name=name, name_key=name, kind="markdown", state=state, **fields
    )
    version = add_version(document, passages=passages, body=body, report=report)
    if state in (Document.State.WORDS, Document.State.READY):
        go_live(document, version)
    return document


def add_version(
    document: Document,
    *,
    passages: Sequence[str],
    number: int = 1,
    body: bytes = b"original bytes",
    report: ParseReport | None = None,
) -> Version:
    digest = hashlib.sha256(body).digest()
    place = {"workspace_id": document.workspace_id, "collection_id": document.collection_id}
    blob, is_new = Blob.objects.using(OWNER).get_or_create(
        workspace_id=document.workspace_id, sha256=digest, defaults={"key": digest.hex(), "size_bytes": len(body)}
    )
    if is_new:
        blob.key = blobs.store(BytesIO(body))
        blob.save(using=OWNER)
    text = "\n\n".join(passages)
    version: Version = Version.objects.using(OWNER).create(
        **place,
        document=document,
        number=number,
        blob=blob,
        file_name=document.name,
        sha256=digest,
        size_bytes=len(body),
        text=text,
        language="en",
        report=asdict(report) if report else {},
    )
    at = 0
    for ordinal, passage in enumerate(passages):
        Chunk.objects.using(OWNER).create(
            **place,
            document=document,
            version=version,
            ordinal=ordinal,
            fingerprint=hashlib.sha256(f"{version.pk} {ordinal}".encode()).digest(),
            heading_path=["Logging"],
            start=at,
            end=at + len(passage),
            text=passage,
        )
        at += len(passage) + 2
    return version


def go_live(document: Document, version: Version) -> None:
    count = Chunk.objects.using(OWNER).filter(version=version).count()
    document.live_version = version
    document.chunk_count = count
    document.vector_count = count if document.state == Document.State.READY else 0
    document.save(using=OWNER)
    CollectionStats.objects.using(OWNER).get_or_create(
        workspace_id=document.workspace_id, collection_id=document.collection_id
    )


def live_version(document: Document) -> Version:
    assert document.live_version is not None
    return document.live_version


def queue_job(document: Document, *, waited_s: float = 0, **fields: Any) -> IngestJob:
    job: IngestJob = IngestJob.objects.using(OWNER).create(
        workspace_id=document.workspace_id,
        collection_id=document.collection_id,
        document=document,
        version=Version.objects.using(OWNER).filter(document=document).first(),
        **fields,
    )
    IngestJob.objects.using(OWNER).filter(pk=job.pk).update(next_try_at=timezone.now() - timedelta(seconds=waited_s))
    return job
