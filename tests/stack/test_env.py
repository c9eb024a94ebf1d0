"""The environment: typed, complete in .env.example, and clear about what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from portal import env


class Recorder(Mapping[str, str]):
    """An environment that is empty and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORT", "http", "PORT must be a whole number from 1 to 65535"),
        ("PORT", "70000", "PORT must be a whole number from 1 to 65535"),
        ("MAX_UPLOAD_MB", "0", "MAX_UPLOAD_MB must be a whole number from 1 to 2048"),
        ("DEBUG", "maybe", "DEBUG must be 1 or 0"),
        ("LOG_FORMAT", "xml", "LOG_FORMAT must be one of text, json"),
        ("DATABASE_URL", "mysql://h/x", "DATABASE_URL must be a URL that starts with postgresql://"),
        ("DATABASE_URL", "postgresql://h", "DATABASE_URL must end with /<database name>"),
        ("DATABASE_URL", "postgresql://h:p/x", "DATABASE_URL has a port that is not a number"),
        ("BROKER_URL", "amqp://h", "BROKER_URL must be a URL that starts with redis://"),
        ("EMBEDDER_URL", "localhost:80", "EMBEDDER_URL must be a URL that starts with http://"),
        ("CLAMD", "localhost", "CLAMD must be unix:/path/of/the.socket or host:port"),
        ("CLAMD", "unix:clamd.ctl", "CLAMD must be unix:/path/of/the.socket or host:port"),
        ("CLAMD_DOWN", "ignore", "CLAMD_DOWN must be one of hold, refuse"),
        ("FOOTNOTE_PROCESS", "cron", "FOOTNOTE_PROCESS must be one of web, worker"),
        ("SECRET_KEY_FILE", "/no/such/file", "SECRET_KEY_FILE names a file that cannot be read"),
    ],
)
def test_a_bad_value_is_named_with_the_way_out(name: str, value: str, says: str) -> None:
    with pytest.raises(env.BadEnvironment) as refused:
        env.load({name: value})

    assert str(refused.value).startswith(f"Footnote cannot start: {says}")
    assert ".env.example" in str(refused.value)


def test_a_bad_address_does_not_show_its_password() -> None:
    with pytest.raises(env.BadEnvironment) as refused:
        env.load({"DATABASE_URL": "mysql://someone:hunter2@h/x"})

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("process", ["web", "worker", "embedder"])
def test_serving_processes_are_blind_to_owner_keys_wherever_they_stand(
    process: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password_file = tmp_path / "owner"
    password_file.write_text("secret")
    env.runtime_file(tmp_path).write_text("FOOTNOTE_DB_OWNER_PASSWORD=kept\nFOOTNOTE_DB_APP_PASSWORD=app\n")
    monkeypatch.setenv("FOOTNOTE_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("FOOTNOTE_PROCESS", process)
    monkeypatch.setenv("FOOTNOTE_ADMIN_DATABASE_URL", "postgresql://postgres:x@h/x")
    monkeypatch.setenv("FOOTNOTE_DB_OWNER_PASSWORD_FILE", str(password_file))
    monkeypatch.delenv("FOOTNOTE_DB_OWNER_PASSWORD", raising=False)
    monkeypatch.delenv("FOOTNOTE_DB_APP_PASSWORD", raising=False)

    seen = env.current()

    assert (seen.admin_database_url, seen.database_passwords["owner"]) == ("", "")
    assert seen.database_passwords["app"] == "app"


def test_a_command_knows_the_owner(tmp_path: Path) -> None:
    seen = env.load({"FOOTNOTE_DB_OWNER_PASSWORD": "kept", "FOOTNOTE_ADMIN_DATABASE_URL": "postgresql://p:x@h/x"})

    assert (seen.process, seen.database_passwords["owner"], seen.admin_database_url) == (
        "command",
        "kept",
        "postgresql://p:x@h/x",
    )


def test_the_example_names_every_variable_that_is_read_and_no_other() -> None:
    recorder = Recorder()
    env.load(recorder)
    read = {name for name in recorder.asked if not name.endswith("_FILE")}
    example = (env.ROOT / ".env.example").read_text(encoding="utf-8")

    named = set(re.findall(r"^# ([A-Z][A-Z_]+)=", example, flags=re.MULTILINE))

    assert named == read
