"""Bring a collection into step with a folder: what changed is written, what is the same is not touched, what went may go."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from django.db.models import OuterRef, Subquery

from documents import blobs, lifecycle
from documents.folder import Folder, Found
from documents.manifest import Manifest
from documents.models import Document, Version
from documents.text.addresses import under
from documents.upload import Accepted, Duplicate, Rejected, accept, document_name
from portal.problems import SystemProblem, UserProblem
from portal.scope import Scope, principal

Progress = Callable[[int, int, str], object]
"""How many are done, of how many, and which is next."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`prefix` is the folder in the collection that the files go under; deletion never leaves it.

    `base_url` is where they are published. With a manifest exactly its files belong to the folder. `may_delete` removes
    documents whose files do not belong to it any more.
    """

    base_url: str = ""
    prefix: str = ""
    may_delete: bool = False
    manifest: Manifest | None = None
    is_rehearsal: bool = False


@dataclass(slots=True)
class Report:
    """What was done, or in a rehearsal what would be."""

    accepted: list[Accepted] = field(default_factory=list)
    unchanged: int = 0
    readdressed: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """How a collection differs from a manifest: paths in it whose bytes are not here, how many are, names that are not in it."""

    wanted: tuple[str, ...]
    unchanged: int
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """A document that is here: its newest bytes, and its address."""

    pk: int
    sha256: bytes
    source_url: str


def sync(scope: Scope, collection_id: int, folder: Folder, plan: Plan, *, progress: Progress) -> Report:
    """Take what is new or changed, file by file; one that cannot be taken is in the report and stops nothing.

    Running it again with the same folder writes nothing. Raises UserProblem documents.sync_empty when deletion is asked for and
    there is not one file, and portal.read_only.
    """
    if collection_id not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    return _Sync(scope, collection_id, plan).run(folder, progress)


def compare(scope: Scope, collection_id: int, plan: Plan) -> Difference:
    """What a program has to send so that the collection holds the files of the plan's manifest; writes nothing. Two queries.

    Raises UserProblem portal.read_only.
    """
    if collection_id not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    return _Sync(scope, collection_id, plan).difference()


def settle(scope: Scope, collection_id: int, plan: Plan, *, refused: Collection[str] = (), most: int = 500) -> Report:
    """Once every file of the manifest is here, give addresses and delete what is not in it, at most so many, in one transaction:
    all of it or nothing. `refused` are paths that could not be taken: they belong to the folder, and are not waited for.

    Raises UserProblem documents.sync_incomplete while files are missing, documents.sync_empty, portal.read_only.
    """
    if collection_id not in scope.writable_ids:
        raise UserProblem("portal.read_only")
    if plan.may_delete and not plan.manifest:
        raise UserProblem("documents.sync_empty")
    with principal(scope):
        return _Sync(scope, collection_id, plan).settle(refused, most)


class _Sync:
    def __init__(self, scope: Scope, collection_id: int, plan: Plan) -> None:
        self.scope = scope
        self.collection_id = collection_id
        self.plan = plan
        self.prefix = f"{document_name(plan.prefix)}/" if plan.prefix.strip("/ ") else ""
        self.known = self._known()
        self.report = Report()

    def run(self, folder: Folder, progress: Progress) -> Report:
        self.report.rejected += folder.refused
        self.report.left_out = folder.left_out
        files = [found for found in folder.files if self.plan.manifest is None or found.path in self.plan.manifest]
        belonging = {one.path for one in files} | {one.name for one in folder.refused}
        if self.plan.manifest is not None:
            self._look_for_missing({one.path for one in files})
            belonging = set(self.plan.manifest)
        if self.plan.may_delete and not belonging:
            raise UserProblem("documents.sync_empty")
        for number, found in enumerate(files):
            progress(number, len(files), found.path)
            self._take(found)
        progress(len(files), len(files), "")
        if self.plan.may_delete:
            self._delete_all_but({self.prefix + path for path in belonging})
        return self.report

    def difference(self) -> Difference:
        manifest = self.plan.manifest or {}
        wanted = tuple(path for path, digest in manifest.items() if not self._is_here(path, digest))
        names = {self.prefix + path for path in manifest}
        return Difference(wanted, len(manifest) - len(wanted), tuple(sorted(set(self.known) - names)))

    def settle(self, refused: Collection[str], most: int) -> Report:
        missing = [path for path in self.difference().wanted if path not in set(refused)]
        if missing:
            some = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
            raise UserProblem(
                "documents.sync_incomplete", f"{len(missing):,} of {len(self.plan.manifest or {}):,}: {some}"
            )
        for path in self.plan.manifest or {}:
            if known := self.known.get(self.prefix + path):
                self._keep(known, under(self.plan.base_url, path))
        if self.plan.may_delete:
            self._delete_all_but({self.prefix + path for path in self.plan.manifest or {}}, most=most)
        return self.report

    def _is_here(self, path: str, digest: bytes) -> bool:
        known = self.known.get(self.prefix + path)
        return known is not None and known.sha256 == digest

    def _known(self) -> dict[str, _Known]:
        with principal(self.scope):
            newest = Version.objects.visible_to(self.scope).filter(document=OuterRef("pk")).order_by("-number")
            rows = (
                Document.objects.visible_to(self.scope)
                .filter(collection_id=self.collection_id, deleted_at__isnull=True, name_key__startswith=self.prefix)
                .annotate(newest=Subquery(newest.values("sha256")[:1]))
                .values_list("name_key", "pk", "newest", "source_url")
            )
            return {name: _Known(pk, bytes(digest or b""), url) for name, pk, digest, url in rows}

    def _take(self, found: Found) -> None:
        name = self.prefix + found.path
        address = under(self.plan.base_url, found.path)
        with found.file.open("rb") as file:
            data = cast("BinaryIO", file)
            digest = blobs.sha256_of(data)
            if self.plan.manifest is not None and self.plan.manifest[found.path] != digest:
                self.report.rejected.append(Rejected(name, "documents.manifest_mismatch"))
                return
            known = self.known.get(name)
            if known and known.sha256 == digest:
                self._keep(known, address)
                return
            if self.plan.is_rehearsal:
                self.report.accepted.append(Accepted("", name, 2 if known else 1))
                return
            self._note(self._accepted(name, data, found, address))

    def _accepted(self, name: str, data: BinaryIO, found: Found, address: str) -> Accepted | Duplicate | Rejected:
        size = found.file.stat().st_size
        try:
            return accept(
                self.scope,
                self.collection_id,
                name=name,
                file=data,
                size_bytes=size,
                source_url=address,
                may_overfill=True,
            )
        except SystemProblem as trouble:
            return Rejected(name, trouble.code, trouble.detail)

    def _note(self, outcome: Accepted | Duplicate | Rejected) -> None:
        if isinstance(outcome, Accepted):
            self.report.accepted.append(outcome)
        elif isinstance(outcome, Rejected):
            self.report.rejected.append(outcome)
        else:
            self.report.unchanged += 1

    def _keep(self, known: _Known, address: str) -> None:
        """The same bytes: nothing is written but an address that changed."""
        if not address or address == known.source_url:
            self.report.unchanged += 1
            return
        self.report.readdressed += 1
        if self.plan.is_rehearsal:
            return
        with principal(self.scope):
            Document.objects.visible_to(self.scope).filter(pk=known.pk).update(source_url=address)
            lifecycle.bump_epoch(self.scope, self.collection_id)

    def _look_for_missing(self, here: set[str]) -> None:
        """Files that the manifest lists may be absent when these very bytes are the document already."""
        for path, digest in (self.plan.manifest or {}).items():
            if path in here:
                continue
            if self._is_here(path, digest):
                self.report.unchanged += 1
            else:
                self.report.rejected.append(Rejected(self.prefix + path, "documents.manifest_missing"))

    def _delete_all_but(self, names: set[str], *, most: int | None = None) -> None:
        """In the order of ids, so that two of them at once do not wait for each other in a circle."""
        leaving = sorted(set(self.known) - names, key=lambda name: self.known[name].pk)
        self.report.left_out = len(leaving) - len(leaving[:most]) if most is not None else self.report.left_out
        for name in leaving[:most]:
            if not self.plan.is_rehearsal:
                with principal(self.scope):
                    gone = Document.objects.visible_to(self.scope).filter(pk=self.known[name].pk).first()
                    if gone is None or gone.deleted_at is not None:
                        continue
                    lifecycle.delete(self.scope, gone)
            self.report.deleted.append(name)
