"""What a supervised process is, said as data: the supervisor runs it, the managers describe it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from portal.embedded.account import Account

Signals = tuple[signal.Signals, ...]


def always(pid: int) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Program:
    """One process of the stack.

    It is ready once it has written `ready_text`, if there is one, and `is_ready` says so of its process id. `stop` is
    tried in order, each for
    `grace_seconds`; whoever still lives is killed with its whole process group. A `foreground` program keeps the
    terminal: its input, its output and its Ctrl-C. Lines that hold one of the `hushed` texts are not shown.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    is_ready: Callable[[int], bool] = always
    ready_text: str = ""
    ready_within_seconds: float = 60.0
    stop: Signals = (signal.SIGTERM,)
    grace_seconds: float = 8.0
    account: Account | None = None
    cwd: Path | None = None
    foreground: bool = False
    hushed: tuple[str, ...] = ()
