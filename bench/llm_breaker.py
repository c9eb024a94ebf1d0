"""The breaker as docs/models.md has it, seen by two web processes of one stack."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import psycopg

from bench import inside
from bench.llm_acts import GOOD
from bench.stack import HOST, free_port, wait_until
from portal import env
from tests.fakes.model_server import Status

if TYPE_CHECKING:
    from bench.llm_faults import Seat

LOG = "llm-web.log"
QUESTION = "How long are deleted documents kept?"


def walk(here: Seat) -> list[str]:
    """What is not as documented, in words."""
    with second(here) as other:
        here.case = "breaker"
        here.reset()
        here.model.usually = Status(500)
        wrong = list(_steps(here, other))
    errors = (here.stack.state.parent / LOG).read_text(errors="replace").splitlines()
    here.found.server_errors += [line for line in errors if " error " in line]
    return wrong


def _steps(here: Seat, other: str) -> Iterator[str]:
    first, calls = here.stack.address, here.model.calls
    yield from _expect("one question fails twice", _ask(here, first, calls), (2, "extractive"))
    yield from _expect("the third failure opens it", _ask(here, other, calls), (1, "extractive"))
    yield from _about("open for 30 s", _pause(here), 30)
    yield from _expect("open: the other process does not ask", _ask(here, other, calls), (0, "extractive"))
    yield from _expect("open: this process does not ask", _ask(here, first, calls), (0, "extractive"))
    _elapse(here)
    yield from _expect("half-open: one probe, which fails", _ask(here, other, calls), (1, "extractive"))
    yield from _about("open again for 60 s", _pause(here), 60)
    yield from _expect("open again: this process does not ask", _ask(here, first, calls), (0, "extractive"))
    for seconds in (120, 240, 300, 300):
        _elapse(here)
        _ask(here, first, calls)
        yield from _about(f"open again for {seconds} s", _pause(here), seconds)
    _elapse(here)
    here.model.script(GOOD)
    yield from _expect("half-open: one probe, which succeeds", _ask(here, first, calls), (1, "model"))
    here.model.script(GOOD)
    yield from _expect("closed for the other process too", _ask(here, other, calls), (1, "model"))


def _expect(step: str, found: tuple[int, str], right: tuple[int, str]) -> Iterator[str]:
    if found != right:
        yield f"{step}: {found[0]} calls and {found[1]}, not {right[0]} and {right[1]}"


def _about(step: str, seconds: float, right: float) -> Iterator[str]:
    if not right - 8 <= seconds <= right + 1:
        yield f"{step}: {seconds:.0f} s"


def _ask(here: Seat, address: str, calls: list[Any]) -> tuple[int, str]:
    """(how often the endpoint was asked, who wrote)."""
    before = len(calls)
    answer = httpx.post(
        f"{address}/api/v1/questions/",
        json={"question": QUESTION},
        headers={"Authorization": f"Bearer {here.key}"},
        timeout=60,
    )
    return len(calls) - before, str(answer.json()["answer"]["mode"]) if answer.status_code == 201 else "nothing"


def _pause(here: Seat) -> float:
    """Seconds that it stays open."""
    with psycopg.connect(here.database) as connection:
        row = connection.execute("SELECT extract(epoch FROM open_until - now()) FROM answers_breaker").fetchone()
    return float(row[0]) if row and row[0] is not None else 0.0


def _elapse(here: Seat) -> None:
    """As if the pause were over."""
    with psycopg.connect(here.database, autocommit=True) as connection:
        connection.execute("UPDATE answers_breaker SET open_until = now() - interval '1 second'")


@contextmanager
def second(here: Seat) -> Iterator[str]:
    """The address of another web process of the same stack."""
    port = free_port()
    log = here.stack.state.parent / LOG
    provider = here.provider()
    command = [sys.executable, "-m", "uvicorn", "portal.asgi:application", "--host", HOST, "--port", str(port)]
    more = {"PORT": str(port), "FOOTNOTE_PROCESS": "web", "MODEL_PROVIDERS": provider}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--lifespan", "off", "--log-level", "warning"],
            cwd=env.ROOT,
            env=inside.environment(here.stack.state, **more),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    address = f"http://{HOST}:{port}"
    try:
        wait_until(lambda: _answers(address), 60, "the second web process answers")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/ops/live", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False
