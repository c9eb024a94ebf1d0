"""Everything that a question could have run into, looked through for a word that was in one."""

from __future__ import annotations

import base64
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import redis

ALLOWED = {"answers_question", "answers_liveanswer"}
"""The asker's own history, and their answers on the way; those that never came are swept after an hour (docs/record.md)."""
Sink = Callable[[], Iterable[bytes]]


def spellings(word: str) -> list[bytes]:
    """The word as it might stand in a sink: plain, UTF-16, hex, and base64 at its three alignments."""
    raw = word.encode()
    coded = [base64.b64encode(b"x" * shift + raw)[(4 if shift else 0) : -4].rstrip(b"=") for shift in range(3)]
    return [raw, word.encode("utf-16-le"), raw.hex().encode(), *(one for one in coded if len(one) >= 8)]


def holds(texts: Iterable[bytes], words: Iterable[str]) -> set[str]:
    """The words that stand in the texts, in any spelling and case."""
    pattern = {word: re.compile(b"|".join(map(re.escape, spellings(word))), re.IGNORECASE) for word in words}
    found: set[str] = set()
    for text in texts:
        found |= {word for word, one in pattern.items() if word not in found and one.search(text)}
    return found


def files(root: Path, *, but: Iterable[str] = ()) -> Iterable[bytes]:
    """Every file below, with its name; parts of the tree that hold the database itself are left out."""
    for path in root.rglob("*"):
        if path.is_file() and not any(part in but for part in path.relative_to(root).parts):
            yield str(path.relative_to(root)).encode()
            try:
                yield path.read_bytes()
            except OSError:
                continue


@dataclass(slots=True)
class Activity(threading.Thread):
    """pg_stat_activity as a superuser sees it, all the time."""

    address: str
    seen: set[bytes] = field(default_factory=set)
    samples: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        threading.Thread.__init__(self, daemon=True)

    __hash__ = object.__hash__

    def run(self) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            while not self.ended.is_set():
                rows = connection.execute(
                    "SELECT query || ' ' || coalesce(application_name, '') FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                )
                self.seen |= {str(row[0]).encode() for row in rows}
                self.samples += 1
                time.sleep(0.001)

    def stop(self) -> Iterable[bytes]:
        self.ended.set()
        self.join(5)
        return self.seen


class Traffic(threading.Thread):
    """Every command that reaches the broker (MONITOR), messages of Celery among them, base64 bodies decoded as well."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        parts = redis.connection.parse_url(url)  # type: ignore[no-untyped-call]
        self._line = socket.create_connection((parts["host"], parts["port"]), timeout=5)
        self._line.sendall(f"AUTH {parts['password']}\r\nMONITOR\r\n".encode())
        self._line.settimeout(0.2)
        self._ended = threading.Event()
        self.raw = b""

    def run(self) -> None:
        while not self._ended.is_set():
            try:
                self.raw += self._line.recv(1 << 16)
            except TimeoutError:
                continue

    def stop(self) -> bytes:
        self._ended.set()
        self.join(5)
        self._line.close()
        return self.raw


def payloads(traffic: bytes) -> Iterable[bytes]:
    """Bodies of task messages."""
    for body in re.findall(rb'\\"body\\": \\"([A-Za-z0-9+/=]+)\\"', traffic):
        yield base64.b64decode(body)


def tables(address: str) -> Mapping[str, Iterable[bytes]]:
    """Every row of every table but the asker's own history, as text, by table."""
    found = {}
    with psycopg.connect(address) as connection:
        names = connection.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1"
        ).fetchall()
        for (name,) in names:
            if name not in ALLOWED:
                rows = connection.execute(f"SELECT t::text FROM {name} t").fetchall()
                found[name] = [str(row[0]).encode() for row in rows]
    return found


def broker_memory(url: str) -> Iterable[bytes]:
    client = redis.Redis.from_url(url.replace("valkey://", "redis://", 1))
    for key in client.scan_iter("*"):
        yield key
        yield client.dump(key) or b""


def processes(pids: Iterable[int]) -> Iterable[bytes]:
    """Command lines and environments."""
    for pid in pids:
        for name in ("cmdline", "environ", "comm"):
            try:
                yield Path(f"/proc/{pid}/{name}").read_bytes()
            except OSError:
                continue
