"""Called through bench.inside beside services: one set through our search and every peer, same chunks, same vectors, one run."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import conninfo

from answers.ask import question_embedder
from bench.inside_sets import Seat, document_names, ingested, judgements, rows
from bench.inside_speed import OWNER, backend_pids, cpu_ms, settled, share
from bench.registry import say
from documents.embedding.vector import Vector
from evaluation.metrics.ranking import ndcg_at
from portal import env
from retrieval.search import Query, search

K = 20
DATABASE = "peers"
CHUNKS = """
SELECT c.id, c.document_id, concat_ws(E'\\n',
    nullif(concat_ws(' › ', nullif(d.title, ''), nullif(array_to_string(c.heading_path, ' › '), '')), ''),
    nullif(c.prefix, ''), c.text), v.embedding::vector::real[]
FROM documents_chunk c
JOIN documents_document d ON d.id = c.document_id AND d.live_version_id = c.version_id AND d.deleted_at IS NULL
JOIN documents_chunkvector v ON v.chunk_id = c.id
JOIN documents_embeddingmodel m ON m.id = v.model_id AND m.state = 'live'
WHERE c.collection_id = %s ORDER BY c.id
"""
QUIET = {
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "TOKENIZERS_PARALLELISM": "false",
}
Answer = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A set's questions with their vectors, who holds each chunk, and what each question's documents are worth."""

    questions: list[str]
    vectors: list[Vector]
    gains: list[dict[str, float]]
    holder: Mapping[int, str]


def measure(folder: str, limit: int, pythons: Mapping[str, str], exchange: str) -> dict[str, dict[str, float]]:
    """By "who, way": nDCG@10, wall and CPU milliseconds at p50 and p95, seconds to take the chunks in. Ours goes first and last."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root, place = Path(folder), Path(exchange)
    seat = ingested(root)
    settled()
    place.mkdir(parents=True, exist_ok=True)
    judged = handed_over(seat, root, place, limit)
    answers = {"Footnote": ours(seat, judged)}
    for name, python in pythons.items():
        answers[name] = peer(name, python, place)
    for way, found in ours(seat, judged).items():
        for kind in ("ms", "cpu"):
            answers["Footnote"][way][kind] += found[kind]
    return {f"{who}, {way}": figures(judged, found) for who, answer in answers.items() for way, found in answer.items()}


def handed_over(seat: Seat, root: Path, place: Path, limit: int) -> Judged:
    """Write what the peers read (bench/peers/task.py)."""
    names = document_names(seat)
    with connections[OWNER].cursor() as cursor:
        cursor.execute(CHUNKS, [seat.collection])
        chunks = cursor.fetchall()
    gains = judgements(root / "qrels.tsv")
    asked = [row for row in rows(root / "queries.jsonl") if row["id"] in gains][:limit]
    vectors = question_embedder().embed([row["text"] for row in asked], priority="questions")
    lines(place / "chunks.jsonl", [{"id": row[0], "text": row[2]} for row in chunks])
    lines(place / "questions.jsonl", [{"text": row["text"]} for row in asked])
    np.save(place / "vectors.npy", np.array([row[3] for row in chunks], dtype=np.float32))
    np.save(place / "asked.npy", np.array(vectors, dtype=np.float32))
    say(f"# {root.name}: {len(chunks)} chunks, {len(asked)} questions")
    holder = {row[0]: names[row[1]] for row in chunks}
    return Judged([row["text"] for row in asked], vectors, [gains[row["id"]] for row in asked], holder)


def lines(path: Path, found: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in found), encoding="utf-8")


def ours(seat: Seat, judged: Judged) -> Answer:
    """search() as the serve role, from the question's vector to the passages; each question once each way in turn."""
    answer: Answer = {way: {"found": [], "ms": [], "cpu": []} for way in ("vector", "hybrid")}
    backends = backend_pids()
    for text, vector in zip(judged.questions, judged.vectors, strict=True):
        for way, found in answer.items():
            query = Query(text, vector=vector, k=K, collection_ids=(seat.collection,), words=way == "hybrid")
            spent, started = cpu_ms(backends), time.perf_counter()
            result = search(seat.scope, query)
            found["ms"].append((time.perf_counter() - started) * 1000)
            found["cpu"].append(cpu_ms(backends) - spent)
            found["found"].append([passage.chunk_id for passage in result.passages])
    return answer


def peer(name: str, python: str, place: Path) -> Answer:
    """The peer's answer; none, and its last words, when it failed."""
    out = place / f"{name}.json"
    out.unlink(missing_ok=True)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "PEER_K": str(K),
        "PEER_DATABASE": fresh_database(),
        **QUIET,
    }
    command = [python, "-m", f"bench.peers.{name}", str(place), str(out)]
    done = subprocess.run(command, cwd=env.ROOT, env=variables, capture_output=True, text=True, check=False)
    if not out.exists():
        say(f"# {name} failed: " + " / ".join(done.stderr.splitlines()[-3:]))
        return {}
    answer: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    load_s = answer.pop("load_s")
    return {way: {**found, "load_s": load_s} for way, found in answer.items()}


def fresh_database() -> str:
    """The address of an empty database beside ours, with pgvector in it."""
    address = os.environ[env.ADMIN_URL]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {DATABASE}")
    parts = conninfo.conninfo_to_dict(address)
    with psycopg.connect(**{**parts, "dbname": DATABASE}, autocommit=True) as connection:  # type: ignore[arg-type]
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return address.rsplit("/", 1)[0] + f"/{DATABASE}"


def figures(judged: Judged, found: Mapping[str, Any]) -> dict[str, float]:
    """Documents rank by their best chunk."""
    scores = [
        ndcg_at(10, list(dict.fromkeys(judged.holder[chunk] for chunk in listed if chunk in judged.holder)), gains)
        for listed, gains in zip(found["found"], judged.gains, strict=True)
    ]
    return {
        "ndcg": mean(scores),
        "p50": share(found["ms"], 0.5),
        "p95": share(found["ms"], 0.95),
        "cpu_p50": share(found["cpu"], 0.5),
        "cpu_p95": share(found["cpu"], 0.95),
        "load_s": float(found.get("load_s", 0)),
    }
