"""Boxes as runs of numbers in angle brackets: MiniGPT-v2, Rex-Omni.

A run is a whole shape, so its length says what it is: four numbers are a box. Sources:
Vision-CAIR/MiniGPT-4 demo_v2.py and eval_scripts/eval_ref.py; IDEA-Research/Rex-Omni
rex_omni/parser.py.
"""

from __future__ import annotations

import math
import re
from itertools import groupby
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, marks
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

_HUNDRED, _BINS = Frame("0-100"), Frame("0-999")

_NUMBER = r"<\s*+-?[0-9]{1,9}\s*+>"
_DIGITS = re.compile("-?[0-9]+")
# a label, its end, or a run of numbers
_MINIGPT = re.compile(
    rf"<p>(?P<label>[^<{{]*+)|(?P<drop></p>|<delim>)|(?P<run>{_NUMBER}(?:[\s,]*+{_NUMBER})*+)"
)
_MINIGPT_AUTHORS = re.compile(
    r"<p>(?P<label>[^<{]*+)|(?P<drop></p>|<delim>)"
    r"|\{ *+(?P<run>(?:< *+-?[0-9]{1,9} *+> *+){4})\}"
)
_REX = re.compile(
    r"<\|object_ref_start\|>(?P<label>[^<]*+)"
    rf"|(?P<drop><\|object_ref_end\|>|<\|box_start\|>)|(?P<run>{_NUMBER}(?:\s*+{_NUMBER})*+)"
)
_REX_HEAD = re.compile(r"<\|object_ref_start\|>([^<]++)<\|object_ref_end\|>\s*+<\|box_start\|>")
_REX_END = "<|box_end|>"
_REX_NUMBER = re.compile("<([0-9]{1,9})>")
# what follows a run that may go on
_MAY_GO_ON = re.compile(r"\s*+(?:<\s*+[0-9]*+\s*+)?+\Z")


# ---- MiniGPT-v2


def minigpt_v2(argument: str = "") -> Dialect:
    """The dialect `minigpt-v2`: `<p>two dogs</p> {<10><20><30><40>}<delim>{<50><20><70><45>}`.

    Raises:
        UsageError: anything after the colon.
    """
    bare("minigpt-v2", argument)
    return Dialect(
        name="minigpt-v2",
        about="<p>a dog</p> {<10><20><30><40>}, hundredths of width and height",
        frame=_HUNDRED,
        syntax=minigpt_v2_syntax,
        write=minigpt_v2_write,
        source="Vision-CAIR/MiniGPT-4 demo_v2.py, eval_scripts/eval_ref.py",
    )


def minigpt_v2_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Four numbers in braces, after the phrase in `<p>` where there is one.

    The authors delete `<unk>` and spaces first and want the braces. (Their RefCOCO program takes
    the first four whole numbers of a reply, wherever they stand: the protocol `minigpt_v2`.)
    """
    return marks.read(text, parser, _minigpt_found, _minigpt_authors)


def minigpt_v2_write(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """Each phrase once, then its boxes: int(100 * v / side), as the authors train."""
    said = []
    for label, group in groupby(named, key=lambda one: one[0]):
        boxes = []
        for _, box in group:
            values = [math.floor(v + 1e-9) for v in _HUNDRED.write(box, sizes)]
            boxes.append("{" + "".join(f"<{v}>" for v in marks.bins(values, 100)) + "}")
        said.append((f"<p>{label}</p> " if label else "") + "<delim>".join(boxes))
    return " ".join(said)


def _minigpt_authors(text: str) -> Found:
    found, _ = _labelled(_MINIGPT_AUTHORS, text.replace("<unk>", ""))
    found.truncated = marks.is_cut(text)
    return found


def _minigpt_found(text: str) -> Found:
    found, wrong = _labelled(_MINIGPT, text)
    return marks.explain(found, wrong, text, "numbers <N>")


def _labelled(pattern: re.Pattern[str], text: str) -> tuple[Found, int]:
    """Boxes with the label before them, and the length of the first run that is none.

    A label goes with the runs that follow it up to other words.
    """
    found, wrong, last = Found(), 0, 0
    label: str | None = None
    for match in pattern.finditer(text):
        if _is_prose(text[last : match.start()]):
            label = None
        last = match.end()
        if match["label"] is not None:
            label = match["label"].strip() or None
        elif match["run"] is not None:
            numbers = tuple(map(int, _DIGITS.findall(match["run"])))
            if len(numbers) == 4:
                found.boxes.append(numbers)
                found.labels.append(label)
            else:
                wrong = wrong or len(numbers)
                found.dropped += 1
    return found, wrong


def _is_prose(gap: str) -> bool:
    return bool(gap.strip(" \n\t\r{},;"))


# ---- Rex-Omni


def rex_omni(argument: str = "") -> Dialect:
    """The dialect `rex-omni`.

    `<|object_ref_start|>person<|object_ref_end|><|box_start|><0><35><980><987><|box_end|>`.

    Raises:
        UsageError: anything after the colon.
    """
    bare("rex-omni", argument)
    return Dialect(
        name="rex-omni",
        about="<|object_ref_start|>person<|object_ref_end|><|box_start|><0><35><980><987>, ..."
        "<|box_end|>, N/999 of each side; two numbers are a point",
        frame=_BINS,
        syntax=rex_omni_syntax,
        write=rex_omni_write,
        source="IDEA-Research/Rex-Omni rex_omni/parser.py",
    )


def rex_omni_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Two numbers are a point, four a box, more a polygon; commas stand between.

    The authors read up to `<|im_end|>` and add a `<|box_end|>` that is missing at the end. To them a
    polygon is no box: it is left out. The tolerant reader takes the box around it; of two numbers
    at the very end of a cut text it makes nothing, for they may be the first of four.
    """
    return marks.read(text, parser, _rex_found, _rex_authors)


def rex_omni_write(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """Each phrase once (`object` where there is none), then its boxes: round(999 * v / side)."""
    said = []
    for label, group in groupby(named, key=lambda one: one[0]):
        rows = (marks.bins(_BINS.write(box, sizes), 999) for _, box in group)
        boxes = ", ".join("".join(f"<{v}>" for v in row) for row in rows)
        said.append(
            f"<|object_ref_start|>{label or 'object'}<|object_ref_end|><|box_start|>{boxes}{_REX_END}"
        )
    return ", ".join(said)


def _rex_authors(text: str) -> Found:
    text = text.partition("<|im_end|>")[0]
    found = Found(truncated=_is_open(text))
    if not text.endswith(_REX_END):
        text += _REX_END
    position, end, line = 0, -1, -1
    while head := _REX_HEAD.search(text, position):
        position = head.end()
        if end < position:
            end = text.find(_REX_END, position)
        if line < position:
            line = text.find("\n", position)
            line = len(text) if line < 0 else line
        # their pattern does not go over a line end inside the numbers
        if not head[1].strip() or line < end:
            continue
        for piece in text[position:end].split(","):
            numbers = tuple(map(int, _REX_NUMBER.findall(piece)))
            if numbers:
                _shape(found, numbers, head[1].strip(), polygons=False)
        position = end
    return found


def _rex_found(text: str) -> Found:
    found, wrong = Found(), 0
    label: str | None = None
    goes_on = False
    for match in _REX.finditer(text):
        if match["label"] is not None:
            label = match["label"].strip() or None
        elif match["run"] is not None:
            numbers = tuple(map(int, _DIGITS.findall(match["run"])))
            goes_on = len(numbers) < 4 and _MAY_GO_ON.match(text, match.end()) is not None
            if goes_on or not _shape(found, numbers, label, polygons=True):
                wrong = wrong or len(numbers)
                found.dropped += goes_on
    found = marks.explain(found, wrong, text, "numbers <N>")
    found.truncated |= goes_on or _is_open(text)
    if goes_on and found.fault:
        found.fault, found.reason = "truncated", ""
    return found


def _is_open(text: str) -> bool:
    return text.rfind("<|box_start|>") > text.rfind(_REX_END)


def _shape(found: Found, numbers: tuple[int, ...], label: str | None, *, polygons: bool) -> bool:
    """Takes a run of numbers for what its length says; False where it says nothing."""
    count = len(numbers)
    if count == 2:
        found.points.append((numbers[0], numbers[1]))
        found.point_labels.append(label)
    elif count == 4:
        found.boxes.append(numbers)
        found.labels.append(label)
    elif count > 4 and count % 2 == 0 and polygons:
        across, down = numbers[::2], numbers[1::2]
        found.boxes.append((min(across), min(down), max(across), max(down)))
        found.labels.append(label)
    else:
        found.dropped += 1
        return False
    return True
