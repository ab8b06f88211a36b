"""Boxes that a model gives as numbers: the table of their forms, and the reading of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eyechart.dialects.frames import Frame
from eyechart.errors import UsageError, meant
from eyechart.values import Reading

if TYPE_CHECKING:
    from eyechart.dialects import Sizes
    from eyechart.values import Box, RawBoxes

_SCALES = {
    "pixels": "pixels",
    "sent": "sent",
    "seen": "seen",
    "ratio": "0-1",
    "100": "0-100",
    "999": "0-999",
    "1000": "0-1000",
    "square": "square",
}

# `<order>-<scale>`; `cxcywh-padded` is TransVG's, whose own evaluation clips to the square first.
FORMATS: dict[str, Frame] = {
    f"{order}-{name}": Frame(scale, order)
    for order in ("xyxy", "yxyx", "xywh", "cxcywh")
    for name, scale in _SCALES.items()
} | {"cxcywh-padded": Frame("transvg", "cxcywh")}


def frame_of(name: str) -> Frame:
    """The frame that `RawBoxes.format` names.

    Raises:
        UsageError: no such form; the message names the nearest.
    """
    if name not in FORMATS:
        raise UsageError(
            f"No form of boxes is named {name!r}.{meant(name, FORMATS)} "
            "A form is an order (xyxy, yxyx, xywh, cxcywh), a hyphen and a scale "
            f"({', '.join(_SCALES)}), or cxcywh-padded."
        )
    return FORMATS[name]


def read_boxes(raw: RawBoxes, sizes: Sizes) -> Reading:
    """The boxes in pixels of the original picture (xyxy), the best score first.

    An empty list is the answer that there is no target. Corners in the wrong order are kept as
    they are, with the flag `swapped`: numbers from a program are taken at their word.

    Raises:
        UsageError: a form that is not known, or one that needs a size which is not known.
    """
    frame = frame_of(raw.format)
    if not raw.boxes:
        return Reading("none")
    for name, beside in (("scores", raw.scores), ("labels", raw.labels)):
        if beside and len(beside) != len(raw.boxes):
            reason = f"{len(raw.boxes)} boxes and {len(beside)} {name}"
            return Reading("malformed", reason=reason)
    boxes = [_placed(frame, box, sizes) for box in raw.boxes]
    if not all(math.isfinite(value) for value in (*raw.scores, *(v for b in boxes for v in b))):
        return Reading("malformed", reason="a number that is not finite")
    order = list(range(len(boxes)))
    if raw.scores:
        order.sort(key=lambda place: -raw.scores[place])
    ranked = tuple(boxes[place] for place in order)
    return Reading(
        "ok",
        boxes=ranked,
        labels=tuple(raw.labels[place] for place in order) if raw.labels else (),
        scores=tuple(raw.scores[place] for place in order) if raw.scores else (),
        flags=box_flags(ranked, sizes.original),
    )


def box_flags(boxes: tuple[Box, ...], size: tuple[int, int]) -> tuple[str, ...]:
    """`swapped` and `outside`, where a box (xyxy, pixels) has such corners or leaves its picture.

    A millionth of a side is allowed: the arithmetic of a frame may leave the edge by that much.
    """
    width, height = size
    for x1, y1, x2, y2 in boxes:
        if not (0 <= x1 <= x2 <= width and 0 <= y1 <= y2 <= height):
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
    return tuple(flags)


def _placed(frame: Frame, box: Box, sizes: Sizes) -> Box:
    if frame.scale != "transvg":
        return frame.to_pixels(box, sizes)
    cx, cy, width, height = box
    corners = (cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2)
    x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) for value in corners)
    return Frame("transvg").to_pixels((x1, y1, x2, y2), sizes)
