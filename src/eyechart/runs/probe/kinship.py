"""For which families a reply is written: by its marks, its brackets, and who reads it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from eyechart import dialects
from eyechart.dialects import Sizes
from eyechart.runs.probe.readings import syntaxes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eyechart.dialects import Dialect

_MARK = re.compile(r"<[^<>]{1,40}+>")
_NUMBER = re.compile(r"[0-9]++(?:\.[0-9]++)?")
_SIZES = Sizes((1000, 1000), (1000, 1000), (1000, 1000))
_BOX = (100.0, 200.0, 300.0, 500.0)
_LONGEST = 2000


def is_marked(text: str) -> bool:
    """Whether a text has marks in angle brackets."""
    return _MARK.search(text[:_LONGEST]) is not None


def kinship(text: str, names: Iterable[str]) -> dict[str, float]:
    """How much a reply looks as if written by each family, 0 to 2.5; of its first 2,000 characters.

    1 for the same marks (by what share of all marks both have), 1 for numbers in the same brackets,
    0.5 where the authors' own reader takes it. It decides only what a reading is called.
    """
    text = text[:_LONGEST]
    marks, shape = _style(text)
    found = {}
    for name in names:
        own_marks, own_shape = _written(name)
        both = len(marks | own_marks)
        alike = len(marks & own_marks) / both if both else 0.0
        taken = _authors()[name].found(text)
        found[name] = (
            alike
            + (bool(own_shape) and own_shape in shape)
            + 0.5 * bool(taken.boxes or taken.points)
        )
    return found


def _style(text: str) -> tuple[frozenset[str], str]:
    """A text's marks and its remaining signs, digits alike and spaces left out."""
    plain = _NUMBER.sub("0", text)
    shape = re.sub(r"\s+", "", _MARK.sub("", plain))
    return frozenset(_MARK.findall(plain)), shape


@cache
def _written(name: str) -> tuple[frozenset[str], str]:
    """The marks of a box with a name as the family writes it, and the signs of one without."""
    dialect = syntaxes()[name]
    marks, _ = _style(dialect.write([("it", _BOX)], _SIZES))
    return marks, _style(dialect.write([(None, _BOX)], _SIZES))[1]


@cache
def _authors() -> Mapping[str, Dialect]:
    names = [name for name in syntaxes() if name in dialects.FAMILIES]
    return {name: dialects.find(name, "authors") for name in names}
