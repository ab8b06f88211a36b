"""Kosmos-2's way of writing boxes: pairs of patch indices on a square grid over the picture.

Source: microsoft/unilm, `kosmos-2/evaluation/refcoco/decode_string.py`.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, marks
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame, cells_to_box
from eyechart.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eyechart.values import Box

NamedBox = tuple[str, float, float, float, float]

_OPEN = "<object>"
_PHRASE, _PHRASE_END = "<phrase>", "</phrase>"
_PAIR = r"<patch_index_(\d+)><patch_index_(\d+)>"
_DELIMITER = "</delimiter_of_multi_objects/>"
_MORE = f"{_DELIMITER}{_PAIR}".replace("(", "(?:")
_OBJECT = re.compile(rf"{_OPEN}{_PAIR}((?:{_MORE})*)</object>")
_PAIRS = re.compile(_PAIR)
# most replies: one phrase, one object, one pair, of numbers that are surely short enough
_PLAIN = re.compile(
    r"<phrase>([^<]+)</phrase><object><patch_index_(\d{1,9})><patch_index_(\d{1,9})></object>"
)
_INDEX = r"<\s*+patch_index_?\s*+{}\s*+>"
_LOOSE_PAIR = re.compile(
    _INDEX.format("([0-9]{1,9})")
    + r"[\s,]*+"
    + _INDEX.format("([0-9]{1,9})")
    + "|"
    + _INDEX.format("[0-9]{1,9}")
)
# between two boxes of one phrase
_JOINS = re.compile(r"(?:</?delimiter_of_multi_objects/?>|[\s,;]++)*+")
# as many digits as Python's int() takes by default, fixed here so that no setting changes a reading
_MOST_DIGITS = 4300


def objects(text: str, grid: int) -> Iterable[tuple[str | None, str, Box]]:
    """Each box with its phrase (None where the object has none) and the official code's name.

    The name is what `decode` gives, the box x1, y1, x2, y2 in 0..1.

    Raises:
        UsageError: a grid of 0.
        DataError: a patch index that is no number any more.
    """
    plain = _PLAIN.search(text) if text.count(_OPEN) == 1 else None
    if plain is None:
        return _objects(text, grid)
    phrase, first, second = plain.groups()
    return ((phrase, phrase, cells_to_box(int(first), int(second), grid)),)


def _objects(text: str, grid: int) -> Iterator[tuple[str | None, str, Box]]:
    for phrase, first, second in _cells(text):
        box = cells_to_box(int(first), int(second), grid)
        yield phrase, phrase or f"<{first}><{second}>", box


def _cells(text: str) -> Iterator[tuple[str | None, str, str]]:
    begin = text.find(_OPEN)
    while begin >= 0:
        found = _OBJECT.match(text, begin)
        if found is None:
            begin = text.find(_OPEN, begin + len(_OPEN))
            continue
        phrase = _phrase_before(text, begin)
        upper_left, lower_right, more = found.groups()
        pairs = [(upper_left, lower_right)]
        if more:
            pairs += _PAIRS.findall(more)
        end = found.end()
        if end - begin > _MOST_DIGITS and any(
            len(digits) > _MOST_DIGITS for pair in pairs for digits in pair
        ):
            raise DataError(f"a patch index has more than {_MOST_DIGITS} digits.")
        for first, second in pairs:
            yield phrase, first, second
        begin = text.find(_OPEN, end)


def _phrase_before(text: str, end: int) -> str | None:
    """The text of a phrase that is written in full directly before `end`; it holds no `<`."""
    if not text.endswith(_PHRASE_END, 0, end):
        return None
    end -= len(_PHRASE_END)
    begin = text.rfind("<", 0, end)
    if begin < 0 or not text.startswith(_PHRASE, begin, end):
        return None
    return text[begin + len(_PHRASE) : end] or None


def decode(text: str, grid: int = 32) -> list[NamedBox]:
    """All boxes in the text, in its order: name, x1, y1, x2, y2 in 0..1.

    The name is the phrase as written, spaces included, if it stands directly before the object;
    otherwise `<first digits><second digits>`. An object that is not written in full gives nothing.

    Raises:
        UsageError: a grid of 0.
        DataError: a patch index that is no number any more (over 4,300 digits or 1e308).
    """
    return [(name, *box) for _, name, box in objects(text, grid)]


def kosmos2(argument: str = "") -> Dialect:
    """The dialect `kosmos-2[:<grid>]` for models with a grid x grid square of patch indices.

    Raises:
        UsageError: a grid that is no whole number from 1 to 1024.
    """
    said = argument or "32"
    if not (said.isascii() and said.isdigit() and 0 < int(said[:6]) <= 1024):
        raise UsageError(f"kosmos-2:{argument}: the grid is a whole number from 1 to 1024.")
    grid = int(said)
    return Dialect(
        name="kosmos-2" if grid == 32 else f"kosmos-2:{grid}",
        about=f"<phrase>a dog</phrase><object><patch_index_0181><patch_index_0701></object>, "
        f"{grid}x{grid} grid over the picture",
        frame=Frame(f"cells-{grid}"),
        syntax=partial(syntax, grid),
        write=partial(write, grid),
        template="<grounding><phrase>{expression}</phrase>",
        source="microsoft/unilm kosmos-2/evaluation/refcoco/{decode_string,cook_data}.py",
    )


def syntax(grid: int, text: str, parser: Parser = "tolerant") -> Found:
    """Pairs of cells after the last `</image>`, each with its phrase.

    The authors' reader takes an `<object>` that is written in full and closed, or nothing of it.
    The tolerant one takes every two patch indices that stand together, and none beyond the grid.
    """
    text = text.rpartition("</image>")[2]
    # four numbers in JSON are no cells
    found = marks.read(text, parser, partial(_found, grid * grid), _found_by_authors, json=None)
    if text.rfind(_OPEN) > text.rfind("</object>"):
        found.truncated = True
        if parser == "authors" and not found.boxes:
            found.fault, found.reason = "unclosed_tag", "an <object> is never closed"
    return found


def write(grid: int, named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """The text in which the model gives these boxes (pixels), each label's together."""
    frame = Frame(f"cells-{grid}")
    said = ["<grounding>"]
    for label, group in groupby(named, key=lambda one: one[0]):
        pairs = (frame.write(box, sizes) for _, box in group)
        cells = (f"<patch_index_{int(a):04}><patch_index_{int(b):04}>" for a, b in pairs)
        phrase = f"<phrase>{label}</phrase>" if label else ""
        said.append(f"{phrase}{_OPEN}{_DELIMITER.join(cells)}</object>")
    return "".join(said)


def _found_by_authors(text: str) -> Found:
    found = Found()
    try:
        for phrase, first, second in _cells(text):
            found.boxes.append((int(first), int(second)))
            found.labels.append(phrase and phrase.strip())
    except DataError as error:
        return Found(fault="index_out_of_range", reason=str(error))
    return found


def _found(cells: int, text: str) -> Found:
    found, lone, last = Found(), 0, 0
    label: str | None = None
    for match in _LOOSE_PAIR.finditer(text):
        gap = text[last : match.start()]
        if "<phrase>" in gap or not _JOINS.fullmatch(gap):
            label = _phrase_in(gap)
        last = match.end()
        if match[1] is None:
            lone += 1
            found.dropped += 1
        elif max(pair := (int(match[1]), int(match[2]))) >= cells:
            found.dropped += 1
        else:
            found.boxes.append(pair)
            found.labels.append(label)
    beyond = found.dropped - lone
    if beyond and not found.boxes:
        return Found(
            fault="index_out_of_range", reason=f"patch indices end at {cells - 1}", dropped=0
        )
    return marks.explain(found, lone, text, "patch indices", "two")


def _phrase_in(gap: str) -> str | None:
    """The phrase that is written between two boxes, directly before the second."""
    begin = gap.rfind(_PHRASE)
    if begin < 0:
        return None
    phrase, _, behind = gap[begin + len(_PHRASE) :].partition("<")
    # a closed object in between has taken it
    return None if "</object>" in behind else phrase.strip() or None
