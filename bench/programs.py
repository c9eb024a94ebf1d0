"""How soon a program hears back: a page of 10,000 documents, and a search over 5,000 passages, over HTTP with a key."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Final

import httpx

from bench import inside
from bench.processes import cpu_seconds
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, running

DOCUMENTS: Final = 10_000
CHUNKS: Final = 5_000
TIMES: Final = 200
PEER_P95_MS: Final = 101.0
"""open-webui 0.6's retrieval API over 5,000 chunks, p95 on two cores at load 3, measured before the first line of Footnote.
It takes 2.4 GB to install and 53 CPU-seconds to start, so that it is not measured again with each run."""


@measures(
    Bar("api_documents_p95_to_peer", "<=", 0.3),
    Bar("api_search_p95_to_peer", "<=", 0.3),
    is_long=True,
    needs=("linux",),
)
def programs(bench: Bench) -> Figures:
    state = bench.state / "programs"
    shutil.rmtree(state, ignore_errors=True)
    with running(state) as stack:
        planted = inside.call(
            stack.state, "bench.inside_programs:plant", documents=DOCUMENTS, chunks=CHUNKS, questions=TIMES + 10
        )
        headers = {"Authorization": f"Bearer {planted['key']}"}
        with httpx.Client(base_url=stack.address, headers=headers, timeout=60) as http:
            listed = Pages(http)
            pages = timed(bench, stack, "GET /api/v1/documents/", [listed.next] * (TIMES + 10))
            searches = timed(
                bench, stack, "POST /api/v1/search/",
                [Search(http, text, str(planted["collection"])) for text in planted["questions"]],
            )  # fmt: skip
    return {"api_documents_p95_to_peer": pages / PEER_P95_MS, "api_search_p95_to_peer": searches / PEER_P95_MS}


class Pages:
    """Page after page of fifty documents, by the cursor that the page before gave."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._next = "/api/v1/documents/?limit=50"

    def next(self) -> None:
        body = right(self._http.get(self._next)).json()
        self._next = body["next"] or "/api/v1/documents/?limit=50"


class Search:
    def __init__(self, http: httpx.Client, text: str, collection: str) -> None:
        self._http, self._body = http, {"question": text, "k": 8, "collections": [collection]}

    def __call__(self) -> None:
        body = right(self._http.post("/api/v1/search/", json=self._body)).json()
        if len(body["passages"]) != 8 or body["notes"]:
            raise StackFailed(f"a search found {len(body['passages'])} of 8 passages, notes {body['notes']}")


def right(answer: httpx.Response) -> httpx.Response:
    if answer.status_code != 200:
        raise StackFailed(f"{answer.request.url} gave {answer.status_code}: {answer.text[:300]}")
    return answer


def timed(bench: Bench, stack: Stack, name: str, calls: Sequence[Callable[[], None]]) -> float:
    """p95 in ms of all but the first ten; the whole stack's CPU time is noted beside it."""
    for call in calls[:10]:
        call()
    spent, found = cpu_seconds(stack.pid), []
    for call in calls[10:]:
        started = time.perf_counter()
        call()
        found.append((time.perf_counter() - started) * 1000)
    cpu_ms = (cpu_seconds(stack.pid) - spent) * 1000 / len(found)
    p95 = statistics.quantiles(found, n=20)[-1]
    bench.note(
        f"{name}: {statistics.median(found):.1f} ms at p50, {p95:.1f} at p95, {cpu_ms:.1f} CPU-ms of the whole stack"
    )
    return p95
