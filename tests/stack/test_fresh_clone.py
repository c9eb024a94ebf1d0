"""A stranger's first minutes: clone, one command, an answer from the address that it prints. Slow: it installs everything."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from portal import env
from portal.embedded.state import wait_until
from tests.stack.test_up import READY, free_port

pytestmark = pytest.mark.slow
INSTALL_SECONDS = 900


def clone(place: Path) -> Path:
    target = place / "a clone"
    subprocess.run(["git", "clone", "--quiet", str(env.ROOT), str(target)], check=True)
    return target


def stranger() -> dict[str, str]:
    """The environment of a person who has just logged in: package settings of the machine, nothing of this test run."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    return {**env.bare(), **kept, "HOME": os.environ.get("HOME", "/")}


def run_until_ready(clone: Path, log: Path, port: int) -> tuple[subprocess.Popen[bytes], float]:
    """`make run`, waited for; the process and the seconds from the end of the install to readiness."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["make", "run", f"PORT={port}", "STATE_DIR=../state of it"],
            cwd=clone,
            env=stranger(),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    installed = clone / ".venv" / ".run"
    wait_until(lambda: installed.exists() or process.poll() is not None, within_seconds=INSTALL_SECONDS)
    began = time.monotonic()
    wait_until(lambda: READY in log.read_text("utf-8", "replace") or process.poll() is not None, within_seconds=120)
    assert READY in log.read_text("utf-8", "replace"), log.read_text("utf-8", "replace")[-3000:]
    return process, time.monotonic() - began


def stop(process: subprocess.Popen[bytes]) -> None:
    """What Ctrl-C does: the whole foreground group gets it, make and the supervisor."""
    os.killpg(process.pid, signal.SIGINT)
    process.wait(60)


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("git") is None, reason="needs make and git")
def test_a_fresh_clone_runs_with_one_command_and_again_without_installing(tmp_path: Path) -> None:
    place = clone(tmp_path)
    port = free_port()

    first, took_first = run_until_ready(place, tmp_path / "first.log", port)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ops/live", timeout=10) as answer:
            status = answer.status
    finally:
        stop(first)
    second, took_second = run_until_ready(place, tmp_path / "second.log", port)
    stop(second)

    assert status == 200
    assert took_first < 60
    assert took_second < 30
    assert "Installing" not in (tmp_path / "second.log").read_text("utf-8", "replace")
    assert (tmp_path / "state of it" / "postgres").exists()


def test_a_python_that_is_too_old_is_said(tmp_path: Path) -> None:
    place = clone(tmp_path)
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\necho 'Footnote needs Python 3.11, 3.12 or 3.13; old' >&2; exit 1\n")
    old.chmod(0o755)

    done = subprocess.run(
        ["make", "run", f"PYTHON={old}"], cwd=place, env=stranger(), capture_output=True, text=True, timeout=60
    )

    assert done.returncode != 0
    assert "Footnote needs Python 3.11, 3.12 or 3.13" in done.stderr
    assert not (place / ".venv").exists()
