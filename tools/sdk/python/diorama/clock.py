"""The server's calendar, from the times that a stream says."""

from __future__ import annotations

import time
from collections import deque


class Clock:
    """Delay only adds: of the last 64 differences the smallest counts."""

    def __init__(self) -> None:
        self._differences: deque[int] = deque(maxlen=64)

    def add(self, server_us: int) -> None:
        """A time of the server that was read just now."""
        self._differences.append(time.monotonic_ns() // 1000 - server_us)

    @property
    def is_set(self) -> bool:
        return bool(self._differences)

    def now_us(self) -> int:
        """What the server's clock says. Raises LookupError before it said anything."""
        if not self._differences:
            raise LookupError("the server has not told its time (the forms sse and udp do not)")
        return time.monotonic_ns() // 1000 - min(self._differences)
