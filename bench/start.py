"""From a clone to a cited answer in a real browser: the first time, the second time, without a network, without root."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.inside import environment
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import StackFailed
from bench.visit import Plan, Times
from portal import env

NOBODY = 65534
SYSTEM_PYTHON = "/usr/bin/python3"


@measures(
    Bar("first_run_s", "<", 300),
    Bar("first_run_after_packages_s", "<", 60),
    Bar("second_start_s", "<", 15),
    Bar("offline_run", "=", 1),
    is_long=True,
    needs=("chromium", "unshare", "root"),
)
def first_run(bench: Bench) -> Figures:
    """A fresh clone on a path with a space, an empty state directory and a new virtual environment."""
    with cloned(bench) as clone:
        plan = Plan(clone, clone.parent / "state of mine", python=sys.base_prefix + "/bin/python3")
        first = visit(plan)
        bench.note(f"first run: {said(first)}")
        again = visit(plan)
        bench.note(f"second start: {said(again)}")
        figures = {
            "first_run_s": first.cited_s,
            "first_run_after_packages_s": first.after_packages_s,
            "second_start_s": again.cited_s,
        }
        offline = visit(replace(plan, state=clone.parent / "state offline", offline=True))
        bench.note(f"offline, empty state: {said(offline)}")
        return {**figures, "offline_run": 1}


@measures(Bar("non_root_run", "=", 1), is_long=True, needs=("chromium", "root"))
def non_root_run(bench: Bench) -> Figures:
    """The same as user nobody, with a Python that this user can execute."""
    with cloned(bench) as clone:
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(clone.parent)], check=True)
        plan = Plan(clone, clone.parent / "state of mine", python=SYSTEM_PYTHON, account=NOBODY)
        found = visit(plan)
        bench.note(f"as nobody: {said(found)}")
        return {"non_root_run": 1}


def said(times: Times) -> str:
    packages = f"packages after {times.installed_s:.1f} s, " if times.installed_s else ""
    return f"{packages}cited answer after {times.cited_s:.1f} s, {times.cpu_s:.1f} CPU-seconds"


@contextmanager
def cloned(bench: Bench) -> Iterator[Path]:
    """A clone of the last commit in a folder with a space in its name, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="footnote first run ") as folder:
        Path(folder).chmod(0o755)
        clone = Path(folder) / "foot note"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(env.ROOT), str(clone)], check=True)
        head = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=clone, capture_output=True, text=True, check=True
        )
        bench.note(f"clone of {head.stdout.strip()}")
        yield clone


def visit(plan: Plan) -> Times:
    """bench.visit in a process of its own, in an empty network when the plan says offline. Packages come without pip's cache."""
    given = {
        "clone": str(plan.clone),
        "state": str(plan.state),
        "python": plan.python,
        "offline": plan.offline,
        "account": plan.account,
    }
    inner = [sys.executable, "-m", "bench.visit", json.dumps(given)]
    done = subprocess.run(
        ["unshare", "--net", *inner] if plan.offline else inner,
        cwd=env.ROOT,
        env={**environment(plan.state), "PIP_NO_CACHE_DIR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise StackFailed("\n".join((done.stdout + done.stderr).splitlines()[-40:]))
    return Times(**json.loads(done.stdout.splitlines()[-1]))
