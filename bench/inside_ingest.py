"""Called through bench.inside beside services: what the whole ingest costs per chunk, beside embedding the same texts alone."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import threading
import time
from pathlib import Path

import psutil
from django.core.management import call_command
from django.db import connections

from bench.inside_corpus import demo_scope
from bench.processes import cpu_seconds, family, role_of
from documents import queue
from documents.ingest import local_embedder
from documents.models import Chunk, Document
from documents.upload import accept
from documents.worker import work_through
from portal.access import scope_of
from portal.keys import make_key
from portal.models import Collection
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal

LOOK_S = 0.05
PARTS = 10


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


def throughput(files: list[str], workers: int) -> dict[str, float]:
    """Seconds of the whole ingest and of embedding the same texts alone, in PARTS turns; `least` and `most` are shares of one."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    local_embedder().embed(["warm up"], priority="bulk")
    turns = [turn(files[part::PARTS], workers) for part in range(PARTS)]
    shares = [bare_s / whole_s for _, whole_s, bare_s in turns]
    chunks, whole_s, bare_s = (sum(column) for column in zip(*turns, strict=True))
    return {
        "files": len(files),
        "chunks": chunks,
        "whole_s": whole_s,
        "bare_s": bare_s,
        "least": min(shares),
        "most": max(shares),
    }


def turn(files: list[str], workers: int) -> tuple[float, float, float]:
    """Chunks, seconds of the ingest, seconds of the bare loop, in a workspace of its own: no vector is there to be reused."""
    owner = add_person(f"{secrets.token_hex(4)}@example.org", name="Bench")
    workspace = add_workspace(f"throughput {secrets.token_hex(4)}", owner=owner)
    collection = Collection.objects.using("owner").get(workspace=workspace, kind=Collection.Kind.SHARED)
    scope = scope_of(owner.pk, workspace.pk)
    assert scope is not None
    started = time.monotonic()
    for number, name in enumerate(files):
        path = Path(name)
        with path.open("rb") as file:
            accept(scope, collection.pk, name=f"{number}-{path.stem}.rst", file=file, size_bytes=path.stat().st_size)
    run_workers(workers)
    whole_s = time.monotonic() - started
    texts = embedded_texts(scope)
    started = time.monotonic()
    for start in range(0, len(texts), 32):
        local_embedder().embed(texts[start : start + 32], priority="bulk")
    return float(len(texts)), whole_s, time.monotonic() - started


def by_part(pid: int) -> dict[str, float]:
    """CPU-seconds of each part of the tree, with those of children that ended."""
    found: dict[str, float] = {}
    for process in family(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            part = role_of(process)
            found[part] = found.get(part, 0.0) + sum(process.cpu_times()[:4])
    return found


def key() -> str:
    """A program's key of the demo person, to search with."""
    _, plain = make_key(demo_scope(), "bench", scopes=["read"])
    return plain


def filled(collection: str, names: list[str], within_s: float) -> list[float]:
    """Each document's share of vectors at the moment when the first of them has all."""
    scope, started = demo_scope(), time.monotonic()
    while time.monotonic() - started < within_s:
        with principal(scope):
            rows = Document.objects.visible_to(scope).filter(collection__ref=collection, name__in=names)
            shares = [row.vector_count / row.chunk_count if row.chunk_count else 0.0 for row in rows]
        if len(shares) == len(names) and max(shares) >= 1.0:
            return shares
        time.sleep(0.2)
    raise TimeoutError(f"no document was whole after {within_s:.0f} s")


def not_done() -> bool:
    state = queue.state()
    return bool(state.waiting or state.running)


def run_workers(count: int) -> None:
    """As the broker would call them; without a pause the one that has nothing to do would cost more than the one that has."""

    def run() -> None:
        try:
            while work_through() or not_done():
                time.sleep(LOOK_S)
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
