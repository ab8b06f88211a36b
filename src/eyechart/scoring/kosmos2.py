"""Referring expressions exactly as Kosmos-2's own program scores them (protocol `kosmos2`).

Source: microsoft/unilm, `kosmos-2/evaluation/refcoco/{refexp_evaluate,box_ops}.py`. Float32 from
the boxes on; only boxes whose phrase is the expression count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyechart.errors import DataError
from eyechart.formats.locout import read_h_lines
from eyechart.scoring import Metric, Protocol, refexp_totals
from eyechart.scoring.boxes import raw_iou
from eyechart.scoring.grounding import single_boxes
from eyechart.scoring.kosmos2_text import after_image, phrase_boxes, reader
from eyechart.scoring.refexp_totals import DATA_SETS, by_data_set, printed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyechart.values import Box, Reading, Sample

Float32s = NDArray[np.float32]
CRITERIA = ("precision@1", "mean", "upper_bound")
_LABEL = "1, mean, all"
_THRESHOLD = 0.5
# torch adds rows in blocks of this many, then the blocks' sums
_BLOCK = 16
_LEVELS = 4


def torch_mean(rows: Float32s) -> Float32s:
    """The mean over the second axis of `(m, n, 4)` float32, in torch's order of addition.

    Blocks of 16 rows are added left to right and their sums in a cascade of four levels; for up to
    17 rows that is plain addition from left to right. Right for fewer than 65,536 rows.
    """
    count = rows.shape[1]
    sums = np.zeros((_LEVELS, rows.shape[0], 4), np.float32)
    for row in range(count):
        sums[0] += rows[:, row]
        done = row + 1
        level = 1
        while level < _LEVELS and done % _BLOCK**level == 0:
            sums[level] += sums[level - 1]
            sums[level - 1] = 0
            level += 1
    total = sums[0]
    for level in range(1, _LEVELS):
        total = total + sums[level]
    mean: Float32s = total / np.float32(count)
    return mean


def hits(
    predicted: Sequence[Sequence[Sequence[float]]], true: Sequence[Sequence[float]]
) -> NDArray[np.float64]:
    """Which expressions are hit, `(n, 3)` of 0 and 1: first box, mean of the boxes, any box.

    `predicted` holds the boxes of each expression in reply order, xyxy in pixels; none at all
    stands for one box 0, 0, 0, 0. `true` is `(n, 4)` xyxy. IoU >= 0.5 in float32; 0/0 is a miss,
    and as the first of several it hides the others from the upper bound, as Python's `max` does.
    """
    result = np.zeros((len(true), 3))
    truth = np.asarray(true, np.float64).reshape(-1, 4)
    by_count: dict[int, list[int]] = {}
    for place, boxes in enumerate(predicted):
        by_count.setdefault(len(boxes) or 1, []).append(place)
    with np.errstate(all="ignore"):
        narrow = truth.astype(np.float32)
        for count, places in by_count.items():
            rows = np.array(
                [predicted[p] or ((0.0, 0.0, 0.0, 0.0),) for p in places], np.float64
            ).astype(np.float32)
            each = raw_iou(rows, narrow[places][:, None])
            result[places, 0] = each[:, 0] >= _THRESHOLD
            mean = torch_mean(rows) if count > 1 else rows[:, 0]
            result[places, 1] = raw_iou(mean, narrow[places]) >= _THRESHOLD
            result[places, 2] = ~np.isnan(each[:, 0]) & (each >= _THRESHOLD).any(axis=1)
    return result


class RefExp(NamedTuple):
    """What the official program makes of a prediction file.

    `scores` has the three criteria of each data set by name, ratios; `printed` the program's result
    lines, whose three numbers are sorted and so do not stand at the places that its label names;
    `counted` the number of expressions judged, `without_box` those without a box of their phrase.
    """

    scores: dict[str, dict[str, float]]
    printed: list[str]
    counted: int
    without_box: int


def refexp(annotation: Mapping[str, Any], predictions: str, grid: int = 32) -> RefExp:
    """The official program on an MDETR-style annotation and the text of a prediction file.

    Expressions beyond the last prediction are not judged and not in the denominator; predictions
    beyond the last expression are ignored.

    Raises:
        DataError: image and annotation that do not belong together, a data set other than refcoco,
            refcoco+ and refcocog, a missing key, a patch index that is no number.
    """
    lines = read_h_lines(predictions)
    images = annotation.get("images", ())
    annotations = annotation.get("annotations", ())
    names: list[str] = []
    predicted: list[list[Box]] = []
    true: list[Box] = []
    for place, (image, note, line) in enumerate(zip(images, annotations, lines, strict=False), 1):
        try:
            name, box = _pair(image, note)
            size = (image["width"], image["height"])
            boxes = phrase_boxes(after_image(line), image["caption"], *size, grid)[1]
        except DataError as error:
            raise DataError(f"expression {place}: {error}") from None
        except KeyError as error:
            raise DataError(f"expression {place}: its annotation has no {error}.") from None
        names.append(name)
        true.append(box)
        predicted.append(boxes)
    columns = hits(predicted, true)
    scores = by_data_set(names, columns, CRITERIA)
    without = sum(not boxes for boxes in predicted)
    return RefExp(scores, printed(scores, _LABEL), len(names), without)


def _pair(image: Mapping[str, Any], note: Mapping[str, Any]) -> tuple[str, Box]:
    if image["id"] != note["image_id"]:
        raise DataError(
            f"image {image['id']!r} stands beside an annotation of image {note['image_id']!r}."
        )
    name = image["dataset_name"]
    if name not in DATA_SETS:
        raise DataError(f"dataset_name is {name!r}; it must be one of {', '.join(DATA_SETS)}.")
    x, y, width, height = note["bbox"]
    return name, (x, y, x + width, y + height)


def _score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    true = [box for (box,) in single_boxes(samples, "kosmos2")]
    columns = hits([reading.boxes for reading in readings], true)
    return {criterion: columns[:, k].tolist() for k, criterion in enumerate(CRITERIA)}


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    return refexp_totals.official(samples, columns, CRITERIA, _LABEL)


def kosmos2(grid: int = 32) -> Protocol:
    """The protocol `kosmos2` for replies on a `grid` x `grid` grid.

    Raises:
        UsageError: a grid below 1.
    """
    return Protocol(
        name="kosmos2",
        version=1,
        tasks=frozenset({"ground"}),
        metrics=(
            Metric("precision@1", "IoU of the first box with the true box at least 0.5 (float32)"),
            Metric("mean", "IoU of the mean of all boxes at least 0.5"),
            Metric("upper_bound", "IoU of any box at least 0.5"),
        ),
        primary="precision@1",
        about="Kosmos-2's own RefCOCO scorer: phrase matched exactly, float32, IoU >= 0.5",
        formula="hit = I / (A + B - I) >= 0.5 in float32, boxes whose phrase is the expression: the "
        "first, the float32 mean of all, or any; no such box is 0, 0, 0, 0; mean over expressions",
        source="microsoft/unilm kosmos-2/evaluation/refcoco/refexp_evaluate.py, 768a3c873f59",
        score=_score,
        read_text=reader("kosmos2", "expression", grid, after_image),
        official=_official,
        parser="authors",
        keeps_boxes=True,
        reasoning="keep",
        options={"grid": grid},
    )


KOSMOS2 = kosmos2()
