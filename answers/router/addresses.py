"""Which addresses a workspace may name for a model (case 14): https, and of the open internet alone."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from portal.addresses import Resolve, is_public, resolve

__all__ = ["Resolve", "address_fault", "is_public", "resolve"]


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
