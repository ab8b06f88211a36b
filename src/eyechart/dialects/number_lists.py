"""Boxes as lists of numbers in brackets of any kind: what the families that write them share.

The tolerant reader of `[[x1, y1, x2, y2]]`, `(x1,y1),(x2,y2)` and their kin. It takes whatever is
plainly written as four numbers and never looks at how large they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from eyechart.dialects import box_tags, chat_tokens
from eyechart.dialects.around import says_none
from eyechart.dialects.found import Found
from eyechart.dialects.json_scan import Scanned, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.dialects.box_tags import Span, Words

# possessive throughout: no part of a text is read more than a few times
_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,4}+)?+"
_BETWEEN = r"(?:\s*+[,;]\s*+|\s++)"
_N, _AND = f"({_NUMBER})", f"{_BETWEEN}({_NUMBER})"
_MORE = f"(?:{_BETWEEN}{_NUMBER})++"
_OPEN = r"[\[({<]\s*+"
_CLOSE = r"\s*+[,;]?+\s*+(?:\\?[\])}>]|(?=<[/|]))"
# two numbers or more in a bracket
_LIST = rf"{_OPEN}{_N}{_AND}(?:{_AND}(?:{_AND}({_MORE})?+)?+{_CLOSE}|{_CLOSE}"
_SINGLE_LISTS = re.compile(_LIST + ")")
# the same, but two brackets with two numbers each are taken together
_LISTS = re.compile(rf"{_LIST}(?:\s*+,?+\s*+{_OPEN}{_N}{_AND}{_CLOSE})?+)")
_NUMBERS = re.compile(_NUMBER)
# a list that the text ends in
_OPEN_LIST = re.compile(
    rf"(?:[\[({{]|<(?=[^,]*+,))\s*+{_NUMBER}(?:{_MORE})?+\s*+[,;]?+\s*+[+-]?+\.?+\s*+\Z"
)
_COMMA = r"\s*+[,;]\s*+"
_RUN = re.compile(
    rf"(?<![\w.]){_N}{_COMMA}{_N}(?:{_COMMA}{_N}(?:{_COMMA}{_N}((?:{_COMMA}{_NUMBER})++)?+)?+)?+"
)
_ONLY_NUMBERS = re.compile(rf"[\s,;]*+{_NUMBER}{_MORE}[\s,;.]*+")
_ITEM = r"\s*+[\w.+-]++\s*+"
_WORDS = re.compile(
    rf"[\[({{<]{_ITEM}(?:,{_ITEM}){{3}}[\])}}>]|\({_ITEM},{_ITEM}\)\s*+,?+\s*+\({_ITEM},"
)
_KEYED = re.compile(r"""["']\s*+:\s*+(?:[\[{(0-9"'.+-]|(?i:null|none))""")
_EMPTY = re.compile(r"(?<!\w)\[\s*+\]")
_QUAD = ("<quad>", "</quad>")


@dataclass(frozen=True, slots=True)
class Habits:
    """What a family does with lists of numbers.

    `points`: two numbers in a bracket are a point; otherwise two such brackets in a row are the
    corners of a box. `quads`: four in a row are a quadrilateral, of which the enclosing box counts.
    `words` finds a label where there are no tags (see `box_tags.labelled`).
    """

    points: bool = False
    quads: bool = False
    words: Words | None = None


class _Shapes:
    """What the lists of a text come to, in order."""

    def __init__(self, text: str, habits: Habits) -> None:
        self.text, self.habits = text, habits
        self.boxes: list[tuple[float, ...]] = []
        self.spans: list[Span] = []
        self.points: list[tuple[float, float]] = []
        self.wrong: list[int] = []
        self._pairs: list[int] = []
        self._whole = (2, 4) if habits.points else (4,)

    def read(self, ended: bool) -> None:
        """Takes all lists that are closed, and of one that the text ends in what is whole."""
        points = self.habits.points
        for match in (_SINGLE_LISTS if points else _LISTS).finditer(self.text):
            a, b, c, d, more, *second = match.groups()
            if c is None:
                self._two(a, b, second, match.span())
            elif d is None:
                self.wrong.append(3)
            elif more is None and not (points and match[0].count(";") == 1):
                self._box(a, b, c, d, match.span())
            else:
                self._take(match[0], match.span())
        tail = _open_list(self.text)
        if tail is not None and ended:
            self._take(tail[0], tail.span())
        elif tail is not None:
            self._take_parts(tail[0].split(";")[:-1], tail.span())
        if self._pairs and self.habits.quads:
            self._join_quads()

    def add(self, numbers: Sequence[str], span: Span) -> None:
        """One box or point, or a list of a wrong length."""
        if len(numbers) == 4:
            a, b, c, d = numbers
            self._box(a, b, c, d, span)
        elif len(numbers) in self._whole:
            self.points.append((float(numbers[0]), float(numbers[1])))
        else:
            self.wrong.append(len(numbers))

    def _box(self, a: str, b: str, c: str, d: str, span: Span) -> None:
        self.boxes.append((float(a), float(b), float(c), float(d)))
        self.spans.append(span)

    def _two(self, a: str, b: str, second: Sequence[str | None], span: Span) -> None:
        """Two numbers in a bracket: a point, or a corner with the `second` or without it."""
        if self.habits.points:
            self.points.append((float(a), float(b)))
        elif second[0] is None or second[1] is None:
            self.wrong.append(2)
        else:
            self._pairs.append(len(self.boxes))
            self._box(a, b, second[0], second[1], span)

    def _take(self, body: str, span: Span) -> None:
        """One list, or several of them with semicolons between."""
        if not (";" in body and self._take_parts(body.split(";"), span)):
            self.add(_NUMBERS.findall(body), span)

    def _take_parts(self, parts: list[str], span: Span) -> bool:
        """Several boxes or points in one bracket; whether there was any."""
        lists = [_NUMBERS.findall(part) for part in parts]
        if not any(len(numbers) in self._whole for numbers in lists):
            return False
        for numbers in lists:
            if numbers:
                self.add(numbers, span)
        return True

    def _join_quads(self) -> None:
        """Two pairs of corners with a comma between are one quadrilateral; one may be cut."""
        gone: set[int] = set()
        joined = -1
        for i, j in pairwise(self._pairs):
            between = self.text[self.spans[i][1] : self.spans[j][0]]
            if j == i + 1 and i not in gone and between.strip() == ",":
                four = (self.boxes[i], self.boxes[j])
                xs = [x for box in four for x in box[::2]]
                ys = [y for box in four for y in box[1::2]]
                self.boxes[i] = (min(xs), min(ys), max(xs), max(ys))
                self.spans[i] = (self.spans[i][0], self.spans[j][1])
                gone.add(j)
                joined = i
        last = len(self.boxes) - 1 - (len(self.boxes) - 1 in gone)
        start = self.text.rfind(_QUAD[0])
        if box_tags.is_open(self.text, *_QUAD) and last != joined and self.spans[last][0] > start:
            gone.add(last)
        if gone:
            self.boxes = [box for k, box in enumerate(self.boxes) if k not in gone]
            self.spans = [span for k, span in enumerate(self.spans) if k not in gone]


def _open_list(text: str) -> re.Match[str] | None:
    """The list that a text ends in, where it is not closed."""
    return _OPEN_LIST.match(text, max(box_tags.last_opener(text), 0))


def breaks_off(text: str) -> bool:
    """Whether a text was plainly cut, within a tag or a bracket or after a comma; linear."""
    return box_tags.breaks_off(text) or (not box_tags.ends(text) and _open_list(text) is not None)


def read(text: str, habits: Habits) -> Found:
    """All boxes and points that are plainly written in a text, in order; linear."""
    ended = box_tags.ends(text)
    cut = breaks_off(text)
    text = chat_tokens.without(text, " ")
    if _KEYED.search(text):
        found = _of_json(scan(text))
        if found is not None:
            return found
    shapes = _Shapes(text, habits)
    shapes.read(ended)
    if not shapes.boxes and not shapes.points:
        _bare(shapes, text, cut)
    found = Found(
        boxes=shapes.boxes,
        labels=box_tags.labelled(text, shapes.spans, habits.words),
        points=shapes.points,
        point_labels=[None] * len(shapes.points),
        truncated=cut,
    )
    if found.boxes or found.points:
        found.dropped = len(shapes.wrong)
    else:
        _explain(found, shapes.wrong, text)
    return found


def as_authors(found: Found, text: str, habits: Habits) -> Found:
    """What an authors' reader found, completed: the cut, or why there is nothing.

    Where the tolerant reader finds something, the form is one that the authors do not take.
    """
    if found.boxes or found.points:
        found.truncated = found.truncated or breaks_off(text)
    elif not found.none and not found.fault:
        there = read(text, habits)
        found.truncated = there.truncated
        found.fault, found.reason = there.fault or "no_box", there.reason
        if there.boxes or there.points:
            found.fault, found.reason = "author_parser_rejects", ""
    return found


def _of_json(raw: Scanned) -> Found | None:
    """The same of JSON in the family's own frame; None where JSON has no say."""
    if not (raw.boxes or raw.points or raw.empty or raw.foreign or raw.orders):
        return None
    found = Found(raw.boxes, raw.labels, raw.points, raw.point_labels, truncated=raw.truncated)
    left_out = len(raw.wrong) + raw.words + raw.endless + len(raw.orders)
    if raw.boxes or raw.points:
        found.dropped = left_out
    elif raw.truncated:
        found.fault = "truncated"
    elif raw.empty and not left_out:
        found.none, found.fault = True, "no_box"
    else:
        what = (*raw.foreign, *raw.orders)
        found.fault, found.reason = "no_box", f"numbers under {what[0]!r}" if what else ""
    return found


def _bare(shapes: _Shapes, text: str, cut: bool) -> None:
    """Adds boxes without brackets: four numbers in a row, no more."""
    end = len(text.rstrip())
    for run in _RUN.finditer(text):
        if run.lastindex != 4 or (cut and run.end() >= end):
            continue
        if not text[run.end() : run.end() + 1].isalnum():
            shapes.add(run.groups()[:4], run.span())
    said = box_tags.without_tags(text).strip()
    if not shapes.boxes and not cut and _ONLY_NUMBERS.fullmatch(said):
        shapes.add(_NUMBERS.findall(said), (0, len(text)))


def _explain(found: Found, wrong: list[int], text: str) -> None:
    """Adds why there is no box; `none` where the text says that there is no such thing."""
    if found.truncated:
        found.fault = "truncated"
    elif wrong:
        counts = " and ".join(map(str, sorted(set(wrong))[:3]))
        found.fault, found.reason = "wrong_count", f"a box has four numbers, here {counts}"
    elif _WORDS.search(text) or box_tags.words_in_box(text):
        found.fault = "not_numeric"
    else:
        found.none = says_none(box_tags.without_tags(text)) or _EMPTY.search(text) is not None
        found.fault = "no_box"
