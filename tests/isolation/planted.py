"""A world full of canaries (canaries.py), written through the owner role."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.files.base import ContentFile
from django.utils import timezone

from answers.models import Answer, Budget, Citation, LiveAnswer, ModelProvider, Question, Trace
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
    WebImport,
)
from documents.text.analyse import frequencies
from documents.text.section import ParseReport
from evaluation.models import Feedback
from portal.models import ApiKey, AuditEvent, Collection, Delivery, Grant, Membership, User, Webhook, Workspace
from portal.people import add_person, add_workspace, join
from portal.sessions import SessionStore
from tests.conftest import PASSWORD, Cast
from tests.isolation.canaries import HOMES, OWNER, canary
from tests.isolation.judged import Judged, judge, say


@dataclass(frozen=True, slots=True)
class Paper:
    """A document with everything that hangs on it."""

    collection: Collection
    document: Document
    version: Version
    chunk: Chunk
    blob: Blob
    job: IngestJob
    web: WebImport


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer."""

    question: Question
    answer: Answer


@dataclass(frozen=True, slots=True)
class World:
    """`papers` by owner (a person's private one, a workspace's shared one), the rest by person."""

    cast: Cast
    people: dict[str, User]
    places: dict[str, Workspace]
    papers: dict[str, Paper]
    asked: dict[str, Asked]
    judged: dict[str, Judged]
    feedback: dict[str, Feedback]
    keys: dict[str, str]
    cookies: dict[str, str]
    hooks: dict[str, Delivery]
    """By workspace: a webhook of its first person, by a message of it."""


def home_of(owner: str) -> str:
    """The workspace that the owner's things are in."""
    return "north" if owner == "granted" else HOMES.get(owner, owner)


def first_of(owner: str) -> str:
    """The person whose things stand for a place's; ada for what she granted."""
    return owner if owner in HOMES else next(name for name in HOMES if HOMES[name] == home_of(owner))


def plant(cast: Cast) -> World:
    """Everything through the owner role; committed."""
    eve, sam, lou = (add_person(f"{name}@example.org", password=PASSWORD) for name in ("eve", "sam", "lou"))
    places = {
        "north": cast.north,
        "south": cast.south,
        "east": add_workspace("East", owner=eve),
        "west": add_workspace("West", owner=cast.ada),
    }
    join(cast.north, sam)
    Membership.objects.using(OWNER).filter(user=sam).update(state="suspended")
    for name, place in places.items():
        Workspace.objects.using(OWNER).filter(pk=place.pk).update(name=canary(name, "workspace"))
        Collection.objects.using(OWNER).filter(workspace=place).update(name=canary(name, "collection"))
        ModelProvider.objects.using(OWNER).create(
            workspace=place,
            name=canary(name, "provider"),
            base_url=f"https://{canary(name, 'provider')}.example/v1",
            model=canary(name, "provider"),
            is_enabled=False,
        )
        Budget.objects.using(OWNER).create(workspace=place, workspace_usd=1)
    people = {
        "ada": cast.ada,
        "ben": cast.ben,
        "dot": cast.dot,
        "cy": cast.cy,
        "eve": eve,
        "sam": sam,
        "lou": lou,
        "root": cast.root,
    }
    papers = _papers(cast, people, places)
    asked = {name: ask(name, people[name], papers[name]) for name in HOMES}
    judged = {owner: judge(owner, home_of(owner), held, people[first_of(owner)]) for owner, held in papers.items()}
    feedback = {name: say(name, papers[name], people[name], asked[name]) for name in HOMES}
    keys = {name: key_of(name, people[name], papers[name].collection.workspace_id) for name in HOMES}
    for name, home in HOMES.items():
        AuditEvent.objects.using(OWNER).create(
            workspace=places[home], user=people[name], action="planted", object_ref=canary(home, "audit")
        )
    return World(
        cast,
        people,
        places,
        papers,
        asked,
        judged,
        feedback,
        keys,
        {name: cookie_of(user) for name, user in people.items()},
        {home: hook_of(home, people, places) for home in set(HOMES.values())},
    )


def hook_of(home: str, people: dict[str, User], places: dict[str, Workspace]) -> Delivery:
    """A message that was given up, of a webhook of the place's first person."""
    mine = {"workspace": places[home], "user": people[first_of(home)]}
    hook = Webhook.objects.using(OWNER).create(
        **mine, name=canary(home, "hook"), url=f"https://{canary(home, 'hook')}.example/", events=["document.ready"]
    )
    now = timezone.now()
    told: Delivery = Delivery.objects.using(OWNER).create(
        **mine,
        hook=hook,
        event="document.ready",
        subject_ref=canary(home, "hook"),
        state="failed",
        next_try_at=now,
        give_up_at=now,
        settled_at=now,
    )
    return told


def _papers(cast: Cast, people: dict[str, User], places: dict[str, Workspace]) -> dict[str, Paper]:
    """A private document of each person, a shared one of each workspace that has people, one in a granted collection."""
    owner_of = {home: name for name, home in reversed(HOMES.items())}
    private = {
        name: Collection.objects.using(OWNER).get(workspace=places[HOMES[name]], owner=people[name]) for name in HOMES
    }
    papers = {name: paper(name, private[name], people[name]) for name in HOMES}
    for home, name in owner_of.items():
        papers[home] = paper(home, cast.shared(places[home]), people[name])
    granted = Collection.objects.using(OWNER).create(workspace=cast.north, name="x", kind="granted", owner=cast.ada)
    Grant.objects.using(OWNER).create(workspace=cast.north, collection=granted, user=cast.ben)
    papers["granted"] = paper("granted", granted, cast.ada)
    return papers


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


def paper(owner: str, collection: Collection, user: User, *, mark: str = "", state: str = "ready") -> Paper:
    """A document with everything that hangs on it; `mark` tells a second one of the same owner from the first."""
    Collection.objects.using(OWNER).filter(pk=collection.pk).update(name=canary(owner, "collection"))
    at = {"workspace_id": collection.workspace_id, "collection": collection}
    text = f"# Heading\n\nThe {canary(owner, 'text')} of the zebra {mark} is striped."
    data = text.encode()
    key = blobs.storage().save(f"pl/{canary(owner, 'blob')}", ContentFile(data))
    blob = Blob.objects.using(OWNER).create(
        workspace_id=collection.workspace_id, sha256=hashlib.sha256(data).digest(), key=key, size_bytes=len(data)
    )
    document = Document.objects.using(OWNER).create(
        **at,
        name=f"{canary(owner, 'name')}{mark}.md",
        name_key=f"{canary(owner, 'name')}{mark}.md",
        title=canary(owner, "title"),
        kind="markdown",
        source_url=f"https://example.org/{canary(owner, 'url')}",
        tags=[canary(owner, "tag")],
        state=state,
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
        report=asdict(ParseReport(parser="planted")),
    )
    Document.objects.using(OWNER).filter(pk=document.pk).update(live_version=version)
    chunk = _index(at, owner, document, version)
    job = IngestJob.objects.using(OWNER).create(
        **at,
        document=document,
        version=version,
        state="done" if state == "ready" else "queued",
        claimed_by=canary(owner, "job"),
    )
    web = WebImport.objects.using(OWNER).create(
        **at,
        user=user,
        url=f"https://{canary(owner, 'web')}.example/{mark}",
        state="failed",
        problem="portal.url_status",
        finished_at=timezone.now(),
    )
    return Paper(collection, document, version, chunk, blob, job, web)


def _index(at: dict[str, Any], owner: str, document: Document, version: Version) -> Chunk:
    found, length = frequencies(version.text, language="en")
    model, _ = EmbeddingModel.objects.using(OWNER).get_or_create(
        name="planted", defaults={"dims": 4, "state": "retired"}
    )
    chunk: Chunk = Chunk.objects.using(OWNER).create(
        **at,
        document=document,
        version=version,
        ordinal=0,
        fingerprint=hashlib.sha256(version.text.encode()).digest(),
        heading_path=[canary(owner, "heading")],
        start=0,
        end=len(version.text),
        text=version.text,
        prefix=canary(owner, "prefix"),
        term_count=length,
    )
    ChunkVector.objects.using(OWNER).create(**at, document=document, chunk=chunk, model=model, embedding=[1, 0, 0, 1])
    Posting.objects.using(OWNER).bulk_create(
        Posting(**at, document=document, term=term, chunk_ids=[chunk.pk], frequencies=[count], lengths=[length])
        for term, count in found.items()
    )
    stats, _ = CollectionStats.objects.using(OWNER).get_or_create(
        collection=at["collection"], defaults={"workspace_id": at["workspace_id"], "languages": ["en"]}
    )
    CollectionStats.objects.using(OWNER).filter(pk=stats.pk).update(
        chunk_count=stats.chunk_count + 1, term_count=stats.term_count + length
    )
    return chunk


def ask(owner: str, user: User, about: Paper) -> Asked:
    mine = {"workspace_id": about.collection.workspace_id, "user": user}
    question = Question.objects.using(OWNER).create(
        **mine, q_hash="0" * 64, q_len=20, text=canary(owner, "question"), collection_ids=[about.collection.pk]
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
        collection_id=about.collection.pk,
        document_id=about.document.pk,
        version_id=about.version.pk,
        chunk_id=about.chunk.pk,
        title=canary(owner, "cited-title"),
        passage=about.chunk.text,
        start=0,
        end=about.chunk.end,
    )
    Trace.objects.using(OWNER).create(**mine, answer=answer, stages=[{"name": canary(owner, "trace"), "ms": 1.0}])
    LiveAnswer.objects.using(OWNER).create(
        **mine, ref=answer.ref, text=canary(owner, "question"), collection_ids=[about.collection.pk], state="failed"
    )
    return Asked(question, answer)


def cookie_of(user: User) -> str:
    """A signed-in browser's cookie."""
    whole = User.objects.using(OWNER).defer(None).get(pk=user.pk)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "portal.accounts.EmailBackend"
    session[HASH_SESSION_KEY] = whole.get_session_auth_hash()
    session.set_expiry(timedelta(hours=1))
    session.create()
    assert session.session_key is not None
    return session.session_key
