"""Which processes make up Footnote, what each of them may know, and what the person is told when all are there."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from portal import env
from portal.embedded.console import Console
from portal.embedded.embedder import answers_200
from portal.embedded.program import Program
from portal.embedded.state import SECRETS, CannotStart, wait_until

# Only the supervisor uses these; every program gets addresses that already carry what it needs.
OWN_KEYS = ("POSTGRES_PASSWORD", "VALKEY_PASSWORD")
EMBEDDER_KEYS = ("EMBEDDER_KEY", "EMBEDDER_MODEL", "FOOTNOTE_STATE_DIR", "LOG_FORMAT", "HOME", "LANG")
NEXT_KEYS = ("EMBEDDER_NEXT_MODEL", "EMBEDDER_NEXT_URL", "EMBEDDER_NEXT_KEY")
ADDRESSES = ("DATABASE_URL", "BROKER_URL", "EMBEDDER_URL", *NEXT_KEYS)
RUNTIME_KEYS = (*SECRETS, *ADDRESSES, "FOOTNOTE_STATE_DIR", env.ADMIN_URL)
# Two malloc arenas instead of eight per core: threads of a Python process then share freed memory.
# Freed heap goes back at once: 15 MB of the web process. Not for the embedder, whose arrays would be mapped anew each time.
TRIMMED = {"MALLOC_TRIM_THRESHOLD_": "131072"}
LEAN = {"MALLOC_ARENA_MAX": "2", "PYTHONUNBUFFERED": "1"}
# onnxruntime 1.32 otherwise makes a device id under ~/.cache and reports to its maker; unstructured counts its starts.
SILENT = {"ORT_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "SCARF_NO_ANALYTICS": "1"}
NAMED_WITHIN_SECONDS = 5.0
MEANWHILE = {
    "BROKER_URL": "Uploads are read all the same, some seconds later.",
    "EMBEDDER_URL": "Documents are found by their words; vectors follow when it is back.",
}


@dataclass(slots=True)
class Services:
    """All that is known to the operator: what was given, what was started, what was generated."""

    everything: dict[str, str] = field(default_factory=dict)

    def add(self, **found: str) -> None:
        self.everything.update(found)

    @property
    def values(self) -> dict[str, str]:
        """What stands in runtime.env, so that commands in a second terminal reach the running stack."""
        wanted = [name for name in RUNTIME_KEYS if name not in OWN_KEYS and name != env.ADMIN_URL]
        return {name: self.everything[name] for name in wanted if name in self.everything}

    def for_operator(self) -> dict[str, str]:
        """For commands that may change roles and tables: bootstrap, tests, `exec`."""
        known = {name: value for name, value in self.everything.items() if name not in OWN_KEYS}
        return {**LEAN, **known, **SILENT}

    def for_process(self, process: str) -> dict[str, str]:
        """For web and worker: FOOTNOTE_PROCESS makes portal.env blind to owner keys, also to those in runtime.env."""
        known = {name: value for name, value in self.for_operator().items() if name not in env.OWNER_KEYS}
        return {**known, **TRIMMED, "FOOTNOTE_PROCESS": process}

    def for_embedder(self) -> dict[str, str]:
        """It talks to nobody: its own key and no other."""
        known = {name: self.everything[name] for name in EMBEDDER_KEYS if name in self.everything}
        return {**env.bare(), **LEAN, **known, **SILENT, "FOOTNOTE_PROCESS": "embedder"}


def await_named(settings: env.Environment, out: Console) -> None:
    """Look whether the services that the environment names answer. Raises CannotStart for the database only."""
    named = (
        ("DATABASE_URL", settings.database_url, 5432),
        ("BROKER_URL", settings.broker_url, 6379),
        ("EMBEDDER_URL", settings.embedder_url, 443 if settings.embedder_url.startswith("https") else 80),
    )
    for variable, address, usual_port in named:
        if not address:
            continue
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port or usual_port
        out.say(f"{variable} names {host}:{port}")
        if wait_until(lambda: accepts(host, port), within_seconds=NAMED_WITHIN_SECONDS):  # noqa: B023 (called at once)
            continue
        if variable == "DATABASE_URL":
            raise CannotStart(
                f"The database at {host}:{port} does not answer. Nothing was started and nothing is lost. "
                "Start it, or correct DATABASE_URL; without DATABASE_URL an embedded one is used."
            )
        out.say(f"{variable}: {host}:{port} does not answer. {MEANWHILE[variable]}")


def accepts(host: str, port: int) -> bool:
    """Whether something takes a connection there within two seconds."""
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True


def bootstrap_program(services: Services) -> Program:
    """Roles, migrations, demo workspace: the only program of the stack that holds the owner's keys."""
    argv = (sys.executable, str(env.ROOT / "manage.py"), "bootstrap")
    return Program("bootstrap", argv, {"FOOTNOTE_DEMO": "1", **services.for_operator()})


def serving_programs(services: Services, settings: env.Environment) -> list[Program]:
    """Web and worker."""
    return [web_program(services, settings), worker_program(services)]


def web_program(services: Services, settings: env.Environment) -> Program:
    """One process; open streams get five seconds to finish when it stops."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104 (asked, not bound)
    named = (settings.allowed_hosts or ("localhost",))[0].lstrip(".*") or "localhost"
    return Program(
        "web",
        (sys.executable, "-m", "uvicorn", *web_options(settings.host, settings.port)),
        services.for_process("web"),
        is_ready=lambda pid: answers_200(host, settings.port, "/ops/live", named=named),
        grace_seconds=10.0,
    )


def web_options(host: str, port: int) -> tuple[str, ...]:
    """uvicorn's arguments; compose.yaml uses the same."""
    return (
        "portal.asgi:application",
        *("--host", host, "--port", str(port)),
        *("--lifespan", "off", "--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "5"),
    )


def worker_program(services: Services) -> Program:
    """TERM lets a task end, QUIT does not: the job's lease in the database brings the work back either way."""
    return Program(
        "worker",
        (sys.executable, "-m", "portal.worker"),
        services.for_process("worker"),
        ready_text="worker.ready",
    )


def announce(out: Console, settings: env.Environment, *, took_seconds: float) -> None:
    """The address and the sign-in, framed so that they are seen among log lines."""
    host = "localhost" if settings.host in ("127.0.0.1", "0.0.0.0", "::") else settings.host  # noqa: S104
    out.say("─" * 60)
    out.say(f"Footnote is ready after {took_seconds:.1f} s:  http://{host}:{settings.port}/")
    sign_in = settings.state_dir / "sign-in.txt"
    if sign_in.exists():
        out.say("Sign in as " + "  ".join(sign_in.read_text(encoding="utf-8").split()))
    out.say("Ctrl-C stops everything; the data is kept.")
    out.say("─" * 60)
