"""Called through bench.inside beside services: what the whole ingest costs per chunk, beside embedding the same texts alone."""

from __future__ import annotations

import io
import os
import secrets
import threading
import time
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from bench.processes import cpu_seconds
from documents import queue
from documents.ingest import local_embedder
from documents.models import Chunk
from documents.upload import accept
from documents.worker import work_through
from portal.access import scope_of
from portal.models import Collection
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal


def measure(files: list[str], workers: int) -> dict[str, float]:
    """Chunks, and CPU-seconds of all processes (ours, PostgreSQL's, the embedder's, the parsers') for both ways."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    owner = add_person("bench@example.org", name="Bench")
    workspace = add_workspace(f"ingest {secrets.token_hex(4)}", owner=owner)
    collection = Collection.objects.using("owner").get(workspace=workspace, kind=Collection.Kind.SHARED)
    scope = scope_of(owner.pk, workspace.pk)
    assert scope is not None
    local_embedder().embed(["warm up"], priority="bulk")
    before, started = cpu_seconds(os.getppid()), time.monotonic()
    for name in files:
        path = Path(name)
        with path.open("rb") as file:
            accept(scope, collection.pk, name=path.name, file=file, size_bytes=path.stat().st_size)
    run_workers(workers)
    whole, wall = cpu_seconds(os.getppid()) - before, time.monotonic() - started
    texts = embedded_texts(scope)
    before = cpu_seconds(os.getppid())
    local_embedder().embed(texts, priority="bulk")
    bare = cpu_seconds(os.getppid()) - before
    return {"files": len(files), "chunks": len(texts), "whole_cpu_s": whole, "bare_cpu_s": bare, "wall_s": wall}


def run_workers(count: int) -> None:
    def run() -> None:
        try:
            while work_through() or queue.state().waiting:
                pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def embedded_texts(scope: Scope) -> list[str]:
    """What the ingest embedded, a chunk's headings before its text."""
    with principal(scope):
        rows = Chunk.objects.visible_to(scope).select_related("document").order_by("id")
        return [
            "\n".join(
                part for part in (" › ".join([row.document.title, *row.heading_path]), row.prefix, row.text) if part
            )
            for row in rows
        ]
