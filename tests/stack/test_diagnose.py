"""The doctor: every lack says what it costs and what to do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from portal import diagnose, env


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def test_nothing_named_means_the_embedded_parts(tmp_path: Path) -> None:
    found = {finding.name: finding for finding in diagnose.examine(env.load({"FOOTNOTE_STATE_DIR": str(tmp_path)}))}

    assert [found[name].level for name in ("Python", "state directory", "database", "broker", "embedder")] == ["ok"] * 5
    assert "make run" in found["database"].says


def test_a_named_database_that_is_down_is_broken_and_a_broker_only_lacks() -> None:
    port = free_port()

    down = diagnose.database(f"postgresql://127.0.0.1:{port}/x")
    slow = diagnose.broker(f"redis://:hunter2@127.0.0.1:{port}/0")
    late = diagnose.embedder(f"http://127.0.0.1:{port}/v1")

    assert (down.level, slow.level, late.level) == ("broken", "lacks", "lacks")
    assert f"127.0.0.1:{port} (DATABASE_URL) does not answer" in down.says
    assert "uploads are read some seconds later" in slow.says
    assert "found by their words" in late.says
    assert "hunter2" not in slow.says


def test_a_named_database_that_answers_is_well() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        assert diagnose.database(f"postgresql://127.0.0.1:{port}/x").level == "ok"


def test_programs_that_are_missing_are_named_with_their_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    found = list(diagnose.optional_programs())

    assert {finding.level for finding in found} == {"lacks"}
    assert all("apt-get install" in finding.says for finding in found)


def test_a_wall_that_is_missing_is_named_with_what_would_raise_it() -> None:
    nothing = {"user": 0, "reads_files": 1, "reads_environment": 1, "opens_sockets": 1, "starts_programs": 1}
    everything = dict.fromkeys(nothing, 0) | {"user": 64_317}

    assert len(list(diagnose.missing_walls(nothing, is_root=True))) == 5
    assert list(diagnose.missing_walls(everything, is_root=True)) == []


def test_the_walls_are_tried_in_a_real_reader() -> None:
    found = diagnose.sandbox()

    assert found.level in ("ok", "lacks")
    assert "readers" in found.says


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_state_directory_is_broken(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)

    assert diagnose.state_directory(tmp_path / "closed" / "state").level == "broken"


def test_the_command_exits_with_one_when_footnote_cannot_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=env.ROOT,
        env={
            **env.bare(),
            "FOOTNOTE_STATE_DIR": str(tmp_path),
            "DATABASE_URL": f"postgresql://127.0.0.1:{free_port()}/x",
        },
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    assert "BROKEN  database" in done.stdout
