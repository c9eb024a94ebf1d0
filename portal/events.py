"""Logging: events with fields, one line each, in text or JSON. Questions, passages, answers and keys are never fields."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

SECRETS = re.compile(r"fn_[0-9a-f]{18}_[A-Za-z0-9_-]+|(?i:bearer)\s+\S+|://[^/\s:@]+:[^/\s@]+@")
PLAIN = (int, float, bool, type(None))


class Log:
    """`log.info("ask.done", chunks=5, total_ms=412)`. Values are numbers, refs, codes and hashes."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **fields: Any) -> None:
        self._logger.debug(event, extra={"fields": fields})

    def info(self, event: str, **fields: Any) -> None:
        self._logger.info(event, extra={"fields": fields})

    def warning(self, event: str, **fields: Any) -> None:
        self._logger.warning(event, extra={"fields": fields})

    def error(self, event: str, **fields: Any) -> None:
        self._logger.error(event, extra={"fields": fields})

    def failure(self, event: str, **fields: Any) -> None:
        """With the stack of the exception being handled, without its message: messages quote values."""
        self._logger.error(event, exc_info=True, extra={"fields": fields})  # noqa: LOG014 (called in a handler)


class Scrub(logging.Filter):
    """The last net under every log line: keys, bearer tokens and passwords in URLs are blanked."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if SECRETS.search(message):
            record.msg, record.args = SECRETS.sub("[secret]", message), ()
        return True


class Formatter(logging.Formatter):
    def __init__(self, *, json: bool = False) -> None:
        super().__init__()
        self._json = json

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, "fields", {})
        stack = self._stack(record)
        if self._json:
            entry = {"at": self.formatTime(record), "level": record.levelname, "event": record.getMessage(), **fields}
            return json.dumps({**entry, "stack": stack} if stack else entry, default=str)
        pairs = " ".join(f"{name}={value}" for name, value in fields.items())
        line = (
            f"{self.formatTime(record, '%H:%M:%S')} {record.levelname.lower():7} {record.getMessage()} {pairs}".rstrip()
        )
        return f"{line}\n{stack}" if stack else line

    @staticmethod
    def _stack(record: logging.LogRecord) -> str:
        """Frames and the exception's type; the message is left out, since database errors quote parameters."""
        if not record.exc_info or record.exc_info[1] is None:
            return ""
        error = record.exc_info[1]
        frames = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            frames.append(f"  {code.co_filename}:{trace.tb_lineno} {code.co_name}")
            trace = trace.tb_next
        return "\n".join([*frames, f"  {type(error).__module__}.{type(error).__name__}"])
