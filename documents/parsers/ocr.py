"""Text in pictures, through a helper process that starts tesseract: the reader itself may start nothing.

The helper is forked before the reader sees its file, and stands behind walls of its own. It gets pictures and gives text.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator

from documents.parsers.builder import Builder

_LENGTH = struct.Struct(">I")
_FAILED = 0xFFFFFFFF
_PAGE_SECONDS = 30
_LONGEST_TEXT = 2_000_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_LETTERS = re.compile(r"[^\W_]")


class Ocr:
    """The reader's end of the line to its helper. `begin` is called once, before the first picture."""

    def __init__(self, line: socket.socket, begin: Callable[[], object]) -> None:
        self._line = line
        self._begin: Callable[[], object] | None = begin

    def text(self, picture: bytes) -> str | None:
        """The text of a picture, a form feed between its pages; None when tesseract could not read it."""
        if self._begin:
            self._begin()
            self._begin = None
        self._line.sendall(_LENGTH.pack(len(picture)) + picture)
        size = _LENGTH.unpack(_exactly(self._line, 4))[0]
        return None if size == _FAILED else _exactly(self._line, size).decode("utf-8", "replace")


_current: list[Ocr] = []


def here() -> Ocr | None:
    """The helper of this process, None when OCR is not installed."""
    return _current[0] if _current else None


def start_helper(program: str, languages: str, *, cage: Callable[[], object], begin: Callable[[], object]) -> None:
    """Fork the helper; `cage` puts it behind its walls."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            ours.close()
            cage()
            _serve(theirs, [program, "stdin", "stdout", "-l", languages, "--psm", "3"])
        finally:
            os._exit(0)
    theirs.close()
    _current.append(Ocr(ours, begin))


def _serve(line: socket.socket, command: list[str]) -> None:
    while True:
        picture = _exactly(line, _LENGTH.unpack(_exactly(line, 4))[0])
        try:
            done = subprocess.run(command, input=picture, capture_output=True, timeout=_PAGE_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            line.sendall(_LENGTH.pack(_FAILED))
            continue
        text = done.stdout[:_LONGEST_TEXT]
        line.sendall(_LENGTH.pack(_FAILED) if done.returncode else _LENGTH.pack(len(text)) + text)


def _exactly(line: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = line.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def add_page(builder: Builder, number: int, text: str) -> bool:
    """Add what was read on a page; False when there are hardly any letters on it."""
    if len(_LETTERS.findall(text)) < 3:
        return False
    builder.page = number
    builder.pages_by_ocr.append(number)
    for paragraph in paragraphs(text):
        builder.prose(paragraph)
    return True


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs that tesseract parts by blank lines, each on one line, words that were cut at a line's end made whole."""
    for block in _PARAGRAPHS.split(text):
        joined = re.sub(r"(?<=\w)[-‐]\n(?=[a-zß-ÿ])", "", block.strip())
        yield " ".join(joined.split())
