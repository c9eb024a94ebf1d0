"""A small Django project for `bench.web`: one page of a usual size behind the usual middleware, one stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template import engines
from django.urls import path

ROWS = [{"title": f"Document {number}", "state": "ready", "pages": number} for number in range(40)]
ROW = "<tr><td>{{ row.title }}<td>{{ row.state }}<td>{{ row.pages }}</tr>"
PAGE = "<!doctype html><title>Library</title><table>{% for row in rows %}" + ROW + "{% endfor %}</table>"

settings.configure(
    SECRET_KEY="bench",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    INSTALLED_APPS=["django.contrib.sessions", "django.contrib.messages"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
)
django.setup()
template = engines["django"].from_string(PAGE)


def library(request: HttpRequest) -> HttpResponse:
    return HttpResponse(template.render({"rows": ROWS}, request))


async def stream(request: HttpRequest) -> StreamingHttpResponse:
    async def events() -> AsyncIterator[bytes]:
        for number in range(20):
            await asyncio.sleep(0.05)
            yield b"data: %d\n\n" % number

    return StreamingHttpResponse(events(), content_type="text/event-stream")


urlpatterns = [path("library", library), path("stream/tokens", stream)]

from django.core.asgi import get_asgi_application  # noqa: E402 (after setup)
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402

pure = get_asgi_application()
wsgi = WSGIHandler()
