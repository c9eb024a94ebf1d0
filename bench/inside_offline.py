"""Called through bench.inside beside a database alone: a set by its words, ranked by TF-IDF, with no embedder to ask."""

from __future__ import annotations

import io
import threading
import time
from pathlib import Path
from statistics import mean

from django.conf import settings
from django.core.management import call_command
from django.db import connections

from answers.rules import question
from bench.inside_sets import Seat, document_names, judgements, legs, rows, seat_for, states, upload
from documents.worker import work_through
from evaluation.metrics.ranking import ndcg_at
from retrieval.query import Query, Ranker
from retrieval.search import DEPTH, search

WITHIN_S = 3600.0


def measure(folder: str) -> dict[str, float]:
    """nDCG@10 of both rankers over the words; no vector exists and none is asked for."""
    call_command("bootstrap", verbosity=0, stdout=io.StringIO())
    assert not settings.EMBEDDER_URL
    root = Path(folder)
    seat = seat_for(root)
    documents = [item for item in rows(root / "corpus.jsonl") if item["title"].strip() or item["text"].strip()]
    if searchable(seat) < len(documents):
        upload(seat, documents)
        work(seat, len(documents))
    gains = judgements(root / "qrels.tsv")
    asked = [row for row in rows(root / "queries.jsonl") if row["id"] in gains]
    names = document_names(seat)
    found: dict[str, float] = {"questions": float(len(asked))}
    rankers: tuple[Ranker, ...] = ("bm25", "tfidf")
    for ranker in rankers:
        scores = []
        for row in asked:
            read = question.read(row["text"])
            language = "" if isinstance(read, question.Invalid) else read.language
            query = Query(row["text"], k=DEPTH, collection_ids=(seat.collection,), language=language, ranker=ranker)
            scores.append(ndcg_at(10, legs(search(seat.scope, query), names)["fused"], gains[row["id"]]))
        found[ranker] = mean(scores)
    return found


def searchable(seat: Seat) -> int:
    found = states(seat)
    return found["words"] + found["ready"]


def work(seat: Seat, total: int) -> None:
    """Until every document is found by its words: the jobs that would fetch vectors wait for an embedder for ever."""
    stop = threading.Event()

    def run() -> None:
        try:
            while not stop.is_set():
                work_through()
        finally:
            connections.close_all()

    worker = threading.Thread(target=run)
    worker.start()
    until = time.monotonic() + WITHIN_S
    while searchable(seat) < total and time.monotonic() < until and worker.is_alive():
        time.sleep(0.5)
    stop.set()
    worker.join()
