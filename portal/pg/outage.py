"""Whether a database that just failed is there at all, so that an outage costs one request some seconds and the next ones none.

A pool waits its whole time-out for each caller while there is nobody to connect to. After a failure this asks the server
itself for one byte (the answer to PostgreSQL's SSLRequest): a pool that is merely busy is then told from a server that is gone.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable

LOOK_S = 1.0
"""How long a look may take, and how long the next one waits."""
SSL_REQUEST = struct.pack("!ii", 8, 80877103)


def answers(host: str, port: int, *, within_s: float = LOOK_S) -> bool:
    """True when a PostgreSQL server says anything there."""
    try:
        with socket.create_connection((host, port), timeout=within_s) as line:
            line.settimeout(within_s)
            line.sendall(SSL_REQUEST)
            return line.recv(1) != b""
    except OSError:
        return False


class Outage:
    """Closed until a failure is confirmed by a look; then one caller a second looks, and the others are refused at once."""

    def __init__(self, look: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self._is_known = False
        self._look_at = 0.0

    def may_try(self) -> bool:
        with self._lock:
            if not self._is_known:
                return True
            if self._clock() < self._look_at:
                return False
            self._look_at = self._clock() + LOOK_S
        is_back = self._look()
        with self._lock:
            self._is_known = not is_back
        return is_back

    def failed(self) -> None:
        """A connection could not be had. Asks the server whether it is there."""
        is_there = self._look()
        with self._lock:
            self._is_known = not is_there
            self._look_at = self._clock() + LOOK_S
