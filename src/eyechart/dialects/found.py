"""What a syntax finds in a text: numbers as the model wrote them, not yet placed in the picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Parser = Literal["tolerant", "authors"]
PARSERS: tuple[Parser, ...] = ("tolerant", "authors")

# why a reply without a box could not be read
FAULTS = {
    "no_box": "nothing in the reply is written as a box",
    "wrong_count": "a box with more or fewer numbers than it has",
    "not_numeric": "words where the numbers of a box belong",
    "not_finite": "a number that is not finite",
    "truncated": "cut off before the first whole box",
    "unclosed_tag": "a tag of the box is never closed",
    "invalid_box": "a box that the authors' reader throws away",
    "index_out_of_range": "an index that stands for nothing",
    "out_of_range_dropped": "numbers beyond the scale, which the authors' reader throws away",
    "author_parser_rejects": "a form that the authors' own reader does not take",
}


@dataclass(slots=True)
class Found:
    """Boxes and points in the order they stand in, in the numbers of the text.

    `boxes` hold four numbers each (two where a frame has cells), `points` two. `labels` has one for
    each box, `point_labels` one for each point; None where the text gives none. `none` says that
    the text is an answer: there is no such thing. `truncated` says that it breaks off. Where there
    is neither a box nor a point nor `none`, `fault` is one of `FAULTS` and `reason` says it in
    a few words of its own, if the fault's words do not suffice. `dropped` counts what looked like
    a box and was left out beside others. `scores` are the boxes' own, or empty.
    """

    boxes: list[tuple[float, ...]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    points: list[tuple[float, float]] = field(default_factory=list)
    point_labels: list[str | None] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    none: bool = False
    truncated: bool = False
    fault: str = ""
    reason: str = ""
    dropped: int = 0
