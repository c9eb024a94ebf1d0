"""The way out, against servers that answer by script: what is connected to, what is followed, what is bounded."""

from __future__ import annotations

import gzip
import io
import socket
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from portal.addresses import Unreached
from portal.outgoing import Asked, Limits, Outside, Reply, call
from tests.outgoing.server import PUBLIC, Server, certificate, reply, serving

LIMITS = Limits(most_bytes=10_000, total_s=3.0, connect_s=1.0, redirects=3)
URL = "http://docs.example.org/guide.md"


def get(server: Server, url: str = URL, *, limits: Limits = LIMITS, outside: Outside | None = None) -> Reply:
    return call(url, Asked(), limits=limits, outside=outside or server.outside())


def refused_with(code: str, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(Unreached) as refused:
        get(*args, **kwargs)
    assert refused.value.code == code


def test_a_page_is_read_with_its_headers_and_nothing_of_ours_is_told() -> None:
    with serving(lambda *_: reply(200, b"# Guide\n", 'ETag: "a"', "Set-Cookie: a=b")) as server:
        found = get(server)

    assert (found.status, found.body, found.url, found.headers["etag"]) == (200, b"# Guide\n", URL, '"a"')
    (path, headers, _) = server.asked[0]
    assert path == "/guide.md"
    assert headers == {
        "host": "docs.example.org",
        "user-agent": "Footnote",
        "accept-encoding": "identity",
        "connection": "close",
    }


def test_the_number_that_was_looked_at_is_the_one_that_is_connected_to() -> None:
    answers = [(PUBLIC,), ("127.0.0.1",)]
    connected = []
    with serving(lambda *_: reply(200, b"x")) as server:

        def look_up(host: str, port: int) -> Sequence[str]:
            return answers.pop(0)

        def connect(at: tuple[str, int], *, timeout: float) -> socket.socket:
            connected.append(at)
            return socket.create_connection(("127.0.0.1", server.port), timeout=timeout)

        get(server, outside=Outside(look_up, connect))

    assert (connected, len(answers)) == ([(PUBLIC, 80)], 1)


def test_the_next_number_is_tried_when_one_is_silent() -> None:
    tried = []
    with serving(lambda *_: reply(200, b"x")) as server:

        def connect(at: tuple[str, int], *, timeout: float) -> socket.socket:
            tried.append(at[0])
            if at[0] != PUBLIC:
                raise ConnectionRefusedError
            return socket.create_connection(("127.0.0.1", server.port), timeout=timeout)

        found = get(server, outside=Outside(lambda host, port: ("8.8.8.8", PUBLIC), connect))

    assert (tried, found.status) == (["8.8.8.8", PUBLIC], 200)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(status: int) -> None:
    def answer(path: str, *_: Any) -> bytes:
        return reply(status, b"", "Location: /new.md") if path == "/guide.md" else reply(200, b"new")

    with serving(answer) as server:
        found = get(server)

    assert (found.url, found.body) == ("http://docs.example.org/new.md", b"new")


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("http://169.254.169.254/latest/meta-data/", "portal.url_private"),
        ("http://inside.example.org/", "portal.url_private"),
        ("http://2130706433/", "portal.url_malformed"),
        ("file:///etc/passwd", "portal.url_malformed"),
        ("http://ada:secret@docs.example.org/", "portal.url_credentials"),
        ("http://docs.example.org:6379/", "portal.url_port"),
        ("//127.0.0.1/", "portal.url_private"),
    ],
)
def test_every_redirect_is_looked_at_as_the_first_address_was(to: str, code: str) -> None:
    with serving(lambda *_: reply(302, b"", f"Location: {to}")) as server:
        outside = server.outside({"docs.example.org": (PUBLIC,), "inside.example.org": ("10.0.0.5",)})
        refused_with(code, server, outside=outside)

    assert len(server.asked) == 1


def test_redirects_end() -> None:
    with serving(lambda path, *_: reply(302, b"", f"Location: {path}x")) as server:
        refused_with("portal.url_redirects", server)

    assert len(server.asked) == LIMITS.redirects + 1


def test_what_is_sent_follows_no_redirect() -> None:
    with serving(lambda *_: reply(307, b"", "Location: /elsewhere")) as server:
        sent = Asked("POST", {"Content-Type": "application/json"}, b"{}")
        found = call(URL, sent, limits=LIMITS, outside=server.outside())

    assert (found.status, [(path, body) for path, _, body in server.asked]) == (307, [("/guide.md", b"{}")])


@pytest.mark.parametrize("said", ["Content-Length: 20000", "Transfer-Encoding: chunked"])
def test_more_than_the_limit_is_refused(said: str) -> None:
    body = b"4e20\r\n" + b"x" * 20_000 + b"\r\n0\r\n\r\n" if "chunked" in said else b"x" * 20_000
    with serving(lambda *_: f"HTTP/1.1 200 X\r\n{said}\r\n\r\n".encode() + body) as server:
        refused_with("portal.url_too_large", server)


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_packed_reply_is_unpacked_within_the_same_limit(name: str, pack: Any) -> None:
    bodies = {"/guide.md": pack(b"# Guide\n" * 500), "/bomb": pack(bytes(50_000_000))}
    with serving(lambda path, *_: reply(200, bodies[path], f"Content-Encoding: {name}")) as server:
        found = get(server)
        refused_with("portal.url_too_large", server, "http://docs.example.org/bomb")

    assert found.body == b"# Guide\n" * 500


@pytest.mark.parametrize(
    ("name", "body"),
    [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"none of it"), ("gzip", gzip.compress(b"cut")[:-9])],
)
def test_a_packing_that_cannot_be_read_is_said(name: str, body: bytes) -> None:
    with serving(lambda *_: reply(200, body, f"Content-Encoding: {name}")) as server:
        refused_with("portal.url_encoding", server)


def test_a_body_that_breaks_off_is_no_body() -> None:
    with serving(lambda *_: b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf") as server:
        refused_with("portal.url_unreachable", server)


@pytest.mark.parametrize("head", [b"nonsense\r\n\r\n", b"", b"HTTP/1.1 200 X\r\n" + b"A: b\r\n" * 300 + b"\r\n"])
def test_what_is_no_reply_is_said(head: bytes) -> None:
    with serving(lambda *_: head) as server:
        refused_with("portal.url_unreachable", server)


def test_a_server_that_drips_is_cut_when_the_time_is_over() -> None:
    def dripping(path: str, *_: Any) -> bytes:
        time.sleep(5)
        return b""

    with serving(dripping) as server:
        started = time.monotonic()
        refused_with("portal.url_slow", server, limits=Limits(most_bytes=100, total_s=0.2))

    assert time.monotonic() - started < 2


def test_the_certificate_must_fit_the_name(tmp_path: Path) -> None:
    tls, ca = certificate(tmp_path, "docs.example.org")
    with serving(lambda *_: reply(200, b"x"), tls=tls) as server:
        found = get(server, "https://docs.example.org/", outside=server.outside(ca=ca))
        refused_with("portal.url_certificate", server, "https://other.example.org/", outside=server.outside(ca=ca))
        refused_with("portal.url_certificate", server, "https://docs.example.org/")

    assert found.status == 200


def test_an_encrypted_address_does_not_lead_to_a_plain_one(tmp_path: Path) -> None:
    tls, ca = certificate(tmp_path, "docs.example.org")
    with serving(lambda *_: reply(302, b"", "Location: http://docs.example.org/"), tls=tls) as server:
        refused_with("portal.url_downgrade", server, "https://docs.example.org/", outside=server.outside(ca=ca))


def test_a_server_that_never_finishes_the_handshake_is_cut(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = Server(silent.getsockname()[1])
        started = time.monotonic()
        refused_with("portal.url_slow", server, "https://docs.example.org/", limits=Limits(most_bytes=9, total_s=0.2))

    assert time.monotonic() - started < 2


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(lambda *_: reply(200, b"x")) as server:
        assert get(server).status == 200


def test_a_body_goes_into_the_file_that_was_given() -> None:
    file = io.BytesIO()
    with serving(lambda *_: reply(200, b"abc")) as server:
        found = call(URL, Asked(), limits=LIMITS, into=file, outside=server.outside())

    assert (file.getvalue(), found.size_bytes) == (b"abc", 3)


def test_a_host_that_the_operator_opened_is_reached_on_its_own_port(settings: Any) -> None:
    with serving(lambda *_: reply(200, b"inside")) as server:
        settings.OUTGOING_HOSTS = (f"127.0.0.1:{server.port}",)
        found = call(f"http://127.0.0.1:{server.port}/", Asked(), limits=LIMITS)
        settings.OUTGOING_HOSTS = ()
        with pytest.raises(Unreached):
            call(f"http://127.0.0.1:{server.port}/", Asked(), limits=LIMITS)

    assert found.body == b"inside"


def test_a_status_is_an_answer_and_a_body_that_nobody_wants_stays_unread() -> None:
    with serving(lambda *_: reply(503, b"x" * 50_000, "Retry-After: 7")) as server:
        found = get(server, limits=Limits(most_bytes=0, total_s=2))

    assert (found.status, found.headers["retry-after"], found.body) == (503, "7", b"")
