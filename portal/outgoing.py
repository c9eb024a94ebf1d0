"""The one way out to an address that a member or a document names (docs/adr/0026-outgoing.md).

The name is looked up once and that number is connected to, so that a second answer of the name server changes nothing; each
redirect begins again. No proxy, no cookie, no credential of ours; the certificate is checked against the name.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol
from urllib.parse import urljoin

from django.conf import settings

from portal.addresses import Address, Resolve, Unreached, places_of, read_address, resolve

AGENT = "Footnote"
PIECE = 1 << 16
IDLE_S = 20.0
"""A server that says nothing for so long is given up, whatever time is left."""
REDIRECTS = (301, 302, 303, 307, 308)
PLAIN = ("", "identity")
ZIPPED = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


@dataclass(frozen=True, slots=True)
class Limits:
    """`most_bytes` is of the body as it is written, unpacked; with 0 the body is left unread. `total_s` is of the whole call,
    redirects and all.
    """

    most_bytes: int
    total_s: float = 60.0
    connect_s: float = 5.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Header names are in lower case; `url` is the address that answered in the end."""

    status: int
    url: str
    headers: Mapping[str, str]
    size_bytes: int
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. A body is sent to the very address that was named: such a request follows no redirect."""

    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Connect(Protocol):
    """Opens a socket to (number, port) within a time; what tests stand in for."""

    def __call__(self, at: tuple[str, int], *, timeout: float) -> socket.socket: ...


def _connect(at: tuple[str, int], *, timeout: float) -> socket.socket:
    return socket.create_connection(at, timeout=timeout)


@functools.cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Outside:
    """How the world is reached; the defaults are the real one."""

    look_up: Resolve = resolve
    connect: Connect = _connect
    trust: Callable[[], ssl.SSLContext] = _trust


OUTSIDE = Outside()


def call(url: str, asked: Asked, *, limits: Limits, into: BinaryIO | None = None, outside: Outside = OUTSIDE) -> Reply:
    """The reply, its body written `into` a file or kept in it. Redirects are followed for GET, each looked at anew.

    Raises Unreached with one of the portal.url_… codes; a status is not one of them.
    """
    ends_at = time.monotonic() + limits.total_s
    address = read_address(url, settings.OUTGOING_HOSTS)
    for _ in range(limits.redirects + 1):
        with _answered(address, asked, ends_at, limits, outside) as response:
            if asked.method != "GET" or response.status not in REDIRECTS or not (to := response.getheader("Location")):
                return _read(address, response, limits, into)
        moved = read_address(urljoin(address.url, _spelt(to)), settings.OUTGOING_HOSTS)
        if address.scheme == "https" and moved.scheme == "http":
            raise Unreached("portal.url_downgrade")
        address = moved
    raise Unreached("portal.url_redirects")


def _spelt(header: str) -> str:
    """A header as its server wrote it: http.client reads each byte as a character."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


@contextlib.contextmanager
def _answered(
    address: Address, asked: Asked, ends_at: float, limits: Limits, outside: Outside
) -> Iterator[http.client.HTTPResponse]:
    """The reply's head, its body unread. Whatever goes wrong in here, the reading of the body too, is said as Unreached.

    A watch shuts the connection when the time is over: a server that sends a byte now and then never runs into a timeout of
    the socket.
    """
    places = places_of(address, outside.look_up)
    left = ends_at - time.monotonic()
    if left <= 0:
        raise Unreached("portal.url_slow")
    line = _Line(address, places, min(limits.connect_s, left), outside)
    watch = threading.Timer(left, line.cut)
    watch.daemon = True
    watch.start()
    try:
        headers = {"User-Agent": AGENT, "Accept-Encoding": "identity", "Connection": "close", **asked.headers}
        line.request(asked.method, address.target, asked.body or None, {"Host": address.netloc, **headers})
        yield line.getresponse()
    except ssl.SSLCertVerificationError:
        raise Unreached("portal.url_certificate") from None
    except (OSError, http.client.HTTPException, ValueError) as trouble:
        is_late = line.is_cut or isinstance(trouble, TimeoutError)
        raise Unreached("portal.url_slow" if is_late else "portal.url_unreachable") from trouble
    finally:
        watch.cancel()
        line.close()


class _Line(http.client.HTTPConnection):
    """A connection to one of the numbers that were looked at, and to no other."""

    def __init__(self, address: Address, places: tuple[str, ...], connect_s: float, outside: Outside) -> None:
        super().__init__(address.host, address.port, timeout=connect_s)
        self._address, self._places, self._outside = address, places, outside
        self.is_cut = False

    def connect(self) -> None:
        self.sock = self._open()
        self.sock.settimeout(IDLE_S)
        if self._address.scheme == "https":
            # The handshake apart: only then is it this socket that the watch may have to shut.
            self.sock = self._outside.trust().wrap_socket(
                self.sock, server_hostname=self._address.host, do_handshake_on_connect=False
            )
            self.sock.do_handshake()
        if self.is_cut:
            raise TimeoutError

    def _open(self) -> socket.socket:
        trouble: OSError = OSError("no address")
        for place in self._places[:4]:
            try:
                return self._outside.connect((place, self._address.port), timeout=self.timeout or 5.0)
            except OSError as error:
                trouble = error
        raise trouble

    def cut(self) -> None:
        """From the watch's thread: whoever reads or writes finds the connection ended."""
        self.is_cut = True
        with contextlib.suppress(OSError, AttributeError):
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def _read(address: Address, response: http.client.HTTPResponse, limits: Limits, into: BinaryIO | None) -> Reply:
    kept = into or io.BytesIO()
    size = 0
    for piece in _unpacked(response) if limits.most_bytes else ():
        size += len(piece)
        if size > limits.most_bytes:
            raise Unreached("portal.url_too_large", f"The limit is {limits.most_bytes // 1024:,} KB.")
        kept.write(piece)
    if response.length and limits.most_bytes:
        raise http.client.IncompleteRead(b"")
    headers = {name.lower(): value for name, value in response.getheaders()}
    body = kept.getvalue() if isinstance(kept, io.BytesIO) else b""
    return Reply(response.status, address.url, headers, size, body)


def _unpacked(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body in bounded pieces. Nothing packed was asked for; a server that packs all the same is unpacked piece by piece."""
    encoding = (response.getheader("Content-Encoding") or "").strip().lower()
    if encoding not in PLAIN and encoding not in ZIPPED:
        raise Unreached("portal.url_encoding")
    unpack = zlib.decompressobj(ZIPPED[encoding]) if encoding in ZIPPED else None
    while piece := response.read1(PIECE):
        if unpack is None:
            yield piece
            continue
        try:
            while piece and not unpack.eof:
                yield unpack.decompress(piece, PIECE)
                piece = unpack.unconsumed_tail
        except zlib.error:
            raise Unreached("portal.url_encoding") from None
    if unpack is not None and not unpack.eof and response.status != http.client.NOT_MODIFIED:
        raise Unreached("portal.url_encoding")
