"""What a state directory remembers, and how it says that it cannot."""

from __future__ import annotations

import multiprocessing
import os
import socket
import stat
from pathlib import Path

import pytest

from portal.embedded import state
from portal.embedded.state import CannotStart


def test_secrets_are_made_once_and_are_the_owners_alone(tmp_path: Path) -> None:
    first = state.keep_secrets(tmp_path)
    again = state.keep_secrets(tmp_path)

    assert first == again
    assert set(first) == set(state.SECRETS)
    assert len(set(first.values())) == len(state.SECRETS)
    assert stat.S_IMODE((tmp_path / "secrets.env").stat().st_mode) == 0o600


def test_a_new_secret_joins_the_old_ones(tmp_path: Path) -> None:
    state.write_pairs(tmp_path / "secrets.env", {"SECRET_KEY": "kept"})

    kept = state.keep_secrets(tmp_path)

    assert kept["SECRET_KEY"] == "kept"
    assert set(kept) == set(state.SECRETS)


def test_a_port_is_kept_while_it_is_free_and_replaced_when_it_is_not(tmp_path: Path) -> None:
    port = state.keep_port(tmp_path, "POSTGRES")
    same = state.keep_port(tmp_path, "POSTGRES")
    with socket.create_server(("127.0.0.1", port)):
        other = state.keep_port(tmp_path, "POSTGRES")

    assert same == port
    assert other != port
    assert state.read_pairs(tmp_path / "ports.env") == {"POSTGRES": str(other)}


def hold(path: Path, ready: multiprocessing.synchronize.Event, end: multiprocessing.synchronize.Event) -> None:
    with state.lock(path):
        ready.set()
        end.wait(20)


def test_a_second_start_is_refused_in_words_and_a_third_succeeds_after_the_first_ended(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, end = context.Event(), context.Event()
    holder = context.Process(target=hold, args=(tmp_path, ready, end))
    holder.start()
    ready.wait(20)

    with pytest.raises(CannotStart) as refused, state.lock(tmp_path):
        pass
    end.set()
    holder.join(20)
    with state.lock(tmp_path):
        pass

    assert f"already runs in {tmp_path} (process {holder.pid})" in str(refused.value)
    assert "STATE_DIR=" in str(refused.value)


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "secrets.env"
    state.write_pairs(file, {"A": "1"})
    blocked = tmp_path / f".secrets.env.{os.getpid()}"
    blocked.mkdir()

    with pytest.raises(CannotStart, match="What was stored before is unharmed"):
        state.write_pairs(file, {"A": "2"})

    assert state.read_pairs(file) == {"A": "1"}


def test_a_state_directory_under_a_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CannotStart, match=r"cannot be made .* STATE_DIR="):
        state.make(tmp_path / "file" / "state")


def test_a_host_of_another_machine_is_refused_in_words() -> None:
    with pytest.raises(CannotStart, match=r"HOST=no\.such\.host\.invalid is not"):
        state.is_free("no.such.host.invalid", 8000)
