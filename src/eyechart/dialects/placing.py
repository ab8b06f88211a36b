"""Numbers of a reply to a Reading: placed in the picture, put in order, flagged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eyechart.dialects.around import says_none
from eyechart.dialects.found import FAULTS
from eyechart.errors import DataError
from eyechart.text.refusals import is_refusal
from eyechart.values import Reading

if TYPE_CHECKING:
    from eyechart.dialects import Dialect, Sizes
    from eyechart.dialects.found import Found
    from eyechart.values import Box


def placed(dialect: Dialect, found: Found, text: str, sizes: Sizes) -> Reading:
    """The Reading of what a dialect's syntax found in `text`, in pixels of the original picture.

    With the authors' parser boxes are kept as the authors score them: swapped corners and numbers
    out of range as they stand (in order where the authors themselves order them). The tolerant
    parser orders corners and clips to the picture. Either way the flags say what there was:
    `swapped`, `outside`, `flat` (no area), `dropped`.

    Raises:
        UsageError: the frame needs a size that `sizes` does not have.
    """
    if not found.boxes and not found.points:
        return _without_box(found, text, tolerant=dialect.parser == "tolerant")
    try:
        boxes = tuple(dialect.box(numbers, sizes) for numbers in found.boxes)
        points = tuple(dialect.frame.point(pair, sizes) for pair in found.points)
    except DataError as error:
        return _malformed(found, "index_out_of_range", str(error))
    except OverflowError:
        return _malformed(found, "not_finite")
    if not all(math.isfinite(value) for shape in (*boxes, *points) for value in shape):
        return _malformed(found, "not_finite")
    kept = dialect.keeps_boxes or dialect.parser == "authors"
    boxes, flags = tidied(boxes, sizes.original, kept, dialect.orders_corners)
    if found.dropped:
        flags = (*flags, "dropped")
    labels = (*found.labels, *found.point_labels)
    return Reading(
        "ok",
        truncated=found.truncated,
        boxes=boxes,
        points=points,
        labels=labels if any(label is not None for label in labels) else (),
        scores=tuple(found.scores),
        flags=flags,
    )


def tidied(
    boxes: tuple[Box, ...], size: tuple[int, int], kept: bool = False, orders: bool = False
) -> tuple[tuple[Box, ...], tuple[str, ...]]:
    """Boxes (xyxy, pixels) as they are scored, and the flags of what they were.

    Corners are ordered and boxes clipped to `size`; where boxes are `kept` neither is done, but
    corners are ordered all the same where the authors themselves `orders` them.
    """
    flags = box_flags(boxes, size)
    if not flags:
        return boxes, flags
    if "swapped" in flags and (orders or not kept):
        boxes = tuple(_in_order(box) for box in boxes)
    if "outside" in flags and not kept:
        boxes = tuple(_clipped(box, size) for box in boxes)
    return boxes, flags


def box_flags(boxes: tuple[Box, ...], size: tuple[int, int]) -> tuple[str, ...]:
    """`swapped`, `outside` and `flat`, where a box (xyxy, pixels) is so.

    A millionth of a side is allowed outside: the arithmetic of a frame may leave the edge by that.
    """
    width, height = size
    for x1, y1, x2, y2 in boxes:
        if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
            break
    else:
        # as nearly all are
        return ()
    flags = []
    if any(x2 < x1 or y2 < y1 for x1, y1, x2, y2 in boxes):
        flags.append("swapped")
    slack_x, slack_y = width * 1e-6, height * 1e-6
    if any(
        min(x1, x2) < -slack_x
        or min(y1, y2) < -slack_y
        or max(x1, x2) > width + slack_x
        or max(y1, y2) > height + slack_y
        for x1, y1, x2, y2 in boxes
    ):
        flags.append("outside")
    if any(x2 == x1 or y2 == y1 for x1, y1, x2, y2 in boxes):
        flags.append("flat")
    return tuple(flags)


def _without_box(found: Found, text: str, *, tolerant: bool) -> Reading:
    if found.none or (tolerant and says_none(text)):
        return Reading("none", truncated=found.truncated)
    if not found.truncated and is_refusal(text):
        return Reading("refused", truncated=found.truncated, fault=found.fault or "no_box")
    if not text.strip():
        return _malformed(found, "no_box", "the reply is empty")
    return _malformed(found, found.fault or "no_box", found.reason)


def _malformed(found: Found, fault: str, reason: str = "") -> Reading:
    truncated = found.truncated or fault == "truncated"
    return Reading("malformed", truncated=truncated, fault=fault, reason=reason or FAULTS[fault])


def _in_order(box: Box) -> Box:
    x1, y1, x2, y2 = box
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _clipped(box: Box, size: tuple[int, int]) -> Box:
    width, height = size
    x1, y1, x2, y2 = box
    return (
        min(max(x1, 0.0), width),
        min(max(y1, 0.0), height),
        min(max(x2, 0.0), width),
        min(max(y2, 0.0), height),
    )
