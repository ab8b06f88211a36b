"""Coordinate frames: the one place where a model's numbers become pixels of the original picture.

A frame is a scale (what the numbers are measured in) and an order (which number is which). Nothing
here clips, orders corners or guesses: numbers out of range stay out of range.

| scale | the numbers are |
|---|---|
| `pixels` | pixels of the original picture |
| `sent` | pixels of the picture as it was sent |
| `seen` | pixels of the picture as the model's own preprocessing made it |
| `0-1`, `0-100`, `0-999`, `0-1000` | parts of the width and height, the upper number the far edge |
| `0-1023` | the same, of 1,024 location bins (PaliGemma) |
| `centres-1000`, `centres-1024` | location bins that stand for their middle: (bin + 0.5) / N |
| `square` | 0 to 1 of the picture centred on a square of its longer side (Shikra, LLaVA-1.5) |
| `transvg` | 0 to 1 of TransVG's square: longer side scaled to 640 pixels, then centred |
| `cells-N` | two cells of an N x N grid over the picture, counted row by row from 0 (Kosmos-2: 32) |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from eyechart.dialects.cells import (
    MOST_CELLS,
    box_to_cells,
    cell_to_point,
    cells_to_box,
    point_to_cell,
)
from eyechart.errors import DataError, UsageError, meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.dialects import Sizes
    from eyechart.values import Box

__all__ = ["ORDERS", "SCALES", "Frame", "cells_to_box"]

# scale: the number that is the far edge, and what is added to a number first
_PARTS = {
    "0-1": (1, 0),
    "0-100": (100, 0),
    "0-999": (999, 0),
    "0-1000": (1000, 0),
    "0-1023": (1023, 0),
    "centres-1000": (1000, 0.5),
    "centres-1024": (1024, 0.5),
}
SCALES = ("pixels", "sent", "seen", *_PARTS, "square", "transvg")
ORDERS = ("xyxy", "yxyx", "xywh", "cxcywh")
_CELLS = re.compile(r"cells-([1-9][0-9]{0,3})", re.ASCII)
_TRANSVG_SIDE = 640


class _Axis(NamedTuple):
    """One axis of a frame: pixel = (value + shift) / unit * length - offset."""

    unit: float
    length: float
    offset: float = 0.0
    shift: float = 0.0

    def pixel(self, value: float) -> float:
        return (value + self.shift) / self.unit * self.length - self.offset

    def value(self, pixel: float) -> float:
        return (pixel + self.offset) / self.length * self.unit - self.shift


_SAME = _Axis(1, 1)


@dataclass(frozen=True, slots=True)
class Frame:
    """How a model measures and orders the four numbers of a box.

    `cells` is the number of cells a side, where the two numbers of a box are cells; else 0.

    Raises:
        UsageError: a scale or order that is not known; the message names the nearest.
    """

    scale: str
    order: str = "xyxy"
    cells: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", _cells(self.scale))
        if self.order not in ORDERS:
            raise UsageError(
                f"No order of boxes is named {self.order!r}.{meant(self.order, ORDERS)} "
                f"Known: {', '.join(ORDERS)}."
            )
        if self.cells and self.order != "xyxy":
            raise UsageError(
                f"A box in {self.scale} is two cells, the upper left and the lower right one, and "
                f"has no order {self.order!r}: leave it away."
            )

    @property
    def needs_seen(self) -> bool:
        """Whether the size that the model's preprocessing made must be known."""
        return self.scale == "seen"

    def to_pixels(self, values: Sequence[float], sizes: Sizes) -> Box:
        """Four numbers of this frame (two cells of `cells-N`) as xyxy in pixels of the original.

        Neither clipped nor put in order.

        Raises:
            UsageError: the scale needs a size that `sizes` does not have.
            DataError: not two cells where the frame has cells.
        """
        if self.cells:
            x1, y1, x2, y2 = cells_to_box(*_two_cells(values), self.cells)
            width, height = sizes.original
            return x1 * width, y1 * height, x2 * width, y2 * height
        x1, y1, x2, y2 = values if self.order == "xyxy" else _corners(self.order, values)
        # written out: this is called for every box that is read
        (unit_x, length_x, offset_x, shift_x), (unit_y, length_y, offset_y, shift_y) = self._axes(
            sizes
        )
        return (
            (x1 + shift_x) / unit_x * length_x - offset_x,
            (y1 + shift_y) / unit_y * length_y - offset_y,
            (x2 + shift_x) / unit_x * length_x - offset_x,
            (y2 + shift_y) / unit_y * length_y - offset_y,
        )

    def point(self, values: Sequence[float], sizes: Sizes) -> tuple[float, float]:
        """Two numbers of this frame as x, y in pixels of the original picture; not clipped.

        In `cells-N` a point is one cell, and lies in its middle.

        Raises:
            UsageError, DataError: as `to_pixels`.
        """
        if self.cells:
            (cell,) = _whole(values, 1)
            x, y = cell_to_point(cell, self.cells)
            return x * sizes.original[0], y * sizes.original[1]
        across, down = self._axes(sizes)
        x, y = values if self.order != "yxyx" else (values[1], values[0])
        return across.pixel(x), down.pixel(y)

    def write(self, box: Box, sizes: Sizes) -> tuple[float, ...]:
        """The inverse of `to_pixels`: an xyxy box in pixels of the original in this frame.

        Four numbers, not rounded; of `cells-N` the two cells that are read as the nearest box.

        Raises:
            UsageError: as `to_pixels`.
        """
        x1, y1, x2, y2 = box
        if self.cells:
            width, height = sizes.original
            ratios = (x1 / width, y1 / height, x2 / width, y2 / height)
            return box_to_cells(ratios, self.cells)
        across, down = self._axes(sizes)
        return _ordered(
            self.order, (across.value(x1), down.value(y1), across.value(x2), down.value(y2))
        )

    def write_point(self, point: tuple[float, float], sizes: Sizes) -> tuple[float, ...]:
        """The inverse of `point`: x, y in pixels of the original as two numbers of this frame.

        Not rounded; of `cells-N` the one cell that the point lies in.

        Raises:
            UsageError: as `to_pixels`.
        """
        x, y = point
        if self.cells:
            width, height = sizes.original
            return (point_to_cell((x / width, y / height), self.cells),)
        across, down = self._axes(sizes)
        first, second = across.value(x), down.value(y)
        return (second, first) if self.order == "yxyx" else (first, second)

    def _axes(self, sizes: Sizes) -> tuple[_Axis, _Axis]:
        width, height = sizes.original
        scale = self.scale
        if scale in _PARTS:
            unit, shift = _PARTS[scale]
            return _Axis(unit, width, 0.0, shift), _Axis(unit, height, 0.0, shift)
        if scale == "pixels":
            return _SAME, _SAME
        if scale == "square":
            side = max(width, height)
            # the pad is whole pixels, the smaller half in front, as the models' own code has it
            return _Axis(1, side, (side - width) // 2), _Axis(1, side, (side - height) // 2)
        if scale == "transvg":
            return _transvg(width, height)
        other = sizes.sent if scale == "sent" else sizes.seen
        if other is None:
            raise UsageError(_UNKNOWN_SIZE[scale])
        return _Axis(other[0], width), _Axis(other[1], height)


_UNKNOWN_SIZE = {
    "sent": (
        "The boxes are in pixels of the picture as it was sent, and that size is not known: no one "
        "noted it with the reply. Ask with eyechart, which notes it (--image-policy says what is "
        "sent), or declare with --dialect json:pixels or json:seen (and --seen RULE) what the "
        "numbers are; `eyechart probe` finds it out."
    ),
    "seen": (
        "The boxes are in pixels of the picture as the model's own preprocessing made it, and that "
        "size is not known. Say what it does (--seen smart:factor=28,max=1003520), or send pictures "
        "at a size that it leaves alone (--image-policy multiple-of=28), or let `eyechart probe` "
        "find it out; or declare another --dialect, if that is how the model writes."
    ),
}


def _cells(scale: str) -> int:
    """Cells a side of `cells-N`; 0 for the other scales.

    Raises:
        UsageError: no such scale.
    """
    if scale in SCALES:
        return 0
    match = _CELLS.fullmatch(scale)
    if match and int(match[1]) <= MOST_CELLS:
        return int(match[1])
    near = meant(scale, (*SCALES, "cells-32")) if not scale.startswith("cells") else ""
    raise UsageError(
        f"No scale of boxes is named {scale!r}.{near} Known: {', '.join(SCALES)}, and cells-N, "
        f"where N is a whole number from 1 to {MOST_CELLS:,}, such as cells-32."
    )


def _two_cells(values: Sequence[float]) -> tuple[int, int]:
    first, second = _whole(values, 2)
    return first, second


def _whole(values: Sequence[float], count: int) -> list[int]:
    """Indices of cells.

    Raises:
        DataError: another number of them, or numbers that are not whole.
    """
    if len(values) != count:
        wanted = "a point is one cell" if count == 1 else "a box is two cells"
        raise DataError(f"{wanted}, not {len(values)} numbers.")
    # infinity % 1 is not a number, which differs from 0
    if any(value % 1 != 0 for value in values):
        raise DataError("the index of a cell is a whole number.")
    return [int(value) for value in values]


def _transvg(width: int, height: int) -> tuple[_Axis, _Axis]:
    """Source: djiajunustc/TransVG datasets/transforms.py (resize by the long side, then pad)."""
    ratio = _TRANSVG_SIDE / max(width, height)
    axes = []
    for length in (width, height):
        spare = _TRANSVG_SIDE - round(length * ratio)
        pad = round(spare / 2 - 0.1)
        axes.append(_Axis(1, _TRANSVG_SIDE / ratio, pad / ratio))
    return axes[0], axes[1]


def _corners(order: str, values: Sequence[float]) -> Box:
    a, b, c, d = values
    if order == "yxyx":
        return b, a, d, c
    if order == "xywh":
        return a, b, a + c, b + d
    return a - c / 2, b - d / 2, a + c / 2, b + d / 2


def _ordered(order: str, corners: Box) -> Box:
    x1, y1, x2, y2 = corners
    if order == "yxyx":
        return y1, x1, y2, x2
    if order == "xywh":
        return x1, y1, x2 - x1, y2 - y1
    if order == "cxcywh":
        return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
    return corners
