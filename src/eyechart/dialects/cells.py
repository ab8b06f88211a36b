"""Cells of a square grid over the picture, in which Kosmos-2 and its kin write a box as two."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from eyechart.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eyechart.values import Box

MOST_CELLS = 1024
# the edges of a cell, computed, are a cell apart but for this part of it
_ROUNDING = 1e-9


def cells_to_box(upper_left: int, lower_right: int, grid: int = 32) -> Box:
    """The box x1, y1, x2, y2 in 0..1 that two cells of a `grid` x `grid` picture span.

    Cells that share a row or a column give their outer edges, others their centres. Nothing is put
    in order or clipped: swapped corners stay swapped, an index beyond the grid lies below it.
    Source: microsoft/unilm `kosmos-2/evaluation/refcoco/decode_string.py`.

    Raises:
        UsageError: a grid of 0.
        DataError: an index too large for a number.
    """
    if grid == 0:
        raise UsageError("--grid must not be 0.")
    cell = 1.0 / grid
    y1, x1 = divmod(upper_left, grid)
    y2, x2 = divmod(lower_right, grid)
    try:
        if x1 == x2 or y1 == y2:
            return (x1 * cell, y1 * cell, x2 * cell + cell, y2 * cell + cell)
        half = cell / 2
        return (x1 * cell + half, y1 * cell + half, x2 * cell + half, y2 * cell + half)
    except OverflowError:
        raise DataError("a patch index is too large to be a number.") from None


def box_to_cells(box: Box, grid: int = 32) -> tuple[int, int]:
    """The two cells which `cells_to_box` reads as the box nearest to `box` (xyxy in 0..1).

    Nearest is the greatest IoU, then the least distance of the corners (which alone decides for
    boxes without area or with swapped corners); corners that are not swapped are never read as if
    they were. Two sides of a box that lie more than a cell apart never get the same row or column:
    reading would make one cell of them. What lies beyond the picture is taken to its edge first.
    """
    x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) * grid for value in box)
    inside = (x1, y1, x2, y2)
    columns, rows = _near(x1, x2, grid), _near(y1, y2, grid)

    def far(cells: tuple[tuple[int, int], tuple[int, int]]) -> tuple[bool, float, float, bool]:
        (left, right), (top, bottom) = cells
        read = cells_to_box(top * grid + left, bottom * grid + right, grid)
        found = tuple(value * grid for value in read)
        swapped = any(
            found[k] > found[k + 2] + _ROUNDING and inside[k] <= inside[k + 2] for k in (0, 1)
        )
        distance = sum((a - b) ** 2 for a, b in zip(found, inside, strict=True))
        return swapped, -_iou(found, inside), distance, left > right or top > bottom

    (left, right), (top, bottom) = min(product(columns, rows), key=far)
    return top * grid + left, bottom * grid + right


def cell_to_point(cell: int, grid: int = 32) -> tuple[float, float]:
    """The middle x, y in 0..1 of a cell."""
    row, column = divmod(cell, grid)
    return (column + 0.5) / grid, (row + 0.5) / grid


def point_to_cell(point: tuple[float, float], grid: int = 32) -> int:
    """The cell that a point x, y in 0..1 lies in; one beyond the picture gets a cell at its edge."""
    column, row = (min(max(int(value * grid), 0), grid - 1) for value in point)
    return row * grid + column


def _near(low: float, high: float, grid: int) -> Sequence[tuple[int, int]]:
    """Pairs of cells of one axis which may be nearest to a side from `low` to `high` (in cells)."""
    pairs = product(_around(low, grid), _around(high, grid))
    if abs(high - low) <= 1 + _ROUNDING:
        return tuple(pairs)
    return tuple((first, second) for first, second in pairs if first != second)


def _around(value: float, grid: int) -> Iterable[int]:
    # the nearest edge and the nearest centre both belong to one of these
    cell = min(int(value), grid - 1)
    return range(max(cell - 1, 0), min(cell + 2, grid))


def _iou(first: Sequence[float], second: Sequence[float]) -> float:
    """IoU of two boxes; 0 where one has no area or swapped corners."""
    (a, b, c, d), (e, f, g, h) = first, second
    if not (a < c and b < d and e < g and f < h):
        return 0.0
    width, height = min(c, g) - max(a, e), min(d, h) - max(b, f)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((c - a) * (d - b) + (g - e) * (h - f) - shared)
