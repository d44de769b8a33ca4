"""Where datagrams are missing, and what is to be done about it (proto/feed/README.md, "Gaps")."""

from __future__ import annotations

ASK_AFTER_S, ASK_ON_S, ASK_REST_S, READ_AFTER_S, SILENCE_S = 0.05, 0.025, 0.2, 1.0, 2.0


class Gaps:
    def __init__(self) -> None:
        self.got = 0
        self.holes = 0
        self._parts: list[tuple[int, int, float]] = []  # (prev, seq, when) behind a hole
        self._asked = self._wished = self._heard = float("-inf")
        self._asked_from = 0
        self._newest = self._told = 0  # the largest seq that came; the one behind which nothing is missing

    def begin(self) -> None:
        """Another start of the server: its numbers begin again."""
        self.got = self._newest = self._told = 0
        self._parts.clear()

    @property
    def is_open(self) -> bool:
        return bool(self._parts)

    def absorb(self, seq: int) -> None:
        """Everything up to `seq` is known, from a read of the scene."""
        self._told = max(self._told, seq)
        self._close(seq)

    def _close(self, seq: int) -> None:
        self.got = max(self.got, seq)
        for prev, last, _ in sorted(self._parts):
            if prev <= self.got:
                self.got = max(self.got, last)
        self._parts = [part for part in self._parts if part[0] > self.got]

    def note(self, prev: int, seq: int, now: float) -> None:
        """A datagram says what was sent before it, and up to where it goes."""
        self._heard = now
        self._newest = max(self._newest, seq)
        if prev == seq:
            self._told = max(self._told, seq)
        if prev <= self.got:
            self._close(seq)
            return
        if not self._parts:
            self.holes += 1
        self._parts.append((prev, seq, now))

    def wish(self, now: float) -> tuple[int, int] | str | None:
        """What to ask for (from, to), "read" the scene, or None."""
        # The hole that is the first now is as old as the first datagram that showed it.
        since = min((when for _, _, when in self._parts), default=now)
        if now - max(since, self._wished) > READ_AFTER_S:
            self._wished = now
            return "read"
        rest = ASK_REST_S if self.got == self._asked_from else ASK_ON_S
        if now - since > ASK_AFTER_S and now - self._asked > rest:
            self._asked, self._asked_from = now, self.got
            return self.got + 1, max(prev for prev, _, _ in self._parts)
        if self._told < self._newest and now - self._heard > SILENCE_S:
            self._told = self._newest
            return "read"
        return None
