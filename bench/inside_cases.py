"""Called through bench.inside beside a running stack: somebody else's workspace with a secret in it."""

from __future__ import annotations

import io

from documents.models import Document
from documents.upload import Accepted, accept
from documents.worker import work_through
from portal.access import scope_of
from portal.models import Collection
from portal.people import add_person, add_workspace

TAG = "mural-secret"


def stranger(secret: str) -> dict[str, str]:
    """Refs of the secret's document and collection, and its tag."""
    owner = add_person("stranger@example.org", name="Stranger")
    workspace = add_workspace("Elsewhere", owner=owner)
    scope = scope_of(owner.pk, workspace.pk)
    assert scope is not None
    collection = Collection.objects.using("owner").get(workspace=workspace, kind=Collection.Kind.SHARED)
    data = secret.encode()
    outcome = accept(scope, collection.pk, name="vault.txt", file=io.BytesIO(data), size_bytes=len(data))
    assert isinstance(outcome, Accepted)
    work_through()
    Document.objects.using("owner").filter(ref=outcome.document_ref).update(tags=[TAG])
    return {"document": outcome.document_ref, "collection": collection.ref, "tag": TAG}
