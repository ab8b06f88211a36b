"""Referring expression comprehension: is the box that the model gave the one that was meant?

Protocol `rec`: IoU in float64, a hit at IoU >= threshold, the expression as the unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import Policy, chosen, iou
from eyechart.values import Boxes, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# 0.5, 0.55 ... 0.95 as the decimals are written, not as steps that add up rounding
_PER_CENT = tuple(range(50, 100, 5))
THRESHOLDS = tuple(per_cent / 100 for per_cent in _PER_CENT)
CURVE = "acc@0.5:0.95"


def hit_name(threshold: float) -> str:
    """The metric's name at a threshold: `acc@0.5`."""
    return f"acc@{threshold:g}"


def overlaps(
    samples: Sequence[Sample], readings: Sequence[Reading], policy: Policy = "first"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each sample's IoU, and 1.0 where the predicted centre lies in a true box (edges included).

    Of several true boxes (and, under policy `any`, of several predicted ones) the best pair counts.
    Where there is no target, the only right answer is a reading of status none: both are 1 then,
    and 0 for any other reading. A reading without boxes where there is a target gives 0.

    Raises:
        DataError: a sample whose target is not boxes.
    """
    truths: list[tuple[tuple[float, ...], ...]] = []
    for sample in samples:
        if not isinstance(sample.target, Boxes):
            raise DataError(f"sample {sample.id}: its target must be boxes.")
        truths.append(sample.target.boxes)
    best = np.zeros(len(samples))
    inside = np.zeros(len(samples))
    boxes, owners = chosen(readings, policy)
    sizes = np.array([len(truth) for truth in truths], np.int64)
    flat = np.array([box for truth in truths for box in truth], np.float64).reshape(-1, 4)
    # every chosen box beside every true box of its sample
    starts = np.cumsum(sizes) - sizes
    times = sizes[owners]
    place = np.repeat(owners, times)
    shift = np.arange(len(place)) - np.repeat(np.cumsum(times) - times, times)
    predicted, true = np.repeat(boxes, times, axis=0), flat[starts[place] + shift]
    np.maximum.at(best, place, iou(predicted, true))
    np.maximum.at(inside, place, _centre_inside(predicted, true))
    for row, (truth, reading) in enumerate(zip(truths, readings, strict=True)):
        if not truth and reading.status == "none":
            best[row] = inside[row] = 1.0
    return best, inside


def _centre_inside(
    predicted: NDArray[np.float64], true: NDArray[np.float64]
) -> NDArray[np.float64]:
    # halved before they are added, so that no sum overflows
    with np.errstate(invalid="ignore"):
        centre = predicted[:, :2] / 2 + predicted[:, 2:] / 2
    within = (true[:, :2] <= centre) & (centre <= true[:, 2:])
    inside: NDArray[np.float64] = (within[:, 0] & within[:, 1]).astype(np.float64)
    return inside


def curve(best: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Columns of 0 and 1 at each threshold (IoU >= threshold), and the mean of the ten."""
    hits = (best[:, None] >= np.array(THRESHOLDS)).astype(np.float64)
    columns = {hit_name(t): hits[:, k] for k, t in enumerate(THRESHOLDS)}
    columns[CURVE] = hits.sum(axis=1) / len(THRESHOLDS)
    return columns


def rec(policy: Policy = "first") -> Protocol:
    """The protocol `rec` with a policy for replies of several boxes (see `boxes.chosen`).

    Raises:
        UsageError: an unknown policy.
    """
    chosen((), policy)

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        best, inside = overlaps(samples, readings, policy)
        columns = {**curve(best), "mean_iou": best, "centre": inside}
        return {name: column.tolist() for name, column in columns.items()}

    return Protocol(
        name="rec",
        version=1,
        tasks=frozenset({"ground", "ground_phrases"}),
        metrics=(
            *(Metric(hit_name(t), f"IoU with the true box at least {t:g}") for t in THRESHOLDS),
            Metric(CURVE, "mean of the ten accuracies from 0.5 to 0.95"),
            Metric("mean_iou", "IoU with the true box"),
            Metric("centre", "the predicted centre lies in the true box, its edges included"),
        ),
        primary="acc@0.5",
        about="IoU >= threshold in float64; no target is answered right by saying none",
        source="the formula and threshold of the official Kosmos-2, REFER and Flickr scorers, "
        "in float64",
        score=score,
        options={"policy": policy},
    )


REC = rec()
