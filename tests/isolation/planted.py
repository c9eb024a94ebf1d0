"""A world full of canaries: whose text is read where it must not be can be told from the word alone.

`canary-<owner>-<where>`: the owner is a person (their private things) or a workspace (what its members share).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.utils import timezone

from answers.models import Answer, Citation, Question, Trace
from documents import blobs
from documents.models import (
    Blob,
    Chunk,
    ChunkVector,
    CollectionStats,
    Document,
    EmbeddingModel,
    IngestJob,
    Posting,
    Version,
)
from portal.models import ApiKey, AuditEvent, Collection, User, Workspace
from portal.sessions import SessionStore
from tests.conftest import Cast

OWNER = "owner"
PEOPLE = ("ada", "ben", "dot", "cy")
PLACES = ("north", "south")
MAY_SEE = {
    "ada": {"ada", "north"},
    "ben": {"ben", "north"},
    "dot": {"dot", "north"},
    "cy": {"cy", "south"},
    "root": {"north"},
    "nobody": set[str](),
}


def canary(owner: str, where: str) -> str:
    return f"canary-{owner}-{where}"


def foreign_canaries(text: str, who: str) -> set[str]:
    """The owners whose canaries stand in the text and should not for this reader."""
    return {owner for owner in (*PEOPLE, *PLACES) if f"canary-{owner}-" in text} - MAY_SEE[who]


@dataclass(frozen=True, slots=True)
class Paper:
    """A document with everything that hangs on it."""

    collection: Collection
    document: Document
    version: Version
    chunk: Chunk
    blob: Blob
    job: IngestJob


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer."""

    question: Question
    answer: Answer


@dataclass(frozen=True, slots=True)
class World:
    """`papers` by owner (a person's private one, a workspace's shared one), the rest by person."""

    cast: Cast
    papers: dict[str, Paper]
    asked: dict[str, Asked]
    keys: dict[str, str]
    cookies: dict[str, str]


def plant(cast: Cast) -> World:
    """Everything through the owner role; committed."""
    for workspace in (cast.north, cast.south):
        Workspace.objects.using(OWNER).filter(pk=workspace.pk).update(name=canary(workspace.name.lower(), "workspace"))
    model = EmbeddingModel.objects.using(OWNER).create(name="planted", dims=4, state="retired")
    people: dict[str, User] = {name: getattr(cast, name) for name in PEOPLE}
    papers = {name: _paper(name, cast.private(user), user, model) for name, user in people.items()}
    papers["north"] = _paper("north", cast.shared(cast.north), cast.ada, model)
    papers["south"] = _paper("south", cast.shared(cast.south), cast.cy, model)
    asked = {name: _asked(name, user, papers[name]) for name, user in people.items()}
    keys = {name: key_of(name, user, papers[name].collection.workspace_id) for name, user in people.items()}
    for name, user in people.items():
        AuditEvent.objects.using(OWNER).create(
            workspace_id=papers[name].collection.workspace_id, user=user, action="planted", object_ref=name
        )
    return World(cast, papers, asked, keys, {name: _cookie(user) for name, user in people.items()})


def key_of(
    owner: str,
    user: User,
    workspace_id: int,
    *,
    scopes: tuple[str, ...] = ("read", "ask", "ingest", "admin"),
    **fields: Any,
) -> str:
    """A key in plain text; the database keeps its hash."""
    secret = hashlib.sha256(f"{owner}{timezone.now()}".encode()).hexdigest()
    row = ApiKey.objects.using(OWNER).create(
        workspace_id=workspace_id,
        user=user,
        name=canary(owner, "key"),
        secret_sha256=hashlib.sha256(secret.encode()).digest(),
        scopes=list(scopes),
        **fields,
    )
    return f"fn_{row.ref}_{secret}"


def _paper(owner: str, collection: Collection, user: User, model: EmbeddingModel) -> Paper:
    Collection.objects.using(OWNER).filter(pk=collection.pk).update(name=canary(owner, "collection"))
    at = {"workspace_id": collection.workspace_id, "collection": collection}
    text = f"# Heading\n\nThe {canary(owner, 'text')} of the zebra is striped."
    data = text.encode()
    key = blobs.storage().save(f"pl/{canary(owner, 'blob')}", ContentFile(data))
    blob = Blob.objects.using(OWNER).create(
        workspace_id=collection.workspace_id, sha256=hashlib.sha256(data).digest(), key=key, size_bytes=len(data)
    )
    document = Document.objects.using(OWNER).create(
        **at,
        name=f"{canary(owner, 'name')}.md",
        name_key=f"{canary(owner, 'name')}.md",
        title=canary(owner, "title"),
        kind="markdown",
        source_url=f"https://example.org/{canary(owner, 'url')}",
        state="ready",
        created_by=user,
        chunk_count=1,
        vector_count=1,
    )
    version = Version.objects.using(OWNER).create(
        **at,
        document=document,
        number=1,
        blob=blob,
        file_name=document.name,
        sha256=blob.sha256,
        size_bytes=len(data),
        text=text,
        valid_from=timezone.now(),
    )
    Document.objects.using(OWNER).filter(pk=document.pk).update(live_version=version)
    chunk = _index(at, owner, document, version, model)
    job = IngestJob.objects.using(OWNER).create(
        **at, document=document, version=version, state="done", claimed_by=canary(owner, "job")
    )
    return Paper(collection, document, version, chunk, blob, job)


def _index(at: dict[str, Any], owner: str, document: Document, version: Version, model: EmbeddingModel) -> Chunk:
    chunk: Chunk = Chunk.objects.using(OWNER).create(
        **at,
        document=document,
        version=version,
        ordinal=0,
        fingerprint=hashlib.sha256(owner.encode()).digest(),
        heading_path=[canary(owner, "heading")],
        start=0,
        end=len(version.text),
        text=version.text,
        prefix=canary(owner, "prefix"),
        term_count=8,
    )
    ChunkVector.objects.using(OWNER).create(**at, document=document, chunk=chunk, model=model, embedding=[1, 0, 0, 1])
    Posting.objects.using(OWNER).create(
        **at, document=document, term=hash(owner) % 1000, chunk_ids=[chunk.pk], frequencies=[1], lengths=[8]
    )
    CollectionStats.objects.using(OWNER).create(**at, chunk_count=1, term_count=8)
    return chunk


def _asked(owner: str, user: User, paper: Paper) -> Asked:
    mine = {"workspace_id": paper.collection.workspace_id, "user": user}
    question = Question.objects.using(OWNER).create(
        **mine, q_hash="0" * 64, q_len=20, text=canary(owner, "question"), collection_ids=[paper.collection.pk]
    )
    answer = Answer.objects.using(OWNER).create(
        **mine,
        question=question,
        outcome="answered",
        verdict="supported",
        text=canary(owner, "answer"),
        quotes=[[1, 0, 20]],
    )
    Citation.objects.using(OWNER).create(
        **mine,
        answer=answer,
        number=1,
        collection_id=paper.collection.pk,
        document_id=paper.document.pk,
        version_id=paper.version.pk,
        chunk_id=paper.chunk.pk,
        title=canary(owner, "cited-title"),
        passage=paper.chunk.text,
        start=0,
        end=paper.chunk.end,
    )
    Trace.objects.using(OWNER).create(**mine, answer=answer, stages=[{"name": canary(owner, "trace"), "ms": 1.0}])
    return Asked(question, answer)


def _cookie(user: User) -> str:
    """A signed-in browser's cookie."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    whole = User.objects.using(OWNER).defer(None).get(pk=user.pk)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "portal.accounts.EmailBackend"
    session[HASH_SESSION_KEY] = whole.get_session_auth_hash()
    session.set_expiry(timedelta(hours=1))
    session.create()
    assert session.session_key is not None
    return session.session_key
