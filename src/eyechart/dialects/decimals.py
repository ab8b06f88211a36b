"""Boxes as four numbers in one bracket: Shikra, Ferret, LLaVA-1.5 and Griffon.

Sources: shikras/shikra mllm/dataset/process_function/box_process_function.py; apple/ml-ferret
ferret/eval/eval_refexp.py; haotian-liu/LLaVA issues 606 and 822; jefferyZhan/Griffon
griffon/eval/run_griffon.py and eval_rec.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, box_tags, number_lists
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.dialects.number_lists import Habits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

    Named = Sequence[tuple[str | None, Box]]

_SQUARE, _THOUSAND, _RATIO = Frame("square"), Frame("0-1000"), Frame("0-1")

# one digit, then a point and any more: Shikra's own numbers
_ONE = r"[0-9](?:\.[0-9]*+)?+"
_SHIKRA = re.compile(
    rf"\[({_ONE}(?:,{_ONE}){{3}}(?:;{_ONE}(?:,{_ONE}){{3}})*+)\]"
    rf"|\[({_ONE},{_ONE}(?:;{_ONE},{_ONE})*+)\]"
)
_THREE = r"[0-9]++\.[0-9]{3}"
_GRIFFON = re.compile(rf"\[{_THREE}(?:,{_THREE}){{3}}\]")
_NO_BRACKETS = str.maketrans("", "", "()[]")
_BRACKET = re.compile(r"[\[\]]")
_STOP = re.compile(r"[.,;!?]")


def _join(frame: Frame, box: Box, sizes: Sizes, form: str, between: str) -> str:
    return between.join(format(value, form) for value in frame.write(box, sizes))


# ---- Shikra


def shikra(argument: str) -> Dialect:
    """The dialect `shikra`: `[0.392,0.280,0.612,0.870]`, ratios of the padded square.

    Several boxes stand in one bracket with semicolons between; two numbers are a point. The
    authors' reader takes one digit before the decimal point and no space. Their score of a referring
    expression counts only a reply with exactly one box.

    Raises:
        UsageError: anything after the colon.
    """
    bare("shikra", argument)
    return Dialect(
        name="shikra",
        about="[0.392,0.280,0.612,0.870], 0-1 of the padded square; points [x,y]",
        frame=_SQUARE,
        syntax=_read_shikra,
        write=_write_shikra,
        source="shikras/shikra mllm/dataset/process_function/box_process_function.py",
    )


_POINTS = Habits(points=True)


def _read_shikra(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _POINTS)
    found = Found()
    for boxes, points in _SHIKRA.findall(text):
        for one in boxes.split(";") if boxes else ():
            found.boxes.append(tuple(map(float, one.split(","))))
        for one in points.split(";") if points else ():
            x, y = one.split(",")
            found.points.append((float(x), float(y)))
    found.labels = [None] * len(found.boxes)
    found.point_labels = [None] * len(found.points)
    return number_lists.as_authors(found, text, _POINTS)


def _write_shikra(named: Named, sizes: Sizes) -> str:
    return f"Answer: [{';'.join(_join(_SQUARE, box, sizes, '.3f', ',') for _, box in named)}] ."


# ---- Ferret


def ferret(argument: str) -> Dialect:
    """The dialect `ferret`: `the left zebra [101, 55, 433, 980].`, 0 to 1000.

    The authors' reader cuts pixels down to whole ones. It takes whole numbers alone: a number that
    is not whole, or a second bracket around the first, makes the whole reply unreadable.

    Raises:
        UsageError: anything after the colon.
    """
    bare("ferret", argument)
    return Dialect(
        name="ferret",
        about="the left zebra [101, 55, 433, 980]., 0-1000",
        frame=_THOUSAND,
        syntax=_read_ferret,
        write=_write_ferret,
        source="apple/ml-ferret ferret/eval/eval_refexp.py",
        to_box=_ferret_box,
    )


def _ferret_box(numbers: Sequence[float], sizes: Sizes, parser: Parser) -> Box:
    if parser == "tolerant":
        return _THOUSAND.to_pixels(numbers, sizes)
    across, down = (side * 1.0 / 1000 for side in sizes.original)
    x1, y1, x2, y2 = (
        int(value * side) for value, side in zip(numbers, (across, down, across, down), strict=True)
    )
    return float(x1), float(y1), float(x2), float(y2)


def entity(before: str, first: bool) -> str | None:
    """The words before a bracket, after the mark that ends the box before."""
    if not first:
        stop = _STOP.search(before)
        before = before[stop.end() :] if stop is not None else box_tags.without_lead(before) or ""
    return before.strip() or None


_ENTITIES = Habits(words=entity)


def _read_ferret(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _ENTITIES)
    return number_lists.as_authors(_authors_ferret(text), text, _ENTITIES)


def _authors_ferret(text: str) -> Found:
    """Brackets as the authors' loop meets them: each ends a piece, a box or the words before one."""
    found = Found()
    start, words = 0, ""
    for bracket in _BRACKET.finditer(text):
        piece = text[start : bracket.start()].strip()
        start = bracket.end()
        if bracket[0] == "[":
            words = piece
            continue
        try:
            numbers = [int(item) for item in piece.split(",")]
        except ValueError:
            return Found()
        if len(numbers) < 4:
            return Found()
        found.boxes.append(tuple(numbers[:4]))
        found.labels.append(words or None)
        stop = _STOP.search(text, start)
        start = stop.end() if stop is not None else len(text)
    return found


def _write_ferret(named: Named, sizes: Sizes) -> str:
    boxes = [(label, _join(_THOUSAND, box, sizes, ".0f", ", ")) for label, box in named]
    return " ".join(f"{label} [{box}]." if label else f"[{box}]." for label, box in boxes)


# ---- LLaVA-1.5


def llava(argument: str) -> Dialect:
    """The dialect `llava-1.5`: `[0.41, 0.22, 0.63, 0.87]`, ratios of the padded square.

    The square is what users report (its authors publish no reader: both parsers read alike).

    Raises:
        UsageError: anything after the colon.
    """
    bare("llava-1.5", argument)
    return Dialect(
        name="llava-1.5",
        about="[0.41, 0.22, 0.63, 0.87], 0-1 of the padded square",
        frame=_SQUARE,
        syntax=lambda text, _parser: number_lists.read(text, Habits()),
        write=_write_llava,
        source="haotian-liu/LLaVA issue 606",
    )


def _write_llava(named: Named, sizes: Sizes) -> str:
    return ", ".join(f"[{_join(_SQUARE, box, sizes, '.2f', ', ')}]" for _, box in named)


# ---- Griffon


def griffon(argument: str) -> Dialect:
    """The dialect `griffon`: `dog-[0.112,0.204,0.511,0.818]&cat-[...]`, ratios of the picture.

    The authors' reader takes exactly three decimals, no spaces, and throws boxes with swapped
    corners away. Without a name a box is called `target`; of a name with hyphens the last part is
    kept. `None` is an answer.

    Raises:
        UsageError: anything after the colon.
    """
    bare("griffon", argument)
    return Dialect(
        name="griffon",
        about="dog-[0.112,0.204,0.511,0.818]&cat-[...], 0-1; None for nothing",
        frame=_RATIO,
        syntax=_read_griffon,
        write=_write_griffon,
        source="jefferyZhan/Griffon griffon/eval/run_griffon.py",
    )


def category(before: str, _first: bool) -> str:
    """The name before the hyphen that stands before a bracket, or `target`."""
    before = before.rstrip()
    if not before.endswith("-"):
        return "target"
    return re.split(r"[-&\n]", before[:-1][-200:])[-1].strip() or "target"


_CATEGORIES = Habits(words=category)


def _read_griffon(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        found = number_lists.read(text, _CATEGORIES)
    elif text.strip() == "None":
        return Found(none=True)
    else:
        found = number_lists.as_authors(_authors_griffon(text), text, _CATEGORIES)
    # an object is announced and does not come
    found.truncated |= "&" in text and "[" not in text[text.rfind("&") :]
    return found


def _authors_griffon(text: str) -> Found:
    found = Found()
    for item in text.strip().split("&"):
        whole = _GRIFFON.search(item)
        if whole is None:
            continue
        *_, name, numbers = ["target", whole[0]] if "-" not in item else item.split("-")
        try:
            box = tuple(map(float, numbers.translate(_NO_BRACKETS).split(",")))
        except ValueError:
            return Found()
        if len(box) != 4:
            return Found()
        if box[2] < box[0] or box[3] < box[1]:
            found.dropped += 1
            continue
        found.boxes.append(box)
        found.labels.append(name.strip())
    if found.dropped and not found.boxes:
        found.fault = "invalid_box"
    return found


def _write_griffon(named: Named, sizes: Sizes) -> str:
    if not named:
        return "None"
    boxes = [(label, _join(_RATIO, box, sizes, ".3f", ",")) for label, box in named]
    return "&".join(f"{label}-[{box}]" if label else f"[{box}]" for label, box in boxes)
