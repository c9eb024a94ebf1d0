"""Workspaces and people, made by the operator through the owner role: `manage.py`, the demo and the tests' cast."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.db import transaction

from portal.models import Collection, Grant, Membership, User, Workspace

OWNER = "owner"


def add_person(email: str, *, name: str = "", password: str | None = None, is_staff: bool = False) -> User:
    """The account with this e-mail, made if need be; a given password replaces the old one."""
    user = User.objects.using(OWNER).filter(email__iexact=email).first()
    if user is None:
        user = User(email=email.lower(), password=make_password(password))
    elif password is not None:
        user.password = make_password(password)
    user.name = name or user.name
    user.is_staff = is_staff or user.is_staff
    user.save(using=OWNER)
    return user


def add_workspace(name: str, *, owner: User) -> Workspace:
    """A workspace with its owner, the shared collection and the owner's private one."""
    with transaction.atomic(using=OWNER):
        workspace: Workspace = Workspace.objects.using(OWNER).create(name=name)
        join(workspace, owner, role=Membership.Role.OWNER)
        Collection.objects.using(OWNER).create(workspace=workspace, name="Shared", kind=Collection.Kind.SHARED)
    return workspace


def join(workspace: Workspace, user: User, *, role: str = Membership.Role.READER) -> Membership:
    """Membership and the private collection that comes with it; joining again changes the role."""
    with transaction.atomic(using=OWNER):
        membership: Membership
        membership, _ = Membership.objects.using(OWNER).update_or_create(
            workspace=workspace, user=user, defaults={"role": role, "state": Membership.State.ACTIVE}
        )
        Collection.objects.using(OWNER).get_or_create(
            workspace=workspace, owner=user, kind=Collection.Kind.PRIVATE, defaults={"name": "My documents"}
        )
    return membership


def share(collection: Collection, user: User, *, may_edit: bool = False) -> Grant:
    """Make a granted collection visible to one more member."""
    grant: Grant
    grant, _ = Grant.objects.using(OWNER).update_or_create(
        workspace_id=collection.workspace_id, collection=collection, user=user, defaults={"may_edit": may_edit}
    )
    return grant
