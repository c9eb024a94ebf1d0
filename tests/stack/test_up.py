"""`manage.py up`: the whole stack as a person starts it, and the starts that are refused in words."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal import env
from portal.embedded import state
from portal.embedded.postgres import SETTINGS
from portal.embedded.state import wait_until
from portal.split import PAGE_THREADS

READY = "Footnote is ready after"


@dataclass
class Stack:
    """A running `up`, its output in a file."""

    process: subprocess.Popen[bytes]
    state_dir: Path
    port: int
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def processes(self) -> dict[str, int]:
        """Process ids by name, of those that the supervisor started."""
        signs = {
            "web": b"uvicorn",
            "worker": b"portal.worker",
            "postgres": b"-D",
            "valkey": b"valkey-server",
            "embedder": b"embedding",
        }
        found: dict[str, int] = {}
        for entry in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            command = Path(f"/proc/{entry}/cmdline").read_bytes()
            found.update({name: int(entry) for name, sign in signs.items() if sign in command})
        return found

    def get(self, path: str) -> tuple[int, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def start(state_dir: Path, log: Path, *, port: int | None = None, given: Mapping[str, str] | None = None) -> Stack:
    port = port or free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=env.ROOT,
            env={**env.bare(), "FOOTNOTE_STATE_DIR": str(state_dir), "PORT": str(port), **(given or {})},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    return Stack(process, state_dir, port, log)


def wait_for(stack: Stack, text: str, *, within_seconds: float = 60) -> str:
    wait_until(lambda: text in stack.said() or stack.process.poll() is not None, within_seconds=within_seconds)
    said = stack.said()
    assert text in said, said[-3000:]
    return said


def end(stack: Stack) -> int:
    stack.process.send_signal(signal.SIGINT)
    return stack.process.wait(40)


def refused(state_dir: Path, tmp_path: Path, *, port: int | None = None, **given: str) -> str:
    """The words of a start that must fail."""
    stack = start(state_dir, tmp_path / "refused.log", port=port, given=given)
    assert stack.process.wait(40) == 1
    return stack.said()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    place = tmp_path_factory.mktemp("up") / "with a space"
    place.mkdir()
    running = start(place / "state", place / "up.log")
    try:
        wait_for(running, READY)
        yield running
    finally:
        if running.process.poll() is None:
            end(running)


def test_address_and_sign_in_are_printed_and_kept_for_the_owner_alone(stack: Stack) -> None:
    said = stack.said()
    words = (stack.state_dir / "sign-in.txt").read_text(encoding="utf-8").split()

    assert f"http://localhost:{stack.port}/" in said
    assert all(word in said for word in words)
    for name in ("sign-in.txt", "runtime.env", "secrets.env"):
        assert stat.S_IMODE((stack.state_dir / name).stat().st_mode) == 0o600


def test_every_slow_step_and_every_line_says_whose_it_is(stack: Stack) -> None:
    said = stack.said()

    for name in ("postgres", "valkey", "embedder", "web", "worker"):
        assert re.search(rf"^footnote  \| {name} is ready \([0-9.]+ s\)$", said, flags=re.MULTILINE), name
    assert "new database: done (" in said
    assert all(re.match(r"[a-z]+ *\| ", line) for line in said.splitlines() if line), said
    assert "\033" not in said


def test_it_answers(stack: Stack) -> None:
    assert stack.get("/ops/live") == (200, json.dumps({"live": True}))


def test_a_path_with_foreign_letters_reaches_django_unbroken(stack: Stack) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        stack.get("/ops/l%C3%A4uft")

    with refused.value as answer:
        assert answer.status == 404


def test_pages_hold_fewer_connections_than_the_embedded_database_has() -> None:
    most = next(int(line.split("=")[1]) for line in SETTINGS.splitlines() if line.startswith("max_connections"))
    aliases, worker_threads, kept_for_superusers = 3, 3, 3

    assert most - kept_for_superusers > (PAGE_THREADS + worker_threads) * aliases


def test_no_serving_process_holds_the_owners_or_superusers_keys(stack: Stack) -> None:
    secrets = state.keep_secrets(stack.state_dir)
    for name, pid in stack.processes().items():
        held = Path(f"/proc/{pid}/environ").read_bytes().decode()
        assert secrets["FOOTNOTE_DB_OWNER_PASSWORD"] not in held, name
        assert secrets["POSTGRES_PASSWORD"] not in held, name
    assert secrets["FOOTNOTE_DB_APP_PASSWORD"] not in Path(f"/proc/{stack.processes()['embedder']}/environ").read_text()
    assert set(stack.processes()) == {"web", "worker", "postgres", "valkey", "embedder"}


def test_no_library_may_report_to_its_maker(stack: Stack) -> None:
    for name in ("web", "worker", "embedder"):
        held = Path(f"/proc/{stack.processes()[name]}/environ").read_bytes().split(b"\0")
        assert {b"ORT_DISABLE_TELEMETRY=1", b"DO_NOT_TRACK=1", b"SCARF_NO_ANALYTICS=1"} <= set(held), name


def test_a_command_in_a_second_terminal_reaches_the_running_stack(stack: Stack) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=env.ROOT,
        env={**env.bare(), "FOOTNOTE_STATE_DIR": str(stack.state_dir)},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stdout
    for name in ("database", "broker", "embedder"):
        assert re.search(rf"^ok +{name} +answers at 127\.0\.0\.1:", done.stdout, flags=re.MULTILINE), done.stdout


def test_a_second_start_is_refused_and_the_first_goes_on(stack: Stack, tmp_path: Path) -> None:
    said = refused(stack.state_dir, tmp_path)

    assert f"already runs in {stack.state_dir} (process {stack.process.pid})" in said
    assert stack.get("/ops/live")[0] == 200


def test_a_taken_port_is_refused_before_anything_is_made(stack: Stack, tmp_path: Path) -> None:
    said = refused(tmp_path / "other", tmp_path, port=stack.port)

    assert f"Port {stack.port} on 127.0.0.1 is taken" in said
    assert f"make run PORT={stack.port + 1}" in said
    assert not (tmp_path / "other" / "postgres").exists()


def test_web_and_worker_come_back_after_a_kill(stack: Stack) -> None:
    before = stack.processes()

    for name in ("web", "worker"):
        os.kill(before[name], signal.SIGKILL)
        wait_for(stack, f"{name} was started again", within_seconds=20)

    assert wait_until(lambda: socket_open(stack.port), within_seconds=20)
    assert stack.processes()["web"] != before["web"]


def socket_open(port: int) -> bool:
    return not state.is_free("127.0.0.1", port)


def test_the_end_leaves_nothing_and_the_next_start_is_quick_and_keeps_the_data(stack: Stack, tmp_path: Path) -> None:
    pids = stack.processes()
    sign_in = (stack.state_dir / "sign-in.txt").read_text(encoding="utf-8")

    assert end(stack) == 0
    assert "stopped. Your data is kept in" in stack.said()
    assert [name for name, pid in pids.items() if Path(f"/proc/{pid}").exists()] == []
    assert not (stack.state_dir / "runtime.env").exists()

    began = time.monotonic()
    again = start(stack.state_dir, tmp_path / "again.log")
    try:
        said = wait_for(again, READY)
        took = time.monotonic() - began
    finally:
        code = end(again)

    assert (code, (stack.state_dir / "sign-in.txt").read_text(encoding="utf-8")) == (0, sign_in)
    assert "new database" not in said
    assert took < 30  # the bar is 15 s on an idle machine; tests share it


def test_a_database_that_is_down_is_said_and_nothing_starts(tmp_path: Path) -> None:
    port = free_port()

    said = refused(tmp_path / "s", tmp_path, DATABASE_URL=f"postgresql://127.0.0.1:{port}/footnote")

    assert f"The database at 127.0.0.1:{port} does not answer. Nothing was started and nothing is lost." in said
    assert "ready" not in said


def test_a_bad_value_is_said_with_its_name(tmp_path: Path) -> None:
    said = refused(tmp_path / "s", tmp_path, MAX_UPLOAD_MB="lots")

    assert said == (
        "Footnote cannot start: MAX_UPLOAD_MB must be a whole number from 1 to 2048. See .env.example for what it takes.\n"
    )


def test_an_address_of_another_machine_is_said(tmp_path: Path) -> None:
    assert "HOST=no.such.host.invalid is not" in refused(tmp_path / "s", tmp_path, HOST="no.such.host.invalid")


def test_a_state_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert "cannot be made" in refused(tmp_path / "file" / "state", tmp_path)
