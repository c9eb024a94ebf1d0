"""Collections made, renamed and removed by whoever may: the same for pages and programs."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, connections, transaction

from portal.models import ApiKey, AuditEvent, Collection, Grant, Membership, new_ref
from portal.problems import UserProblem
from portal.scope import Scope, principal


def make(scope: Scope, name: str, *, kind: str) -> str:
    """The ref of a new shared or granted collection; of a granted one the scope's person is the owner.

    Raises UserProblem portal.read_only for a reader, portal.key_narrow for a key that is limited to some collections.
    """
    if scope.role not in ("owner", "editor"):
        raise UserProblem("portal.read_only")
    ref = new_ref()
    owner = scope.user_id if kind == Collection.Kind.GRANTED else None
    with principal(scope):
        _refuse_narrow(scope)
        with connections["default"].cursor() as cursor:
            # Without RETURNING: a key sees the row from its next statement on (portal/sql/0002_policies.sql).
            cursor.execute(
                "INSERT INTO portal_collection (workspace_id, ref, name, kind, owner_id, splitter, max_tokens,"
                " overlap_tokens, created_at) VALUES (%s, %s, %s, %s, %s, 'structure', 250, 30, now())",
                [scope.workspace_id, ref, name[:120], kind, owner],
            )
        AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="collection.made", object_ref=ref)
    return ref


def _refuse_narrow(scope: Scope) -> None:
    if scope.api_key_id is None:
        return
    key: ApiKey = ApiKey.objects.visible_to(scope).get(pk=scope.api_key_id)
    if key.collection_ids is not None:
        raise UserProblem("portal.key_narrow")


def rename(scope: Scope, collection: Collection, name: str) -> None:
    """Needs an open principal."""
    if collection.pk not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    Collection.objects.visible_to(scope).filter(pk=collection.pk).update(name=name[:120])
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="collection.renamed", object_ref=collection.ref)


def may_remove(scope: Scope, collection: Collection) -> bool:
    return collection.kind != Collection.Kind.PRIVATE and scope.can_manage and collection.pk in scope.writable_ids


def remove(scope: Scope, collection: Collection) -> None:
    """Needs an open principal. Raises UserProblem portal.owner_only, or portal.not_empty while documents are in it."""
    if not may_remove(scope, collection):
        raise UserProblem("portal.owner_only")
    try:
        with transaction.atomic():
            Collection.objects.visible_to(scope).filter(pk=collection.pk)._raw_delete("default")
    except IntegrityError:
        raise UserProblem("portal.not_empty") from None
    AuditEvent.objects.create_for(scope, user_id=scope.user_id, action="collection.removed", object_ref=collection.ref)


@dataclass(frozen=True, slots=True)
class Guest:
    """A member whom a collection was opened to."""

    grant_id: int
    name: str
    email: str
    may_edit: bool


def guests_of(scope: Scope, collection: Collection) -> tuple[Guest, ...]:
    """By name. Needs an open principal."""
    rows = Grant.objects.visible_to(scope).filter(collection=collection).select_related("user").defer("user__password")
    guests = [Guest(row.pk, row.user.get_full_name(), row.user.email, row.may_edit) for row in rows]
    return tuple(sorted(guests, key=lambda guest: guest.name.lower()))


def open_to(scope: Scope, collection: Collection, membership_id: int, *, may_edit: bool) -> None:
    """Let a member into a granted collection, or change what they may there. Needs an open principal.

    Raises UserProblem portal.owner_only for all but owners who see it, portal.not_found for who is no member.
    """
    if collection.kind != Collection.Kind.GRANTED or not scope.can_manage or collection.pk not in scope.writable_ids:
        raise UserProblem("portal.owner_only")
    member = Membership.objects.visible_to(scope).filter(workspace_id=scope.workspace_id, pk=membership_id).first()
    if member is None:
        raise UserProblem("portal.not_found")
    rows = Grant.objects.visible_to(scope).filter(collection=collection, user_id=member.user_id)
    rows.delete()
    Grant.objects.create_for(scope, collection_id=collection.pk, user_id=member.user_id, may_edit=may_edit)
    _note_grant(scope, "collection.opened", collection, member.user_id)


def close_to(scope: Scope, collection: Collection, grant_id: int) -> None:
    """Needs an open principal. Raises UserProblem portal.owner_only, portal.not_found."""
    if not scope.can_manage or collection.pk not in scope.writable_ids:
        raise UserProblem("portal.owner_only")
    found = Grant.objects.visible_to(scope).filter(collection=collection, pk=grant_id).first()
    if found is None:
        raise UserProblem("portal.not_found")
    found.delete()
    _note_grant(scope, "collection.closed", collection, found.user_id)


def _note_grant(scope: Scope, action: str, collection: Collection, user_id: int) -> None:
    AuditEvent.objects.create_for(
        scope, user_id=scope.user_id, action=action, object_ref=collection.ref, detail={"user": user_id}
    )
