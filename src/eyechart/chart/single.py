"""Scenes with one large object at given odd sizes, for finding out how a model writes boxes.

The object is stretched, so that its width and height differ, and lies off the diagonals and off the
centre: read in another frame or order its box is another one. A few small things of other colours
lie about. Integers alone decide every pixel; the true box is taken from the pixels.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.chart.generator import Stream
from eyechart.chart.scene import COLOURS

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

VERSION = 1
SHAPES = ("triangle", "rectangle", "oval", "diamond")
# Width and height in pixels. All ways up, no side a multiple of 28 or 32; the first dozen
# has small ones, extreme ones, some above 1,003,520 pixels and some above 2.4 million.
SIZES = (
    (611, 407), (413, 1283), (1999, 1203), (333, 517), (1181, 2339), (1571, 881), (1283, 413),
    (1009, 1543), (237, 349), (2551, 1109), (1847, 719), (853, 719), (1723, 2411), (701, 1801),
    (349, 237), (2203, 1627), (827, 1399), (1361, 1867), (1613, 257), (523, 331), (271, 1187),
    (1303, 1201), (229, 227), (1097, 983),
)  # fmt: skip
MOST = len(SIZES)

_GREYS = (238, 206, 58, 24)
# what lies beside the object has a colour that is not near its own
_ALIKE = ({"red", "orange", "magenta"}, {"orange", "yellow"}, {"blue", "purple", "cyan"},
          {"purple", "magenta"}, {"green", "cyan"})  # fmt: skip
_PLACES = ((22, 62), (66, 24), (30, 78), (76, 42), (50, 20), (22, 50), (50, 80), (80, 52))
_GAP = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """A stretched shape in a rectangle; `box` is what its pixels cover of that.

    Both are xyxy in pixels, the right and bottom edge not included.
    """

    colour: str
    shape: str
    rectangle: tuple[int, int, int, int]
    box: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Single:
    """A picture's content: grey ground, the one large object, and small things beside it."""

    width: int
    height: int
    grey: int
    target: Figure
    others: tuple[Figure, ...]

    @property
    def expression(self) -> str:
        """What means the large object and nothing else, such as `the red triangle`."""
        return f"the {self.target.colour} {self.target.shape}"


def compose(seed: int, index: int) -> Single:
    """The scene of that seed and index; the index (0 to MOST - 1) alone decides the size.

    Raises:
        IndexError: no such index.
    """
    if not 0 <= index < MOST:
        raise IndexError(f"the scenes are numbered 0 to {MOST - 1}, not {index}.")
    width, height = SIZES[index]
    stream = Stream(VERSION, seed, index, 7)
    colours = stream.shuffled(tuple(COLOURS))
    grey = _GREYS[stream.below(len(_GREYS))]
    target = _target(stream, width, height, index + Stream(VERSION, seed, 8).below(8), colours[0])
    others: list[Figure] = []
    apart = [name for name in colours if not any({name, colours[0]} <= group for group in _ALIKE)]
    for colour in [name for name in apart if name != colours[0]][: stream.between(1, 3)]:
        found = _beside(stream, width, height, colour, [target, *others])
        if found is not None:
            others.append(found)
    return Single(width, height, grey, target, tuple(others))


def _target(stream: Stream, width: int, height: int, turn: int, colour: str) -> Figure:
    """The large object: 20 to 42 % of either side, its two shares of the sides unlike."""
    long, short = stream.between(33, 42), stream.between(20, 26)
    across, down = (long, short) if stream.chance(1, 2) else (short, long)
    size = width * across // 100, height * down // 100
    at_x, at_y = (place + stream.between(-3, 3) for place in _PLACES[turn % len(_PLACES)])
    corner = [
        min(max(length * at // 100 - own // 2, length // 32 + 1), length - own - length // 32 - 1)
        for length, own, at in ((width, size[0], at_x), (height, size[1], at_y))
    ]
    return _figure(colour, stream.choice(SHAPES), corner[0], corner[1], *size)


def _beside(
    stream: Stream, width: int, height: int, colour: str, taken: list[Figure]
) -> Figure | None:
    """A small thing that touches none of those taken; None where no place is found."""
    side = max(8, min(width, height) * stream.between(6, 10) // 100)
    for _ in range(20):
        x, y = stream.between(1, width - side - 1), stream.between(1, height - side - 1)
        around = (x, y, x + side, y + side)
        if not any(_touch(around, one.rectangle) for one in taken):
            return _figure(colour, stream.choice(SHAPES), x, y, side, side)
    return None


def _touch(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return (
        one[0] < other[2] + _GAP
        and other[0] < one[2] + _GAP
        and one[1] < other[3] + _GAP
        and other[1] < one[3] + _GAP
    )


def _figure(colour: str, shape: str, x: int, y: int, width: int, height: int) -> Figure:
    """The shape in a rectangle, with the box that its pixels really have."""
    mask = filled(shape, width, height)
    across, down = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    box = (
        x + int(across[0]),
        y + int(down[0]),
        x + int(across[-1]) + 1,
        y + int(down[-1]) + 1,
    )
    return Figure(colour, shape, (x, y, x + width, y + height), box)


def filled(shape: str, width: int, height: int) -> Mask:
    """The pixels of a shape stretched to a rectangle, height x width.

    A pixel belongs to the shape when its middle does.
    """
    # twice the distance of a pixel's middle from the rectangle's
    x = np.abs(2 * np.arange(width, dtype=np.int64) + 1 - width)[None, :]
    y = np.abs(2 * np.arange(height, dtype=np.int64) + 1 - height)[:, None]
    if shape == "oval":
        mask: Mask = (x * height) ** 2 + (y * width) ** 2 <= (width * height) ** 2
    elif shape == "diamond":
        mask = x * height + y * width <= width * height
    elif shape == "triangle":
        below = 2 * np.arange(height, dtype=np.int64)[:, None] + 1
        mask = 2 * x * height <= below * width
    else:
        mask = np.ones((height, width), dtype=bool)
    return mask


def draw(scene: Single) -> Pixels:
    """The scene's pixels, height x width x 3, RGB."""
    picture = np.full((scene.height, scene.width, 3), scene.grey, dtype=np.uint8)
    for figure in (*scene.others, scene.target):
        x1, y1, x2, y2 = figure.rectangle
        part = picture[y1:y2, x1:x2]
        part[filled(figure.shape, x2 - x1, y2 - y1)] = COLOURS[figure.colour]
    return picture


@lru_cache(maxsize=2 * MOST)
def read(seed: int, index: int) -> bytes:
    """The picture as PNG bytes without metadata; kept, as each is asked about several times."""
    encoded = io.BytesIO()
    Image.fromarray(draw(compose(seed, index))).save(
        encoded, "PNG", compress_level=1, compress_type=3
    )
    return encoded.getvalue()
