"""What Kosmos-2's own scorers take from a line of output: the boxes of the phrase that was asked for.

Source: microsoft/unilm `kosmos-2/evaluation`, `refcoco/refexp_evaluate.py` and
`flickr_entities/flickr_entities_evaluate.py`, 768a3c873f59.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.dialects.kosmos2 import objects
from eyechart.dialects.placing import box_flags
from eyechart.errors import DataError, UsageError
from eyechart.values import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.values import Box, Sample


def phrase_boxes(
    text: str, phrase: str, width: float, height: float, grid: int = 32
) -> tuple[list[str], list[Box]]:
    """Names and boxes (pixels) in the text whose name is the phrase, both stripped.

    A phrase with `<` can never match.

    Raises:
        DataError: a patch index that is no number any more.
    """
    wanted = phrase.strip()
    names: list[str] = []
    boxes: list[Box] = []
    for _, name, (x1, y1, x2, y2) in objects(text, grid):
        if name == wanted or name.strip() == wanted:
            names.append(name)
            boxes.append((x1 * width, y1 * height, x2 * width, y2 * height))
    return names, boxes


def after_image(line: str) -> str:
    """What the referring expression scorer decodes of a line: all after its last `</image>`."""
    return line.rpartition("</image>")[2]


def reader(
    protocol: str, slot: str, grid: int, part: Callable[[str], str]
) -> Callable[[Sample, str], Reading]:
    """A protocol's `read_text`: the boxes of what `sample.asked[slot]` names in `part` of a line.

    Raises:
        UsageError: a grid below 1.
    """
    if not isinstance(grid, int) or grid < 1:
        raise UsageError(f"--grid must be a whole number from 1 on, it is {grid!r}.")

    def read(sample: Sample, text: str) -> Reading:
        width, height = sample.image.width, sample.image.height
        phrase = sample.asked.get(slot)
        if width is None or height is None or phrase is None:
            raise DataError(
                f"sample {sample.id}: {protocol} needs the picture's width and height and the "
                f"{slot} that was asked for."
            )
        try:
            names, boxes = phrase_boxes(part(text), phrase, width, height, grid)
        except DataError as error:
            return Reading(status="malformed", reason=str(error))
        if not boxes:
            return Reading(status="malformed", reason="no box whose phrase is the one asked for")
        told = tuple(boxes)
        return Reading(
            status="ok", boxes=told, labels=tuple(names), flags=box_flags(told, (width, height))
        )

    return read
