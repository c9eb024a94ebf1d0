"""The local embedding process, measured: `python -m bench.embedding [--data sets/scifact/corpus.jsonl]` (Linux).

Starts the process on a free port, embeds passages as the worker does and asks questions as the web does, and prints
one table. Read the figures of a loaded machine as ratios: CPU-seconds are the process's own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from documents.embedding.transport import HttpTransport

ROOT = Path(__file__).resolve().parent.parent
MODEL = "all-MiniLM-L6-v2"
PASSAGES = 320
BATCH = 16
QUESTIONS = 60
QUESTION = "How do I rotate the signing key of a workspace without an outage?"
IMPORTS = """
def pss():
    return next(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith("Pss:")) / 1024
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"])
import django; django.setup()
import ninja, psycopg_pool, rest_framework.views
before = pss(); import {module}; print(pss() - before)
"""


@dataclass
class Process:
    """A running embedding process and what the kernel says of it."""

    pid: int
    port: int
    key: str
    peak_mb: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)

    def pss_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Keep the highest PSS seen, ten times a second."""

        def watch() -> None:
            while not self._stop.wait(0.1):
                self.peak_mb = max(self.peak_mb, self.pss_mb())

        self._stop.clear()
        watcher = threading.Thread(target=watch)
        watcher.start()
        yield
        self._stop.set()
        watcher.join()


@contextlib.contextmanager
def embedder() -> Iterator[Process]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    key = secrets.token_urlsafe(16)
    argv = [sys.executable, "-m", "documents.embedding.server", "--port", str(port)]
    running = subprocess.Popen(argv, cwd=ROOT, env=os.environ | {"EMBEDDER_KEY": key}, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield Process(running.pid, port, key)
    finally:
        running.terminate()
        running.wait(timeout=10)


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
            if connection.recv(64).startswith(b"HTTP/1.1 200"):
                return
        time.sleep(0.05)
    raise SystemExit("the embedding process did not get ready within a minute")


def passages(data: Path | None) -> list[str]:
    """Texts of about 190 tokens: abstracts of `data` (JSON lines with `text`), else words drawn with a fixed seed."""
    if data is not None:
        with data.open(encoding="utf-8") as lines:
            return [json.loads(line)["text"][:1000] for line, _ in zip(lines, range(PASSAGES), strict=False)]
    draw = random.Random(1)
    return [" ".join(draw.choices(QUESTION.split(), k=185)) for _ in range(PASSAGES)]


def timed_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ask_often(transport: HttpTransport, count: int) -> list[float]:
    return [timed_ms(lambda: transport.send([QUESTION], "question", read_s=30)) for _ in range(count)]


def embed_all(transport: HttpTransport, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        transport.send(texts[start : start + BATCH], "bulk", read_s=120)


def import_cost_mb(module: str) -> float:
    """PSS that `module` adds to a process which has Django, ninja, DRF and psycopg."""
    argv = [sys.executable, "-c", IMPORTS.replace("{module}", module)]
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(ended.stdout.strip().splitlines()[-1])


def row(name: str, value: float, unit: str) -> None:
    print(f"{name:<44} {value:>8.1f} {unit}")


def percentile(values: Sequence[float], share: float) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[round(share * 100) - 1]


def measure(process: Process, texts: Sequence[str]) -> None:
    transport = HttpTransport(f"http://127.0.0.1:{process.port}/v1", process.key, MODEL)
    row("PSS after loading", process.pss_mb(), "MB")

    cpu_before = process.cpu_s()
    idle = ask_often(transport, QUESTIONS)
    row("question, idle, p50", percentile(idle, 0.5), "ms")
    row("question, idle, p95", percentile(idle, 0.95), "ms")
    row("question, CPU", (process.cpu_s() - cpu_before) * 1000 / QUESTIONS, "ms")

    cpu_before = process.cpu_s()
    with process.watched():
        wall_s = timed_ms(lambda: embed_all(transport, texts)) / 1000
    row("passages per second", len(texts) / wall_s, "")
    row("passages per CPU-second", len(texts) / (process.cpu_s() - cpu_before), "")

    bulk = threading.Thread(target=embed_all, args=(transport, texts))
    with process.watched():
        bulk.start()
        busy = ask_often(transport, QUESTIONS)
        bulk.join()
    row("question while passages are embedded, p50", percentile(busy, 0.5), "ms")
    row("question while passages are embedded, p95", percentile(busy, 0.95), "ms")
    row("PSS while embedding, highest", process.peak_mb, "MB")
    transport.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.embedding")
    parser.add_argument("--data", type=Path, help="JSON lines with a `text` each; else drawn words")
    options = parser.parse_args()
    with embedder() as process:
        measure(process, passages(options.data))
    for module in ("http.client", "httpx", "openai", "numpy"):
        row(f"importing {module} beside Django, PSS", import_cost_mb(module), "MB")


if __name__ == "__main__":
    main()
