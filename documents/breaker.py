"""Whether to ask a service that has just failed: after a failure nobody asks for a while, then one asks for all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Closed until something fails; then open for a pause that doubles with every failure in a row. Thread-safe."""

    def __init__(
        self, *, first_pause_s: float = 2.0, longest_pause_s: float = 20.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._first_pause_s = first_pause_s
        self._longest_pause_s = longest_pause_s
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._open_until = 0.0

    def wait_s(self) -> float:
        """0.0 when the caller may ask now, else the seconds until somebody may. After a pause the first caller may, and
        the pause begins anew for the others, so that one at a time finds out.
        """
        with self._lock:
            left = self._open_until - self._clock()
            if not self._failures or left <= 0:
                self._open_until = self._clock() + self._pause_s() if self._failures else 0.0
                return 0.0
            return left

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            self._open_until = self._clock() + self._pause_s()

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def _pause_s(self) -> float:
        return min(self._longest_pause_s, self._first_pause_s * 2.0 ** min(self._failures - 1, 10))
