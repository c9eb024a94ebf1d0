"""A manifest: the files that belong to a folder, each with its SHA-256, as `sha256sum` or a build writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from documents.upload import document_name

Manifest = Mapping[str, bytes]
"""Path as a document is named → SHA-256."""

_LINE = re.compile(r"^\\?([0-9a-fA-F]{64}) [ *](.+)$")
_HASH = re.compile(r"^(?:sha256[:-])?([0-9a-fA-F]{64})$")


def manifest_of(text: str) -> dict[str, bytes]:
    """Read lines of `sha256sum`, or JSON: `{"path": "hash"}`, or a list of `{"path", "sha256"}`, either of them under "files".

    Raises ValueError that says what is wrong and where.
    """
    found: dict[str, bytes] = {}
    pairs = _json(text) if text.lstrip()[:1] in ("{", "[") else _lines(text)
    for path, digest in pairs:
        hashed = _HASH.match(digest)
        if not hashed:
            raise ValueError(f"{path}: this is no SHA-256 in hexadecimal digits")
        parts = path.replace("\\", "/").removeprefix("./").split("/")
        if not path.strip() or ".." in parts or path[:1] in ("/", "\\"):
            raise ValueError(f"{path}: a path stands in the folder, and leads not out of it")
        name = document_name(path)
        if name in found:
            raise ValueError(f"{path}: it is listed twice")
        found[name] = bytes.fromhex(hashed.group(1))
    return found


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            found = _LINE.match(line)
            if not found:
                raise ValueError(f"line {number}: this is no line of sha256sum")
            yield found.group(2), found.group(1)


def _json(text: str) -> Iterator[tuple[str, str]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as trouble:
        raise ValueError("this is no JSON that can be read") from trouble
    files = value.get("files", value) if isinstance(value, dict) else value
    if isinstance(files, dict):
        yield from ((str(path), str(digest)) for path, digest in files.items())
        return
    if not isinstance(files, list):
        raise ValueError("it lists no files")  # noqa: TRY004 - what a person wrote, not what a program passed
    for number, one in enumerate(files, 1):
        yield _pair(one, number)


def _pair(one: Any, number: int) -> tuple[str, str]:
    digest = (one.get("sha256") or one.get("hash")) if isinstance(one, dict) else None
    if not isinstance(digest, str) or not isinstance(one.get("path"), str):
        raise ValueError(f"file {number}: it needs a path and a sha256")  # noqa: TRY004 - as above
    return one["path"], digest
