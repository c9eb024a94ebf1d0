"""A real stack, one process after the other killed at a random moment of its work: nothing lost, nothing twice, work goes on."""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections.abc import Iterator

import psutil
import pytest

from bench import inside
from bench.processes import family, role_of
from bench.stack import Stack, Upload, Visitor, running, wait_until

pytestmark = pytest.mark.slow
PER_KILL = 5
BACK_WITHIN_S = 90.0


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running(tmp_path_factory.mktemp("kills") / "state") as started:
        yield started


def files(word: str) -> list[Upload]:
    """A few documents of several passages; no text is in two of them, so every passage has to be embedded."""
    part = "## Part {n}\n\n" + "The {word} number {n} of unit {unit} is opened slowly and closed again by hand. " * 20
    return [
        Upload(f"{word}/{unit}.md", "\n\n".join(part.format(n=n, word=word, unit=unit) for n in range(6)).encode())
        for unit in range(PER_KILL)
    ]


def hit(stack: Stack, who: str, number: signal.Signals) -> None:
    """Signal the process, as soon as there is one."""

    def found() -> list[psutil.Process]:
        return [process for process in family(stack.pid) if is_called(process, who)]

    wait_until(lambda: bool(found()), 30, f"a {who} runs", every_s=0.005)
    for process in found()[:1]:
        process.send_signal(number)


def is_called(process: psutil.Process, who: str) -> bool:
    """By its role; what is not one of those, by its command line."""
    if who in ("worker", "embedder", "valkey"):
        return role_of(process) == who
    try:
        return who in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.parametrize(
    ("who", "number"),
    [
        ("sandbox_child", signal.SIGKILL),
        ("worker", signal.SIGKILL),
        ("worker", signal.SIGTERM),
        ("worker", signal.SIGQUIT),
        ("embedder", signal.SIGKILL),
        ("valkey", signal.SIGKILL),
        ("footnote_worker", signal.SIGKILL),
        ("bin/postgres", signal.SIGKILL),
    ],
)
def test_after_a_kill_everything_is_there_once_and_soon(stack: Stack, who: str, number: signal.Signals) -> None:
    name = f"{who.replace('/', '-')}-{number.name}"
    collection = inside.call(stack.state, "bench.inside_corpus:collection", name=name)
    visitor = Visitor(stack)
    with contextlib.closing(visitor.http):
        visitor.upload(files(name), collection=collection)

    time.sleep(random.uniform(0.0, 2.0) if who != "sandbox_child" else 0.0)
    hit(stack, who, number)
    wait_until(stack.is_ready, 60, "the stack is ready again")
    settled = inside.call(
        stack.state, "bench.inside_corpus:await_settled", collection=collection, total=PER_KILL, within_s=BACK_WITHIN_S
    )

    shape = inside.call(stack.state, "bench.inside_crash:shape", collection=collection)
    assert settled["states"] == {"ready": PER_KILL}
    assert shape["faults"] == []
    assert shape["open_jobs"] == 0
