"""A word that stands in questions only, looked for in everything that a question runs past, with a crash at each stage.

The asker's own history (answers_question) and answers on their way (answers_liveanswer) are where it belongs and are left out; that
it is found in the history is what shows that the search for it works.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
from psycopg.errors import Error as DatabaseFault

from bench import canary_sinks as sinks
from bench import inside
from bench.processes import family
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import HOST, Stack, StackFailed, Upload, Visitor, free_port, running, wait_until
from portal import env
from portal.embedded.state import keep_secrets
from tests.telemetry.receivers import Receiver

STAGES = ("guard", "fingerprint", "embed", "search", "gates", "write", "audit", "persist", "record")
KINDS = ("", "sql")
SURFACES = ("page", "program", "search", "answer", "chat", "agent")
DATABASE_ITSELF = ("pgdata", "postgres", "data", "pg")


@dataclass(slots=True)
class Portal:
    """The second web process, which can be told to crash."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path
    state: Path
    key: str
    http: httpx.Client

    def order(self, what: str) -> None:
        (self.state / "crash-at").write_text(what)

    def ask(self, surface: str, question: str) -> bytes:
        """The answer's body, whatever its status; b"" when the process died of it."""
        try:
            if surface == "page":
                token = self.http.cookies.get("csrftoken") or ""
                headers = {"X-CSRFToken": token, "Referer": f"http://{HOST}:{self.port}/"}
                return self.http.post(
                    "/", data={"question": question, "csrfmiddlewaretoken": token}, headers=headers
                ).content
            path, body = addressed(surface, question)
            headers = {"Authorization": f"Bearer {self.key}"}
            if surface == "agent":
                headers["Accept"] = "application/json, text/event-stream"
            return self.http.post(path, json=body, headers=headers).content
        except httpx.HTTPError:
            return b""


def addressed(surface: str, question: str) -> tuple[str, dict[str, Any]]:
    """Where a program asks, and what it sends; an answer and a chat as streams."""
    if surface == "agent":
        call = {"name": "ask", "arguments": {"question": question}}
        return "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    if surface == "chat":
        said = [{"role": "user", "content": question}]
        return "/v1/chat/completions", {"model": "footnote", "messages": said, "stream": True}
    if surface == "answer":
        return "/api/answer", {"question": question, "stream": True}
    return f"/api/v1/{'questions' if surface == 'program' else 'search'}/", {"question": question}


STREAMED = ("answer", "chat")
"""Their answers are kept before the last stage: a crash in it keeps nobody from them, and they come with their own question."""


@dataclass(slots=True)
class Seen:
    """What was asked and what the sinks held."""

    words: list[str] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)

    def question(self, cell: str) -> str:
        word = f"zq{secrets.token_hex(7)}"
        self.words.append(word)
        self.cells.append(cell)
        return f"How long are deleted documents kept for {word} today?"


@measures(
    Bar("canary_hits", "=", 0),
    Bar("canary_sinks", ">=", 14),
    Bar("canary_cells", ">=", 40),
    is_long=True,
    needs=("linux",),
)
def canary_sinks(bench: Bench) -> Figures:
    """`canary_cells`: questions asked, each with a word of its own: surface × stage × kind of crash, the undisturbed ones among
    them. `canary_sinks`: places looked through. `canary_hits`: pairs of word and sink where the word was found.
    """
    seen = Seen()
    state = bench.kept("canary")
    with Receiver() as collector, Receiver() as crashes, running(state, more={"FOOTNOTE_DEMO": "1"}) as stack:
        address, broker = superuser(state), env.read_runtime(state)["BROKER_URL"]
        before = {path for root in (Path(tempfile.gettempdir()), env.ROOT) for path in root.glob("core*")}
        activity, traffic = sinks.Activity(address), sinks.Traffic(broker)
        collection = inside.call(state, "bench.inside_corpus:collection", name="Canary")
        activity.start()
        traffic.start()
        with tempfile.TemporaryDirectory(prefix="canary-") as scratch:
            with second(state, scratch, collector, crashes) as portal:
                walk(portal, seen)
                sent = Upload(f"{secrets.token_hex(4)}.md", f"# Note\n\nPart {secrets.token_hex(4)}.\n".encode())
                Visitor(stack).upload([sent], collection=collection)  # so that a task passes through the broker
                metrics = portal.http.get("/metrics").content
                pids = [process.pid for process in family(stack.pid)] + [portal.process.pid]
                running_now = list(sinks.processes(pids))
                limits = Path(f"/proc/{portal.process.pid}/limits").read_text()
            dead = died(state, scratch, seen)
            left = list(sinks.files(Path(scratch)))
        time.sleep(1)
        monitored = traffic.stop()
        places = gathered(stack, state, address, broker, activity, monitored)
        cores = [path for path in before_and_now() if path not in before]
        places |= {
            "web log": [portal.log.read_bytes(), dead],
            "metrics page": [metrics],
            "OpenTelemetry collector": [collector.log.everything],
            "Sentry": [crashes.log.everything],
            "core dumps": [path.read_bytes() for path in cores],
            "temporary files": left,
            "command lines and environments": running_now,
            "pages and answers of a crash": seen.pages,
        }
        history = kept(address)
    return figures(bench, seen, places, history, limits, activity.samples, crashes)


def walk(portal: Portal, seen: Seen) -> None:
    """Every surface, undisturbed and with each kind of crash at each stage."""
    for surface in SURFACES:
        portal.order("")
        portal.ask(surface, seen.question(f"{surface}, undisturbed"))
        for kind in KINDS if surface != "search" else ():
            for stage in STAGES:
                portal.order(f"{kind}:{stage}")
                page = portal.ask(surface, seen.question(f"{surface}, {kind or 'exception'} at {stage}"))
                if not (stage == "record" and surface in STREAMED):
                    seen.pages.append(page)
    portal.order("")


def died(state: Path, scratch: str, seen: Seen) -> bytes:
    """The log of a process that aborted in the middle of a question."""
    with Receiver() as nobody, second(state, scratch, nobody, nobody) as portal:
        portal.order("dead:search")
        portal.ask("page", seen.question("page, process aborted at search"))
        portal.process.wait(20)
        (state / "crash-at").write_text("")
    return portal.log.read_bytes()


@contextmanager
def second(state: Path, scratch: str, collector: Receiver, crashes: Receiver) -> Iterator[Portal]:
    """A web process of the same stack with a fault to order, all adapters on, and a temporary directory of its own."""
    port = free_port()
    log = state.parent / f"canary-web-{port}.log"
    more = {
        "LIMIT_USER": "10000", "LIMIT_PROGRAM": "10000",
        "PORT": str(port), "FOOTNOTE_PROCESS": "web", "LOG_FORMAT": "json", "TMPDIR": scratch,
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "SENTRY_DSN": crashes.url.replace("http://", "http://key@") + "/1",
        "LANGFUSE_HOST": collector.url, "LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk",
    }  # fmt: skip
    command = [sys.executable, "-m", "uvicorn", "bench.canary_app:application", "--host", HOST, "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--lifespan", "off", "--log-level", "warning"],
            cwd=env.ROOT, env=inside.environment(state, **more), stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    portal = Portal(process, port, log, state, "", httpx.Client(base_url=f"http://{HOST}:{port}", timeout=60))
    try:
        wait_until(lambda: answers(portal), 60, "the second web process answers")
        sign_in(portal)
        portal.key = inside.call(state, "bench.inside_canary:key")
        yield portal
    finally:
        process.terminate()
        process.wait(20)
        portal.http.close()


def answers(portal: Portal) -> bool:
    if portal.process.poll() is not None:
        raise StackFailed(portal.log.read_text()[-2000:])
    try:
        return portal.http.get("/ops/live").status_code == 200
    except httpx.HTTPError:
        return False


def sign_in(portal: Portal) -> None:
    email, password = (portal.state / "sign-in.txt").read_text(encoding="utf-8").split()[:2]
    portal.http.get("/sign-in/")
    token = portal.http.cookies.get("csrftoken") or ""
    fields = {"email": email, "password": password, "csrfmiddlewaretoken": token}
    answer = portal.http.post("/sign-in/", data=fields, headers={"Referer": f"http://{HOST}:{portal.port}/"})
    if answer.status_code != 302:
        raise StackFailed(f"signing in gave {answer.status_code}")


def superuser(state: Path) -> str:
    parts = urlsplit(env.read_runtime(state)["DATABASE_URL"])
    password = keep_secrets(state)["POSTGRES_PASSWORD"]
    return f"postgresql://postgres:{password}@{parts.hostname}:{parts.port}{parts.path}"


def gathered(
    stack: Stack, state: Path, address: str, broker: str, activity: sinks.Activity, monitored: bytes
) -> dict[str, Sequence[bytes]]:
    """The sinks of the stack itself; each table of the database is one of its own."""
    found: dict[str, Sequence[bytes]] = {
        "log of the stack (web, worker, embedder, PostgreSQL, broker)": [stack.log.read_bytes()],
        "pg_stat_activity": list(activity.stop()),
        "broker traffic": [monitored],
        "Celery payloads": list(sinks.payloads(monitored)),
        "broker memory": list(sinks.broker_memory(broker)),
        "files of the state directory": list(sinks.files(state, but=DATABASE_ITSELF)),
    }
    return found | {f"table {name}": list(rows) for name, rows in sinks.tables(address).items()}


def before_and_now() -> list[Path]:
    return [path for root in (Path(tempfile.gettempdir()), env.ROOT) for path in root.glob("core*") if path.is_file()]


def kept(address: str) -> list[bytes]:
    """The asker's own history."""
    try:
        with psycopg.connect(address) as connection:
            return [str(row[0]).encode() for row in connection.execute("SELECT text FROM answers_question").fetchall()]
    except DatabaseFault:
        return []


def figures(
    bench: Bench,
    seen: Seen,
    places: Mapping[str, Sequence[bytes]],
    history: list[bytes],
    limits: str,
    samples: int,
    crashes: Receiver,
) -> Figures:
    hits = 0
    for name, texts in places.items():
        found = sinks.holds(texts, seen.words)
        hits += len(found)
        for word in found:
            bench.note(f"HIT in {name}: {seen.cells[seen.words.index(word)]}")
    stored = sinks.holds(history, seen.words)
    no_core = any(line.split()[4:5] == ["0"] for line in limits.splitlines() if line.startswith("Max core file size"))
    bench.note(f"sinks: {', '.join(sorted(name for name in places if not name.startswith('table ')))}")
    bench.note(f"and {sum(name.startswith('table ') for name in places)} tables; pg_stat_activity {samples} times")
    bench.note(f"{len(seen.words)} words; {len(stored)} of them in the asker's history, where they belong")
    bench.note(f"{len(crashes.events())} crashes reported; core dumps {'forbidden' if no_core else 'ALLOWED'}")
    tasks, counted = len(places["Celery payloads"]), b"footnote:limit" in b"".join(places["broker traffic"])
    bench.note(f"{tasks} task messages seen; limits {'counted' if counted else 'NOT counted'} in the broker")
    is_proved = bool(
        stored and tasks and counted and samples > 100 and no_core and len(crashes.events()) >= len(STAGES)
    )
    result: dict[str, Any] = {"canary_hits": hits, "canary_sinks": len(places), "canary_cells": len(seen.words)}
    return result if is_proved else {}
