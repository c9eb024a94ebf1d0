"""Webhooks on a real stack: a receiver that refuses each message twice, documents that become ready and go, and a worker that is
killed while messages are under way. Nothing may be lost, nothing out of order per document.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import httpx

from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Stack, StackFailed, Visitor, free_port, running, wait_until

DOCUMENTS: Final = 20
REFUSALS: Final = 2
EXPECTED: Final = ("document.ready", "document.deleted")
KEY: Final = re.compile(r"fn_[0-9a-f]{18}_[A-Za-z0-9_-]{43}")
SETTLED_WITHIN_S: Final = 600.0


@dataclass(slots=True)
class Receiver:
    """What came, in the order in which it was taken; written as a receiver of the documentation's would be."""

    secret: str = ""
    tries: Counter[str] = field(default_factory=Counter)
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    repeated: int = 0
    forged: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, headers: dict[str, str], body: bytes) -> int:
        message = headers["webhook-id"]
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        signed = f"{message}.{headers['webhook-timestamp']}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
        with self.lock:
            if expected not in headers["webhook-signature"].split():
                self.forged += 1
                return 401
            self.tries[message] += 1
            if self.tries[message] <= REFUSALS:
                return 503
            self.repeated += message in self.taken
            self.taken.setdefault(message, json.loads(body))
            return 204

    def heard(self) -> dict[str, list[str]]:
        """Events by document, in order."""
        found: dict[str, list[str]] = defaultdict(list)
        for said in self.taken.values():
            found[said["data"]["document"]["ref"]].append(said["type"])
        return found


@measures(
    Bar("webhook_lost", "=", 0),
    Bar("webhook_out_of_order", "=", 0),
    Bar("webhook_forged", "=", 0),
    is_long=True,
    needs=("linux",),
)
def webhooks(bench: Bench) -> Figures:
    state = bench.state / "webhooks"
    shutil.rmtree(state, ignore_errors=True)
    port, receiver = free_port(), Receiver()
    more = {"OUTGOING_HOSTS": f"127.0.0.1:{port}", "LIMIT_PROGRAM": "0"}
    with listening(port, receiver), running(state, more=more) as stack, program(stack) as http:
        refs = told(http, stack, receiver, f"http://127.0.0.1:{port}/")
    heard = receiver.heard()
    wrong = [ref for ref in refs if [event for event in heard[ref] if event in EXPECTED] != list(EXPECTED)]
    lost = sum(event not in heard[ref] for ref in refs for event in EXPECTED)
    bench.note(
        f"{DOCUMENTS} documents, {len(receiver.taken)} messages, {sum(receiver.tries.values())} calls,"
        f" each refused {REFUSALS} times, one kill -9 of the worker; {receiver.repeated} came again under their id"
    )
    return {"webhook_lost": lost, "webhook_out_of_order": len(wrong), "webhook_forged": receiver.forged}


def program(stack: Stack) -> httpx.Client:
    """With a key made on the Keys page."""
    page = Visitor(stack).post("/keys/", {"name": "bench", "scope": ["read", "ingest", "admin"], "days": "30"}).text
    found = KEY.search(page)
    if not found:
        raise StackFailed("no key was made")
    headers = {"Authorization": f"Bearer {found.group()}"}
    return httpx.Client(base_url=stack.address, headers=headers, timeout=60)


def told(http: httpx.Client, stack: Stack, receiver: Receiver, url: str) -> list[str]:
    """The refs of documents that were made and, once each was told of, deleted; a worker dies in between."""
    body = {"name": "bench", "url": url, "events": ["document.ready", "document.needs_attention", "document.deleted"]}
    receiver.secret = right(http.post("/api/v1/webhooks/", json=body)).json()["secret"]
    refs = []
    for number in range(DOCUMENTS):
        text = f"# Part {number}\n\nThe valve {number} is opened slowly and closed again by hand.\n".encode()
        made = right(http.post("/api/v1/documents/", files={"file": (f"{number}.md", text)})).json()
        refs.append(made["document"]["ref"])
    wait_until(lambda: len(receiver.tries) >= DOCUMENTS // 2, SETTLED_WITHIN_S, "messages are under way")
    stack.processes("worker")[0].kill()
    for ref in refs:
        wait_until(lambda ref=ref: state_of(http, ref) == "ready", SETTLED_WITHIN_S, f"{ref} is ready")  # type: ignore[misc]
        right(http.delete(f"/api/v1/documents/{ref}/"))
    wait_until(lambda: len(receiver.taken) >= 2 * DOCUMENTS, SETTLED_WITHIN_S, "every message is taken", 1.0)
    time.sleep(3)  # what would come twice, comes
    return refs


def state_of(http: httpx.Client, ref: str) -> str:
    return str(right(http.get(f"/api/v1/documents/{ref}/")).json()["state"])


def right(answer: httpx.Response) -> httpx.Response:
    if answer.status_code >= 300:
        raise StackFailed(f"{answer.request.url} gave {answer.status_code}: {answer.text[:300]}")
    return answer


@contextmanager
def listening(port: int, receiver: Receiver) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(receiver.take({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Nothing: the figures say it."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
