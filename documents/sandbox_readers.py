"""The one process from which this one's caged readers are forked: started when it is needed, gone when it is idle."""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from documents.cage.user import reader_user
from documents.tokens import default_tokenizer

IDLE_SECONDS = 20.0
_PROGRAM = Path(__file__).with_name("sandbox_child.py")
_ROOT = Path(__file__).parents[1]
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "TOKENIZERS_PARALLELISM": "false",
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "HF_HUB_OFFLINE": "1",
    "NUMBA_DISABLE_CACHING": "1",
}
"""Nothing of ours: where programs are, no home, one thread, freed pictures given back, and no telemetry from any library."""


class ReaderUnavailable(Exception):
    """The reader process ended before it could be asked; another one can be."""


class ReaderProcess:
    """A running reader process and the line to it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [*_without_network(), sys.executable, "-I", "-S", str(_PROGRAM)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_ENVIRONMENT,
            start_new_session=True,
        )
        theirs.close()
        setup = {
            "sys_path": [str(_ROOT), *_library_paths()],
            "user": reader_user(),
            "readable": [sys.prefix, sys.base_prefix, str(_ROOT / "documents"), *_library_paths()],
            "tokenizer": str(default_tokenizer()),
            "idle_seconds": IDLE_SECONDS,
        }
        with suppress(OSError):
            self._control.sendall(json.dumps(setup).encode() + b"\n")

    @property
    def is_usable(self) -> bool:
        return self.owner == os.getpid() and self._process.poll() is None

    def ask(self, request: Mapping[str, object], file: IO[bytes], output: IO[bytes]) -> socket.socket:
        """Have a child read the file; returns the line on which its start and its end are told. Raises ReaderUnavailable."""
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                ours.sendall(json.dumps(request).encode() + b"\n")
                socket.send_fds(self._control, [b"r"], [theirs.fileno(), file.fileno(), output.fileno()])
        except OSError as trouble:
            ours.close()
            raise ReaderUnavailable from trouble
        finally:
            theirs.close()
        return ours

    def kill(self) -> None:
        """End it with all its children: they die with their parent."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Let it end: it does when its line closes."""
        self._control.close()
        if self.owner == os.getpid():
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)


_starting = threading.Lock()
_current: list[ReaderProcess] = []


def reader_process() -> ReaderProcess:
    """The running reader process of this process, or a new one."""
    with _starting:
        if _current and _current[0].is_usable:
            return _current[0]
        if _current:
            _current.pop().close()
        _current.append(ReaderProcess())
        return _current[0]


def discard(process: ReaderProcess) -> None:
    """Take a reader process that did not answer out of use, and wait until it is gone."""
    with _starting:
        if process in _current:
            _current.remove(process)
    process.kill()
    process.close()


@atexit.register
def _let_go() -> None:
    while _current:
        _current.pop().close()


@functools.cache
def _without_network() -> tuple[str, ...]:
    """The prefix that takes the network away, where the kernel lets us make a namespace of our own."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    own = ("--mount",) if os.geteuid() == 0 else ("--map-root-user",)
    for command in (
        (unshare, *own, "--net", "--ipc", "--"),
        (unshare, "--net", "--"),
        (unshare, "--map-root-user", "--net", "--"),
    ):
        with suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([*command, "true"], capture_output=True, timeout=5, check=False).returncode == 0:
                return command
    return ()


@functools.cache
def _library_paths() -> tuple[str, ...]:
    return tuple(path for path in sys.path if path.endswith("-packages") and Path(path).is_dir())
