"""What a request may name: the refs and ids of one owner's things, of things made for one case, and of things that never were."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

from documents.models import Document
from portal.models import ApiKey, AuditEvent, Grant, Membership
from tests.isolation.planted import HOMES, OWNER, Paper, World, ask, canary, paper

NEVER = 9_000_000_000
"""An id that no sequence reaches."""


@dataclass(frozen=True, slots=True)
class Target:
    """The things of `owner`; the refs are for portal and API, the ids for the admin."""

    owner: str
    workspace_ref: str
    collection_ref: str
    document_ref: str
    version_ref: str
    question_ref: str
    answer_ref: str
    document_name: str
    collection_id: int
    document_id: int
    version_id: int
    chunk_id: int
    job_id: int
    membership_id: int
    key_id: int
    audit_id: int
    grant_id: int
    user_id: int

    def canary(self, where: str) -> str:
        return canary(self.owner, where)


def target_of(world: World, owner: str) -> Target:
    """What was planted for this owner. A place's questions, key and audit are those of its first person."""
    held = world.papers[owner]
    person = (
        owner
        if owner in HOMES
        else next(name for name in HOMES if world.papers[name].collection.workspace_id == held.collection.workspace_id)
    )
    workspace = held.collection.workspace
    mine = {"workspace": workspace, "user": world.people[person]}
    asked = world.asked[person]
    grant = Grant.objects.using(OWNER).filter(collection=held.collection).first()
    return replace(
        named(held, owner),
        workspace_ref=workspace.ref,
        question_ref=asked.question.ref,
        answer_ref=asked.answer.ref,
        membership_id=Membership.objects.using(OWNER).get(**mine).pk,
        key_id=ApiKey.objects.using(OWNER).filter(**mine).order_by("id")[0].pk,
        audit_id=AuditEvent.objects.using(OWNER).filter(**mine).order_by("id")[0].pk,
        grant_id=grant.pk if grant else NEVER,
        user_id=world.people[person].pk,
    )


def named(held: Paper, owner: str) -> Target:
    """The target of a document; everything else in it never was."""
    return replace(
        never(),
        owner=owner,
        collection_ref=held.collection.ref,
        document_ref=held.document.ref,
        version_ref=held.version.ref,
        document_name=held.document.name,
        collection_id=held.collection.pk,
        document_id=held.document.pk,
        version_id=held.version.pk,
        chunk_id=held.chunk.pk,
        job_id=held.job.pk,
    )


def fresh(world: World, owner: str, *, state: str = "ready") -> Target:
    """A document and a question of the owner's that no other case has touched."""
    held, mark = world.papers[owner], secrets.token_hex(3)
    user = Document.objects.using(OWNER).select_related("created_by").get(pk=held.document.pk).created_by
    assert user is not None
    made = paper(owner, held.collection, user, mark=mark, state=state)
    asked = ask(owner, user, made) if owner in HOMES else None
    return replace(
        target_of(world, owner),
        document_ref=made.document.ref,
        version_ref=made.version.ref,
        document_name=made.document.name,
        document_id=made.document.pk,
        version_id=made.version.pk,
        chunk_id=made.chunk.pk,
        job_id=made.job.pk,
        question_ref=asked.question.ref if asked else "",
        answer_ref=asked.answer.ref if asked else "",
    )


def never() -> Target:
    """Refs and ids in the right shape that were never given out."""
    ref = secrets.token_hex
    ids = [NEVER + secrets.randbelow(1_000_000) for _ in range(10)]
    return Target("nobody", ref(9), ref(9), ref(9), ref(9), ref(9), ref(9), "never.md", *ids)
