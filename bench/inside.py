"""Run a function inside Footnote's own Python, in a process of its own, and get its answer as JSON.

Bars look at a stack from outside. Where they need what only the database knows (which passages a search found, how many
chunks a version has), they call a function of bench/inside_*.py here: it reaches the running stack of a state directory
through its runtime.env, or one that `beside` starts for it.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from bench.registry import say
from portal import env

MARK = "inside-answer: "
SERVICES = (
    "DATABASE_URL",
    "BROKER_URL",
    "EMBEDDER_URL",
    env.ADMIN_URL,
    *(f"FOOTNOTE_DB_{role.upper()}_PASSWORD" for role in env.ROLES),
)
OWN = (
    *SERVICES,
    "SECRET_KEY",
    "EMBEDDER_KEY",
    "FOOTNOTE_CONTEXT_KEY",
    "FOOTNOTE_FINGERPRINT_KEY",
    "FOOTNOTE_PROCESS",
    "PORT",
)


class Failed(RuntimeError):
    """The function raised, or its stack did not start; the text holds the last lines it wrote."""


def environment(state: Path, **more: str) -> dict[str, str]:
    """This process's environment without any other stack in it, and without limits: bars ask as fast as they can."""
    kept = {name: value for name, value in env.inherited().items() if name not in OWN}
    return {**kept, **dict.fromkeys(env.LIMITS, "0"), "FOOTNOTE_STATE_DIR": str(state), **more}


def call(state: Path, function: str, **arguments: Any) -> Any:
    """`module:function(**arguments)` against the stack that runs in `state`."""
    return _run([sys.executable, "-m", "bench.inside", function, json.dumps(arguments)], state)


def beside(
    state: Path,
    function: str,
    *,
    without: tuple[str, ...] = (),
    settings: Mapping[str, str] | None = None,
    **arguments: Any,
) -> Any:
    """The same beside services that are started for it, under these settings, and stopped afterwards; data stays in `state`."""
    left_out = [word for name in without for word in ("--without", name)]
    inner = [sys.executable, "-m", "bench.inside", function, json.dumps(arguments)]
    return _run([sys.executable, "-m", "portal.supervisor", "exec", *left_out, "--", *inner], state, settings)


def _run(command: list[str], state: Path, settings: Mapping[str, str] | None = None) -> Any:
    """Notes are passed on as they come; all else is kept for the case that it fails."""
    last: deque[str] = deque(maxlen=40)
    answer: list[str] = []
    its_own = environment(state, **(settings or {}))
    with subprocess.Popen(
        command, cwd=env.ROOT, env=its_own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            if line.startswith(MARK):
                answer.append(line.removeprefix(MARK))
            elif line.startswith("# "):
                say(line.rstrip())
            else:
                last.append(line.rstrip())
    if not answer:
        raise Failed("\n".join(last))
    return json.loads(answer[-1])


def main(function: str, arguments: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    logging.getLogger().setLevel(logging.ERROR)
    module, _, name = function.partition(":")
    answer = getattr(import_module(module), name)(**json.loads(arguments))
    print(MARK + json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
