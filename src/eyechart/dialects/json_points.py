"""Points that are written otherwise than in JSON: Qwen2.5-VL's tags, and clicks as Python calls."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from eyechart.dialects.json_tokens import NUMBER

_TAG = re.compile(r"<points?\b([^<>]*+)(>?)([^<]*+)")
_PLACE = re.compile(
    rf"""\b([xy])(\d{{0,6}})\s*+=\s*+(?:"\s*+({NUMBER})\s*+"|'\s*+({NUMBER})\s*+'|({NUMBER})(?=[\s/,]))"""
)
_ALT = re.compile(r"""\balt\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_CLICK = re.compile(
    rf"\b\w*click\s*+\(\s*+(?:x\s*+=\s*+)?+({NUMBER})\s*+,\s*+(?:y\s*+=\s*+)?+({NUMBER})\s*+[,)]",
    re.IGNORECASE,
)
# one element and nothing around it, as an XML reader takes it
_NAME = r"[A-Za-z_][\w.-]*+"
_ELEMENT = re.compile(
    rf"""\s*+<({_NAME})((?:\s++{_NAME}\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))*+)\s*+>([^<]*+)</({_NAME})\s*+>\s*+"""
)
_ATTRIBUTE = re.compile(rf"""({_NAME})\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_REFERENCES = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")


@dataclass(slots=True)
class TagPoints:
    """Points of tags with their labels; `cut` says that the last tag breaks off."""

    points: list[tuple[float, float]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    cut: bool = False


def tag_points(text: str) -> TagPoints:
    """The points of `<points x1="394" y1="105" x2=... alt="buttons">buttons</points>` in a text.

    The label is `alt`, or else what the tag holds. Of a tag that is cut the whole pairs count.
    """
    found = TagPoints()
    if "<point" not in text:
        return found
    for tag in _TAG.finditer(text):
        inside, shut, content = tag.groups()
        places: dict[str, dict[str, float]] = {}
        for axis, number, *values in _PLACE.findall(f"{inside} " if shut else inside):
            value = float(next(filter(None, values)))
            if abs(value) < 1e100:
                places.setdefault(number, {}).setdefault(axis, value)
        alt = _ALT.search(inside)
        label = (alt[1] or alt[2] or "") if alt else content if shut else ""
        label = html.unescape(label).strip() or None
        for place in places.values():
            if len(place) == 2:
                found.points.append((place["x"], place["y"]))
                found.labels.append(label)
        found.cut |= not shut and tag.end() == len(text)
    return found


def click_points(text: str) -> list[tuple[float, float]]:
    """The points of `pyautogui.click(x=0.879, y=0.294)` and its kin in a text."""
    if "lick" not in text:
        return []
    pairs = ((float(x), float(y)) for x, y in _CLICK.findall(text))
    return [(x, y) for x, y in pairs if abs(x) < 1e100 and abs(y) < 1e100]


def element_points(text: str) -> TagPoints | None:
    """The points of a text that is one XML element; None where it is not, or lacks a number.

    As Qwen2.5-VL's cookbook reads it: all attributes but `alt` are x1, y1, x2, y2 and so on.
    """
    element = _ELEMENT.fullmatch(text)
    if element is None or element[1] != element[4] or _REFERENCES.search(text):
        return None
    named = {name: html.unescape(a or b) for name, a, b in _ATTRIBUTE.findall(element[2])}
    found = TagPoints()
    label = named.get("alt", html.unescape(element[3])).strip() or None
    for number in range(1, (len(named) - 1) // 2 + 1):
        try:
            point = float(named[f"x{number}"]), float(named[f"y{number}"])
        except (KeyError, ValueError):
            return None
        if not all(abs(value) < 1e100 for value in point):
            return None
        found.points.append(point)
        found.labels.append(label)
    return found if found.points else None
