"""How many requests may be out at once: fewer after each 429, slowly more again."""

from __future__ import annotations

import asyncio
from collections import deque


class Gate:
    """Additive increase, multiplicative decrease, between 1 and `most`.

    For use inside one event loop.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._cut_at = float("-inf")

    @property
    def allowed(self) -> int:
        """The number of requests that may be out now."""
        return int(self._allowed)

    async def enter(self) -> float:
        """Waits for a place; returns the time (of the event loop) at which it was had."""
        loop = asyncio.get_running_loop()
        while self._inside >= self.allowed:
            place = loop.create_future()
            self._waiting.append(place)
            await place
        self._inside += 1
        return loop.time()

    def leave(self) -> None:
        """Gives the place back."""
        self._inside -= 1
        free = self.allowed - self._inside
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def shrink(self, entered: float) -> None:
        """A request that entered then met a 429: halve, once for all that were out together."""
        if entered > self._cut_at:
            self._cut_at = asyncio.get_running_loop().time()
            self._allowed = max(1.0, self._allowed / 2)

    def grow(self) -> None:
        """A request was answered: one more place after as many answers as there are places."""
        if self._allowed < self._most:
            self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
