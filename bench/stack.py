"""A real stack for a bar: `portal.supervisor up` in a state directory on a free port, and a signed-in browser's requests to it."""

from __future__ import annotations

import io
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx
import psutil

from bench.inside import environment
from bench.processes import family, role_of
from portal import env

READY_WITHIN_S = 180.0
STOP_WITHIN_S = 60.0
HOST = "127.0.0.1"


class StackFailed(RuntimeError):
    """It did not start, stop or answer as it should; the text holds its last lines."""


def free_port() -> int:
    """One that the kernel gives, so that two runs at a time do not choose the same."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until(claim: Callable[[], bool], within_s: float, what: str, every_s: float = 0.2) -> float:
    """Seconds until `claim()` held. Raises StackFailed when it never did."""
    started = time.monotonic()
    while not claim():
        if time.monotonic() - started > within_s:
            raise StackFailed(f"not within {within_s:.0f} s: {what}")
        time.sleep(every_s)
    return time.monotonic() - started


@dataclass(slots=True)
class Stack:
    """A running stack; `log` holds everything it said."""

    process: subprocess.Popen[bytes]
    state: Path
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise StackFailed(f"the stack ended with code {self.process.returncode}\n{self.last_lines()}")
        try:
            return httpx.get(f"{self.address}/ops/ready", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    def last_lines(self, count: int = 25) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    def sign_in_words(self) -> tuple[str, str]:
        """E-mail and password of the demo person."""
        lines = (self.state / "sign-in.txt").read_text(encoding="utf-8").split()
        return lines[0], lines[1]

    def processes(self, role: str) -> list[psutil.Process]:
        return [process for process in family(self.pid) if role_of(process) == role]

    def stop(self) -> None:
        """As Ctrl-C does. Raises StackFailed when something is left over."""
        members = family(self.pid)
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            for process in members:
                if process.is_running():
                    process.kill()
            raise StackFailed(f"it did not stop within {STOP_WITHIN_S:.0f} s\n{self.last_lines()}") from None
        left = [process for process in members if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]
        if left:
            raise StackFailed(f"left over after the stop: {', '.join(role_of(process) for process in left)}")


@contextmanager
def running(state: Path, *, port: int = 0, more: Mapping[str, str] | None = None) -> Iterator[Stack]:
    """Start everything, wait for /ops/ready, and stop it cleanly at the end."""
    state.mkdir(parents=True, exist_ok=True)
    port = port or free_port()
    log = state.parent / f"{state.name}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "portal.supervisor", "up"],
            cwd=env.ROOT,
            env=environment(state, PORT=str(port), NO_COLOR="1", **(more or {})),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    stack = Stack(process, state, port, log)
    try:
        wait_until(stack.is_ready, READY_WITHIN_S, "the stack is ready")
        yield stack
    finally:
        if process.poll() is None:
            stack.stop()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send: its relative path, which becomes the document's name, and its bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answer page of a question says."""

    ref: str
    is_answered: bool
    verdict: str
    seconds: float


class Visitor:
    """A signed-in person's requests, as their browser without script would send them. `words` are e-mail and password."""

    def __init__(self, stack: Stack, words: tuple[str, str] | None = None) -> None:
        self.stack = stack
        self.http = httpx.Client(base_url=stack.address, timeout=120, follow_redirects=False)
        email, password = words or stack.sign_in_words()
        self.http.get("/sign-in/")
        answer = self.post("/sign-in/", {"email": email, "password": password})
        if answer.status_code != 302:
            raise StackFailed(f"signing in gave {answer.status_code}")

    def post(
        self, url: str, data: Mapping[str, str | list[str]], files: Sequence[tuple[str, tuple[str, io.BytesIO]]] = ()
    ) -> httpx.Response:
        token = self.http.cookies.get("csrftoken") or ""
        headers = {"X-CSRFToken": token, "Referer": f"{self.stack.address}/"}
        return self.http.post(
            url, data={**data, "csrfmiddlewaretoken": token}, files=list(files) or None, headers=headers
        )

    def upload(self, files: Sequence[Upload], *, collection: str) -> bool:
        """Send files in one request, `path` with each one's relative path; False when every one of them was refused."""
        parts = [("file", (Path(item.path).name, io.BytesIO(item.content))) for item in files]
        fields: dict[str, str | list[str]] = {"collection": collection, "path": [item.path for item in files]}
        answer = self.post("/library/upload/", fields, parts)
        if answer.status_code not in (200, 202, 422):
            raise StackFailed(
                f"an upload of {len(files)} files gave {answer.status_code}: {in_words(answer.text)[:300]}"
            )
        return answer.status_code != 422

    def ask(self, question: str, *, collection: str = "") -> Asked:
        """Ask on the Ask page and read the answer's own page."""
        started = time.monotonic()
        fields: dict[str, str | list[str]] = {
            "question": question,
            **({"collection": collection} if collection else {}),
        }
        answer = self.post("/", fields)
        if answer.status_code not in (302, 303):
            raise StackFailed(f"a question gave {answer.status_code}: {in_words(answer.text)[:300]}")
        target = answer.headers["location"]
        page = self.http.get(target).text
        verdict = re.search(r'answer-status">\s*<span class="state (\w+)">([^<]+)<', page)
        if verdict is None:
            raise StackFailed("the answer's page has no verdict")
        return Asked(
            ref=target.rstrip("/").rsplit("/", 1)[-1],
            is_answered='<div class="quotes">' in page,
            verdict=unescape(verdict[2]),
            seconds=time.monotonic() - started,
        )


def in_words(page: str) -> str:
    """A page without its markup, on one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style).*?</\1>", " ", page)).split())
