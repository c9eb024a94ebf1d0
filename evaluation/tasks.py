"""What the broker wakes. The body is one call; everything that matters is in the run's row."""

from __future__ import annotations

from celery import shared_task

from evaluation.worker import work_through


@shared_task(name="evaluation.tasks.work")
def work() -> int:
    """Carry waiting runs on; returns how many turns were taken."""
    return work_through()
