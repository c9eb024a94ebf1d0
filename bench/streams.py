"""How soon the first words of an answer come, and what two hundred answers on their way hold in memory."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Final

import httpx

from bench import inside
from bench.processes import pss_kb
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, running, wait_until
from tests.fakes.model_server import ModelServer, Says

QUESTIONS: Final = (
    "How long are deleted documents kept?",
    "What happens when a document is deleted?",
    "What does the error code E4304 mean?",
    "Who can see a private collection?",
)
ASKED: Final = 120
STREAMS: Final = 200
WITHIN_S: Final = 30.0


@measures(Bar("first_extractive_p95_ms", "<=", 400), is_long=True)
def first_token(bench: Bench) -> Figures:
    """From the request of `/api/answer` as events until the first token is there, quoted answers, one at a time."""
    with running(bench.kept("first-token"), more={"FOOTNOTE_DEMO": "1"}) as stack:
        key = inside.call(stack.state, "bench.inside_canary:key")
        wait_until(lambda: bool(first_ms(stack, key, QUESTIONS[0])), 120, "the sample is read")
        for text in QUESTIONS:
            first_ms(stack, key, text)
        found = [first_ms(stack, key, QUESTIONS[at % len(QUESTIONS)]) for at in range(ASKED)]
    times = sorted(ms for ms in found if ms)
    if len(times) < ASKED // 2:
        raise StackFailed(f"only {len(times)} of {ASKED} questions were answered")
    p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
    bench.note(f"first token of {len(times)} quoted answers: {p50:.0f} ms at p50, {p95:.0f} ms at p95")
    return {"first_extractive_p95_ms": p95}


def first_ms(stack: Stack, key: str, text: str) -> float:
    """Milliseconds until the first token; 0 for a question that is declined."""
    started = time.perf_counter()
    with httpx.stream(
        "POST",
        f"{stack.address}/api/answer",
        json={"question": text, "stream": True},
        headers={"Authorization": f"Bearer {key}"},
        timeout=WITHIN_S,
    ) as response:
        for line in response.iter_lines():
            if line == "event: token":
                return (time.perf_counter() - started) * 1000
    return 0.0


@measures(
    Bar("streams_held", ">=", STREAMS),
    Bar("stream_kb", "<=", 60),
    Bar("stream_writing_kb", "<=", 60),
    is_long=True,
    needs=("linux",),
)
def held(bench: Bench) -> Figures:
    """What the web process grew by, for each of two hundred streams whose first token has arrived and that are still open.

    `stream_kb`: streams of one answer that is being written. `stream_writing_kb`: each of an answer of its own, with the call of
    the model and the thread that reads it.
    """
    with ModelServer(Says(("The first words ", "of an answer [1]."), between_s=140.0)) as model:
        provider = {"name": "slow", "base_url": model.url, "model": "toy", "first_s": 60, "idle_s": 145, "total_s": 149}
        more = {"FOOTNOTE_DEMO": "1", "MODEL_PROVIDERS": json.dumps([provider])}
        with running(bench.kept("streams"), more=more) as stack:
            key = inside.call(stack.state, "bench.inside_canary:key")
            [web] = [process.pid for process in stack.processes("web")][:1]
            wait_until(lambda: is_read(stack, key), 120, "the sample is read")
            ref = begun(stack, key)
            reading = held_by(web, lambda count: holding(stack, key, count, ref=ref))
            writing = held_by(web, lambda count: holding(stack, key, count))
    for name, (before, during) in {"writing": writing, "reading": reading}.items():
        each = (during - before) / STREAMS
        bench.note(f"{STREAMS} {name}: web grew from {before / 1024:.0f} to {during / 1024:.0f} MB, {each:.0f} kB each")
    return {
        "streams_held": STREAMS,
        "stream_kb": (reading[1] - reading[0]) / STREAMS,
        "stream_writing_kb": (writing[1] - writing[0]) / STREAMS,
    }


def held_by(web: int, hold: Callable[[int], AbstractContextManager[set[int]]]) -> tuple[int, int]:
    """kB of the process with none and with STREAMS streams, after a few have warmed it up. Raises StackFailed for fewer."""
    with hold(8) as warm:
        wait_until(lambda: len(warm) == 8, WITHIN_S, "the first streams are held")
    time.sleep(3)
    before = pss_kb(web)
    with hold(STREAMS) as open_now:
        wait_until(lambda: len(open_now) == STREAMS, 80, f"{STREAMS} streams are held")
        time.sleep(2)
        return before, pss_kb(web)


def begun(stack: Stack, key: str) -> str:
    """The ref of an answer that is being written for a while."""
    with httpx.stream(
        "POST",
        f"{stack.address}/api/answer",
        json={"question": QUESTIONS[0], "stream": True},
        headers={"Authorization": f"Bearer {key}", "Idempotency-Key": "streams"},
        timeout=WITHIN_S,
    ) as response:
        return response.headers["Location"].rstrip("/").rsplit("/", 1)[-1]


def is_read(stack: Stack, key: str) -> bool:
    found = httpx.post(
        f"{stack.address}/api/v1/search/",
        json={"question": QUESTIONS[0]},
        headers={"Authorization": f"Bearer {key}"},
        timeout=WITHIN_S,
    )
    return found.status_code == 200 and "deleted" in found.text.casefold()


@contextmanager
def holding(stack: Stack, key: str, count: int, *, ref: str = "") -> Iterator[set[int]]:
    """So many streams, of the answer `ref` or of one each; the set holds those whose first token has come. All are closed."""
    there: set[int] = set()
    done = threading.Event()

    def follow(number: int) -> None:
        with httpx.stream(
            "GET" if ref else "POST",
            f"{stack.address}/api/answer" + (f"/{ref}" if ref else ""),
            headers={"Authorization": f"Bearer {key}", "Accept": "text/event-stream"},
            json=None if ref else {"question": QUESTIONS[0], "stream": True},
            timeout=120,
        ) as response:
            for line in response.iter_lines():
                if line == "event: token":
                    there.add(number)
                    done.wait(110)
                    return

    with ExitStack() as stack_of, ThreadPoolExecutor(count) as pool:
        stack_of.callback(done.set)
        for number in range(count):
            pool.submit(follow, number)
        yield there
        done.set()
