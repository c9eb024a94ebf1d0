"""The WSGI entry point: pages, for a server that speaks WSGI only (streams need portal.asgi)."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from portal.checks import refuse_unless_isolated

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

application = get_wsgi_application()
refuse_unless_isolated("web server")
