"""Golden sets in the database: saving items makes a version, reading a version gives its items back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError
from django.db.models import Count, Q, QuerySet

from documents.models import Document
from evaluation.golden.item import GoldPassage, Item, key_of
from evaluation.models import GoldenQuestion, GoldenSet
from portal.problems import UserProblem
from portal.scope import Scope, principal

ENDINGS = ("", ".md", ".txt")
"""A document is named in full or, as benchmark sets do, without the ending that an upload gave it."""
BATCH = 500


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save came to; `version` is raised only when something differs."""

    version: int
    added: int = 0
    changed: int = 0
    removed: int = 0

    def __str__(self) -> str:
        return f"version {self.version}: {self.added} added, {self.changed} changed, {self.removed} removed"


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A visible document that a gold passage names."""

    id: int
    collection_id: int
    version_id: int | None
    chunk_count: int


def find_documents(
    scope: Scope, names: Iterable[str], *, within: Sequence[int] | None = None
) -> dict[str, list[GoldDocument]]:
    """By the name in the gold passage, the documents it means; names that mean none are absent. Needs an open principal."""
    wanted = sorted(set(names))
    known = Document.objects.visible_to(scope).filter(deleted_at__isnull=True)
    if within is not None:
        known = known.filter(collection_id__in=within)
    by_name: dict[str, list[GoldDocument]] = {}
    for start in range(0, len(wanted), BATCH):
        spelled = [name + ending for name in wanted[start : start + BATCH] for ending in ENDINGS]
        rows = known.filter(name__in=spelled).values_list(
            "name", "pk", "collection_id", "live_version_id", "chunk_count"
        )
        for name, *row in rows.order_by("pk"):
            by_name.setdefault(name, []).append(GoldDocument(*row))
    found = {name: next((by_name[name + e] for e in ENDINGS if name + e in by_name), []) for name in wanted}
    return {name: documents for name, documents in found.items() if documents}


def open_set(scope: Scope, name: str, *, description: str = "") -> GoldenSet:
    """The workspace's set of this name, made if need be."""
    with principal(scope):
        golden_set: GoldenSet | None = GoldenSet.objects.visible_to(scope).filter(name=name).first()
        if golden_set is None:
            refuse_readers(scope)
            golden_set = GoldenSet.objects.create_for(
                scope, name=name, description=description, created_by_id=scope.user_id
            )
    return golden_set


def save(scope: Scope, golden_set: GoldenSet, items: Sequence[Item], *, origin: str, replace: bool = False) -> Saved:
    """Add and change questions by key as one new version; with `replace`, end those that are not among the items."""
    refuse_readers(scope)
    with principal(scope):
        locked: GoldenSet = GoldenSet.objects.visible_to(scope).select_for_update().get(pk=golden_set.pk)
        rows = list(GoldenQuestion.objects.visible_to(scope).filter(golden_set=locked, until_version__isnull=True))
        live = {row.key: row for row in rows}
        given = {item.key: item for item in items}
        fresh = [item for item in given.values() if item.key not in live]
        changed = [
            item for key, item in given.items() if key in live and (live[key].is_draft or item_of(live[key]) != item)
        ]
        gone = [row for key, row in live.items() if key not in given and not row.is_draft] if replace else []
        if not (fresh or changed or gone):
            return Saved(locked.version)
        version = locked.version + 1
        _end(scope, [live[item.key] for item in changed] + gone, version)
        _add(scope, locked, fresh + changed, version=version, origin=origin)
        GoldenSet.objects.visible_to(scope).filter(pk=locked.pk).update(version=version)
    golden_set.version = version
    return Saved(version, len(fresh), len(changed), len(gone))


def draft(scope: Scope, golden_set: GoldenSet, items: Sequence[Item], *, origin: str) -> int:
    """Put items in as drafts, which no run asks until they are approved; keys that are there already are left alone."""
    refuse_readers(scope)
    with principal(scope):
        known = GoldenQuestion.objects.visible_to(scope).filter(golden_set=golden_set, until_version__isnull=True)
        taken = set(known.filter(key__in=[item.key for item in items]).values_list("key", flat=True))
        return _add(scope, golden_set, [item for item in items if item.key not in taken], version=None, origin=origin)


def approve(scope: Scope, golden_set: GoldenSet, refs: Sequence[str] | None = None) -> Saved:
    """Take drafts (all when None) into a new version."""
    refuse_readers(scope)
    with principal(scope):
        locked: GoldenSet = GoldenSet.objects.visible_to(scope).select_for_update().get(pk=golden_set.pk)
        drafts = drafts_of(scope, locked)
        chosen = drafts if refs is None else drafts.filter(ref__in=list(refs))
        version = locked.version + 1
        count = chosen.update(since_version=version)
        if not count:
            return Saved(locked.version)
        GoldenSet.objects.visible_to(scope).filter(pk=locked.pk).update(version=version)
    golden_set.version = version
    return Saved(version, added=count)


def remove(scope: Scope, golden_set: GoldenSet, ref: str) -> None:
    """End one question with a new version; a draft goes without a trace."""
    refuse_readers(scope)
    with principal(scope):
        locked: GoldenSet = GoldenSet.objects.visible_to(scope).select_for_update().get(pk=golden_set.pk)
        row = (
            GoldenQuestion.objects.visible_to(scope)
            .filter(golden_set=locked, ref=ref, until_version__isnull=True)
            .first()
        )
        if row is None:
            raise UserProblem("portal.not_found")
        if row.is_draft:
            row.delete()
            return
        _end(scope, [row], locked.version + 1)
        GoldenSet.objects.visible_to(scope).filter(pk=locked.pk).update(version=locked.version + 1)
    golden_set.version = locked.version + 1


def questions_of(scope: Scope, golden_set_id: int, version: int) -> QuerySet[GoldenQuestion]:
    """The questions of a version that the scope sees, in the order they came in. Needs an open principal."""
    rows: QuerySet[GoldenQuestion] = GoldenQuestion.objects.visible_to(scope).filter(
        Q(until_version__isnull=True) | Q(until_version__gt=version),
        golden_set_id=golden_set_id,
        since_version__lte=version,
    )
    return rows.order_by("pk")


def drafts_of(scope: Scope, golden_set: GoldenSet) -> QuerySet[GoldenQuestion]:
    rows: QuerySet[GoldenQuestion] = GoldenQuestion.objects.visible_to(scope).filter(
        golden_set=golden_set, since_version__isnull=True, until_version__isnull=True
    )
    return rows.order_by("pk")


def drafts_by_set(scope: Scope) -> dict[int, int]:
    """Set id → how many drafts wait for review, sets without any left out."""
    rows = GoldenQuestion.objects.visible_to(scope).filter(since_version__isnull=True, until_version__isnull=True)
    return dict(rows.values_list("golden_set_id").annotate(Count("pk")).order_by())


def item_of(row: GoldenQuestion) -> Item:
    return Item(
        key=row.key,
        text=row.text,
        expects=row.expects,  # type: ignore[arg-type]
        answers=tuple(row.answers),
        key_facts=tuple(row.key_facts),
        gold=tuple(GoldPassage(**{"quote": "", **passage}) for passage in row.gold),
        tags=tuple(row.tags),
        language=row.language,
        weight=row.weight,
    )


def refuse_readers(scope: Scope) -> None:
    if scope.role not in ("owner", "editor"):
        raise UserProblem("evaluation.read_only")


def _end(scope: Scope, rows: Sequence[GoldenQuestion], version: int) -> None:
    """Drafts that are replaced go; what was in a version stays in it."""
    ids = [row.pk for row in rows if not row.is_draft]
    GoldenQuestion.objects.visible_to(scope).filter(pk__in=ids).update(until_version=version)
    GoldenQuestion.objects.visible_to(scope).filter(pk__in=[row.pk for row in rows if row.is_draft]).delete()


def _add(scope: Scope, golden_set: GoldenSet, items: Sequence[Item], *, version: int | None, origin: str) -> int:
    found = find_documents(scope, (passage.document for item in items for passage in item.gold))
    rows = [
        GoldenQuestion(
            workspace_id=scope.workspace_id,
            golden_set=golden_set,
            key=item.key or key_of(item.text),
            text=item.text,
            expects=item.expects,
            answers=list(item.answers),
            key_facts=list(item.key_facts),
            gold=[passage.plain() for passage in item.gold],
            tags=list(item.tags),
            language=item.language,
            weight=item.weight,
            origin=origin,
            collection_ids=sorted({d.collection_id for p in item.gold for d in found.get(p.document, ())}),
            since_version=version,
            created_by_id=scope.user_id,
        )
        for item in items
    ]
    try:
        GoldenQuestion.objects.using("default").bulk_create(rows, batch_size=BATCH)
    except IntegrityError:
        # A question of that key exists and is out of this editor's sight.
        raise UserProblem("evaluation.key_taken") from None
    return len(rows)
