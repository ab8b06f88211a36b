"""Boxes that a model gives as numbers: the table of their forms, and the reading of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from eyechart.dialects.found import FAULTS, Parser
from eyechart.dialects.frames import Frame
from eyechart.dialects.placing import tidied
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
    "1023": "0-1023",
    "centres-1000": "centres-1000",
    "centres-1024": "centres-1024",
    "square": "square",
}

_TRANSVG = Frame("transvg")
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


def read_boxes(raw: RawBoxes, sizes: Sizes, parser: Parser = "tolerant") -> Reading:
    """The boxes in pixels of the original picture (xyxy), the best score first.

    An empty list is the answer that there is no target. With the authors' parser corners in the
    wrong order and boxes beyond the picture are kept as they are; the tolerant one orders and
    clips. Either way they are flagged.

    Raises:
        UsageError: a form that is not known, or one that needs a size which is not known.
    """
    frame = frame_of(raw.format)
    if not raw.boxes:
        return Reading("none")
    for name, beside in (("scores", raw.scores), ("labels", raw.labels)):
        if beside and len(beside) != len(raw.boxes):
            reason = f"{len(raw.boxes)} boxes and {len(beside)} {name}"
            return Reading("malformed", reason=reason, fault="wrong_count")
    boxes = [_placed(frame, box, sizes) for box in raw.boxes]
    if not all(math.isfinite(value) for value in (*raw.scores, *(v for b in boxes for v in b))):
        return Reading("malformed", reason=FAULTS["not_finite"], fault="not_finite")
    order = list(range(len(boxes)))
    if raw.scores:
        order.sort(key=lambda place: -raw.scores[place])
    ranked, flags = tidied(
        tuple(boxes[place] for place in order), sizes.original, kept=parser == "authors"
    )
    return Reading(
        "ok",
        boxes=ranked,
        labels=tuple(raw.labels[place] for place in order) if raw.labels else (),
        scores=tuple(raw.scores[place] for place in order) if raw.scores else (),
        flags=flags,
    )


def _placed(frame: Frame, box: Box, sizes: Sizes) -> Box:
    if frame.scale != "transvg":
        return frame.to_pixels(box, sizes)
    cx, cy, width, height = box
    corners = (cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2)
    x1, y1, x2, y2 = (min(max(value, 0.0), 1.0) for value in corners)
    return _TRANSVG.to_pixels((x1, y1, x2, y2), sizes)
