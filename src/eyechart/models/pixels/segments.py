"""Colour segmentation: a picture's pixels to connected blobs of one colour word each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]

# where each colour word's hues begin, in degrees; red goes round through 0
_HUES = (
    (15, "orange"), (42, "yellow"), (75, "green"), (160, "cyan"), (205, "blue"),
    (252, "purple"), (293, "magenta"), (345, "red"),
)  # fmt: skip
COLOURS = tuple(name for _, name in _HUES)
MOST_BLOBS = 400  # the largest are kept
_LEAST_AREA = 18  # pixels
_LEAST_SIDE = 4
_NOISY = 3.0  # levels of noise above which the picture is smoothed


@dataclass(frozen=True, slots=True)
class Blob:
    """A connected blob. `box` is xyxy in pixels, right and bottom edge not included."""

    number: int
    colour: str
    area: int
    box: tuple[int, int, int, int]


def segmented(pixels: Pixels) -> tuple[Numbers, list[Blob]]:
    """A map of blob numbers (0 is ground), and the blobs, the largest first.

    `pixels` is height x width x 3, RGB. The ground is what has little colour compared with the
    rest: its chroma is estimated from the picture's least coloured quarter.
    """
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1))
    noisy = _noise(planes[1]) > _NOISY
    if noisy:
        planes = _smoothed(planes)
    red, green, blue = planes
    top, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    chroma = (top - low).astype(np.int16)
    ground = float(np.percentile(chroma[::2, ::2], 25))
    threshold = min(90.0, 14 + 3.5 * ground)
    words = _words(planes) * (chroma >= threshold)
    numbers, blobs = labelled(words)
    if noisy and blobs:
        # smoothing spreads a blob's edge: its true edge is where half of its colour is left
        strength = np.zeros(len(blobs) + 1, dtype=np.int16)
        for blob in blobs:
            x1, y1, x2, y2 = blob.box
            own = numbers[y1:y2, x1:x2] == blob.number
            strength[blob.number] = int(np.percentile(chroma[y1:y2, x1:x2][own], 75))
        words[chroma * 2 < strength[numbers]] = 0
        numbers, blobs = labelled(words)
    return numbers, blobs


def _noise(green: Pixels) -> float:
    """The typical difference of neighbours, in levels; flat areas have none."""
    if green.shape[1] < 2:
        return 0.0
    return float(np.median(np.abs(np.diff(green[::2].astype(np.int16), axis=1))))


def _smoothed(planes: Pixels) -> Pixels:
    """The mean of 3 x 3 pixels of each plane, the border repeated."""
    wide = np.pad(planes, ((0, 0), (1, 1), (1, 1)), mode="edge").astype(np.uint16)
    rows = wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]
    total = rows[:, :, :-2] + rows[:, :, 1:-1] + rows[:, :, 2:]
    mean: Pixels = (total // 9).astype(np.uint8)
    return mean


@cache
def _table() -> Pixels:
    """The colour word (1.. in the order of COLOURS) of each colour of six bits a channel."""
    levels = np.arange(64, dtype=np.float64)
    red, green, blue = np.meshgrid(levels, levels, levels, indexing="ij")
    top = np.maximum(np.maximum(red, green), blue)
    spread = np.maximum(top - np.minimum(np.minimum(red, green), blue), 1e-9)
    hue = np.where(
        top == red,
        (green - blue) / spread % 6,
        np.where(top == green, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    starts = np.array([start for start, _ in _HUES], dtype=np.float64)
    place = np.searchsorted(starts, hue * 60, side="right")
    table: Pixels = np.where(place == 0, len(_HUES), place).astype(np.uint8).reshape(-1)
    return table


def _words(planes: Pixels) -> Pixels:
    red, green, blue = (planes >> 2).astype(np.int32)
    words: Pixels = _table()[(red << 12) | (green << 6) | blue]
    return words


def labelled(words: Pixels) -> tuple[Numbers, list[Blob]]:
    """Connected components (eight neighbours, equal words) by runs and union-find, without specks.

    `words` is height x width; 0 is ground. The numbers of the blobs go from 1 by falling area.
    """
    height, width = words.shape
    # a column of a word that is none keeps the runs of one row from those of the next
    fenced = np.full((height, width + 1), 255, dtype=np.uint8)
    fenced[:, :width] = words
    flat = fenced.reshape(-1)
    starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    lengths = np.diff(np.append(starts, flat.size))
    word = flat[starts]
    used = np.flatnonzero((word != 0) & (word != 255))
    if used.size == 0:
        return np.zeros((height, width), dtype=np.int32), []
    first, end = starts[used], starts[used] + lengths[used]
    roots = _united(first, end, word[used], width + 1)
    _, component = np.unique(roots, return_inverse=True)
    kept, blobs = _measured(component, first, end, word[used], width + 1)
    of_run = np.zeros(starts.size, dtype=np.int32)
    of_run[used] = kept[component]
    numbers: Numbers = np.repeat(of_run, lengths).reshape(height, width + 1)[:, :width]
    return numbers, blobs


def _united(
    first: npt.NDArray[np.int64], end: npt.NDArray[np.int64], word: Pixels, stride: int
) -> npt.NDArray[np.int64]:
    """For each run the least run that it is connected with; runs are in reading order."""
    low = np.searchsorted(end, first - stride, side="left")
    high = np.searchsorted(first, end - stride, side="right")
    number = np.maximum(high - low, 0)
    below = np.repeat(np.arange(first.size), number)
    above = np.arange(below.size) - np.repeat(np.cumsum(number) - number, number)
    above += np.repeat(low, number)
    same = (word[below] == word[above]) & (above < below)
    below, above = below[same], above[same]
    parent = np.arange(first.size)
    while below.size:
        one, other = parent[below], parent[above]
        apart = one != other
        if not apart.any():
            break
        below, above, one, other = below[apart], above[apart], one[apart], other[apart]
        np.minimum.at(parent, np.maximum(one, other), np.minimum(one, other))
        while True:
            shorter = parent[parent]
            if np.array_equal(shorter, parent):
                break
            parent = shorter
    return parent


def _measured(
    component: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    end: npt.NDArray[np.int64],
    word: Pixels,
    stride: int,
) -> tuple[Numbers, list[Blob]]:
    """The number that each component keeps (0 for specks), and the blobs."""
    count = int(component.max()) + 1
    area = np.bincount(component, weights=end - first, minlength=count).astype(np.int64)
    row, left, right = first // stride, first % stride, (end - 1) % stride + 1
    x1 = np.full(count, stride)
    y1 = np.full(count, int(row.max()) + 1)
    x2, y2, colour = np.zeros((3, count), dtype=np.int64)
    np.minimum.at(x1, component, left)
    np.minimum.at(y1, component, row)
    np.maximum.at(x2, component, right)
    np.maximum.at(y2, component, row + 1)
    colour[component] = word
    large = (area >= _LEAST_AREA) & (np.minimum(x2 - x1, y2 - y1) >= _LEAST_SIDE)
    order = np.argsort(-area, kind="stable")
    order = order[large[order]][:MOST_BLOBS]
    kept = np.zeros(count, dtype=np.int32)
    kept[order] = np.arange(1, order.size + 1)
    return kept, [
        Blob(
            number,
            COLOURS[int(colour[c]) - 1],
            int(area[c]),
            (int(x1[c]), int(y1[c]), int(x2[c]), int(y2[c])),
        )
        for number, c in enumerate(order, 1)
    ]
