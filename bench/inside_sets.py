"""Called through bench.inside beside services: a retrieval set through the ingest path, its questions through search()."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from urllib.parse import quote

from django.core.management import call_command
from django.db import connections

from answers.ask import question_embedder
from answers.rules import question
from bench import pipeline
from bench.registry import say
from documents import queue
from documents.models import Document, EmbeddingModel
from documents.upload import Accepted, Duplicate, accept
from documents.worker import work_through
from evaluation.metrics.ranking import ndcg_at
from portal.access import scope_of
from portal.models import Collection, User, Workspace
from portal.people import add_person, add_workspace
from portal.scope import Scope, principal
from retrieval import dense
from retrieval.lexical import Place
from retrieval.ranking.evidence import SearchResult
from retrieval.search import ALIAS, DEPTH, REACH, Query, search

EMAIL = "bench@example.org"
WORKERS = 2
RECALL_AT = 10
RECALL_QUESTIONS = 200
LEGS = ("words", "meaning", "fused")
NOTE_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class Seat:
    """A member of the workspace that holds one set, and the collection it is in."""

    scope: Scope
    collection: int


def measure(folder: str, questions: str = "") -> dict[str, float]:
    """nDCG@10 of both legs and of their fusion, the mean over the questions that have a judged document.

    `questions` is a folder whose questions are asked instead: those of another language over the same documents.
    """
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    root = Path(folder)
    seat = ingested(root)
    gains = judgements(root / "qrels.tsv")
    asked = [row for row in rows(Path(questions or folder) / "queries.jsonl") if row["id"] in gains]
    names = document_names(seat)
    scores: dict[str, list[float]] = defaultdict(list)
    times: dict[str, list[float]] = defaultdict(list)
    for row in asked:
        result = ask(seat, row["text"], times)
        for leg, ranked in legs(result, names).items():
            scores[leg].append(ndcg_at(10, ranked, gains[row["id"]]))
    note_times(times)
    recall = exactness(seat, [row["text"] for row in asked[:RECALL_QUESTIONS]])
    say(f"# {root.name}: recall@{RECALL_AT} of the list by meaning against a full scan {recall:.4f}")
    return (
        {"recall": recall}
        | {leg: mean(scores[leg]) for leg in LEGS}
        | {
            "questions": float(len(asked)),
            "chunks": float(chunk_count(seat)),
        }
    )


def ingested(root: Path) -> Seat:
    """The set's collection with every document ready; what an earlier run embedded is kept."""
    seat = seat_for(root)
    documents = [item for item in rows(root / "corpus.jsonl") if item["title"].strip() or item["text"].strip()]
    ready = states(seat)["ready"]
    if ready < len(documents):
        say(f"# {root.name}: {ready} of {len(documents)} documents are there, reading the rest")
        started = time.monotonic()
        upload(seat, documents)
        work(seat, len(documents))
        say(f"# {root.name}: read in {time.monotonic() - started:.0f} s")
    found = states(seat)
    if found["ready"] < len(documents):
        say(f"# {root.name}: not all are ready: {dict(found)}")
    return seat


def seat_for(root: Path) -> Seat:
    user = add_person(EMAIL, name="Bench")
    title = f"bench {root.parent.name} {root.name}"
    workspace = Workspace.objects.using("owner").filter(name=title).first() or add_workspace(title, owner=user)
    collection, _ = Collection.objects.using("owner").get_or_create(
        workspace=workspace, name=f"bench {pipeline.key()}", defaults={"kind": Collection.Kind.SHARED}
    )
    scope = scope_of(User.objects.using("owner").get(email=user.email).pk, workspace.pk)
    assert scope is not None
    return Seat(scope, collection.pk)


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def judgements(path: Path) -> dict[str, dict[str, float]]:
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            gains[row["query-id"]][row["corpus-id"]] = float(row["score"])
    return gains


def upload(seat: Seat, documents: Sequence[Mapping[str, str]]) -> None:
    """A titled document as Markdown with its title as the heading, one without as plain text; its id is the name."""
    for item in documents:
        name = f"{stem_of(item['id'])}.md" if item["title"] else f"{stem_of(item['id'])}.txt"
        content = (f"# {item['title']}\n\n{item['text']}\n" if item["title"] else f"{item['text']}\n").encode()
        outcome = accept(seat.scope, seat.collection, name=name, file=io.BytesIO(content), size_bytes=len(content))
        if not isinstance(outcome, Accepted | Duplicate):
            say(f"# not accepted: {name}: {outcome.code} {outcome.detail}")


def stem_of(identity: str) -> str:
    """A document's id as a file's name: `faq/admin.rst#1` is a path to the upload."""
    return quote(identity, safe="").replace("%", "~")


def work(seat: Seat, total: int) -> None:
    """Several workers in this process until nothing waits."""

    def run() -> None:
        try:
            while work_through() or queue.state().waiting:
                pass
        finally:
            connections.close_all()

    workers = [threading.Thread(target=run) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    noted = time.monotonic()
    while any(worker.is_alive() for worker in workers):
        workers[0].join(1.0)
        if time.monotonic() - noted > NOTE_EVERY_S:
            noted = time.monotonic()
            say(f"# {dict(states(seat))} of {total}")


def states(seat: Seat) -> Counter[str]:
    with principal(seat.scope):
        found = Document.objects.visible_to(seat.scope).filter(collection_id=seat.collection, deleted_at__isnull=True)
        return Counter(found.values_list("state", flat=True))


def chunk_count(seat: Seat) -> int:
    with principal(seat.scope):
        found = Document.objects.visible_to(seat.scope).filter(collection_id=seat.collection, deleted_at__isnull=True)
        return sum(found.values_list("chunk_count", flat=True))


def document_names(seat: Seat) -> dict[int, str]:
    with principal(seat.scope):
        found = Document.objects.visible_to(seat.scope).filter(collection_id=seat.collection, deleted_at__isnull=True)
        return {pk: Path(name).stem for pk, name in found.values_list("pk", "name")}


def ask(seat: Seat, text: str, times: dict[str, list[float]]) -> SearchResult:
    """search() as the question walk calls it, with room for every passage of both legs."""
    read = question.read(text)
    language = "" if isinstance(read, question.Invalid) else read.language
    started = time.perf_counter()
    vector = question_embedder().embed([text], priority="question")[0]
    times["embed"].append((time.perf_counter() - started) * 1000)
    query = Query(text, vector=vector, k=2 * DEPTH, collection_ids=(seat.collection,), language=language)
    started = time.perf_counter()
    result = search(seat.scope, query)
    times["search"].append((time.perf_counter() - started) * 1000)
    for stage in result.stages:
        times[f"search.{stage.name}"].append(stage.ms)
    return result


def exactness(seat: Seat, questions: Sequence[str]) -> float:
    """recall@10 of the list by meaning, as search() reaches for it, against the cosine with every stored vector."""
    model = EmbeddingModel.objects.using("owner").get(state=EmbeddingModel.State.LIVE)
    hits = 0
    for vector in question_embedder().embed(questions, priority="questions"):
        with principal(seat.scope, using=ALIAS):
            place = Place(ALIAS, seat.scope.workspace_id, (seat.collection,))
            nearest = dense.search(place, vector, model_id=model.pk, reach=REACH, limit=RECALL_AT)
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT chunk_id FROM documents_chunkvector WHERE collection_id = %s AND model_id = %s"
                " ORDER BY embedding <=> %s::halfvec LIMIT %s",
                [seat.collection, model.pk, "[" + ",".join(f"{value:.6g}" for value in vector) + "]", RECALL_AT],
            )
            exact = {chunk_id for (chunk_id,) in cursor.fetchall()}
        hits += len({chunk_id for chunk_id, _ in nearest} & exact)
    return hits / (RECALL_AT * len(questions))


def legs(result: SearchResult, names: Mapping[int, str]) -> dict[str, list[str]]:
    """Documents by the rank of their best chunk, in each list."""
    document = {passage.chunk_id: names[passage.document_id] for passage in result.passages}
    listed = {
        stage.name: [document[c.chunk_id] for c in stage.candidates if c.chunk_id in document]
        for stage in result.stages
    }
    listed["fused"] = [document[passage.chunk_id] for passage in result.passages]
    return {leg: list(dict.fromkeys(listed.get(leg, []))) for leg in LEGS}


def note_times(times: Mapping[str, list[float]]) -> None:
    for name, found in times.items():
        ordered = sorted(found)
        say(f"# {name}: {ordered[len(ordered) // 2]:.1f} ms at p50, {ordered[int(len(ordered) * 0.95)]:.1f} ms at p95")
