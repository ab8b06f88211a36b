"""The names that models give to boxes, points and labels in JSON, and what named numbers mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# lower case, with `_` for spaces and hyphens
BOX_KEYS = frozenset(
    [
        "bbox",
        "bbox_2d",
        "bbox2d",
        "bboxes",
        "bboxes_2d",
        "box",
        "box_2d",
        "box2d",
        "boxes",
        "boxes_2d",
        "bounding_box",
        "bounding_box_2d",
        "bounding_boxes",
        "boundingbox",
        "boundingboxes",
        "bndbox",
        "bbox_coordinates",
        "coordinates",
        "coordinate",
        "coords",
    ]
)
POINT_KEYS = frozenset(
    [
        "point",
        "point_2d",
        "points",
        "points_2d",
        "coordinates",
        "coordinate",
        "coords",
        "click_point",
    ]
)
# an empty list under one of these is an answer as well
LIST_KEYS = BOX_KEYS | POINT_KEYS | frozenset(["objects", "detections", "results", "items"])

_FIRST = "name phrase object category class description names"
_ENGLISH = "name_en label_en en english label_english caption expression text_content title"
_OTHER = "name_zh label_zh zh chinese class_name category_name object_name"
# whose value is a box's label; the lower number wins, then the earlier
LABEL_RANKS = {
    "label": 0,
    **dict.fromkeys(_FIRST.split(), 1),
    **dict.fromkeys(_ENGLISH.split(), 2),
    **dict.fromkeys(_OTHER.split(), 3),
}
# under these an object holds one label in several languages
NAME_KEYS = frozenset(["names", "name", "label", "labels"])

_CORNERS = (
    ("x1", "y1", "x2", "y2"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x0", "y0", "x1", "y1"),
    ("left", "top", "right", "bottom"),
)
_SIZED = (
    ("xywh", ("x", "y", "width", "height")),
    ("xywh", ("x", "y", "w", "h")),
    ("xywh", ("left", "top", "width", "height")),
    ("cxcywh", ("cx", "cy", "w", "h")),
    ("cxcywh", ("cx", "cy", "width", "height")),
    ("cxcywh", ("x_center", "y_center", "width", "height")),
)
_BINS = ("x_bin", "y_bin", "w_bin", "h_bin")
_POINT = frozenset(["x", "y"])
_CORNER_SETS = tuple((names, frozenset(names)) for names in _CORNERS)
_BIN_SET = frozenset(_BINS)
NUMBER_KEYS = frozenset(
    name for names in (*_CORNERS, *(names for _, names in _SIZED), _BINS) for name in names
)


class Shape(NamedTuple):
    """What an object's named numbers are: a box in the dialect's order, a point, or not quite.

    `wrong` has how many numbers of a box there are, `order` the order that the names stand for and
    that is not the dialect's.
    """

    kind: Literal["box", "point", "wrong", "order"]
    numbers: tuple[float, ...] = ()
    order: str = ""


def shape_of(named: Mapping[str, float], order: str, bins: bool) -> Shape | None:
    """The box or point that an object's numbers are by their names, or None.

    Named corners are a box whatever the order: their names say which is which. A corner with a
    width and height is one only where `order` says so. `bins` takes Moondream's `x_bin` and kin.
    """
    there = named.keys()
    if there == _POINT:
        return Shape("point", (named["x"], named["y"]))
    for names, needed in _CORNER_SETS:
        if needed <= there:
            x1, y1, x2, y2 = (named[name] for name in names)
            return Shape("box", in_order(order, x1, y1, x2, y2))
    if bins and there >= _BIN_SET:
        return Shape("box", in_order(order, *_from_bins(*(named[name] for name in _BINS))))
    for meant, names in _SIZED:
        if there >= set(names):
            if meant == order:
                return Shape("box", tuple(named[name] for name in names))
            return Shape("order", order=meant)
    most = max(
        len(there & needed) for needed in (*(needed for _, needed in _CORNER_SETS), _BIN_SET)
    )
    return Shape("wrong", (0.0,) * most) if most > 1 else None


def in_order(order: str, x1: float, y1: float, x2: float, y2: float) -> tuple[float, ...]:
    """The corners of a box as four numbers in `order`, in the same unit."""
    if order == "yxyx":
        return y1, x1, y2, x2
    if order == "xywh":
        return x1, y1, x2 - x1, y2 - y1
    if order == "cxcywh":
        return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
    return x1, y1, x2, y2


def _from_bins(x: float, y: float, w: float, h: float) -> tuple[float, float, float, float]:
    """Moondream's bins as corners from 0 to 1: 1,024 places, sizes on a scale of powers of two.

    Source: vikhyat/moondream `moondream/torch/moondream.py`.
    """
    # beyond the bins there is nothing to be had but numbers too large
    w, h = (2.0 ** min(max(bin_, -1e4) / 1023 * 10 - 10, 1023.0) for bin_ in (w, h))
    x, y = x / 1024, y / 1024
    return x - w / 2, y - h / 2, x + w / 2, y + h / 2
