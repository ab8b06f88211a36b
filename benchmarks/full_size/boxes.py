"""A million pairs of boxes as two NumPy files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from numpy.typing import NDArray

PAIRS = 1_000_000
FIRST_FILE, SECOND_FILE = "first.npy", "second.npy"


def write(folder: Path, chance: random.Random, scale: float = 1.0) -> None:
    """`first.npy` and `second.npy`, float64 `(n, 4)`, xyxy in a picture of 640 x 480 pixels.

    Eight in ten of the second boxes are the first ones moved a little; the others are anywhere.
    """
    n = max(1, round(PAIRS * scale))
    draw = np.random.Generator(np.random.PCG64(chance.getrandbits(64)))
    size = np.array([640.0, 480.0])

    def anywhere() -> NDArray[np.float64]:
        corners: NDArray[np.float64] = np.sort(draw.random((n, 2, 2)), axis=1) * size
        return corners.reshape(n, 4)

    first, second = anywhere(), anywhere()
    sides = np.tile(first[:, 2:] - first[:, :2], 2)
    moved = first + (draw.random((n, 4)) - 0.5) * 0.4 * sides
    second = np.where(draw.random((n, 1)) < 0.8, moved, second)
    np.save(folder / FIRST_FILE, first)
    np.save(folder / SECOND_FILE, second)
