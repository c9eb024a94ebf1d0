"""Which addresses a workspace may name for a model (case 14): https, and of the open internet alone."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

Resolve = Callable[[str, int], Sequence[str]]
NAT64 = ipaddress.ip_network("64:ff9b::/96")


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Every address of the name. Raises OSError when it has none."""
    return tuple(dict.fromkeys(str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def is_public(address: str) -> bool:
    """True for an address of the open internet; mapped, tunnelled and special ones are not."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in NAT64):
        return False
    return ip.is_global and not ip.is_multicast


def address_fault(base_url: str, private_hosts: Sequence[str] = (), *, look_up: Resolve = resolve) -> str:
    """Why a workspace may not name this address, as a code; "" when it may. Looks the name up."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError:
        return "answers.provider_url"
    if not host or parts.username or parts.password or parts.query or parts.fragment:
        return "answers.provider_url"
    if host in private_hosts:
        return "" if parts.scheme in {"http", "https"} else "answers.provider_url"
    if parts.scheme != "https":
        return "answers.provider_url"
    try:
        addresses = look_up(host, port)
    except OSError:
        return "answers.provider_unknown"
    return "" if addresses and all(is_public(address) for address in addresses) else "answers.provider_private"
