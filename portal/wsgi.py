"""The WSGI entry point: pages, for a server that speaks WSGI only (streams need portal.asgi)."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from portal.checks import refuse_unless_isolated
from portal.cores import forbid_core_dumps
from portal.lean import load_pages

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
forbid_core_dumps()

application = get_wsgi_application()
refuse_unless_isolated("web server")
load_pages(settings.ROOT_URLCONF)
