"""Have a file looked through by ClamAV's daemon, when the environment names one: its INSTREAM command over a socket.

The command, then pieces as length (4 bytes, big end first) and bytes, then a length of 0; the answer is "stream: OK", "stream: NAME
FOUND" or "… ERROR"; command and answer end in a zero byte. The file goes to that address and nowhere else.
"""

from __future__ import annotations

import socket
import struct
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import BinaryIO

PIECE = 1 << 16
CONNECT_S = 5.0
ANSWER_S = 120.0
"""What clamd itself allows by default (ReadTimeout)."""
LONGEST_ANSWER = 4096


class ClamdDown(Exception):
    """It does not answer, or answers something else than clamd does: whether the file is clean is not known."""


@dataclass(frozen=True, slots=True)
class Clean:
    """No signature fits."""


@dataclass(frozen=True, slots=True)
class Infected:
    """`name` is the signature's, cut to 100 characters."""

    name: str


@dataclass(frozen=True, slots=True)
class TooLarge:
    """More than clamd takes (its StreamMaxLength): the file was not looked through."""


Verdict = Clean | Infected | TooLarge


def scan(address: str, file: BinaryIO) -> Verdict:
    """What clamd at `address` (unix:/path or host:port) says of the whole file. Raises ClamdDown."""
    file.seek(0)
    try:
        with closing(_connected(address)) as line:
            line.sendall(b"zINSTREAM\0")
            with suppress(BrokenPipeError, ConnectionResetError):  # it stops listening when it is too much, and says so
                while piece := file.read(PIECE):
                    line.sendall(struct.pack(">I", len(piece)) + piece)
                line.sendall(bytes(4))
            return _verdict(_answer(line))
    except OSError as error:
        raise ClamdDown(type(error).__name__) from error


def answers(address: str) -> bool:
    """Whether clamd is there and ready."""
    try:
        with closing(_connected(address)) as line:
            line.settimeout(CONNECT_S)
            line.sendall(b"zPING\0")
            return _answer(line) == "PONG"
    except OSError:
        return False


def _connected(address: str) -> socket.socket:
    if address.startswith("unix:"):
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(CONNECT_S)
        try:
            line.connect(address.removeprefix("unix:"))
        except OSError:
            line.close()
            raise
    else:
        host, _, port = address.rpartition(":")
        line = socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S)
    line.settimeout(ANSWER_S)
    return line


def _answer(line: socket.socket) -> str:
    heard = b""
    while not heard.endswith(b"\0") and len(heard) < LONGEST_ANSWER and (part := line.recv(LONGEST_ANSWER)):
        heard += part
    return heard.rstrip(b"\0\n").decode("utf-8", "replace").strip()


def _verdict(said: str) -> Verdict:
    if said == "stream: OK":
        return Clean()
    if said.startswith("stream: ") and said.endswith(" FOUND"):
        name = said.removeprefix("stream: ").removesuffix(" FOUND")
        return Infected("".join(character for character in name if character.isprintable())[:100])
    if "size limit exceeded" in said:
        return TooLarge()
    raise ClamdDown("another answer")
