"""Called through bench.inside beside services: files with entries through upload and worker, and a search for each entry."""

from __future__ import annotations

import io
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management import call_command

from bench.entry_files import Made, api, freshdesk, github, jira, zendesk
from documents.models import Chunk, Document
from documents.upload import accept
from documents.worker import work_through
from portal.access import scope_of
from portal.models import Collection
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal
from retrieval.search import Query, search

BUSY = (Document.State.QUEUED, Document.State.READING)


def measure(changelogs: dict[str, list[str]]) -> dict[str, dict[str, Any]]:
    """By file: how many entries were wanted, are one unit each, and were found first; and which were missed."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    owner = add_person("bench@example.org", name="Bench")
    workspace = add_workspace(f"entries {secrets.token_hex(4)}", owner=owner)
    files = [*(_changelog(Path(name), versions) for name, versions in changelogs.items())]
    files += [api(), zendesk(), jira(), github(), freshdesk()]
    places = [
        Collection.objects.using("owner").create(workspace=workspace, name=made.name, kind="shared") for made in files
    ]
    scope = scope_of(owner.pk, workspace.pk)
    assert scope is not None
    for made, place in zip(files, places, strict=True):
        accept(scope, place.pk, name=made.name, file=io.BytesIO(made.body), size_bytes=len(made.body))
    while _is_busy(scope):
        work_through()
    return {made.name: _found(scope, made, place.pk) for made, place in zip(files, places, strict=True)}


def _changelog(path: Path, versions: Sequence[str]) -> Made:
    return Made(path.name, path.read_bytes(), tuple((version, version) for version in versions))


def _is_busy(scope: Scope) -> bool:
    with principal(scope):
        return bool(Document.objects.visible_to(scope).filter(state__in=BUSY).exists())


def _found(scope: Scope, made: Made, collection_id: int) -> dict[str, Any]:
    with principal(scope):
        rows = Chunk.objects.visible_to(scope).filter(collection_id=collection_id).order_by("ordinal")
        idents = dict(rows.values_list("pk", "entry_ident"))
    runs = Counter(
        ident for ident, before in zip(idents.values(), ["", *idents.values()], strict=False) if ident != before
    )
    missed = []
    for question, ident in made.asked:
        passages = search(scope, Query(question, collection_ids=(collection_id,))).passages
        if not passages or idents[passages[0].chunk_id] != ident:
            missed.append(question)
    asked = Counter(ident for _, ident in made.asked)
    units = sum(min(count, runs[ident]) for ident, count in asked.items())
    return {"wanted": len(made.asked), "units": units, "first": len(made.asked) - len(missed), "missed": missed}
