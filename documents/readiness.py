"""What the write side needs: the broker, a worker, the embedding process. Each says what its absence costs."""

from __future__ import annotations

import urllib.error
import urllib.request

from django.conf import settings
from django.db import DatabaseError
from kombu.exceptions import OperationalError

from documents import clamd, model_switch, queue
from documents.embedders import live_name
from portal.celery import app
from portal.ops import Check

TIMEOUT_S = 2
STUCK_S = 60.0


def checks() -> list[Check]:
    return [_broker(), _worker(), _embedder(), _models(), *_scanner()]


def gauges() -> dict[str, float]:
    """For /metrics. Raises DatabaseError when the queue cannot be read."""
    state = queue.state("default")
    return {
        "jobs_waiting": float(state.waiting),
        "jobs_running": float(state.running),
        "jobs_oldest_wait_seconds": float(state.oldest_wait_s or 0.0),
    }


def _broker() -> Check:
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=TIMEOUT_S)
    except (OperationalError, ConnectionError, OSError):
        return Check(
            "broker",
            "Broker",
            "warn",
            "Does not answer",
            "New files start a few seconds later: workers look for them by themselves.",
            is_needed=False,
        )
    return Check("broker", "Broker", "ok", "Runs", is_needed=False)


def _worker() -> Check:
    """A worker shows itself by what it does: nothing ready to run may wait longer than STUCK_S."""
    try:
        state = queue.state("default")
    except DatabaseError:
        return Check("worker", "Worker", "warn", "Unknown", "The queue could not be read.")
    if state.waiting and state.oldest_wait_s > STUCK_S and not state.running:
        return Check(
            "worker",
            "Worker",
            "warn",
            "Does not take work",
            f"{state.waiting} jobs wait, the oldest for {state.oldest_wait_s:.0f} s. New files wait; start a worker.",
        )
    label = (
        f"Runs, {state.running} at work, {state.waiting} waiting" if state.running or state.waiting else "Nothing waits"
    )
    return Check("worker", "Worker", "ok", label)


def _embedder() -> Check:
    if not settings.EMBEDDER_URL:
        return Check(
            "embedder", "Embedding process", "warn", "Not set up", "Search works by words alone. Set EMBEDDER_URL."
        )
    request = urllib.request.Request(  # noqa: S310 (env.py admits http and https)
        settings.EMBEDDER_URL.rstrip("/").removesuffix("/v1") + "/health"
    )
    if settings.EMBEDDER_URL.startswith("https:"):
        return Check("embedder", "Embedding process", "ok", "Set up, elsewhere")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310 (the same)
            is_up = response.status == 200
    except (urllib.error.URLError, OSError):
        is_up = False
    if not is_up:
        return Check(
            "embedder",
            "Embedding process",
            "warn",
            "Does not answer",
            "Questions are answered by words alone, and new files wait for their vectors. It goes on by itself when it is back.",
        )
    return Check("embedder", "Embedding process", "ok", "Runs")


def _scanner() -> list[Check]:
    """Nothing where none is set up: it is an extra."""
    if not settings.CLAMD:
        return []
    if clamd.answers(settings.CLAMD):
        return [Check("scanner", "Virus scanner", "ok", "Runs")]
    cost = {
        "hold": "New files wait until it is back; what was read before is not affected.",
        "refuse": "New files are set aside and must be tried again when it is back.",
    }
    return [Check("scanner", "Virus scanner", "warn", "Does not answer", cost[settings.CLAMD_DOWN])]


def _models() -> Check:
    """Whether the environment serves the live model, and how far one beside it is."""
    try:
        says = model_switch.advice()
    except DatabaseError:
        return Check("model", "Embedding model", "warn", "Unknown", "The models could not be read.", is_needed=False)
    if says:
        return Check("model", "Embedding model", "warn", "Not the one that is set", says, is_needed=False)
    return Check("model", "Embedding model", "ok", live_name(), is_needed=False)
