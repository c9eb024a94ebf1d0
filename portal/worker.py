"""The worker process: Celery's own worker, two threads, started without Celery's command line, whose shell alone takes 10 MB.

python -m portal.worker
"""

from __future__ import annotations

import os
import sys

from portal.celery import app

THREADS = 2
"""One makes vectors while the other reads (documents/filling.py)."""


def main() -> int:
    """Work until asked to end; the exit code. Celery's own loggers stay at warning (settings.LOGGING)."""
    os.environ["CELERY_SKIP_CHECKS"] = (
        "true"  # refuse_unless_isolated looks (portal/celery.py); Django's would load every page
    )
    worker = app.Worker(
        pool="threads",
        concurrency=THREADS,
        prefetch_multiplier=1,
        loglevel="INFO",
        without_mingle=True,
        without_gossip=True,
        quiet=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main())
