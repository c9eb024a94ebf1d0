"""Every page of cast.py on localhost, under the product's CSP, for eyes: python -m tests.pages.preview [port]."""

from __future__ import annotations

import mimetypes
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import django
import django_htmx

from tests.pages.render import ROOT, render

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"
)
STATIC = (ROOT / "static", Path(django_htmx.__file__).parent / "static")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0].strip("/")
        body, kind = self.static(path.removeprefix("static/")) if path.startswith("static/") else self.page(path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", CSP)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def static(self, path: str) -> tuple[bytes, str]:
        for root in STATIC:
            if (root / path).is_file() and ".." not in path:
                return (root / path).read_bytes(), mimetypes.guess_type(path)[0] or "application/octet-stream"
        return b"", "text/plain"

    def page(self, name: str) -> tuple[bytes, str]:
        from tests.pages.cast import pages

        known = pages()
        if name in known:
            return render(*known[name]).encode(), "text/html; charset=utf-8"
        links = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in known)
        return f"<!DOCTYPE html><title>Pages</title><ul>{links}</ul>".encode(), "text/html; charset=utf-8"

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(port: int) -> ThreadingHTTPServer:
    """A server that is bound and not yet running; port 0 takes a free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    server = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8123)
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}/\n")
    server.serve_forever()


if __name__ == "__main__":
    main()
