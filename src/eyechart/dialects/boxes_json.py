"""The generic dialect `json:<scale>[,<order>]`: boxes as JSON lists or objects."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, chat_tokens
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import SCALES, Frame
from eyechart.dialects.json_points import click_points, tag_points
from eyechart.dialects.json_scan import Scanned, scan
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

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
    "0-1000": "in thousandths of width and height",
    "square": "as ratios of the picture padded to a square, centred",
    "transvg": "as ratios of the 640 px square that TransVG pads to",
}
_ASKED = {
    "0-1": "as decimal numbers from 0 to 1, where 1 is the picture's full width or height",
    "square": "as decimal numbers from 0 to 1 of the picture padded to a square",
    "transvg": "as decimal numbers from 0 to 1 of the picture padded to a square",
}


def generic(argument: str) -> Dialect:
    """The dialect `json:<scale>[,<order>]`, for a model that is not listed.

    It reads lists of four numbers, bare or under a key such as `bbox_2d` or `box`, alone or in
    lists and objects, fenced or in prose. An empty list, `null` or the one word `none` is an answer
    (there is no such thing). Of JSON that was cut short the whole boxes count; lists of another
    length beside boxes are left out and flagged `dropped`.

    Raises:
        UsageError: no such scale or order.
    """
    if not argument:
        raise UsageError(
            f"The dialect json needs a scale: {', '.join(f'json:{scale}' for scale in SCALES)}; "
            "after a comma the order, if it is not xyxy: json:0-1000,yxyx."
        )
    scale, _, order = (part.strip() for part in argument.partition(","))
    frame = Frame(scale, order or "xyxy")
    if frame.cells:
        raise UsageError(f"json:{argument}: cells of a grid are no JSON; see kosmos-2:<grid>.")
    return Dialect(
        name=f"json:{scale}" if frame.order == "xyxy" else f"json:{scale},{order}",
        about=f"JSON with boxes {frame.order} {_meaning(scale)}",
        frame=frame,
        syntax=partial(syntax, order=frame.order),
        write=partial(write, frame, "bbox_2d"),
        template=_template(frame),
    )


def syntax(
    text: str, parser: Parser = "tolerant", *, order: str = "xyxy", bins: bool = False
) -> Found:
    """Boxes and points in JSON, in points' tags and in clicks; `order` and `bins` as `scan` has them."""
    if parser == "tolerant":
        text = chat_tokens.without(text)
    raw = scan(text, order, bins)
    tags = tag_points(text)
    clicks = click_points(text)
    found = Found(
        boxes=raw.boxes,
        labels=raw.labels,
        points=[*raw.points, *tags.points, *clicks],
        point_labels=[*raw.point_labels, *tags.labels, *[None] * len(clicks)],
        truncated=raw.truncated or tags.cut,
    )
    found.dropped = len(raw.wrong) + raw.words + raw.endless + len(raw.orders)
    if not found.boxes and not found.points:
        found.none = raw.empty and not found.truncated and not found.dropped
        found.fault, found.reason = _reason(raw, found.truncated, order)
    return found


def write(frame: Frame, key: str, named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """A JSON list of objects with these boxes under `key`."""
    rows = []
    for label, box in named:
        row: dict[str, object] = {key: list(frame.write(box, sizes))}
        rows.append(row if label is None else {**row, "label": label})
    return json.dumps(rows, ensure_ascii=False)


def _reason(raw: Scanned, truncated: bool, order: str) -> tuple[str, str]:
    """The fault and its words of a text without a box or point."""
    if raw.wrong:
        return "wrong_count", f"a box has four numbers, here {_numbers(raw.wrong)}"
    if raw.endless:
        return "not_finite", ""
    if truncated:
        return "truncated", "cut off before the first whole box"
    if raw.words and not (raw.orders or raw.foreign):
        return "not_numeric", "a list holds more than numbers"
    reason = "no list of four numbers"
    if raw.orders:
        reason = f"named numbers in the order {raw.orders[0]}, declared is {order}"
    elif raw.foreign:
        reason = f"four numbers under the key {raw.foreign[0]!r}, which is not a box's"
    return "no_box", reason


def _numbers(lengths: Sequence[int]) -> str:
    return " and ".join(str(length) for length in sorted(set(lengths))[:3])


def _meaning(scale: str) -> str:
    kind, _, last = scale.partition("-")
    if kind == "centres":
        return f"as location bins of {last}, each standing for its middle"
    return _MEANS.get(scale) or f"from 0 to {last}, where {last} is the full width or height"


def _template(frame: Frame) -> str:
    kind, _, last = frame.scale.partition("-")
    if frame.scale in _ASKED:
        scale = _ASKED[frame.scale]
    elif kind == "0":
        scale = f"as whole numbers from 0 to {last}, where {last} is its full width or height"
    elif kind == "centres":
        scale = f"as the numbers of the {last} equal parts of its width or height, counted from 0"
    else:
        scale = "in pixels of the picture"
    return (
        "Locate the region that this sentence describes: {expression}\n"
        f"Reply with JSON only: a list of boxes, each written {_ORDERS[frame.order]}, {scale}. "
        "Reply with the empty list [] if there is no such region."
    )
