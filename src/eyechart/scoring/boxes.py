"""The arithmetic of boxes: areas, intersections, IoU, and which of several boxes counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from eyechart.errors import DataError, UsageError, meant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from eyechart.values import Box, Reading

Policy = Literal["first", "last", "any", "union", "mean", "highest"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
_CHUNK = 8192


def raw_iou(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """IoU of boxes `(..., 4)` xyxy in the precision of the arrays, without the +1; 0/0 is NaN.

    Areas are not clamped (a box swapped along one axis has a negative one), the intersection is.
    This is the formula of the official Kosmos-2 (float32) and Flickr30k Entities (float64) scorers.
    """
    with np.errstate(all="ignore"):
        width, height = sides(first, second)
        inter = np.maximum(width, 0) * np.maximum(height, 0)
        quotient: NDArray[Any] = inter / (area(first) + area(second) - inter)
    return quotient


def sides(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Width and height of the part that boxes `(..., 4)` share; negative where they are apart."""
    width = np.minimum(first[..., 2], second[..., 2]) - np.maximum(first[..., 0], second[..., 0])
    height = np.minimum(first[..., 3], second[..., 3]) - np.maximum(first[..., 1], second[..., 1])
    return width, height


def area(boxes: NDArray[Any]) -> NDArray[Any]:
    """Signed areas of boxes `(..., 4)` xyxy, in square units of theirs."""
    signed: NDArray[Any] = (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
    return signed


def iou(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """IoU in float64 of boxes `(..., 4)` xyxy that broadcast, always within 0..1.

    0 where the union is 0, and where a box is swapped or not finite.
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != other.shape or one.ndim != 2:
        return _within(raw_iou(one, other))
    result = np.empty(len(one))
    # so many at a time that what lies between stays in the processor's cache
    for begin in range(0, len(one), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        result[part] = _within(raw_iou(one[part], other[part]))
    return result


def _within(quotient: NDArray[Any]) -> NDArray[np.float64]:
    # fmax takes the 0 beside a NaN; adding 0 makes 0 of -0
    within: NDArray[np.float64] = np.minimum(np.fmax(quotient, 0.0), 1.0) + 0.0
    return within


def chosen(
    readings: Sequence[Reading], policy: Policy = "first"
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The boxes that stand for each reading, `(K, 4)`, and the reading each belongs to, `(K,)`.

    `first` and `last` are in the order of the reading (the reply's own; boxes given with scores are
    ranked by them when they are read), `highest` has the highest score (the first of
    equal ones), `union` is the enclosing box, `mean` the mean of the coordinates; all give one box
    a reading that has any. `any` gives all of them: the best one counts.

    Raises:
        UsageError: an unknown policy.
        DataError: `highest` for a reading of several boxes without scores.
    """
    if policy not in POLICIES:
        raise UsageError(
            f"No box policy is named {policy!r}.{meant(policy, POLICIES)} "
            f"Known: {', '.join(POLICIES)}."
        )
    if policy == "any":
        pairs = [(box, place) for place, r in enumerate(readings) for box in r.boxes]
    else:
        pairs = [(_one(r, policy), place) for place, r in enumerate(readings) if r.boxes]
    boxes = np.array([box for box, _ in pairs], np.float64).reshape(-1, 4)
    return boxes, np.array([place for _, place in pairs], np.int64)


def _one(reading: Reading, policy: Policy) -> Box:
    boxes = reading.boxes
    if len(boxes) == 1 or policy == "first":
        return boxes[0]
    if policy == "last":
        return boxes[-1]
    if policy == "highest":
        if len(reading.scores) != len(boxes):
            raise DataError("box policy highest: a reply of several boxes has no score for each.")
        return boxes[max(range(len(boxes)), key=reading.scores.__getitem__)]
    x1, y1, x2, y2 = zip(*boxes, strict=True)
    if policy == "union":
        return min(x1), min(y1), max(x2), max(y2)
    count = len(boxes)
    return sum(x1) / count, sum(y1) / count, sum(x2) / count, sum(y2) / count
