"""The demo workspace with its golden set; and its end, for a fresh start."""

from __future__ import annotations

from documents import blobs, demo
from documents.models import Blob
from evaluation.clearing import clear
from evaluation.golden import sample
from portal.access import scope_of
from portal.models import User, Workspace
from portal.people import OWNER


def build() -> None:
    """documents.demo.build, and the golden set of the sample collection. A second run changes nothing."""
    demo.build()
    user, workspace = _demo()
    scope = scope_of(user.pk, workspace.pk) if user and workspace else None
    if scope is not None:
        sample.ensure(scope)


def drop() -> int:
    """Remove the demo workspace with everything in it; returns how many files went. The person and their sign-in stay."""
    _, workspace = _demo()
    if workspace is None:
        return 0
    keys = list(Blob.objects.using(OWNER).filter(workspace=workspace).values_list("key", flat=True))
    clear("workspace_id", [workspace.pk])
    for key in keys:
        blobs.remove(key)
    return len(keys)


def _demo() -> tuple[User | None, Workspace | None]:
    user = User.objects.using(OWNER).filter(email__iexact=demo.EMAIL).first()
    workspace = Workspace.objects.using(OWNER).filter(membership__user=user, name="Demo").first() if user else None
    return user, workspace
