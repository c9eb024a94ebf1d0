"""Which addresses outsiders may have this server call (case 14 of the field): of the open internet, plainly written, alone."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from portal.problems import UserProblem

Resolve = Callable[[str, int], Sequence[str]]
CLOSED = tuple(
    ipaddress.ip_network(net)
    for net in (
        *("64:ff9b::/96", "64:ff9b:1::/48"),  # NAT64
        *("192.0.0.0/24", "192.88.99.0/24"),  # protocol assignments (a cloud's metadata among them), 6to4 relays
        "168.63.129.16/32",  # a cloud's own agent, at a number that looks public
        *("3fff::/20", "5f00::/16"),  # documentation, segment routing
    )
)
"""What Python 3.11 counts as global and is not to be called."""
PORTS = {"http": 80, "https": 443}
LONGEST = 2_000
UNSEEN = re.compile(r"[\s\x00-\x20\x7f\\]")
HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*")
NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


class Unreached(UserProblem):
    """An address that was not called, or gave nothing: `code` names the words, `detail` a status or a limit, never a body."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address that may be tried. `host` is in lower-case ASCII, an IPv6 number without brackets; `target` begins with /.

    `is_trusted` is one of a host that the operator lists.
    """

    scheme: str
    host: str
    port: int
    target: str
    is_trusted: bool

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Every address of the name. Raises OSError when it has none."""
    return tuple(dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_public(address: str) -> bool:
    """True for an address of the open internet; mapped, tunnelled and special ones are not."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip.is_site_local:
            return False
        if not int(ip) >> 32:  # ::a.b.c.d, an IPv4 address in the notation of old
            return False
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in CLOSED)


def read_address(url: str, allowed: Sequence[str] = ()) -> Address:
    """The address as it may be tried; nothing is looked up. `allowed` are the operator's `host` or `host:port`.

    Raises Unreached portal.url_malformed, url_credentials, url_port or url_private.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
        host = _host(parts.hostname or "")
    except ValueError:
        raise Unreached("portal.url_malformed") from None
    if parts.scheme not in PORTS or not host or len(url) > LONGEST or UNSEEN.search(url):
        raise Unreached("portal.url_malformed")
    if "@" in parts.netloc:
        raise Unreached("portal.url_credentials")
    port = PORTS[parts.scheme] if port is None else port
    netloc = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    is_usual = port in PORTS.values()
    is_trusted = netloc in allowed or (is_usual and netloc.rpartition(":")[0] in allowed)
    if not is_usual and not is_trusted:
        raise Unreached("portal.url_port", f"It names the port {port}.")
    if not is_trusted and _is_numbered(host) and not is_public(host):
        raise Unreached("portal.url_private")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.scheme, host, port, quote(target, safe="/%:@!$&'()*+,;=~-._?[]"), is_trusted)


def _host(host: str) -> str:
    """In lower-case ASCII. Raises ValueError for what is no host name and no plainly written number.

    Numbers in other notations (decimal, octal, hexadecimal, shortened) are read by the C library as addresses: none is taken.
    """
    if "%" in host:
        raise ValueError("a zone or an escape in a host")
    if ":" in host:
        return str(ipaddress.IPv6Address(host))
    host = (host if host.isascii() else host.encode("idna").decode("ascii")).lower().removesuffix(".")
    if NUMBER.fullmatch(host.rpartition(".")[2]):
        return str(ipaddress.IPv4Address(host))
    if len(host) > 253 or not HOST.fullmatch(host):
        raise ValueError("no host name")
    return host


def _is_numbered(host: str) -> bool:
    return ":" in host or bool(NUMBER.fullmatch(host.rpartition(".")[2]))


def places_of(address: Address, look_up: Resolve = resolve) -> tuple[str, ...]:
    """The numbers to connect to, all looked at: one private number among them refuses the name.

    Raises Unreached portal.url_unknown_host or url_private.
    """
    try:
        found = tuple(look_up(address.host, address.port))
    except (OSError, UnicodeError):
        raise Unreached("portal.url_unknown_host") from None
    if not found:
        raise Unreached("portal.url_unknown_host")
    if not address.is_trusted and not all(is_public(one) for one in found):
        raise Unreached("portal.url_private")
    return found
