"""A clamd that speaks the INSTREAM protocol: it finds EICAR's mark, and takes at most `most` bytes."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO

MARK = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE"


class Clamd:
    """On a free port of loopback, or at a path. `seen` are the files that it was sent whole."""

    def __init__(self, path: str = "", *, most: int = 1_000_000, says: bytes = b"") -> None:
        self._most, self._says = most, says
        self._server = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self._server.bind(path or ("127.0.0.1", 0))
        self._server.listen()
        self.address = f"unix:{path}" if path else f"127.0.0.1:{self._server.getsockname()[1]}"
        self.seen: list[bytes] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Clamd:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join(5)

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            with line, line.makefile("rb") as heard, suppress(OSError):
                line.sendall(self._answer(heard) + b"\0")

    def _answer(self, heard: BinaryIO) -> bytes:
        command = b""
        while not command.endswith(b"\0"):
            if not (byte := heard.read(1)):
                return b""
            command += byte
        if command == b"zPING\0":
            return b"PONG"
        assert command == b"zINSTREAM\0"
        body = b""
        while size := struct.unpack(">I", heard.read(4))[0]:
            body += heard.read(size)
            if len(body) > self._most:
                return b"INSTREAM size limit exceeded. ERROR"
        self.seen.append(body)
        return self._says or (b"stream: Eicar-Test-Signature FOUND" if MARK in body else b"stream: OK")
