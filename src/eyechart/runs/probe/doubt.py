"""How sure one reading of the replies is ahead of another: the paired bootstrap over scenes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from eyechart.chart.generator import Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 2000
_TAIL = 2.5  # per cent on either side


class Bootstrap:
    """Draws of scenes with replacement, the same for all comparisons.

    Replies about one scene stand or fall together, so scenes are drawn and not replies.

    Args:
        scenes: the scene of each reply `(n,)`, any whole numbers.
    """

    def __init__(self, scenes: NDArray[np.int64]) -> None:
        _, self._codes, counts = np.unique(scenes, return_inverse=True, return_counts=True)
        self._count = len(counts)
        self._weights = _draws(self._count)
        self._sizes = self._weights @ counts.astype(np.float64)

    def interval(self, leads: Floats) -> tuple[Floats, Floats]:
        """The 95 % interval of the mean of each column of `leads` `(n, columns)`: low, high."""
        sums = np.zeros((self._count, leads.shape[1]))
        np.add.at(sums, self._codes, leads)
        means = (self._weights @ sums) / self._sizes[:, None]
        low, high = np.percentile(means, [_TAIL, 100 - _TAIL], axis=0)
        return low, high


@lru_cache(maxsize=32)
def _draws(count: int) -> Floats:
    """How often each of `count` scenes is drawn, `(DRAWS, count)`; the same on every machine."""
    stream = Stream(count, 0xB007)
    # 16 bits a draw; the share of a scene differs from another's by less than 1 / 2,000
    needed = -(-DRAWS * count // 4)
    bits = np.array([stream.bits() for _ in range(needed)], np.uint64).view(np.uint16)
    drawn = (bits[: DRAWS * count].astype(np.int64) * count >> 16).reshape(DRAWS, count)
    weights = np.zeros((DRAWS, count))
    for scene in range(count):
        weights[:, scene] = (drawn == scene).sum(axis=1)
    return weights
