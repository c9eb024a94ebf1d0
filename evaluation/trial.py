"""A candidate index: copies of the documents that a set needs, cut as the candidate says, beside copies cut as they are now.

Both lie in collections of a member of their own ("Candidate index"), so that no person's question finds them, and are removed when
the runs are over. Runs as the owner role, for `manage.py shadow`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import connections, transaction
from django.utils import timezone

from documents import blobs
from documents.models import Document, Version
from documents.upload import accept
from evaluation import index_fill
from evaluation.clearing import clear
from evaluation.configuration import Configuration
from evaluation.golden.store import find_documents, questions_of
from evaluation.models import Result, Run
from portal.access import scope_of
from portal.events import Log
from portal.models import Collection, Membership, User, Workspace
from portal.people import OWNER, add_person
from portal.problems import UserProblem
from portal.scope import Scope, principal

log = Log("evaluation.trial")
NAME = "Candidate index"
HOST = "candidate-index.invalid"
"""Nobody can sign in or get mail under this host; what lies in collections of such a person is ours to remove."""
LISTED = 20
"""Of each list of the live run so many passages name a document that the set needs, beside those that hold gold."""
LEFT_AFTER = timedelta(hours=6)


@dataclass(frozen=True, slots=True)
class Index:
    """What both arms search, in the scope of the index's own member. `left_out` documents have no file to cut anew."""

    scope: Scope
    live: tuple[int, ...]
    candidate: tuple[int, ...]
    documents: int
    left_out: int = 0


def needed(scope: Scope, live: Run) -> list[Document]:
    """The documents that the finished live run's questions need: those of gold passages, and of the first of every list."""
    with principal(scope):
        rows = questions_of(scope, live.golden_set_id, live.set_version)
        names = [passage["document"] for row in rows for passage in row.gold]
        found = find_documents(scope, names, within=live.collection_ids)
        ids = {document.id for documents in found.values() for document in documents}
        chunks: set[int] = set()
        for trace in Result.objects.visible_to(scope).filter(run=live).values_list("trace", flat=True):
            for stage in trace.get("stages", ()):
                chunks.update(item[0] for item in stage.get("candidates", ())[:LISTED])
        known = Document.objects.visible_to(scope).filter(deleted_at__isnull=True, live_version__isnull=False)
        within = known.filter(collection_id__in=live.collection_ids)
        listed = within.filter(chunk__pk__in=chunks).values_list("pk", flat=True).distinct()
        ids.update(listed)
        return list(within.filter(pk__in=ids).order_by("pk"))


@contextlib.contextmanager
def opened(scope: Scope, documents: Sequence[Document], candidate: Configuration) -> Iterator[Index]:
    """The index, read and filled. Removed at the end, whatever happens; what a killed process left goes with drop_left()."""
    drop_left(older_than=LEFT_AFTER)
    workspace = Workspace.objects.using(OWNER).get(pk=scope.workspace_id)
    if _collections(workspace.pk):
        raise UserProblem("evaluation.index_busy")
    made_model = index_fill.begin(candidate.embedding_model)
    try:
        index = made(scope, workspace, documents, candidate)
        index_fill.work(index.scope, [*index.live, *index.candidate], candidate.embedding_model)
        yield index
    finally:
        _drop(_collections(workspace.pk))
        if made_model:
            index_fill.end(candidate.embedding_model)


def made(scope: Scope, workspace: Workspace, documents: Sequence[Document], candidate: Configuration) -> Index:
    member = add_person(f"{workspace.ref.lower()}@{HOST}", name=NAME)
    User.objects.using(OWNER).filter(pk=member.pk).update(is_active=True)
    Membership.objects.using(OWNER).get_or_create(
        workspace=workspace, user=member, defaults={"role": Membership.Role.EDITOR}
    )
    sources = Collection.objects.using(OWNER).in_bulk({document.collection_id for document in documents})
    live = {pk: _collection(workspace, member, source, Configuration()) for pk, source in sources.items()}
    arms = [live]
    if candidate.cuts_anew:
        arms.append({pk: _collection(workspace, member, source, candidate) for pk, source in sources.items()})
    own = scope_of(member.pk, workspace.pk)
    if own is None:
        raise RuntimeError("the index's member has no seat")
    copied = [_copied(scope, own, document, [arm[document.collection_id].pk for arm in arms]) for document in documents]
    ids = [tuple(sorted(row.pk for row in arm.values())) for arm in arms]
    return Index(own, ids[0], ids[-1], sum(copied), len(copied) - sum(copied))


def _collection(workspace: Workspace, member: User, source: Collection, candidate: Configuration) -> Collection:
    """Named like its source, cut like it but for what the candidate changes."""
    size = candidate.max_tokens or source.max_tokens
    overlap = candidate.overlap_tokens if candidate.overlap_tokens >= 0 else source.overlap_tokens
    made: Collection = Collection.objects.using(OWNER).create(
        workspace=workspace,
        name=f"{NAME}: {source.name}"[:120],
        kind=Collection.Kind.GRANTED,
        owner=member,
        splitter=candidate.splitter or source.splitter,
        max_tokens=size,
        overlap_tokens=min(overlap, size - 1),
    )
    return made


def _copied(scope: Scope, own: Scope, document: Document, into: Sequence[int]) -> bool:
    """Upload the live version's file under its name once more; False where only the text was kept."""
    with principal(scope):
        version = Version.objects.visible_to(scope).filter(pk=document.live_version_id or 0).defer("text", "boxes")
        row = version.select_related("blob").first()
    if row is None or row.blob is None:
        return False
    for collection_id in into:
        with blobs.as_path(row.blob.key) as path, path.open("rb") as file:
            accept(own, collection_id, name=document.name, file=file, size_bytes=row.size_bytes, may_overfill=True)
    return True


def drop_left(*, older_than: timedelta = timedelta()) -> int:
    """Remove what a process that was killed left behind; returns how many collections went. Also a step of bootstrap."""
    rows = Collection.objects.using(OWNER).filter(
        owner__email__endswith=f"@{HOST}", created_at__lte=timezone.now() - older_than
    )
    return _drop(list(rows.values_list("pk", flat=True)))


def _collections(workspace_id: int) -> list[int]:
    rows = Collection.objects.using(OWNER).filter(workspace_id=workspace_id, owner__email__endswith=f"@{HOST}")
    return list(rows.values_list("pk", flat=True))


def _drop(collection_ids: list[int]) -> int:
    """Rows, files that nothing else uses, the memberships; the account stays, and cannot be used."""
    if not collection_ids:
        return 0
    used = Version.objects.using(OWNER).filter(collection_id__in=collection_ids, blob__isnull=False)
    blob_ids = sorted(set(used.values_list("blob_id", flat=True)))
    members = list(Collection.objects.using(OWNER).filter(pk__in=collection_ids).values_list("owner_id", flat=True))
    clear("collection_id", collection_ids)
    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute(
            "DELETE FROM documents_blob b WHERE b.id = ANY (%s)"
            " AND NOT EXISTS (SELECT FROM documents_version v WHERE v.blob_id = b.id) RETURNING key",
            [blob_ids],
        )
        keys = [key for (key,) in cursor.fetchall()]
        Membership.objects.using(OWNER).filter(user_id__in=members).delete()
        User.objects.using(OWNER).filter(pk__in=members).update(is_active=False)
    for key in keys:
        blobs.remove(key)
    log.info("evaluation.index_dropped", collections=len(collection_ids), files=len(keys))
    return len(collection_ids)
