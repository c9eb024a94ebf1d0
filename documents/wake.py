"""Wake a worker through the broker. When it is down nothing is lost: every worker also looks by itself (portal/celery.py)."""

from __future__ import annotations

from documents.breaker import Breaker
from portal.celery import app
from portal.events import Log

log = Log("documents.wake")
TASK = "documents.tasks.work"
broker_breaker = Breaker(first_pause_s=2.0, longest_pause_s=10.0)
"""A broker that does not even refuse costs two seconds a call: 500 files of one upload must not pay that 500 times."""


def wake() -> bool:
    """True when the broker took the message."""
    if broker_breaker.wait_s():
        return False
    try:
        app.send_task(TASK, ignore_result=True, retry=False, expires=60)
    except Exception as error:  # noqa: BLE001 (each transport has its own; the work is in the database, so none may matter)
        broker_breaker.failed()
        log.warning("wake.broker_down", error=type(error).__name__)
        return False
    broker_breaker.succeeded()
    return True
