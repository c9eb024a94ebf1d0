"""What a request costs under each way to serve Django: `python -m bench.web`. The figures stand in ADR 0002.

CPU-ms per request is the server processes' own time, so that a loaded machine does not change it much.
"""

from __future__ import annotations

import http.client
import importlib.util
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import psutil

from portal import env
from portal.embedded.state import is_free, wait_until

REQUESTS = 400
CLIENTS = 4
STREAMS = 50


@dataclass(frozen=True, slots=True)
class Figures:
    """`cpu_ms` per page; wall times in ms with four clients; memory of all the server's processes in MB."""

    cpu_ms: float
    p50_ms: float
    p95_ms: float
    with_streams_p95_ms: float
    pss_mb: float


def main() -> None:
    for name, argv in variants().items():
        found = measure(argv)
        print(
            f"{name:34} {found.cpu_ms:5.2f} CPU-ms/page  p50 {found.p50_ms:5.1f}  p95 {found.p95_ms:5.1f} ms  "
            f"p95 beside {STREAMS} streams {found.with_streams_p95_ms:5.1f} ms  {found.pss_mb:4.0f} MB"
        )


def variants() -> dict[str, list[str]]:
    python = sys.executable
    uvicorn = [python, "-m", "uvicorn", "--lifespan", "off", "--log-level", "critical", "--no-access-log", "--port"]
    found = {
        "uvicorn, Django ASGI": [*uvicorn, "PORT", "bench.web_app:pure"],
        "uvicorn, pages through a2wsgi": [*uvicorn, "PORT", "bench.web_split:split"],
    }
    if importlib.util.find_spec("gunicorn"):
        gunicorn = [python, "-m", "gunicorn", "--threads", "8", "--log-level", "critical", "-b", "127.0.0.1:PORT"]
        found["gunicorn, threads (pages only)"] = [*gunicorn, "bench.web_app:wsgi"]
    return found


def measure(argv: list[str]) -> Figures:
    port = next(number for number in range(18200, 18400) if is_free("127.0.0.1", number))
    server = subprocess.Popen([part.replace("PORT", str(port)) for part in argv], cwd=env.ROOT)
    try:
        if not wait_until(lambda: not is_free("127.0.0.1", port), within_seconds=20):
            raise SystemExit(f"{argv} did not start")
        ask_many(port, 50)
        before = cpu_seconds(server.pid)
        times = ask_many(port, REQUESTS)
        cpu_ms = (cpu_seconds(server.pid) - before) * 1000 / REQUESTS
        beside = times if "gunicorn" in argv[2] else ask_beside_streams(port)
        return Figures(cpu_ms, statistics.median(times), p95(times), p95(beside), memory_mb(server.pid))
    finally:
        server.terminate()
        server.wait()


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def ask_many(port: int, count: int) -> list[float]:
    """Wall milliseconds of each request, from CLIENTS threads with kept connections."""
    times: list[float] = []

    def ask() -> None:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for _ in range(count // CLIENTS):
            started = time.perf_counter()
            line.request("GET", "/library")
            answer = line.getresponse()
            body = answer.read()
            if answer.status != 200 or len(body) < 1000:
                raise SystemExit(f"unexpected answer {answer.status}")
            times.append((time.perf_counter() - started) * 1000)
        line.close()

    askers = [threading.Thread(target=ask) for _ in range(CLIENTS)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    return times


def ask_beside_streams(port: int) -> list[float]:
    """Page times while STREAMS connections are open."""
    lines = [http.client.HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(STREAMS)]
    for line in lines:
        line.request("GET", "/stream/tokens")
    times = ask_many(port, REQUESTS // 2)
    for line in lines:
        if line.getresponse().read().count(b"data:") != 20:
            raise SystemExit("a stream broke off")
        line.close()
    return times


def family(pid: int) -> list[psutil.Process]:
    leader = psutil.Process(pid)
    return [leader, *leader.children(recursive=True)]


def cpu_seconds(pid: int) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in family(pid))


def memory_mb(pid: int) -> float:
    return float(sum(process.memory_full_info().pss for process in family(pid))) / 2**20


if __name__ == "__main__":
    main()
