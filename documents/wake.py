"""Wake a worker through the broker. When it is down nothing is lost: every worker also looks by itself (portal/celery.py)."""

from __future__ import annotations

from kombu.exceptions import OperationalError

from portal.celery import app
from portal.events import Log

log = Log("documents.wake")
TASK = "documents.tasks.work"


def wake() -> bool:
    """True when the broker took the message."""
    try:
        app.send_task(TASK, ignore_result=True, retry=False, expires=60)
    except (OperationalError, ConnectionError, OSError) as error:
        log.warning("wake.broker_down", error=type(error).__name__)
        return False
    return True
