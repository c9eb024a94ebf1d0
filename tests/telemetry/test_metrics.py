"""Metrics as Prometheus reads them: added up over processes, for who may read them, without a label of anybody."""

from __future__ import annotations

import gc
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prometheus_client.mmap_dict import MmapedDict

from portal import metrics
from tests.telemetry.test_spans import BY_MODEL, RECORD

COUNT = """
import json, sys, os
sys.path.insert(0, os.getcwd())
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
import django
from django.conf import settings
settings.METRICS_PROCESS, settings.METRICS_DIR = sys.argv[1], sys.argv[2]
django.setup()
import logging
from portal.events import Log
for event, fields in json.loads(sys.argv[3]):
    Log("answers.ask").info(event, **fields)
"""


@pytest.fixture
def counted(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """This process counts into a folder of the test's own."""
    settings.METRICS_DIR, settings.METRICS_PROCESS = tmp_path, "web"
    monkeypatch.setattr(metrics, "IS_COUNTED", True)
    metrics.meters.cache_clear()
    yield tmp_path
    metrics.meters.cache_clear()
    # isinstance would ask lazy objects of other tests what they are, and so make them
    for file in [one for one in gc.get_objects() if issubclass(type(one), MmapedDict)]:
        file.close()  # the library leaves its files to the end of the process
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)


def elsewhere(folder: Path, process: str, *events: tuple[str, dict[str, Any]]) -> None:
    """Another process that logs these events."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, process, str(folder), json.dumps(events)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def scraped(**headers: str) -> dict[str, float]:
    answer = Client().get("/metrics", headers=headers)
    assert answer.status_code == 200
    lines = [line for line in answer.content.decode().splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


@pytest.mark.usefixtures("database")
def test_web_and_worker_are_added_up(counted: Path) -> None:
    elsewhere(counted, "worker", ("ingest.done", {"job": 1, "attempt": 1, "outcome": "ready"}), ("ask.done", RECORD))
    metrics.meters().event("ask.done", RECORD)
    metrics.meters().event("ask.done", BY_MODEL)

    found = scraped()

    assert found['footnote_questions_total{mode="extractive",outcome="answered"}'] == 2
    assert found['footnote_jobs_total{kind="ingest",outcome="ready"}'] == 1
    assert found['footnote_tokens_total{direction="in",model="small-1"}'] == 900
    assert found['footnote_cost_usd_total{model="small-1"}'] == pytest.approx(0.0004)
    assert found['footnote_question_stage_seconds_count{stage="search"}'] == 3
    assert found['footnote_question_stage_seconds_sum{stage="search"}'] == pytest.approx(0.12)
    assert found["footnote_vector_search_seconds_sum"] == pytest.approx(0.0375)
    assert (found["footnote_jobs_waiting"], found["footnote_database_up"]) == (0, 1)


@pytest.mark.usefixtures("database")
def test_requests_are_counted_by_route_and_never_by_path(counted: Path) -> None:
    client = Client()
    client.get("/documents/0123456789abcdef01/")
    client.get("/no-such-page-zanzibarquux/")

    found = scraped()

    assert found['footnote_http_requests_total{method="GET",route="document",status="302"}'] == 1
    assert found['footnote_http_requests_total{method="GET",route="none",status="404"}'] == 1
    assert not [line for line in found if "zanzibarquux" in line or "0123456789abcdef01" in line]


@pytest.mark.parametrize(
    ("token", "address", "headers", "allowed"),
    [
        ("", "127.0.0.1", {}, True),
        ("", "::1", {}, True),
        ("", "203.0.113.9", {}, False),
        ("", "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, False),
        ("", "127.0.0.1", {"X-Real-IP": "203.0.113.9"}, False),
        ("s3cret", "203.0.113.9", {"Authorization": "Bearer s3cret"}, True),
        ("s3cret", "127.0.0.1", {}, False),
        ("s3cret", "127.0.0.1", {"Authorization": "Bearer guess"}, False),
        ("s3cret", "127.0.0.1", {"Authorization": "Bearer é"}, False),
    ],
)
@pytest.mark.usefixtures("database")
def test_who_may_read(
    counted: Path, settings: Any, token: str, address: str, headers: dict[str, str], allowed: bool
) -> None:
    settings.METRICS_TOKEN = token

    answers = [Client(REMOTE_ADDR=address).get(path, headers=headers) for path in ("/metrics", "/ops/metrics")]

    assert [answer.status_code for answer in answers] == [200 if allowed else 404] * 2


def test_files_of_processes_that_are_gone_are_forgotten_and_those_of_others_are_not(tmp_path: Path) -> None:
    alive = os.getpid()
    for name in (
        "counter_web-here-999999999",
        f"counter_web-here-{alive}",
        "counter_worker-here-999999999",
        "counter_web-there-1",
    ):
        (tmp_path / f"{name}.db").touch()
    (tmp_path / "counter_web-elsewhere-1.db").touch()
    os.utime(tmp_path / "counter_web-elsewhere-1.db", (0, 0))

    metrics.forget_the_dead(tmp_path, "web-here")

    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(
        ["counter_web-there-1", f"counter_web-here-{alive}", "counter_worker-here-999999999"]
    )


def test_what_cannot_be_counted_disturbs_nobody_and_says_no_value(
    counted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = logging.LogRecord("answers.ask", logging.INFO, "ask.py", 1, "ask.done", (), None)
    record.fields = {"total_ms": "zanzibarquux"}

    metrics.Counted().emit(record)

    said = capsys.readouterr().err
    assert said.startswith("metrics: an event was lost (") and "zanzibarquux" not in said


def test_a_command_counts_nothing(tmp_path: Path) -> None:
    elsewhere(tmp_path, "command", ("ask.done", RECORD))

    assert list(tmp_path.iterdir()) == []
