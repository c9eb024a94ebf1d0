"""Prometheus metrics, counted from the events that are logged anyway: one table says which event counts as what.

Web and worker write to files of their own in STATE_DIR/metrics; /metrics adds them up (docs/record.md). Nothing in a label
names a person, a document or a question: outcomes, stages, routes and models only.
"""

from __future__ import annotations

import functools
import hmac
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

GetResponse = Callable[[HttpRequest], HttpResponseBase]
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
STAGES = frozenset(
    ("validate", "guard", "fingerprint", "rewrite", "cache", "embed", "search", "gates", "write", "audit", "persist")
)
FORGOTTEN_S = 30 * 24 * 3600.0
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
IS_COUNTED = settings.METRICS_PROCESS in ("web", "worker")


class Meters:
    """The process's meters. Made once, when something is counted first: the library costs 3 MB."""

    def __init__(self, folder: Path, process: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        who = f"{process}-{socket.gethostname()}"
        forget_the_dead(folder, who)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        from prometheus_client import CollectorRegistry, Counter, Histogram, values

        values.ValueClass = values.MultiProcessValue(  # type: ignore[no-untyped-call]
            process_identifier=lambda: f"{who}-{os.getpid()}"
        )
        registry = CollectorRegistry()
        counter = functools.partial(Counter, registry=registry, namespace="footnote")
        timer = functools.partial(Histogram, registry=registry, namespace="footnote", buckets=SECONDS)
        self.questions = counter("questions", "Questions by outcome", ["outcome", "mode"])
        self.question_seconds = timer("question_seconds", "Whole time of a question")
        self.stage_seconds = timer("question_stage_seconds", "Time of one stage of a question", ["stage"])
        self.vector_seconds = timer("vector_search_seconds", "Time of the search by vectors")
        self.passages = counter("question_passages", "Passages given to writers")
        self.tokens = counter("tokens", "Tokens of writing models", ["direction", "model"])
        self.cost = counter("cost_usd", "Estimated cost of writing models", ["model"])
        self.refused = counter("rate_limited", "Questions and sign-ins that came too soon", ["by"])
        self.trouble = counter("trouble", "Parts that did not answer when asked", ["part"])
        self.jobs = counter("jobs", "Jobs that ended", ["kind", "outcome"])
        self.errors = counter("errors", "Events logged as errors", ["logger"])
        self.requests = counter("http_requests", "Requests by route", ["method", "route", "status"])
        self.request_seconds = timer("http_request_seconds", "Time until a response began", ["route"])

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        """Count what was logged. An event that is not in the table counts nothing."""
        match name:
            case "ask.done":
                self._question(fields)
            case "limits.refused":
                self.refused.labels(fields["by"]).inc()
            case "ingest.done" | "evaluation.turn":
                self.jobs.labels(name.partition(".")[0], str(fields.get("outcome", ""))).inc()
            case "ask.embedder_down" | "search.embedder_down":
                self.trouble.labels("embedder").inc()
            case "limits.broker_down" | "wake.broker_down" | "evaluation.broker_down":
                self.trouble.labels("broker").inc()
            case "web.database_down" | "api.database_down" | "worker.no_database":
                self.trouble.labels("database").inc()
            case _:
                pass

    def _question(self, fields: Mapping[str, Any]) -> None:
        self.questions.labels(fields["outcome"], fields.get("mode", "")).inc()
        self.question_seconds.observe(fields["total_ms"] / 1000)
        for stage in STAGES:
            if (ms := fields.get(f"{stage}_ms")) is not None:
                self.stage_seconds.labels(stage).observe(ms / 1000)
        if ms := fields.get("vector_search_ms"):
            self.vector_seconds.observe(ms / 1000)
        self.passages.inc(fields.get("passages", 0))
        if model := fields.get("model", ""):
            self.tokens.labels("in", model).inc(fields.get("tokens_in", 0))
            self.tokens.labels("out", model).inc(fields.get("tokens_out", 0))
            self.cost.labels(model).inc(fields.get("cost_usd", 0.0))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests.labels(method, route, str(status)).inc()
        self.request_seconds.labels(route).observe(seconds)


@functools.cache
def meters() -> Meters:
    return Meters(Path(settings.METRICS_DIR), settings.METRICS_PROCESS)


def forget_the_dead(folder: Path, who: str) -> None:
    """Remove the files of this machine's earlier processes of the same kind, and what no container wrote to for long.

    A rate takes that for a restart, rightly.
    """
    for file in folder.glob(f"*_{who}-*.db"):
        pid = file.stem.rpartition("-")[2]
        if not pid.isdigit() or not _is_alive(int(pid)):
            file.unlink(missing_ok=True)
    for file in folder.glob("*.db"):
        if time.time() - file.stat().st_mtime > FORGOTTEN_S:
            file.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Counted(logging.Handler):
    """Counts events as they are logged."""

    def emit(self, record: logging.LogRecord) -> None:
        if not IS_COUNTED:
            return
        try:
            fields = getattr(record, "fields", None)
            if fields is not None:
                meters().event(record.getMessage(), fields)
            if record.levelno >= logging.ERROR:
                meters().errors.labels(record.name).inc()
        except Exception as error:  # noqa: BLE001 (what is counted must never disturb what is done)
            say_lost("metrics", error)


def say_lost(what: str, error: Exception) -> None:
    """One line on standard error, without the record that was lost."""
    import sys

    sys.stderr.write(f"{what}: an event was lost ({type(error).__name__})\n")


def timed(get_response: GetResponse) -> GetResponse:
    """Middleware: counts each request by its route's name, never by its path."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not IS_COUNTED:
            return get_response(request)
        started = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        route = (match.view_name or "unnamed") if match else "none"
        method = request.method if request.method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE") else "other"
        meters().request(method or "other", route, response.status_code, time.perf_counter() - started)
        return response

    return middleware


@require_safe
def metrics(request: HttpRequest) -> HttpResponseBase:
    """For METRICS_TOKEN's bearer; without a token for this very machine. Anybody else gets what never was."""
    if not may_read(request):
        raise Http404
    meters()
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))  # type: ignore[no-untyped-call]
    registry.register(_Gauges())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    is_near = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1")
    return is_near and not any(name in request.META for name in FORWARDED)


class _Gauges:
    """What is asked for when it is read: `settings.METRICS_GAUGES` names functions that return {name: value}."""

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        is_up = True
        for name in settings.METRICS_GAUGES:
            try:
                for gauge, value in import_string(name)().items():
                    yield GaugeMetricFamily(f"footnote_{gauge}", gauge.replace("_", " "), value=value)
            except DatabaseError:
                is_up = False
        yield GaugeMetricFamily("footnote_database_up", "1 when the database answers", value=float(is_up))
