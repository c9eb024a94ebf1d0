"""Fork a caged child for each file, watch over all of them, and tell each one's end to whoever asked for it."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Child:
    """A child that runs, the line to its asker, and a descriptor that tells its end (-1 where there is none)."""

    pid: int
    line: socket.socket
    end: int


class Children:
    """Serves one control line until it closes, or until nothing was asked for `idle_seconds`.

    A request is one byte with three descriptors: the asker's line, the file, the output. On the line comes a JSON text and a
    line break; back goes a line when the child was started and a line when it ended. One byte more from the asker, or the end
    of the line, ends the child.
    """

    def __init__(self, control: socket.socket, work: Callable[[bytes, int, int], None], idle_seconds: float) -> None:
        self._control = control
        self._work = work
        self._idle_seconds = idle_seconds
        self._selector = selectors.DefaultSelector()
        self._running: dict[int, Child] = {}

    def serve(self) -> None:
        self._selector.register(self._control, selectors.EVENT_READ)
        open_ = True
        while open_:
            events = self._selector.select(self._timeout())
            if not events and not self._running:
                break
            for key, _ in events:
                if key.fileobj is self._control:
                    open_ = self._take_request()
                elif isinstance(key.data, Child) and key.fileobj is key.data.line:
                    self._kill(key.data)
            self._reap()
        for child in list(self._running.values()):
            self._kill(child)

    def _timeout(self) -> float | None:
        if not self._running:
            return self._idle_seconds
        return None if all(child.end >= 0 for child in self._running.values()) else _POLL_SECONDS

    def _take_request(self) -> bool:
        """Start a child; False when the control line has closed."""
        word, descriptors, _, _ = socket.recv_fds(self._control, 1, 3)
        if not word or len(descriptors) != 3:
            for descriptor in descriptors:
                os.close(descriptor)
            return bool(word)
        line = socket.socket(fileno=descriptors[0])
        request = _read_line(line)
        pid = os.fork()
        if pid == 0:
            self._be_child(line, request, descriptors[1], descriptors[2])
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        end = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        child = Child(pid, line, end)
        self._running[pid] = child
        self._selector.register(line, selectors.EVENT_READ, child)
        if end >= 0:
            self._selector.register(end, selectors.EVENT_READ, child)
        with suppress(OSError):
            line.sendall(b"started\n")
        return True

    def _be_child(self, line: socket.socket, request: bytes, file: int, output: int) -> None:
        """What runs in the child; it never returns."""
        status = 1
        try:
            os.setsid()
            self._control.close()
            line.close()
            for child in self._running.values():
                child.line.close()
                if child.end >= 0:
                    os.close(child.end)
            self._selector.close()
            self._work(request, file, output)
            status = 0
        finally:
            os._exit(status)

    def _kill(self, child: Child) -> None:
        """The child leads its own session, so this reaches whatever it started; it is not reaped yet, so the id is its own."""
        with suppress(KeyError, ValueError):
            self._selector.unregister(child.line)
        for kill in (os.killpg, os.kill):  # it may not lead its session yet
            with suppress(ProcessLookupError, PermissionError):
                kill(child.pid, signal.SIGKILL)

    def _reap(self) -> None:
        for child in list(self._running.values()):
            if os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                continue
            self._kill(child)
            _, status, usage = os.wait4(child.pid, 0)
            del self._running[child.pid]
            if child.end >= 0:
                self._selector.unregister(child.end)
                os.close(child.end)
            end = {"status": os.waitstatus_to_exitcode(status), "peak_kb": usage.ru_maxrss}
            with suppress(OSError):
                child.line.sendall(json.dumps(end).encode() + b"\n")
            child.line.close()


def _read_line(line: socket.socket) -> bytes:
    """The request: our own process wrote it whole before it asked."""
    parts: list[bytes] = []
    while not (parts and parts[-1].endswith(b"\n")):
        part = line.recv(65536)
        if not part:
            break
        parts.append(part)
    return b"".join(parts)
