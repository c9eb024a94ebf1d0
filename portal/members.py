"""The members of a workspace: who they are, and their role and standing changed by an owner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from portal.models import AuditEvent, Membership
from portal.problems import UserProblem
from portal.scope import Scope, principal


@dataclass(frozen=True, slots=True)
class Member:
    """A person in the workspace, as fellow members see them."""

    membership_id: int
    name: str
    email: str
    role: str
    is_suspended: bool
    is_me: bool
    joined_at: datetime


def members_of(scope: Scope) -> tuple[Member, ...]:
    """Owners first, then editors and readers, each by name. Needs an open principal."""
    rank = {role: place for place, role in enumerate(Membership.Role.values)}
    rows = Membership.objects.visible_to(scope).filter(workspace_id=scope.workspace_id)
    members = [
        Member(
            membership_id=row.pk,
            name=row.user.get_full_name(),
            email=row.user.email,
            role=row.role,
            is_suspended=row.state == Membership.State.SUSPENDED,
            is_me=row.user_id == scope.user_id,
            joined_at=row.created_at,
        )
        for row in rows.select_related("user").defer("user__password")
    ]
    return tuple(sorted(members, key=lambda member: (member.is_suspended, rank[member.role], member.name.lower())))


def change_member(scope: Scope, membership_id: int, *, role: str, state: str) -> str:
    """Give another member this role and standing, from their next request on; say it in a sentence.

    Raises UserProblem portal.not_found, portal.owner_only for all but owners and for one's own membership (so that a
    workspace always keeps an owner), portal.invalid for what is no role or state.
    """
    if role not in Membership.Role.values or state not in Membership.State.values:
        raise UserProblem("portal.invalid")
    with principal(scope):
        rows = Membership.objects.visible_to(scope).filter(workspace_id=scope.workspace_id).select_related("user")
        found = rows.defer("user__password").filter(pk=membership_id).first()
        if found is None:
            raise UserProblem("portal.not_found")
        _as_owner(scope, found)
        rows.filter(pk=membership_id).update(role=role, state=state)
        AuditEvent.objects.create_for(
            scope, user_id=scope.user_id, action=f"membership.{role}.{state}", detail={"user": found.user_id}
        )
    who = found.user.get_full_name()
    if state == Membership.State.SUSPENDED:
        return f"{who} is shut out from the next request on. Their documents and history are kept."
    return f"{who} is {'an' if role[0] in 'eo' else 'a'} {role} from the next request on."


def _as_owner(scope: Scope, found: Membership) -> None:
    """Owners are locked, so that of two who demote each other the second is refused."""
    owners = Membership.objects.visible_to(scope).filter(
        workspace_id=scope.workspace_id, role=Membership.Role.OWNER, state=Membership.State.ACTIVE
    )
    held = {row.user_id for row in owners.select_for_update(no_key=True).order_by("id").only("user_id")}
    if scope.user_id not in held or found.user_id == scope.user_id:
        raise UserProblem("portal.owner_only")
