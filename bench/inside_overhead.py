"""Called through bench.inside beside PostgreSQL: what ingest costs without the model, and LangChain's store for the same chunks."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.conf import settings
from django.core.management import call_command

from bench.inside_ingest import by_part, embedded_texts, run_workers
from documents import sandbox_readers
from documents.models import Document
from documents.upload import accept
from portal import env
from portal.access import scope_of
from portal.models import Collection
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal

WORKERS = 2
STORE = Path(__file__).with_name("langchain_store.py")


def measure(files: list[str], large: str, langchain: str) -> dict[str, dict[str, float]]:
    """CPU-ms a chunk, by part: `files` as they are, `large` as one document, and by LangChain's store with the chunks of `files`.

    `langchain` is a Python that has langchain-postgres, "" for none.
    """
    call_command("bootstrap", verbosity=0, stdout=StringIO())
    sandbox_readers.IDLE_SECONDS = 600.0  # its CPU-time is counted while it lives
    with vectors_made():
        ingest(new_scope("warm"), files[:3])
        scope = new_scope("files")
        found = {"files": ingest(scope, files), "one": ingest(new_scope("one"), [large])}
    if langchain:
        found["langchain"] = stored_by_langchain(langchain, embedded_texts(scope))
    return found


@contextmanager
def vectors_made() -> Iterator[None]:
    """Embed with bench/made_vectors.py while the block runs."""
    command = [sys.executable, "-m", "bench.made_vectors", "documents.embedding"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        settings.EMBEDDER_URL = f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        try:
            yield
        finally:
            process.kill()


def new_scope(name: str) -> Scope:
    owner = add_person(f"{secrets.token_hex(4)}@example.org", name="Bench")
    workspace = add_workspace(f"{name} {secrets.token_hex(4)}", owner=owner)
    scope = scope_of(owner.pk, workspace.pk)
    assert scope is not None
    return scope


def ingest(scope: Scope, files: list[str]) -> dict[str, float]:
    """From the upload's use case to the last vector, by two workers."""
    collection = Collection.objects.using("owner").get(workspace_id=scope.workspace_id, kind=Collection.Kind.SHARED)
    before, started = by_part(os.getppid()), time.monotonic()
    for number, name in enumerate(files):
        path = Path(name)
        with path.open("rb") as file:
            accept(scope, collection.pk, name=f"{number}-{path.name}", file=file, size_bytes=path.stat().st_size)
    accepted = by_part(os.getppid())
    run_workers(WORKERS)
    after, wall = by_part(os.getppid()), time.monotonic() - started
    chunks = chunks_ready(scope, len(files))
    spent = {part: (after.get(part, 0.0) - before.get(part, 0.0)) * 1000 / chunks for part in {*before, *after}}
    uploads = sum(accepted[part] - before.get(part, 0.0) for part in accepted) * 1000 / chunks
    readers, postgres = spent.pop("readers", 0.0), spent.pop("postgres", 0.0)
    spent.pop("embedder", 0.0)
    ours = sum(spent.values())
    return {
        "files": len(files),
        "chunks": chunks,
        "wall_s": wall,
        "uploads_ms": uploads,
        "readers_ms": readers,
        "postgres_ms": postgres,
        "ours_ms": ours,
        "whole_ms": ours + readers + postgres,
    }


def chunks_ready(scope: Scope, files: int) -> int:
    """How many chunks the scope has; raises when a document is not ready."""
    with principal(scope):
        rows = list(Document.objects.visible_to(scope).values_list("state", "chunk_count", "vector_count"))
    if len(rows) != files or any(state != "ready" or chunks != vectors for state, chunks, vectors in rows):
        raise RuntimeError(f"not ready: {sorted({row[0] for row in rows})}")
    return sum(chunks for _, chunks, _ in rows)


def stored_by_langchain(python: str, texts: list[str]) -> dict[str, float]:
    """The same texts and vectors into a table of LangChain's, in a database of its own of the same PostgreSQL."""
    name = f"langchain_{secrets.token_hex(4)}"
    admin = os.environ[env.ADMIN_URL]
    create_database(admin, name)
    before = by_part(os.getppid()).get("postgres", 0.0)
    given = json.dumps({"url": with_database(admin, name), "texts": texts})
    answer = subprocess.run([python, str(STORE)], input=given, capture_output=True, text=True, check=False, timeout=900)
    if answer.returncode:
        raise RuntimeError(answer.stderr[-2000:])
    own = json.loads(answer.stdout)
    postgres = (by_part(os.getppid()).get("postgres", 0.0) - before) * 1000 / len(texts)
    return {
        "chunks": len(texts),
        "ours_ms": own["cpu_ms"],
        "postgres_ms": postgres,
        "whole_ms": own["cpu_ms"] + postgres,
    }


def create_database(admin: str, name: str) -> None:
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with psycopg.connect(with_database(admin, name), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def with_database(address: str, name: str) -> str:
    return urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
