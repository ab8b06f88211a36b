"""The seven shapes as rows of pixels, by integer arithmetic alone.

A pixel belongs to a shape when its centre does. Nothing is smoothed, so a shape's extent is exact.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

Row = tuple[tuple[int, int], ...]

SHAPES = ("circle", "square", "triangle", "star", "cross", "ring", "diamond")
PLURALS = {name: name + ("es" if name.endswith("s") else "s") for name in SHAPES}

_UNIT = 10_000
# Corners in ten-thousandths of the size. The star has its points on a circle of radius 5257
# about (5000, 5257), so that it is as wide as its size; its inner corners lie at 0.45 of that.
_CORNERS: dict[str, tuple[tuple[int, int], ...]] = {
    "square": ((0, 0), (10_000, 0), (10_000, 10_000), (0, 10_000)),
    "triangle": ((5000, 0), (10_000, 8660), (0, 8660)),
    "star": (
        (5000, 0), (6391, 3343), (10_000, 3632), (7250, 5988), (8090, 9510),
        (5000, 7623), (1910, 9510), (2750, 5988), (0, 3632), (3609, 3343),
    ),
    "cross": (
        (3400, 0), (6600, 0), (6600, 3400), (10_000, 3400), (10_000, 6600), (6600, 6600),
        (6600, 10_000), (3400, 10_000), (3400, 6600), (0, 6600), (0, 3400), (3400, 3400),
    ),
}  # fmt: skip
_HOLE = 54  # the ring's inner diameter, per cent of the outer


@lru_cache(maxsize=4096)
def rows(shape: str, size: int) -> tuple[Row, ...]:
    """The runs of pixels of each row of the `size` x `size` square that holds the shape.

    A run is (first, end): it covers first..end-1. Rows may be empty.
    """
    if shape in _CORNERS:
        return _polygon(_CORNERS[shape], size)
    if shape == "diamond":
        return tuple(_middle_run(size, size - abs(2 * y + 1 - size)) for y in range(size))
    if shape == "circle":
        return tuple(_middle_run(size, _chord(size, size, y)) for y in range(size))
    return tuple(_ring_row(size, y) for y in range(size))


@lru_cache(maxsize=4096)
def extent(shape: str, size: int) -> tuple[int, int, int, int]:
    """The box of the shape's pixels in its square: xyxy, right and bottom edge not included."""
    runs = [(y, first, end) for y, row in enumerate(rows(shape, size)) for first, end in row]
    return (
        min(first for _, first, _ in runs),
        runs[0][0],
        max(end for _, _, end in runs),
        runs[-1][0] + 1,
    )


@lru_cache(maxsize=4096)
def area(shape: str, size: int) -> int:
    """The number of pixels of the shape."""
    return sum(end - first for row in rows(shape, size) for first, end in row)


def _middle_run(size: int, reach: int) -> Row:
    """The pixels whose centre lies within `reach` half-pixels of the middle column."""
    if reach < 0:
        return ()
    first = (size - reach) // 2 if reach <= size else 0
    end = size - first
    return ((first, end),) if end > first else ()


def _chord(size: int, diameter: int, y: int) -> int:
    """Half the chord of the disc at row y, in half-pixels; -1 where the row misses it."""
    square = diameter * diameter - (2 * y + 1 - size) ** 2
    return isqrt(square) if square >= 0 else -1


def _ring_row(size: int, y: int) -> Row:
    outer = _middle_run(size, _chord(size, size, y))
    inner = _middle_run(size, _chord(size, size * _HOLE // 100, y))
    if not outer or not inner:
        return outer
    return ((outer[0][0], inner[0][0]), (inner[0][1], outer[0][1]))


def _polygon(corners: tuple[tuple[int, int], ...], size: int) -> tuple[Row, ...]:
    """Even-odd filling along the middle of each row, in units of 1 / (2 * size * _UNIT)."""
    scale = 2 * size
    starts: list[list[int]] = [[] for _ in range(size)]
    for edge in zip(corners, corners[1:] + corners[:1], strict=True):
        (x0, y0), (x1, y1) = sorted(edge, key=lambda corner: corner[1])
        rise = (y1 - y0) * scale
        # the rows whose middle (2 y + 1) * _UNIT is in y0 .. y1, the end not included
        for y in range(_pixel(y0 * scale), min(size, _pixel(y1 * scale))):
            over = x0 * scale * rise + (x1 - x0) * scale * ((2 * y + 1) * _UNIT - y0 * scale)
            starts[y].append(-((_UNIT * rise - over) // (2 * _UNIT * rise)))
    return tuple(_runs(sorted(row)) for row in starts)


def _pixel(place: int) -> int:
    """The first pixel whose middle (2 p + 1) * _UNIT is not before `place`."""
    return -((_UNIT - place) // (2 * _UNIT))


def _runs(ends: list[int]) -> Row:
    """The pairs of crossings that hold a pixel."""
    return tuple(run for run in zip(ends[::2], ends[1::2], strict=True) if run[1] > run[0])
