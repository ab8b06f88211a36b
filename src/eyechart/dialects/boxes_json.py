"""The generic dialect `json:<scale>[,<order>]`: boxes as JSON lists or objects."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes
from eyechart.dialects.frames import Frame
from eyechart.dialects.json_scan import Found, scan
from eyechart.dialects.tensors import box_flags
from eyechart.text.refusals import is_refusal
from eyechart.values import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

_SAYS_NONE = frozenset({"none", "null"})
_ORDERS = {
    "xyxy": "[x1, y1, x2, y2] (left, top, right and bottom edge)",
    "yxyx": "[y1, x1, y2, x2] (top, left, bottom and right edge)",
    "xywh": "[x, y, width, height] (left and top edge, then the size)",
    "cxcywh": "[cx, cy, width, height] (the centre, then the size)",
}
_MEANS = {
    "pixels": "in pixels of the original picture",
    "sent": "in pixels of the picture as it was sent",
    "seen": "in pixels of the picture as the model's preprocessing made it",
    "0-1": "as ratios of width and height",
    "0-100": "in hundredths of width and height",
    "0-999": "from 0 to 999, where 999 is the full width or height",
    "0-1000": "in thousandths of width and height",
    "square": "as ratios of the picture padded to a square, centred",
    "transvg": "as ratios of the 640 px square that TransVG pads to",
}
_SCALES = {
    "0-1": "as decimal numbers from 0 to 1, where 1 is the picture's full width or height",
    "square": "as decimal numbers from 0 to 1 of the picture padded to a square",
    "transvg": "as decimal numbers from 0 to 1 of the picture padded to a square",
}


def json_boxes(scale: str, order: str = "xyxy") -> Dialect:
    """The dialect of boxes in JSON, in one of the frames of `dialects.frames`.

    It reads lists of four numbers, bare or under a key such as `bbox_2d` or `box`, alone or in
    lists and objects, fenced or in prose. An empty list, `null` or the one word `none` is an answer
    (there is no such thing). Of JSON that was cut short the whole boxes count. Swapped corners are
    put in order and flagged `swapped`; boxes that leave the picture are kept and flagged `outside`;
    lists of another length beside boxes are left out and flagged `dropped`.

    Raises:
        UsageError: no such scale or order.
    """
    frame = Frame(scale, order)
    return Dialect(
        name=f"json:{scale}" if order == "xyxy" else f"json:{scale},{order}",
        read=partial(read, frame),
        about=f"JSON with boxes {order} {_MEANS[scale]}",
        template=_template(frame),
        needs_seen=frame.needs_seen,
    )


def read(frame: Frame, text: str, sizes: Sizes) -> Reading:
    """Boxes of a reply, xyxy in pixels of the original picture, in the order they stand in.

    Raises:
        UsageError: the frame needs a size that `sizes` does not have.
    """
    found = scan(text)
    if found.boxes:
        return _boxes(frame, found, sizes)
    if (found.empty and not found.truncated and not found.wrong) or _says_none(text):
        return Reading("none")
    if is_refusal(text):
        return Reading("refused", truncated=found.truncated)
    return Reading("malformed", truncated=found.truncated, reason=_reason(found, text))


def _boxes(frame: Frame, found: Found, sizes: Sizes) -> Reading:
    boxes = tuple(frame.to_pixels(values, sizes) for values in found.boxes)
    if not all(math.isfinite(value) for box in boxes for value in box):
        reason = "a number that is not finite"
        return Reading("malformed", truncated=found.truncated, reason=reason)
    flags = box_flags(boxes, sizes.original)
    if found.wrong or found.words:
        flags = (*flags, "dropped")
    return Reading(
        "ok",
        truncated=found.truncated,
        boxes=tuple(_in_order(box) for box in boxes),
        labels=tuple(found.labels) if any(label is not None for label in found.labels) else (),
        flags=flags,
    )


def _in_order(box: Box) -> Box:
    x1, y1, x2, y2 = box
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _says_none(text: str) -> bool:
    return text.strip().strip("`\"'*. \n").removeprefix("json").strip().lower() in _SAYS_NONE


def _reason(found: Found, text: str) -> str:
    if not text.strip():
        return "the reply is empty"
    if found.wrong:
        return f"a box has four numbers, here {_numbers(found.wrong)}"
    if found.truncated:
        return "cut off before the first whole box"
    if found.foreign:
        return f"four numbers under the key {found.foreign[0]!r}, which is not a box's"
    if found.words:
        return "a list holds more than numbers"
    return "no list of four numbers"


def _numbers(lengths: Sequence[int]) -> str:
    return " and ".join(str(length) for length in sorted(set(lengths))[:3])


def _template(frame: Frame) -> str:
    scale = _SCALES.get(frame.scale, "in pixels of the picture")
    if frame.scale in ("0-100", "0-999", "0-1000"):
        last = frame.scale.removeprefix("0-")
        scale = f"as whole numbers from 0 to {last}, where {last} is its full width or height"
    return (
        "Locate the region that this sentence describes: {expression}\n"
        f"Reply with JSON only: a list of boxes, each written {_ORDERS[frame.order]}, {scale}. "
        "Reply with the empty list [] if there is no such region."
    )
