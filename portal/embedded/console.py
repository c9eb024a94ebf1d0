"""What the person at the terminal reads: one line per event, the process's name in front, colour only on a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

WIDTH = 9
COLOURS = {"footnote": "1", "postgres": "34", "valkey": "35", "embedder": "36", "bootstrap": "33", "web": "32"}


class Console:
    """Writes prefixed lines. A terminal that has gone away is no reason to fall over: then it writes nowhere."""

    def __init__(self, out: TextIO, *, colour: bool) -> None:
        self.out = out
        self.colour = colour

    def line(self, name: str, text: str) -> None:
        label = name.ljust(WIDTH)
        if self.colour:
            label = f"\033[{COLOURS.get(name, '37')}m{label}\033[0m"
        self.write(f"{label} | {text}\n")

    def say(self, text: str) -> None:
        """Footnote's own words; each line prefixed."""
        for part in text.splitlines():
            self.line("footnote", part)

    def write(self, text: str) -> None:
        try:
            self.out.write(text)
            self.out.flush()
        except (OSError, ValueError):
            self.out = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (lives as long as the process)


def on_stdout(*, plain: bool) -> Console:
    """`plain` is what NO_COLOR asks for."""
    return Console(sys.stdout, colour=sys.stdout.isatty() and not plain)


def on_stderr(*, plain: bool) -> Console:
    return Console(sys.stderr, colour=sys.stderr.isatty() and not plain)
