"""How the supervisor runs the local embedding process (documents/embedding/server.py, named here only as text)."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from portal.embedded import state
from portal.embedded.program import Program

MODULE = "documents.embedding.server"
LOCAL_MODELS = ("all-MiniLM-L6-v2", "multilingual-e5-small")
"""What a process of this machine can serve by name; the second one when the extra `multilingual` is installed."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """An OpenAI-compatible embedding server on loopback."""

    port: int
    model: str = ""
    name: str = "embedder"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def program(self, environment: Mapping[str, str]) -> Program:
        """`environment` carries EMBEDDER_KEY, which the server asks of its callers."""
        named = ("--model", self.model) if self.model else ()
        argv = (sys.executable, "-m", MODULE, "--host", "127.0.0.1", "--port", str(self.port), *named)
        return Program(self.name, argv, environment, is_ready=self.is_ready, ready_within_seconds=90.0)

    def is_ready(self, pid: int) -> bool:
        return answers_200("127.0.0.1", self.port, "/health")


def prepare(state_dir: Path) -> Embedder:
    return Embedder(state.keep_port(state_dir, "EMBEDDER"))


def prepare_next(state_dir: Path, model: str) -> Embedder:
    """A second process for the model that is filled beside the live one."""
    return Embedder(state.keep_port(state_dir, "EMBEDDER_NEXT"), model, "embedder-next")


def answers_200(host: str, port: int, path: str, *, named: str = "localhost") -> bool:
    """Whether GET gives 200 within a second, when the server is called by the name `named`."""
    # By hand: http.client brings ssl and email, 4 MB in a process that stays.
    question = f"GET {path} HTTP/1.0\r\nHost: {named}\r\n\r\n".encode("ascii")
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1) as line:
        line.sendall(question)
        return b" 200 " in line.recv(64)
    return False
