"""The demo workspace with its golden set; and its end, for a fresh start."""

from __future__ import annotations

from django.db import IntegrityError, connections, transaction

from documents import blobs, demo
from documents.models import Blob
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
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped ORDER BY 1"
        )
        tables = [name for (name,) in cursor.fetchall()]
    _empty(tables, workspace.pk)
    for key in keys:
        blobs.remove(key)
    return len(keys)


def _empty(tables: list[str], workspace_id: int) -> None:
    """Delete the workspace's rows table by table, whatever their order: constraints wait until the end of the transaction."""
    left = list(tables)
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        while left:
            before = len(left)
            for table in list(left):
                try:
                    with transaction.atomic(using=OWNER):
                        cursor.execute(f'DELETE FROM "{table}" WHERE workspace_id = %s', [workspace_id])  # noqa: S608 (a name from the catalogue)
                except IntegrityError:
                    continue
                left.remove(table)
            if len(left) == before:
                raise RuntimeError(f"these tables hold each other: {', '.join(left)}")
        cursor.execute("DELETE FROM portal_workspace WHERE id = %s", [workspace_id])


def _demo() -> tuple[User | None, Workspace | None]:
    user = User.objects.using(OWNER).filter(email__iexact=demo.EMAIL).first()
    workspace = Workspace.objects.using(OWNER).filter(membership__user=user, name="Demo").first() if user else None
    return user, workspace
