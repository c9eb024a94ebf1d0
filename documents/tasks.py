"""What the broker wakes. The body is one call; everything that matters is in the job's row."""

from __future__ import annotations

from celery import shared_task

from documents.worker import work_through


@shared_task(name="documents.tasks.work")
def work() -> int:
    """Run waiting jobs; returns how many."""
    return work_through()
