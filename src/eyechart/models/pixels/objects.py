"""Blobs to objects: the shape that fits a blob best, also where another blob hides a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from eyechart.models.pixels.segments import Blob, Numbers, Pixels, segmented

if TYPE_CHECKING:
    from collections.abc import Iterable

Mask = npt.NDArray[np.bool_]
IntBox = tuple[int, int, int, int]

LARGEST_SIDE = 1600  # pixels: larger pictures are read in steps
_GRID = 24  # shapes are compared on this many cells a side
_WHOLE_FIT = 0.86  # what fits so well is not thought to be hidden anywhere
_JOINED_FIT = 0.88  # two blobs are one hidden thing where one shape fits both so well


@dataclass(frozen=True, slots=True)
class Found:
    """An object as it was read. `box` is xyxy in the picture's pixels; `fit` is 0..1."""

    colour: str
    shape: str
    box: tuple[float, float, float, float]
    area: int
    fit: float

    @property
    def size(self) -> float:
        """The longer side of its box, in pixels."""
        return max(self.box[2] - self.box[0], self.box[3] - self.box[1])

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of its box, in pixels."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True, slots=True)
class _Guess:
    shape: str
    box: IntBox
    fit: float


def find_objects(pixels: Pixels) -> list[Found]:
    """The objects of a picture (height x width x 3, RGB), the largest first."""
    step = -(-max(pixels.shape[:2]) // LARGEST_SIDE)
    numbers, blobs = segmented(np.ascontiguousarray(pixels[::step, ::step]))
    neighbours = {blob.number: _neighbours(numbers, blob) for blob in blobs}
    guesses = {blob.number: _guess(numbers, (blob,), neighbours[blob.number]) for blob in blobs}
    joined = _joined(numbers, blobs, neighbours, guesses)
    found = []
    for blob in blobs:
        if blob.number in joined and joined[blob.number] is None:
            continue
        guess = joined.get(blob.number) or guesses[blob.number]
        x1, y1, x2, y2 = (float(side * step) for side in guess.box)
        found.append(Found(blob.colour, guess.shape, (x1, y1, x2, y2), blob.area, guess.fit))
    return found


def _neighbours(numbers: Numbers, blob: Blob) -> frozenset[int]:
    """The blobs within two pixels of this one."""
    x1, y1, x2, y2 = blob.box
    height, width = numbers.shape
    top, left = max(0, y1 - 2), max(0, x1 - 2)
    around = numbers[top : min(height, y2 + 2), left : min(width, x2 + 2)]
    others = (around != 0) & (around != blob.number)
    if not others.any():
        return frozenset()
    near = _grown(_grown(around == blob.number))
    return frozenset(int(number) for number in np.unique(around[near & others]))


def _grown(mask: Mask) -> Mask:
    wide = np.pad(mask, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    grown: Mask = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return grown


def _joined(
    numbers: Numbers,
    blobs: list[Blob],
    neighbours: dict[int, frozenset[int]],
    guesses: dict[int, _Guess],
) -> dict[int, _Guess | None]:
    """Blobs of one colour that one neighbour parts: a guess for the first, None for the second."""
    by_number = {blob.number: blob for blob in blobs}
    joined: dict[int, _Guess | None] = {}
    for cover in blobs:
        touching = sorted(neighbours[cover.number])[:12]
        for one, other in combinations(touching, 2):
            if one in joined or other in joined or by_number[one].colour != by_number[other].colour:
                continue
            pair = (by_number[one], by_number[other])
            guess = _guess(numbers, pair, frozenset((cover.number,)))
            if guess.fit >= max(_JOINED_FIT, guesses[one].fit - 0.06):
                joined[one], joined[other] = guess, None
    return joined


def _guess(numbers: Numbers, blobs: tuple[Blob, ...], near: frozenset[int]) -> _Guess:
    """The shape and box that fit best; that a neighbour hides something only if it must be."""
    seen = (
        min(blob.box[0] for blob in blobs),
        min(blob.box[1] for blob in blobs),
        max(blob.box[2] for blob in blobs),
        max(blob.box[3] for blob in blobs),
    )
    own = tuple(blob.number for blob in blobs)
    whole = _best(numbers, [(seen, name) for name in _outlines()], own, frozenset())
    if not near or whole.fit >= _WHOLE_FIT:
        return whole
    boxes = [(box, name) for name in _outlines() for box in (seen, *_extended(seen, name))]
    hidden = _best(numbers, boxes, own, near)
    return hidden if hidden.fit > whole.fit else whole


def _best(
    numbers: Numbers,
    boxes: list[tuple[IntBox, str]],
    own: tuple[int, ...],
    near: frozenset[int],
) -> _Guess:
    """The best of these boxes and shapes, where pixels of `near` are not judged."""
    best = _Guess("shape", boxes[0][0], 0.0)
    sampled: dict[IntBox, tuple[Mask, Mask]] = {}
    for box, name in boxes:
        if box not in sampled:
            sampled[box] = _sampled(numbers, box, own, near)
        fit = _fit(_outlines()[name], *sampled[box]) - _squashed(box, name)
        if fit > best.fit:
            best = _Guess(name, box, fit)
    return best


def _extended(seen: IntBox, name: str) -> list[IntBox]:
    """The boxes of the shape's own proportions that hold the seen one, grown to one side."""
    x1, y1, x2, y2 = seen
    width, height = x2 - x1, y2 - y1
    aspect = _ASPECTS[name]
    wide, high = round(height / aspect), round(width * aspect)
    if wide > width:
        return [(x2 - wide, y1, x2, y2), (x1, y1, x1 + wide, y2)]
    if high > height:
        return [(x1, y2 - high, x2, y2), (x1, y1, x2, y1 + high)]
    return []


def _squashed(box: IntBox, name: str) -> float:
    """A penalty for a box that has not the shape's proportions, beyond a pixel's doubt."""
    width, height = box[2] - box[0], box[3] - box[1]
    off = abs(height - width * _ASPECTS[name]) - 1.5
    return max(0.0, off) / max(width, height)


def _sampled(
    numbers: Numbers, box: IntBox, own: tuple[int, ...], near: frozenset[int]
) -> tuple[Mask, Mask]:
    """On the grid over the box: where the blobs are, and what can be judged (not hidden)."""
    x1, y1, x2, y2 = box
    cells = (2 * np.arange(_GRID) + 1) / (2 * _GRID)
    x = (x1 + cells * (x2 - x1)).astype(np.int64)
    y = (y1 + cells * (y2 - y1)).astype(np.int64)
    height, width = numbers.shape
    inside = ((y >= 0) & (y < height))[:, None] & ((x >= 0) & (x < width))[None, :]
    there = numbers[np.clip(y, 0, height - 1)[:, None], np.clip(x, 0, width - 1)[None, :]]
    mine = _among(there, own) & inside
    return mine, ~(_among(there, near) & inside)


def _among(numbers: Numbers, wanted: Iterable[int]) -> Mask:
    """Where a number is one of a few."""
    among = np.zeros(numbers.shape, dtype=np.bool_)
    for number in wanted:
        among |= numbers == number
    return among


def _fit(outline: Mask, mine: Mask, judged: Mask) -> float:
    """Intersection over union of shape and blob where it can be judged."""
    union = int(np.count_nonzero((outline | mine) & judged))
    return int(np.count_nonzero(outline & mine & judged)) / union if union else 0.0


# height over width of each shape's own box
_ASPECTS = {
    "circle": 1.0,
    "square": 1.0,
    "triangle": 0.866,
    "star": 0.951,
    "cross": 1.0,
    "ring": 1.0,
    "diamond": 1.0,
}


@cache
def _outlines() -> dict[str, Mask]:
    """Each shape in its own box, on the grid."""
    x, y = np.meshgrid(*[(2 * np.arange(_GRID) + 1) / _GRID - 1] * 2)
    radius = np.hypot(x, y)
    return {
        "circle": radius <= 1,
        "square": np.ones((_GRID, _GRID), dtype=np.bool_),
        "triangle": np.abs(x) <= (y + 1) / 2,
        "star": _star(x, y),
        "cross": (np.abs(x) <= 1 / 3) | (np.abs(y) <= 1 / 3),
        "ring": (radius <= 1) & (radius >= 0.54),
        "diamond": np.abs(x) + np.abs(y) <= 1,
    }


def _star(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Mask:
    """A star of five points in its box of -1..1: inside its outline by angle and radius."""
    inner = 0.45
    tall = (1 + np.cos(np.pi / 5)) / 2  # half of the height, the outer radius being 1
    across, up = x * np.sin(2 * np.pi / 5), 1 - (y + 1) * tall
    turn = np.abs((np.arctan2(across, up) + np.pi / 5) % (2 * np.pi / 5) - np.pi / 5)
    # within a tenth of the star the outline is the line from a point to an inner corner
    edge_x, edge_y = inner * np.sin(np.pi / 5), inner * np.cos(np.pi / 5)
    limit = edge_x / (edge_x * np.cos(turn) + (1 - edge_y) * np.sin(turn))
    inside: Mask = np.hypot(across, up) <= limit
    return inside
