"""One stranger's first minutes: `make run` in a clone, then a browser that signs in, asks, and waits for the marked passage.

    python -m bench.visit '{"clone": "…", "state": "…", "python": "python3", "offline": true, "account": 0}'

A process of its own, so that it can be put into a network of its own with nothing but loopback. Prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page, sync_playwright

from bench.inside import environment
from bench.processes import cpu_seconds
from bench.registry import chromium
from bench.stack import HOST, StackFailed, free_port, wait_until

WITHIN_S = 900.0
SAMPLE_QUESTION = "How long are deleted documents kept?"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@dataclass(frozen=True, slots=True)
class Plan:
    """`account` is the user id that runs the stack; 0 leaves it as it is. `offline`: only loopback is brought up."""

    clone: Path
    state: Path
    python: str = "python3"
    offline: bool = False
    account: int = 0


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds from `make run` until the packages were there, and until the cited answer stood in the browser.

    `cpu_s` is what all of it but the browser worked meanwhile: a loaded machine stretches the others, hardly this.
    """

    installed_s: float
    cited_s: float
    cpu_s: float

    @property
    def after_packages_s(self) -> float:
        return self.cited_s - self.installed_s


def visit(plan: Plan) -> Times:
    """Raises StackFailed with the last lines of the log when no cited answer came."""
    port = free_port()
    marker = plan.clone / ".venv" / ".run"
    known = marker.stat().st_mtime if marker.exists() else None
    with tempfile.NamedTemporaryFile("w+b", prefix="footnote-run-", suffix=".log") as log:
        started = time.monotonic()
        process = subprocess.Popen(
            [
                *as_account(plan.account),
                "make",
                "run",
                f"PORT={port}",
                f"STATE_DIR={plan.state}",
                f"PYTHON={plan.python}",
            ],
            cwd=plan.clone,
            env=surroundings(plan),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_until(or_ended(process, marker.exists), WITHIN_S, "the packages are installed")
            installed = 0.0 if known == marker.stat().st_mtime else time.monotonic() - started
            there = (plan.state / "sign-in.txt").exists
            wait_until(or_ended(process, lambda: there() and answers(port)), WITHIN_S, "the web server answers")
            ask_in_browser(f"http://{HOST}:{port}", sign_in_words(plan.state))
            return Times(installed, time.monotonic() - started, cpu_seconds(process.pid))
        except (StackFailed, BrowserError) as failure:
            said = Path(log.name).read_text(errors="replace").splitlines()[-15:]
            raise StackFailed("\n".join([str(failure), *said])) from failure
        finally:
            end(process)


def surroundings(plan: Plan) -> dict[str, str]:
    """A stranger's shell: nothing of this project's environment in it."""
    kept = environment(plan.state)
    for name in ("VIRTUAL_ENV", "PYTHONPATH", "FOOTNOTE_STATE_DIR", "DJANGO_SETTINGS_MODULE", "MAKEFLAGS", "MAKELEVEL"):
        kept.pop(name, None)
    own = str(Path(sys.prefix) / "bin")
    kept["PATH"] = os.pathsep.join(part for part in kept["PATH"].split(os.pathsep) if part != own)
    if plan.account:
        kept |= {"HOME": str(plan.clone.parent), "USER": "stranger", "LOGNAME": "stranger"}
    return kept


def as_account(account: int) -> list[str]:
    """The words that run a command as another user id, without any of this one's rights."""
    if not account:
        return []
    return [
        "setpriv",
        f"--reuid={account}",
        f"--regid={account}",
        "--clear-groups",
        "--inh-caps=-all",
        "--no-new-privs",
    ]


def or_ended(process: subprocess.Popen[bytes], claim: Callable[[], bool]) -> Callable[[], bool]:
    """`claim`, but a process that ended raises StackFailed at once."""

    def check() -> bool:
        if process.poll() is not None:
            raise StackFailed(f"make run ended with code {process.returncode}")
        return claim()

    return check


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def sign_in_words(state: Path) -> tuple[str, str]:
    lines = (state / "sign-in.txt").read_text(encoding="utf-8").split()
    return lines[0], lines[1]


def ask_in_browser(address: str, words: tuple[str, str]) -> None:
    """Sign in and ask until the answer shows a quote and a marked passage: the sample is read in the first seconds."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page()
        page.goto(f"{address}/sign-in/")
        page.fill("#email", words[0])
        page.fill("#password", words[1])
        page.click("#sign-in button[type=submit]")
        page.wait_for_selector("#question")
        wait_until(lambda: has_cited_answer(page, address), 120, "a cited answer in the browser", every_s=0.5)
        browser.close()


def has_cited_answer(page: Page, address: str) -> bool:
    page.goto(f"{address}/")
    page.fill("#question", SAMPLE_QUESTION)
    page.click("#ask-form button[type=submit]")
    page.wait_for_selector("#answer")
    return page.locator(".quotes .cite").count() > 0 and page.locator("#evidence mark").count() > 0


def end(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C to everything in the foreground, as a terminal sends it."""
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise StackFailed("Ctrl-C did not stop it within 60 s") from None


def raise_loopback() -> None:
    """A new network namespace has its loopback down. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING, see netdevice(7)."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh14s", b"lo", 0x41, b""))


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    plan = Plan(**{**given, "clone": Path(given["clone"]), "state": Path(given["state"])})
    if plan.offline:
        raise_loopback()
    print(json.dumps(asdict(visit(plan))))
