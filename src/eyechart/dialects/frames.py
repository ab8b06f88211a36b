"""Coordinate frames: the one place where a model's numbers become pixels of the original picture.

A frame is a scale (what the numbers are measured in) and an order (which number is which). Nothing
here clips, orders corners or guesses: numbers out of range stay out of range.

| scale | the numbers are |
|---|---|
| `pixels` | pixels of the original picture |
| `sent` | pixels of the picture as it was sent |
| `seen` | pixels of the picture as the model's own preprocessing made it |
| `0-1`, `0-100`, `0-999`, `0-1000` | parts of the width and height, the upper number the far edge |
| `square` | 0 to 1 of the picture centred on a square of its longer side (Shikra, LLaVA-1.5) |
| `transvg` | 0 to 1 of TransVG's square: longer side scaled to 640 pixels, then centred |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyechart.errors import UsageError, meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.dialects import Sizes
    from eyechart.values import Box

_PARTS = {"0-1": 1, "0-100": 100, "0-999": 999, "0-1000": 1000}
SCALES = ("pixels", "sent", "seen", *_PARTS, "square", "transvg")
ORDERS = ("xyxy", "yxyx", "xywh", "cxcywh")
_TRANSVG_SIDE = 640


@dataclass(frozen=True, slots=True)
class _Axis:
    """One axis of a frame: pixel = value / unit * length - offset."""

    unit: float
    length: float
    offset: float = 0.0

    def pixel(self, value: float) -> float:
        return value / self.unit * self.length - self.offset

    def value(self, pixel: float) -> float:
        return (pixel + self.offset) / self.length * self.unit


@dataclass(frozen=True, slots=True)
class Frame:
    """How a model measures and orders the four numbers of a box.

    Raises:
        UsageError: a scale or order that is not known; the message names the nearest.
    """

    scale: str
    order: str = "xyxy"

    def __post_init__(self) -> None:
        for what, name, known in (("scale", self.scale, SCALES), ("order", self.order, ORDERS)):
            if name not in known:
                raise UsageError(
                    f"No {what} of boxes is named {name!r}.{meant(name, known)} "
                    f"Known: {', '.join(known)}."
                )

    @property
    def needs_seen(self) -> bool:
        """Whether the size that the model's preprocessing made must be known."""
        return self.scale == "seen"

    def to_pixels(self, values: Sequence[float], sizes: Sizes) -> Box:
        """Four numbers of this frame as xyxy in pixels of the original picture.

        Neither clipped nor put in order.

        Raises:
            UsageError: the scale needs a size that `sizes` does not have.
        """
        x1, y1, x2, y2 = _corners(self.order, values)
        across, down = self._axes(sizes)
        return across.pixel(x1), down.pixel(y1), across.pixel(x2), down.pixel(y2)

    def write(self, box: Box, sizes: Sizes) -> tuple[float, float, float, float]:
        """The inverse: an xyxy box in pixels of the original as four numbers of this frame.

        Raises:
            UsageError: as `to_pixels`.
        """
        across, down = self._axes(sizes)
        x1, y1, x2, y2 = box
        return _ordered(
            self.order, (across.value(x1), down.value(y1), across.value(x2), down.value(y2))
        )

    def _axes(self, sizes: Sizes) -> tuple[_Axis, _Axis]:
        width, height = sizes.original
        if self.scale == "pixels":
            return _Axis(1, 1), _Axis(1, 1)
        if self.scale in _PARTS:
            unit = _PARTS[self.scale]
            return _Axis(unit, width), _Axis(unit, height)
        if self.scale == "square":
            side = max(width, height)
            # the pad is whole pixels, the smaller half in front, as the models' own code has it
            return _Axis(1, side, (side - width) // 2), _Axis(1, side, (side - height) // 2)
        if self.scale == "transvg":
            return _transvg(width, height)
        other = sizes.sent if self.scale == "sent" else sizes.seen
        if other is None:
            raise UsageError(
                f"The boxes are in pixels of the picture as it was {self.scale}, and that size is "
                "not known: declare a --dialect in pixels of the original picture, or in ratios."
            )
        return _Axis(other[0], width), _Axis(other[1], height)


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
    if order == "cxcywh":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    return a, b, c, d


def _ordered(order: str, corners: Box) -> Box:
    x1, y1, x2, y2 = corners
    if order == "yxyx":
        return y1, x1, y2, x2
    if order == "xywh":
        return x1, y1, x2 - x1, y2 - y1
    if order == "cxcywh":
        return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
    return corners
