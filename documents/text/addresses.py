"""Addresses that files give of themselves: kept only when a person can open them and sees where they lead."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit

LONGEST = 2_000
UNSEEN = re.compile(r"[\s\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\\\\\"<>^`{|}]")


def web_address(text: str) -> str:
    """Return an http(s) address with a host, no user name, nothing unseen in it and of bearable length, as given; else ""."""
    text = text.strip()
    if not text or len(text) > LONGEST or UNSEEN.search(text):
        return ""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return ""
    fits = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc and port != 0
    return text if fits else ""


def under(base: str, path: str) -> str:
    """The address of a file under the address of its folder, `index.html` left out; "" without a base."""
    if not base:
        return ""
    folder, _, name = path.rpartition("/")
    page = f"{folder}/" if folder else ""
    page += "" if name.lower() in ("index.html", "index.htm") else name
    return web_address(urljoin(base if base.endswith("/") else f"{base}/", quote(page, safe="/~!$&'()*+,;=:@")))
