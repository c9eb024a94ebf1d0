"""Sentry: errors with their stack and the breadcrumbs of the events before them. Masked: frames and types, no values.

Sentry's own integrations stay off: they would take requests, local variables, queries and the messages of exceptions, which
quote what people wrote.
"""

from __future__ import annotations

import logging
from collections import deque
from typing import Any

import sentry_sdk

from portal.events import SECRETS

KEPT = frozenset(
    ("event_id", "timestamp", "level", "platform", "logger", "release", "environment", "sdk", "breadcrumbs")
)
"""Top-level parts of a report that pass as they are; everything else is dropped or rebuilt."""
FRAME = ("filename", "abs_path", "function", "module", "lineno", "in_app")
SAFE = (int, float, bool)
WORD = 120
BREADCRUMBS = 50
"""Of the whole process: they hold numbers and codes, so that whose they are matters little."""


class Crashes:
    def __init__(self, dsn: str, **options: Any) -> None:
        self._client = sentry_sdk.Client(
            dsn=dsn,
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,
            include_source_context=False,
            max_request_body_size="never",
            server_name="",
            before_send=lambda event, hint: masked(dict(event)),
            **options,
        )
        self._crumbs: deque[dict[str, Any]] = deque(maxlen=BREADCRUMBS)

    def take(self, record: logging.LogRecord) -> None:
        fields = getattr(record, "fields", None)
        if fields is not None:
            crumb = {
                "timestamp": record.created,
                "category": record.name,
                "level": record.levelname.lower(),
                "message": scrubbed(record.getMessage()),
                "data": {name: _plain(value) for name, value in fields.items()},
            }
            self._crumbs.append(crumb)
        if record.levelno < logging.ERROR:
            return
        # What a foreign logger says may quote anything: its name and the place are kept, its words are not.
        name = scrubbed(record.getMessage()) if fields is not None else record.name
        event, hint = _event(record, name, self._client.options)
        event["breadcrumbs"] = {"values": list(self._crumbs)}
        self._client.capture_event(event, hint)

    def close(self) -> None:
        self._client.close(timeout=3)


def _event(record: logging.LogRecord, name: str, options: Any) -> tuple[Any, Any]:
    from sentry_sdk.utils import event_from_exception

    if record.exc_info and record.exc_info[1] is not None:
        event, hint = event_from_exception(record.exc_info, client_options=options)
    else:
        event, hint = {}, {}
    event.update({"level": record.levelname.lower(), "logger": record.name, "transaction": name})  # type: ignore[typeddict-item]
    return event, hint


def masked(event: dict[str, Any]) -> Any:
    """The report without a single value that somebody wrote: what is not named here does not pass."""
    kept = {name: value for name, value in event.items() if name in KEPT}
    kept["fingerprint"] = ["{{ default }}", str(event.get("transaction", ""))]
    kept["transaction"] = str(event.get("transaction", ""))[:WORD]
    values = (event.get("exception") or {}).get("values") or []
    kept["exception"] = {"values": [_exception(value) for value in values]}
    return kept


def _exception(value: dict[str, Any]) -> dict[str, Any]:
    frames = (value.get("stacktrace") or {}).get("frames") or []
    return {
        "type": value.get("type"),
        "module": value.get("module"),
        "value": "",
        "stacktrace": {"frames": [{name: frame.get(name) for name in FRAME} for frame in frames]},
    }


def scrubbed(text: str) -> str:
    return SECRETS.sub("[secret]", text)[:WORD]


def _plain(value: object) -> str | int | float | bool:
    return value if isinstance(value, SAFE) else scrubbed(str(value))
