"""Templates by themselves: the project's files, the URL names of urls.py, plain static addresses, no database."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from django.template.backends.django import DjangoTemplates
from django.test import RequestFactory, override_settings

LOCK = threading.Lock()
ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = {
    "ROOT_URLCONF": "tests.pages.urls",
    "STATIC_URL": "/static/",
    "STORAGES": {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}},
    "USE_TZ": True,
    "TIME_ZONE": "UTC",
}


def render(template: str, context: Mapping[str, object]) -> str:
    """The page as it is sent. One at a time: the settings it borrows belong to the process."""
    backend = DjangoTemplates(
        {
            "NAME": "pages",
            "DIRS": [ROOT / "templates"],
            "APP_DIRS": False,
            "OPTIONS": {
                "libraries": {
                    "marks": "portal.templatetags.marks",
                    "moments": "portal.templatetags.moments",
                    "names": "portal.templatetags.names",
                },
            },
        }
    )
    with LOCK, override_settings(**SETTINGS):
        return str(backend.get_template(template).render(dict(context), RequestFactory().get("/")))
