"""Expressions with several targets, one or none, as gRefCOCO judges them (protocol `grec`).

Source: henghuiding/gRefCOCO, `mdetr/datasets/refexp.py` (b4b1e55b4d3a); GREC: Generalized Referring
Expression Comprehension, arXiv 2308.16182, whose Pr@(F1=1, IoU>=0.5), N-acc and T-acc these are.

`rec` asks whether one box is right: the best true one counts. `grec` asks for all of them and
nothing else: a box too many or too few lowers F1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from eyechart.errors import UsageError, meant
from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import iou
from eyechart.scoring.grounding import paired, true_boxes
from eyechart.scoring.mdetr import generalised_iou, swapped
from eyechart.values import Boxes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.values import Box, Reading, Sample

Overlap = Literal["iou", "giou"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
F1, WHOLE, DECIDED = "f1", "pr@f1=1", "target_acc"
_THRESHOLD = 0.5


def matched(overlap: NDArray[np.floating[Any]], threshold: float = _THRESHOLD) -> int:
    """How many predicted boxes get a true one of their own: `overlap` is `(predicted, true)`.

    The pair that overlaps most goes first, then the most of what is left, down to the threshold.
    """
    rows, columns = np.nonzero(overlap >= threshold)
    order = np.argsort(-overlap[rows, columns], kind="stable")
    predicted: set[int] = set()
    true: set[int] = set()
    for row, column in zip(rows[order].tolist(), columns[order].tolist(), strict=True):
        if row not in predicted and column not in true:
            predicted.add(row)
            true.add(column)
    return len(true)


def kept(reading: Reading, min_score: float, overlap: Overlap) -> list[Box]:
    """The boxes that a reading stands by: all, or with a score for each those of at least `min_score`.

    Under `giou` the scores are the program's float32, in which 0.7 lies below 0.7.
    """
    if not reading.scores or len(reading.scores) != len(reading.boxes):
        return list(reading.boxes)
    scores = np.array(reading.scores, np.float32 if overlap == "giou" else np.float64)
    high = (scores.astype(np.float64) >= min_score).tolist()
    return [box for box, enough in zip(reading.boxes, high, strict=True) if enough]


def _overlaps(
    predicted: NDArray[np.float64], true: NDArray[np.float64], overlap: Overlap
) -> NDArray[np.floating[Any]]:
    if overlap == "iou":
        return iou(predicted, true)
    narrow = predicted.astype(np.float32)
    values = generalised_iou(narrow, true.astype(np.float32))
    # the program stops at a swapped box and would count a NaN as a match; neither is one
    values[swapped(narrow)] = -1.0
    return np.nan_to_num(values, nan=-1.0)


def f1(
    boxes: Sequence[Sequence[Box]], truths: Sequence[Sequence[Box]], overlap: Overlap = "iou"
) -> NDArray[np.float64]:
    """2 TP / (2 TP + FP + FN) of each expression's boxes against its true ones, `(n,)`.

    0 where either has none.
    """
    counts = np.array([len(own) for own in boxes], np.int64)
    wanted = np.array([len(truth) for truth in truths], np.int64)
    flat = np.array([box for own in boxes for box in own], np.float64).reshape(-1, 4)
    pairs = paired(truths, flat, np.repeat(np.arange(len(boxes)), counts))
    values = _overlaps(pairs.predicted, pairs.true, overlap)
    # where one side has a single box, one match is all there can be
    found = pairs.best((values >= _THRESHOLD).astype(np.float64))
    sizes = counts * wanted
    starts = np.cumsum(sizes) - sizes
    for row in np.flatnonzero((found > 0) & (np.minimum(counts, wanted) > 1)).tolist():
        block = values[starts[row] : starts[row] + sizes[row]]
        found[row] = matched(block.reshape(counts[row], wanted[row]))
    value: NDArray[np.float64] = 2 * found / np.maximum(counts + wanted, 1)
    return value


def _totals(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """`F1_score`, `T_acc` and `N_acc` as ratios, those of which there are samples."""
    absent = [isinstance(s.target, Boxes) and not s.target.boxes for s in samples]
    parts = {
        "F1_score": list(columns[WHOLE]),
        "T_acc": [v for v, none in zip(columns[DECIDED], absent, strict=True) if not none],
        "N_acc": [v for v, none in zip(columns[DECIDED], absent, strict=True) if none],
    }
    return {name: sum(v) / len(v) for name, v in parts.items() if v}


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The totals and the program's line, for the generalised IoU which that program thresholds."""
    scores = _totals(samples, columns)
    # the program divides by both numbers, so it prints only where there are both kinds
    return {**scores, "printed": [f"{scores} results"]} if len(scores) == 3 else scores


def grec(overlap: Overlap = "iou", min_score: float = 0.7) -> Protocol:
    """The protocol `grec`.

    Args:
        overlap: `iou` in float64, the paper's measure; or `giou`, the generalised IoU in float32
            that the authors' program thresholds, which is stricter.
        min_score: boxes with a lower score are no part of the answer (the program's 0.7); without
            scores all boxes are. A reply of which none is left says that there is no target.

    Raises:
        UsageError: an unknown overlap, or a score that is no number.
    """
    if overlap not in OVERLAPS:
        raise UsageError(
            f"No overlap is named {overlap!r}.{meant(str(overlap), OVERLAPS)} "
            f"Known: {', '.join(OVERLAPS)}."
        )
    if isinstance(min_score, bool) or not isinstance(min_score, (int, float)):
        raise UsageError(f"min_score must be a number, it is {min_score!r}.")

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        truths = true_boxes(samples)
        boxes = [kept(reading, min_score, overlap) for reading in readings]
        values = f1(boxes, truths, overlap)
        decided = np.zeros(len(truths))
        for row, (truth, own, reading) in enumerate(zip(truths, boxes, readings, strict=True)):
            said_none = not own and (reading.status == "none" or len(reading.boxes) > 0)
            decided[row] = bool(own) if truth else said_none
            if not truth:
                values[row] = decided[row]
        whole = (values == 1.0).astype(np.float64)
        return {F1: values.tolist(), WHOLE: whole.tolist(), DECIDED: decided.tolist()}

    measure = "IoU in float64" if overlap == "iou" else "generalised IoU in float32"
    return Protocol(
        name="grec",
        version=1,
        tasks=frozenset({"ground", "ground_phrases"}),
        metrics=(
            Metric(F1, "F1 of the expression's boxes, matched one to one"),
            Metric(WHOLE, "Pr@(F1=1, IoU>=0.5): all targets found and nothing else"),
            Metric(DECIDED, "rightly says that there is a target, or none (T-acc and N-acc)"),
        ),
        primary=WHOLE,
        about="gRefCOCO's measures for several targets, one or none: F1 per expression",
        formula=f"F1 = 2 TP / (2 TP + FP + FN), pairs matched one to one from the highest {measure} "
        f"down to 0.5; no target: 1 for no box, else 0; boxes scored below {min_score:g} do not "
        "count; mean over expressions",
        source="henghuiding/gRefCOCO mdetr/datasets/refexp.py, b4b1e55b4d3a; arXiv 2308.16182",
        score=score,
        keeps_boxes=True,
        official=_official if overlap == "giou" else _totals,
        options={"overlap": overlap, "min_score": min_score},
    )


GREC = grec()
