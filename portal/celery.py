"""The Celery application. It only wakes: PostgreSQL owns the queue (docs/adr/0003-postgres-owns-the-queue.md)."""

from __future__ import annotations

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("footnote")
app.conf.update(settings.CELERY)
app.autodiscover_tasks()
