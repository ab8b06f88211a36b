"""Referring expression comprehension: is the box that the model gave the one that was meant?

Protocols `rec` (a hit at IoU >= threshold) and `rec_strict` (above it): IoU in float64, the
expression as the unit. What faces what, and which boxes stand for a reply, is here for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import Policy, chosen, iou
from eyechart.values import Boxes, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from eyechart.values import Box

# 0.5, 0.55 ... 0.95 as the decimals are written, not as steps that add up rounding
_PER_CENT = tuple(range(50, 100, 5))
THRESHOLDS = tuple(per_cent / 100 for per_cent in _PER_CENT)
CURVE = "acc@0.5:0.95"


def hit_name(threshold: float) -> str:
    """The metric's name at a threshold: `acc@0.5`."""
    return f"acc@{threshold:g}"


def true_boxes(samples: Sequence[Sample]) -> list[tuple[Box, ...]]:
    """Each sample's true boxes: one, several or none.

    Raises:
        DataError: a sample whose target is not boxes.
    """
    found = []
    for sample in samples:
        if not isinstance(sample.target, Boxes):
            raise DataError(f"sample {sample.id}: its target must be boxes.")
        found.append(sample.target.boxes)
    return found


def single_boxes(samples: Sequence[Sample], protocol: str) -> list[tuple[Box, ...]]:
    """Each sample's true boxes, of which there is exactly one.

    Raises:
        DataError: a sample with several true boxes, with none, or with another target.
    """
    truths = true_boxes(samples)
    for sample, truth in zip(samples, truths, strict=True):
        if len(truth) != 1:
            raise DataError(
                f"sample {sample.id}: {protocol} judges expressions with exactly one true box, "
                f"and this one has {len(truth) or 'none'}; use the protocol rec or grec."
            )
    return truths


class Facing(NamedTuple):
    """Boxes beside the true ones that they are held against.

    `predicted` and `true` are `(K, 4)` xyxy in pixels, `place` `(K,)` the sample of each pair, `n`
    the number of samples.
    """

    predicted: NDArray[np.float64]
    true: NDArray[np.float64]
    place: NDArray[np.int64]
    n: int

    def best(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each sample's highest value of its pairs, `(n,)`; 0 where it has none."""
        best = np.zeros(self.n)
        np.maximum.at(best, self.place, values)
        return best


def facing(
    truths: Sequence[Sequence[Box]], readings: Sequence[Reading], policy: Policy = "first"
) -> Facing:
    """Every box that stands for a reading (see `boxes.chosen`) beside every true one of its sample.

    Raises:
        UsageError: an unknown policy.
        DataError: as `boxes.chosen`.
    """
    return paired(truths, *chosen(readings, policy))


def paired(
    truths: Sequence[Sequence[Box]], boxes: NDArray[np.float64], owners: NDArray[np.int64]
) -> Facing:
    """Each of the boxes `(B, 4)` beside every true one of its sample `owners` `(B,)`, in that order."""
    sizes = np.array([len(truth) for truth in truths], np.int64)
    flat = np.array([box for truth in truths for box in truth], np.float64).reshape(-1, 4)
    starts = np.cumsum(sizes) - sizes
    times = sizes[owners]
    place = np.repeat(owners, times)
    shift = np.arange(len(place)) - np.repeat(np.cumsum(times) - times, times)
    return Facing(np.repeat(boxes, times, axis=0), flat[starts[place] + shift], place, len(truths))


def overlaps(
    samples: Sequence[Sample], readings: Sequence[Reading], policy: Policy = "first"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each sample's IoU, and 1.0 where the predicted centre lies in a true box (edges included).

    Of several true boxes (and, under policy `any`, of several predicted ones) the best pair counts.
    Where there is no target, the only right answer is a reading of status none: both are 1 then,
    and 0 for any other reading. A reading without boxes where there is a target gives 0, but of one
    with points the second is 1 where the point that stands for it lies in a true box.

    Raises:
        DataError: a sample whose target is not boxes.
    """
    truths = true_boxes(samples)
    pairs = facing(truths, readings, policy)
    best = pairs.best(iou(pairs.predicted, pairs.true))
    inside = pairs.best(_centre_inside(pairs.predicted, pairs.true))
    if any(reading.points and not reading.boxes for reading in readings):
        pairs = facing(truths, [_as_boxes(reading) for reading in readings], policy)
        inside = np.maximum(inside, pairs.best(_centre_inside(pairs.predicted, pairs.true)))
    for row, (truth, reading) in enumerate(zip(truths, readings, strict=True)):
        if not truth and reading.status == "none":
            best[row] = inside[row] = 1.0
    return best, inside


def _as_boxes(reading: Reading) -> Reading:
    """A reading of points alone with its points as boxes without area; others without boxes."""
    points = () if reading.boxes else reading.points
    return Reading(reading.status, boxes=tuple((x, y, x, y) for x, y in points))


def _centre_inside(
    predicted: NDArray[np.float64], true: NDArray[np.float64]
) -> NDArray[np.float64]:
    # halved before they are added, so that no sum overflows
    with np.errstate(invalid="ignore"):
        centre = predicted[:, :2] / 2 + predicted[:, 2:] / 2
    within = (true[:, :2] <= centre) & (centre <= true[:, 2:])
    inside: NDArray[np.float64] = (within[:, 0] & within[:, 1]).astype(np.float64)
    return inside


def curve(best: NDArray[np.float64], strict: bool = False) -> dict[str, NDArray[np.float64]]:
    """Columns of 0 and 1 at each threshold (IoU >= it, or > it), and the mean of the ten."""
    beside, limits = best[:, None], np.array(THRESHOLDS)
    hits = (beside > limits if strict else beside >= limits).astype(np.float64)
    columns = {hit_name(t): hits[:, k] for k, t in enumerate(THRESHOLDS)}
    columns[CURVE] = hits.sum(axis=1) / len(THRESHOLDS)
    return columns


def _by_iou(name: str, policy: Policy, strict: bool, source: str) -> Protocol:
    chosen((), policy)
    sign, words = (">", "above") if strict else (">=", "at least")

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        best, inside = overlaps(samples, readings, policy)
        columns = {**curve(best, strict), "mean_iou": best, "centre": inside}
        return {metric: column.tolist() for metric, column in columns.items()}

    return Protocol(
        name=name,
        version=2,
        tasks=frozenset({"ground", "ground_phrases"}),
        metrics=(
            *(Metric(hit_name(t), f"IoU with the true box {words} {t:g}") for t in THRESHOLDS),
            Metric(CURVE, "mean of the ten accuracies from 0.5 to 0.95"),
            Metric("mean_iou", "IoU with the true box"),
            Metric("centre", "the predicted centre or point lies in the true box, edges included"),
        ),
        primary="acc@0.5",
        about=f"IoU {sign} threshold in float64; no target is answered right by saying none",
        formula=f"hit = IoU {sign} t; IoU = I / (A + B - I) in float64, no + 1; of several true "
        "boxes the best; mean over expressions",
        source=source,
        score=score,
        options={"policy": policy},
    )


def rec(policy: Policy = "first") -> Protocol:
    """The protocol `rec` with a policy for replies of several boxes (see `boxes.chosen`).

    Raises:
        UsageError: an unknown policy.
    """
    source = (
        "the formula and threshold of the official Kosmos-2, REFER and Flickr scorers, in float64"
    )
    return _by_iou("rec", policy, strict=False, source=source)


def rec_strict(policy: Policy = "first") -> Protocol:
    """As `rec`, with a hit only above the threshold: an IoU of exactly 0.5 is a miss.

    Raises:
        UsageError: an unknown policy.
    """
    source = "the formula of rec; papers that say 'IoU larger than 0.5' and mean it"
    return _by_iou("rec_strict", policy, strict=True, source=source)


REC = rec()
REC_STRICT = rec_strict()
