"""A file and its fields as multipart/form-data, read from disk while it is sent."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from footnote_client.http import Body

PIECE = 64 * 1024


def form(name: str, content: bytes | Path, fields: Mapping[str, str]) -> Body:
    """`content` is the file's bytes, or where it lies; `name` is what it is called there."""
    mark = secrets.token_hex(16)
    head = b"".join(_field(mark, field, value) for field, value in fields.items())
    head += _opened(mark, f'form-data; name="file"; filename="{_quoted(name)}"', "application/octet-stream")
    tail = f"\r\n--{mark}--\r\n".encode()
    size = len(content) if isinstance(content, bytes) else content.stat().st_size

    def pieces() -> Iterator[bytes]:
        yield head
        yield from _read(content)
        yield tail

    return Body(f"multipart/form-data; boundary={mark}", len(head) + size + len(tail), pieces)


def _read(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _field(mark: str, name: str, value: str) -> bytes:
    return _opened(mark, f'form-data; name="{name}"') + value.encode() + b"\r\n"


def _opened(mark: str, disposition: str, content_type: str = "") -> bytes:
    kind = f"Content-Type: {content_type}\r\n" if content_type else ""
    return f"--{mark}\r\nContent-Disposition: {disposition}\r\n{kind}\r\n".encode()


def _quoted(name: str) -> str:
    """As browsers write a file's name."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
