"""Where datagrams are missing, and what is to be done about it (tools/sdk/README.md, "Gaps")."""

from __future__ import annotations

ASK_AFTER_S, ASK_REST_S, READ_AFTER_S, SILENCE_S = 0.05, 0.2, 1.0, 2.0


class Gaps:
    def __init__(self) -> None:
        self.got = 0
        self.holes = 0
        self._parts: list[tuple[int, int]] = []  # (prev, seq) behind a hole
        self._since = self._asked = self._heard = 0.0
        self._is_sure = True

    def begin(self) -> None:
        """Another start of the server: its numbers begin again."""
        self.got = 0
        self._parts.clear()
        self._is_sure = True

    @property
    def is_open(self) -> bool:
        return bool(self._parts)

    def absorb(self, seq: int) -> None:
        """Everything up to `seq` is known."""
        self.got = max(self.got, seq)
        for prev, last in sorted(self._parts):
            if prev <= self.got:
                self.got = max(self.got, last)
        self._parts = [part for part in self._parts if part[0] > self.got]

    def note(self, prev: int, seq: int, now: float) -> None:
        """A datagram says what was sent before it, and up to where it goes."""
        self._heard, self._is_sure = now, prev == seq
        if prev <= self.got:
            self.absorb(seq)
            return
        if not self._parts:
            self._since = now
            self.holes += 1
        self._parts.append((prev, seq))

    def wish(self, now: float) -> tuple[int, int] | str | None:
        """What to ask for (from, to), "read" the scene, or None."""
        if self._parts and now - self._since > READ_AFTER_S:
            self._since = now
            return "read"
        if self._parts and now - self._since > ASK_AFTER_S and now - self._asked > ASK_REST_S:
            self._asked = now
            return self.got + 1, min(prev for prev, _ in self._parts)
        if not self._is_sure and now - self._heard > SILENCE_S:
            self._is_sure = True
            return "read"
        return None
