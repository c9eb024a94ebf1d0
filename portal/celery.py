"""The Celery application. It only wakes: PostgreSQL owns the queue (docs/adr/0003-postgres-owns-the-queue.md)."""

from __future__ import annotations

import os
import warnings
from typing import Any

from celery import Celery, bootsteps
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from django.conf import settings
from django.utils.module_loading import import_string

from portal.checks import refuse_unless_isolated
from portal.cores import forbid_core_dumps
from portal.events import Log
from portal.lean import settle
from portal.lookout import Lookout

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

log = Log("portal.worker")
# Root is warned of because of pickled messages; ours are JSON, without content.
warnings.filterwarnings("ignore", category=SecurityWarning)
# A task goes on when its broker is lost: the work is in the database.
warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)

app = Celery("footnote")
app.conf.update(settings.CELERY)
app.autodiscover_tasks()


class OwnThread(bootsteps.StartStopStep):
    """The lookout of every worker (portal/lookout.py): it starts and stops with it."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._lookout: Lookout | None = None

    def start(self, parent: Any) -> None:
        forbid_core_dumps()
        refuse_unless_isolated("worker")
        self._lookout = Lookout([import_string(name)() for name in settings.WORKER_LOOKS])
        self._lookout.start()
        settle()
        log.info("worker.ready")

    def stop(self, parent: Any) -> None:
        if self._lookout is not None:
            self._lookout.stop()
            self._lookout.join(timeout=10)

    terminate = stop


app.steps["worker"].add(OwnThread)
