"""What a request may name: the refs and ids of one owner's things, of things made for one case, and of things that never were."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from answers.models import Budget, ModelProvider
from documents import receipt
from documents.models import Document, Version
from evaluation.models import GoldenQuestion
from portal.models import ApiKey, AuditEvent, Collection, Delivery, Grant, Invitation, Membership, User
from tests.isolation.canaries import HOMES, OWNER, canary
from tests.isolation.judged import judge, say
from tests.isolation.planted import Paper, World, ask, first_of, home_of, hook_of, paper

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
    set_ref: str
    run_ref: str
    golden_ref: str
    feedback_ref: str
    job_ref: str
    key_ref: str
    hook_ref: str
    message_ref: str
    invitation_ref: str
    import_ref: str
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
    provider_id: int
    budget_id: int
    golden_set_id: int
    run_id: int
    hook_id: int
    delivery_id: int
    fellow_id: int


def target_of(world: World, owner: str) -> Target:
    """What was planted for this owner. A place's questions, key and audit are those of its first person."""
    held = world.papers[owner]
    person = first_of(owner)
    judged = world.judged[owner]
    workspace = held.collection.workspace
    mine = {"workspace": workspace, "user": world.people[person]}
    asked = world.asked[person]
    key = ApiKey.objects.using(OWNER).filter(**mine).order_by("id")[0]
    grant = Grant.objects.using(OWNER).filter(collection=held.collection).first()
    return replace(
        named(held, owner),
        workspace_ref=workspace.ref,
        question_ref=asked.question.ref,
        answer_ref=asked.answer.ref,
        set_ref=judged.golden_set.ref,
        run_ref=judged.run.ref,
        golden_ref=judged.question.ref,
        feedback_ref=world.feedback[person].ref,
        membership_id=Membership.objects.using(OWNER).get(**mine).pk,
        key_id=key.pk,
        key_ref=key.ref,
        audit_id=AuditEvent.objects.using(OWNER).filter(**mine).order_by("id")[0].pk,
        grant_id=grant.pk if grant else NEVER,
        provider_id=ModelProvider.objects.using(OWNER).get(workspace=workspace).pk,
        budget_id=Budget.objects.using(OWNER).get(workspace=workspace).pk,
        golden_set_id=judged.golden_set.pk,
        run_id=judged.run.pk,
        **hook_slots(world.hooks[home_of(owner)]),
        fellow_id=NEVER,
    )


def hook_slots(told: Delivery) -> dict[str, Any]:
    return {
        "hook_ref": told.hook.ref,
        "message_ref": told.ref,
        "hook_id": told.hook_id,
        "delivery_id": told.pk,
    }


def named(held: Paper, owner: str) -> Target:
    """The target of a document; everything else in it never was."""
    return replace(
        never(),
        owner=owner,
        collection_ref=held.collection.ref,
        document_ref=held.document.ref,
        version_ref=held.version.ref,
        job_ref=held.job.ref,
        import_ref=held.web.ref,
        document_name=held.document.name,
        collection_id=held.collection.pk,
        document_id=held.document.pk,
        version_id=held.version.pk,
        chunk_id=held.chunk.pk,
        job_id=held.job.pk,
    )


def _replaced(made: Paper) -> None:
    """Another version answers instead of the one that the target names."""
    newer = Version.objects.using(OWNER).create(
        workspace_id=made.version.workspace_id,
        collection_id=made.version.collection_id,
        document_id=made.document.pk,
        number=made.version.number + 1,
        file_name="newer.md",
        sha256=b"n" * 32,
        size_bytes=1,
        valid_from=timezone.now(),
    )
    Document.objects.using(OWNER).filter(pk=made.document.pk).update(live_version_id=newer.pk)


def fresh(world: World, owner: str, *, state: str = "ready") -> Target:
    """A document and a question of the owner's that no other case has touched."""
    held, mark = world.papers[owner], secrets.token_hex(3)
    user = Document.objects.using(OWNER).select_related("created_by").get(pk=held.document.pk).created_by
    assert user is not None
    made = paper(owner, held.collection, user, mark=mark, state="queued" if state == "queued" else "ready")
    asked = ask(owner, user, made) if owner in HOMES else None
    judged = judge(owner, home_of(owner), made, user, state="queued" if state == "queued" else "done")
    if state == "draft":
        GoldenQuestion.objects.using(OWNER).filter(pk=judged.question.pk).update(since_version=None)
    if state == "disabled":
        Document.objects.using(OWNER).filter(pk=made.document.pk).update(disabled_at=timezone.now())
    if state in ("replaced", "version_purged"):
        _replaced(made)
    if state == "version_purged":
        _receipt(made, user, made.version.ref)
        Version.objects.using(OWNER).filter(pk=made.version.pk).update(purged_at=timezone.now())
    if state == "deleted":
        _deleted(made, user)
    return replace(
        target_of(world, owner),
        document_ref=made.document.ref,
        version_ref=made.version.ref,
        job_ref=made.job.ref,
        import_ref=made.web.ref,
        document_name=made.document.name,
        document_id=made.document.pk,
        version_id=made.version.pk,
        chunk_id=made.chunk.pk,
        job_id=made.job.pk,
        question_ref=asked.question.ref if asked else "",
        answer_ref=asked.answer.ref if asked else "",
        set_ref=judged.golden_set.ref,
        run_ref=judged.run.ref,
        golden_ref=judged.question.ref,
        feedback_ref=say(owner, made, user, asked).ref if asked else "",
        collection_ref=shelf(owner, held) if state == "shelf" else held.collection.ref,
        **(hook_slots(hook_of(home_of(owner), world.people, world.places)) if state == "hook" else {}),
        **_company(held, mark, state),
        invitation_ref=invitation(held, world.people[first_of(owner)]).ref if state == "invited" else "",
    )


def _company(held: Paper, mark: str, state: str) -> dict[str, Any]:
    """A fellow, and for "let in" the grant that opens the collection to them."""
    if state not in ("fellow", "let in"):
        return {}
    made = fellow(held, mark)
    if state == "fellow":
        return {"fellow_id": made.pk}
    grant = Grant.objects.using(OWNER).create(
        workspace_id=made.workspace_id, collection=held.collection, user_id=made.user_id
    )
    return {"fellow_id": made.pk, "grant_id": grant.pk}


def fellow(held: Paper, mark: str) -> Membership:
    """A reader of the same workspace whom no other case knows."""
    person = User.objects.using(OWNER).create(email=f"fellow-{mark}@example.org")
    made: Membership = Membership.objects.using(OWNER).create(workspace=held.collection.workspace, user=person)
    return made


def invitation(held: Paper, owner: User) -> Invitation:
    made: Invitation = Invitation.objects.using(OWNER).create(
        workspace=held.collection.workspace,
        invited_by=owner,
        secret_sha256=secrets.token_bytes(32),
        note="for somebody",
        expires_at=timezone.now() + timedelta(days=1),
    )
    return made


def _deleted(made: Paper, user: User) -> None:
    """With the receipt of its deletion, by the one whose it was."""
    _receipt(made, user, made.document.ref)
    Document.objects.using(OWNER).filter(pk=made.document.pk).update(deleted_at=timezone.now())


def _receipt(made: Paper, user: User, ref: str) -> None:
    counts = ("passages", "retrievable", "by_id", "sentences", "by_sentence", "vectors", "by_neighbours")
    AuditEvent.objects.using(OWNER).create(
        workspace_id=made.collection.workspace_id,
        user=user,
        action=receipt.ACTION,
        object_ref=ref,
        detail=dict.fromkeys(counts, 0),
    )


def shelf(owner: str, beside: Paper) -> str:
    """The ref of an empty collection for everybody in the workspace."""
    made: Collection = Collection.objects.using(OWNER).create(
        workspace_id=beside.collection.workspace_id, name=canary(owner, "collection"), kind="shared"
    )
    return made.ref


def never() -> Target:
    """Refs and ids in the right shape that were never given out."""
    made: dict[str, Any] = {"owner": "nobody", "document_name": f"{secrets.token_hex(9)}.md"}
    for name in (field.name for field in fields(Target) if field.name not in made):
        made[name] = secrets.token_hex(9) if name.endswith("_ref") else NEVER + secrets.randbelow(1_000_000)
    return Target(**made)
