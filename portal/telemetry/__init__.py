"""Traces and crash reports for other systems, made of the structured events alone: no question, passage or answer is in them.

Each sink is off until it is configured, sits behind an extra, and is imported with the first event that it takes.
"""

from __future__ import annotations

import functools
import logging
from typing import Protocol

from django.conf import settings

from portal.metrics import say_lost


class Sink(Protocol):
    def take(self, record: logging.LogRecord) -> None:
        """Queue what this sink keeps of an event. Must not wait for the network."""
        ...

    def close(self) -> None:
        """Send what is queued, for some seconds at most."""
        ...


@functools.cache
def sinks() -> tuple[Sink, ...]:
    """Those that are configured."""
    found: list[Sink] = []
    if settings.OTLP_ENDPOINT or settings.LANGFUSE_HOST:
        from portal.telemetry.spans import Spans, targets

        found.append(Spans(targets()))
    if settings.SENTRY_DSN:
        from portal.telemetry.crashes import Crashes

        found.append(Crashes(settings.SENTRY_DSN))
    return tuple(found)


class Sent(logging.Handler):
    """Hands events on to the sinks; what goes wrong there is one line on standard error and nothing else."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (settings.OTLP_ENDPOINT or settings.LANGFUSE_HOST or settings.SENTRY_DSN):
            return
        try:
            for sink in sinks():
                sink.take(record)
        except Exception as error:  # noqa: BLE001 (an adapter must never disturb what it reports)
            say_lost("telemetry", error)

    def close(self) -> None:
        """At the end of the process: what is queued is sent."""
        for sink in sinks() if sinks.cache_info().currsize else ():
            sink.close()
        super().close()
