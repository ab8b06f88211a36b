"""Molmo's points in per cent: XML tags, brackets, `p=`, and Molmo2's lists in thousandths.

Sources: allenai/molmo olmo/util.py (the first four forms); the allenai/Molmo2-8B model card
(`coords="1 1 453 678"`: after the number of the picture, an index, x and y).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, marks
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.values import Box

_PERCENT = Frame("0-100")

# an opening tag, with the text behind it where it is closed
_TAG = re.compile(r"<(?:points?|tracks)\b([^<>]*+)(?:>([^<]*+))?")
_ALT = re.compile(r"""\balt\s*+=\s*+(?:"([^"]*+)|'([^']*+))""")
_COORDS = re.compile(r"""\bcoords\s*+=\s*+["']([0-9\t:;, .]++)""")
_TRIPLE = re.compile(r"(?<![0-9])[0-9]++ ([0-9]{3,4}) ([0-9]{3,4})(?![0-9])")
_NONE = re.compile(r"(?:there (?:are|is) none|this (?:isn['’]t|is not) in the image)\b", re.I)

_XML = r'x[0-9]*+="\s*+([0-9]++(?:\.[0-9]++)?)"\s++y[0-9]*+="\s*+([0-9]++(?:\.[0-9]++)?)"'
_ONE = r"([0-9]++\.[0-9])"
_TENTHS = r"(?:(?<![0-9])[0-9]++|p)\s*+=\s*+([0-9]{3})\s*+,\s*+([0-9]{3})"
# each form with what a point's numbers are divided by
_AUTHORS = (
    (re.compile(rf"Click\({_ONE}, ?{_ONE}\)"), 1.0),
    (re.compile(rf"\({_ONE},? ?{_ONE}\)"), 1.0),
    (re.compile(_XML), 1.0),
    (re.compile(_TENTHS), 10.0),
)
_ANY = r"(-?[0-9]++(?:\.[0-9]++)?)"
_OPEN = r"""\s*+=\s*+["']?\s*+"""
_TOLERANT = (
    (re.compile(rf"\(\s*+{_ANY}(?:\s*+,\s*+|\s++){_ANY}\s*+\)"), 1.0),
    (
        re.compile(
            rf"""\bx[0-9]*+{_OPEN}{_ANY}\s*+["']?[\s,]*+\by[0-9]*+{_OPEN}{_ANY}(?=["'\s/,;>])"""
        ),
        1.0,
    ),
    (re.compile(rf"{_TENTHS}(?![0-9])"), 10.0),
)


def molmo(argument: str = "") -> Dialect:
    """The dialect `molmo`: `<point x="61.5" y="40.4" alt="the mug">the mug</point>`, points alone.

    Raises:
        UsageError: anything after the colon.
    """
    bare("molmo", argument)
    return Dialect(
        name="molmo",
        about='<point x="61.5" y="40.4" alt="the mug">the mug</point>, points in per cent',
        frame=_PERCENT,
        syntax=syntax,
        write=write,
        source="allenai/molmo olmo/util.py",
    )


def syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Points; those with a value above 100 are dropped, as the authors do.

    The authors read one form after the other (`Click(..)`, `(..)`, tags, `p=`), so that a
    `Click(45.3, 67.8)` gives two points; the tolerant reader goes through the text once, takes
    whole numbers and numbers without quotation marks too, and gives each point once.
    """
    return marks.read(text, parser, _tolerant, _authors)


def write(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """The middles of these boxes, one decimal, each label's together and from left to right."""
    if not named:
        return "There are none."
    said = []
    for label, group in groupby(named, key=lambda one: one[0]):
        points = sorted(_middle(_PERCENT.write(box, sizes)) for _, box in group)
        many = len(points) > 1
        xy = " ".join(
            f'x{k if many else ""}="{x:.1f}" y{k if many else ""}="{y:.1f}"'
            for k, (x, y) in enumerate(points, 1)
        )
        tag, name = ("points" if many else "point"), label or ""
        said.append(f' <{tag} {xy} alt="{name}">{name}</{tag}>')
    return "".join(said)


def _middle(corners: Sequence[float]) -> tuple[float, float]:
    x1, y1, x2, y2 = (min(max(value, 0.0), 100.0) for value in corners)
    return (x1 + x2) / 2, (y1 + y2) / 2


def _authors(text: str) -> Found:
    found = _explained(text, [point for form in _AUTHORS for point in _points(text, *form)])
    # why there is nothing else is told by what the tolerant reader finds
    settled = found.points or found.none or found.fault == "out_of_range_dropped"
    return found if settled else Found()


def _tolerant(text: str) -> Found:
    points = [point for form in _TOLERANT for point in _points(text, *form)]
    return _explained(text, sorted(points, key=lambda point: point[0]))


def _points(text: str, form: re.Pattern[str], unit: float) -> Iterator[tuple[int, float, float]]:
    for match in form.finditer(text):
        yield match.start(), float(match[1]) / unit, float(match[2]) / unit


def _explained(text: str, points: list[tuple[int, float, float]]) -> Found:
    """The points that lie in the picture, each with its tag's label, or why there are none."""
    found = Found()
    tags = list(_TAG.finditer(text))
    begins = [tag.start() for tag in tags]
    labels = [_label(tag) for tag in tags]
    # Molmo2 gives all points of a tag in one list
    listed = [(tag.start(), x, y) for tag in tags for x, y in _listed(tag[1])]
    for place, x, y in [*points, *listed]:
        if not (0 <= x <= 100 and 0 <= y <= 100):
            found.dropped += 1
            continue
        tag = bisect_right(begins, place) - 1
        inside = tag >= 0 and place < tags[tag].end()
        found.points.append((x, y))
        found.point_labels.append(labels[tag] if inside else None)
    found.truncated = text.rfind("<point") > text.rfind("</point") or marks.is_cut(text)
    if not found.points:
        _explain(found, text, tagged=bool(tags))
    return found


def _explain(found: Found, text: str, *, tagged: bool) -> None:
    if found.dropped:
        found.fault, found.dropped = "out_of_range_dropped", 0
    elif _NONE.match(text.strip()):
        found.none = True
    elif found.truncated:
        found.fault = "truncated"
    elif tagged:
        found.fault, found.reason = "wrong_count", "a point has two numbers"
    else:
        found.fault, found.reason = "no_box", "no point"


def _listed(attributes: str) -> Iterator[tuple[float, float]]:
    coords = _COORDS.search(attributes)
    if coords is None:
        return
    for part in re.split("[\t:;,]", coords[1]):
        # the number of the picture comes first
        for point in _TRIPLE.finditer(part.strip().partition(" ")[2]):
            yield float(point[1]) / 10, float(point[2]) / 10


def _label(tag: re.Match[str]) -> str | None:
    alt = _ALT.search(tag[1])
    name = (alt[1] or alt[2]) if alt else tag[2]
    return (name or tag[2] or "").strip() or None
