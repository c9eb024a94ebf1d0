"""The demo workspace: one person, and a sample collection that goes through the same upload as everything else."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.conf import settings

from documents.upload import accept
from portal.access import scope_of
from portal.models import Collection, User, Workspace
from portal.people import OWNER, add_person, add_workspace

EMAIL = "demo@footnote.example"
SAMPLES = Path(__file__).resolve().parent / "sample"


def build() -> None:
    """Make what is missing of the demo; a second run changes nothing. The sign-in is kept in STATE_DIR/sign-in.txt."""
    user = User.objects.using(OWNER).filter(email__iexact=EMAIL).first()
    if user is None:
        password = "-".join(secrets.token_hex(2) for _ in range(4))
        user = add_person(EMAIL, name="Demo", password=password, is_staff=True)
        _keep_sign_in(password)
    workspace = Workspace.objects.using(OWNER).filter(membership__user=user).first() or add_workspace(
        "Demo", owner=user
    )
    collection, _ = Collection.objects.using(OWNER).get_or_create(
        workspace=workspace, name=settings.SAMPLE_COLLECTION, defaults={"kind": Collection.Kind.SHARED}
    )
    upload_samples(user, workspace, collection)


def upload_samples(user: User, workspace: Workspace, collection: Collection) -> int:
    """Send every sample file through the upload, as the user; unchanged ones are duplicates and cost nothing."""
    scope = scope_of(user.pk, workspace.pk)
    if scope is None:
        raise LookupError("the demo user is no active member of the demo workspace")
    files = sorted(SAMPLES.glob("*.md"))
    for path in files:
        with path.open("rb") as file:
            accept(scope, collection.pk, name=path.name, file=file, size_bytes=path.stat().st_size)
    return len(files)


def _keep_sign_in(password: str) -> None:
    path = Path(settings.STATE_DIR) / "sign-in.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{EMAIL}\n{password}\n")
