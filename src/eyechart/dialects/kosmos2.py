"""Kosmos-2's way of writing boxes: pairs of patch indices on a square grid over the picture.

Source: microsoft/unilm, `kosmos-2/evaluation/refcoco/decode_string.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes
from eyechart.errors import DataError, UsageError
from eyechart.values import Box, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NamedBox = tuple[str, float, float, float, float]

_OPEN = "<object>"
_PHRASE, _PHRASE_END = "<phrase>", "</phrase>"
_PAIR = r"<patch_index_(\d+)><patch_index_(\d+)>"
_MORE = f"</delimiter_of_multi_objects/>{_PAIR}".replace("(", "(?:")
_OBJECT = re.compile(rf"{_OPEN}{_PAIR}((?:{_MORE})*)</object>")
_PAIRS = re.compile(_PAIR)
# most replies: one phrase, one object, one pair, of numbers that are surely short enough
_PLAIN = re.compile(
    r"<phrase>([^<]+)</phrase><object><patch_index_(\d{1,9})><patch_index_(\d{1,9})></object>"
)
# as many digits as Python's int() takes by default, fixed here so that no setting changes a reading
_MOST_DIGITS = 4300


def index_to_box(upper_left: int, lower_right: int, grid: int = 32) -> Box:
    """The box x1, y1, x2, y2 in 0..1 that two cells of a `grid` x `grid` picture span.

    Cells that share a row or a column give their outer edges, others their centres. Nothing is put
    in order or clipped: swapped corners stay swapped, an index beyond the grid lies below it.

    Raises:
        UsageError: a grid of 0.
        DataError: an index too large for a number.
    """
    if grid == 0:
        raise UsageError("--grid must not be 0.")
    cell = 1.0 / grid
    y1, x1 = divmod(upper_left, grid)
    y2, x2 = divmod(lower_right, grid)
    try:
        if x1 == x2 or y1 == y2:
            return (x1 * cell, y1 * cell, x2 * cell + cell, y2 * cell + cell)
        half = cell / 2
        return (x1 * cell + half, y1 * cell + half, x2 * cell + half, y2 * cell + half)
    except OverflowError:
        raise DataError("a patch index is too large to be a number.") from None


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
    return ((phrase, phrase, index_to_box(int(first), int(second), grid)),)


def _objects(text: str, grid: int) -> Iterator[tuple[str | None, str, Box]]:
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
            box = index_to_box(int(first), int(second), grid)
            yield phrase, phrase or f"<{first}><{second}>", box
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


def kosmos2(grid: int = 32) -> Dialect:
    """The dialect for models with a `grid` x `grid` grid of patch indices.

    Raises:
        UsageError: a grid below 1.
    """
    if grid < 1:
        raise UsageError(f"--grid must be at least 1, it is {grid}.")

    def read(text: str, sizes: Sizes) -> Reading:
        width, height = sizes.original
        try:
            found = list(objects(text.rsplit("</image>", 1)[-1], grid))
        except DataError as error:
            return Reading(status="malformed", reason=str(error))
        if not found:
            return Reading(status="malformed", reason="no <object> with patch indices")
        return Reading(
            status="ok",
            boxes=tuple(
                (x1 * width, y1 * height, x2 * width, y2 * height)
                for _, _, (x1, y1, x2, y2) in found
            ),
            labels=tuple(phrase and phrase.strip() for phrase, _, _ in found),
        )

    return Dialect(
        name="kosmos-2",
        read=read,
        about=f"<phrase>a dog</phrase><object><patch_index_0181><patch_index_0701></object>, "
        f"{grid}x{grid} grid over the picture",
        template="<grounding><phrase>{expression}</phrase>",
        source="microsoft/unilm kosmos-2/evaluation/refcoco/{decode_string,cook_data}.py",
    )
