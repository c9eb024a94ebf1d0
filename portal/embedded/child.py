"""A running program: started in its own session, its output cut into lines, its whole group stopped at the end."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from portal.embedded.program import Program

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
KEPT_LINES = 30
LONGEST_LINE = 16 * 1024
# Colours and whatever else a line could do to a terminal.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LINUX = sys.platform == "linux"
# Loaded before any fork: between fork and exec nothing may be imported.
LIBC = ctypes.CDLL(None) if LINUX else None


def adopt_orphans() -> None:
    """Make this process the parent of whatever its children leave behind, so that the end can find all of it."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap() -> dict[int, int]:
    """Exit codes by process id of all children that have ended; negative for a signal."""
    ended: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            ended[found[0]] = os.waitstatus_to_exitcode(found[1])
    return ended


def descendants_left() -> list[int]:
    """Processes whose parent is this one (Linux; elsewhere empty)."""
    left = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                left.append(int(entry.parent.name))
    return left


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Child:
    """One start of a program. `code` is None while it lives. The supervisor owns waiting: see `reap`."""

    def __init__(self, program: Program, cwd: Path, log: IO[bytes] | None) -> None:
        """Start it. Output goes to `log`, or through `read_lines` when there is none. Raises OSError."""
        self.program = program
        self.lines: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
        self.code: int | None = None
        self.started_at = time.monotonic()
        self.rest = b""
        self.said_ready = not program.ready_text
        account = program.account if program.account and program.account.switch else None
        self.process = subprocess.Popen(
            program.argv,
            cwd=program.cwd or cwd,
            env=dict(program.env),
            stdin=None if program.foreground else subprocess.DEVNULL,
            stdout=None if program.foreground else log or subprocess.PIPE,
            stderr=None if program.foreground else subprocess.STDOUT,
            start_new_session=not program.foreground,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
            preexec_fn=self._die_with_parent if LINUX else None,  # noqa: PLW1509 (one thread: see crew.py)
        )
        if self.process.stdout is not None:
            os.set_blocking(self.process.stdout.fileno(), False)

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def output(self) -> IO[bytes] | None:
        return self.process.stdout

    def _die_with_parent(self) -> None:
        # A supervisor killed with -9 cannot stop anybody: the kernel then sends each child its first stop signal.
        if LIBC is not None:
            LIBC.prctl(PR_SET_PDEATHSIG, int(self.program.stop[0]), 0, 0, 0)

    def read_lines(self) -> list[str]:
        """What it wrote since the last call, as whole lines; the last, unended one when the pipe is at its end."""
        if self.output is None:
            return []
        chunks: list[bytes] = []
        ended = False
        with contextlib.suppress(BlockingIOError):
            while len(chunks) < 64:
                part = os.read(self.output.fileno(), 65536)
                if not part:
                    ended = True
                    break
                chunks.append(part)
        *whole, self.rest = (self.rest + b"".join(chunks)).split(b"\n")
        if self.rest and (ended or len(self.rest) > LONGEST_LINE):
            whole, self.rest = [*whole, self.rest], b""
        fresh = [CONTROL.sub("", line[:LONGEST_LINE].decode("utf-8", "replace")) for line in whole]
        self.lines.extend(line for line in fresh if line.strip())
        self.said_ready = self.said_ready or any(self.program.ready_text in line for line in fresh)
        return fresh

    def is_ready(self) -> bool:
        return self.said_ready and self.program.is_ready(self.pid)

    def mark_ended(self, code: int) -> None:
        self.code = code
        self.process.returncode = code

    def close(self) -> None:
        if self.output is not None:
            self.output.close()

    def send(self, number: signal.Signals) -> None:
        """Signal the program itself: it knows best how to end its own children."""
        if self.code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill_group(self) -> None:
        """Kill what is left of its session, whether or not the program itself has ended."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


def say_end(code: int) -> str:
    """An exit code in words."""
    if code >= 0:
        return f"ended with code {code}"
    names = {9: "killed (signal 9: by hand, or by the system when memory is short)", 11: "crashed (signal 11)"}
    return names.get(-code, f"ended by signal {-code}")
