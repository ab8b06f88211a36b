"""Referring expressions exactly as MDETR's own evaluator scores them (protocol `mdetr`).

Source: ashkamath/mdetr, `datasets/refexp.py` and `util/box_ops.py` (ea09acc44ca0). It thresholds
the generalised IoU, in float32, of the k boxes with the highest scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol, refexp_totals
from eyechart.scoring.boxes import area, sides
from eyechart.scoring.grounding import single_boxes
from eyechart.scoring.refexp_totals import DATA_SETS, by_data_set, printed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.values import Box, Reading, Sample

FIRST_K = (1, 5, 10)
SWAPPED = "swapped"
_THRESHOLD = 0.5


def generalised_iou(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.float32]:
    """IoU - (C - U) / C of boxes `(..., 4)` xyxy, U their union, C the box around both.

    float32 boxes stay in float32; whole numbers are exact up to the divisions, which are float32's.
    0/0 is NaN. Boxes with swapped corners, which the official code refuses, are not looked for.
    """
    with np.errstate(all="ignore"):
        width, height = sides(first, second)
        inter = np.maximum(width, 0) * np.maximum(height, 0)
        union = area(first) + area(second) - inter
        corners = np.minimum(first[..., :2], second[..., :2])
        extent = np.maximum(np.maximum(first[..., 2:], second[..., 2:]) - corners, 0)
        around = extent[..., 0] * extent[..., 1]
        overlap = _float32(inter) / _float32(union)
        generalised: NDArray[np.float32] = overlap - _float32(around - union) / _float32(around)
    return generalised


def _float32(values: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(values, np.float32)


def swapped(boxes: NDArray[Any]) -> NDArray[np.bool_]:
    """Which boxes `(..., 4)` have x2 < x1, y2 < y1 or a NaN: the official code asserts the contrary."""
    in_order = (boxes[..., 2] >= boxes[..., 0]) & (boxes[..., 3] >= boxes[..., 1])
    out_of_order: NDArray[np.bool_] = ~in_order
    return out_of_order


class Ranked(NamedTuple):
    """The boxes of n expressions, those of each by score: `(K, 4)`, their owners and ranks from 0 on."""

    boxes: NDArray[np.float32]
    owners: NDArray[np.int64]
    ranks: NDArray[np.int64]
    n: int


def by_score(boxes: Sequence[Sequence[Box]], scores: Sequence[Sequence[float]]) -> Ranked:
    """Each expression's boxes, highest score first, of equal ones the greater list of coordinates.

    All are compared as float32. Boxes without a score for each stay in their order.
    """
    counts = np.array([len(own) for own in boxes], np.int64)
    owners = np.repeat(np.arange(len(boxes)), counts)
    ranks = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    flat = np.array([box for own in boxes for box in own], np.float32).reshape(-1, 4)
    # the sign turns the order; where there are no scores the rank itself is the key, without ties
    keys = ranks.astype(np.float64)
    scored = np.array(
        [len(given) == len(own) for given, own in zip(scores, boxes, strict=True)], bool
    )
    values = [
        s for given, is_so in zip(scores, scored.tolist(), strict=True) if is_so for s in given
    ]
    keys[scored[owners]] = -np.array(values, np.float32)
    order = np.lexsort([*(-flat.T[::-1]), keys, owners])
    return Ranked(flat[order], owners, ranks, len(boxes))


def hits(
    ranked: Ranked, true: NDArray[Any], first_k: Sequence[int] = FIRST_K
) -> NDArray[np.float64]:
    """Whether one of the first k boxes has a generalised IoU >= 0.5: `(n, len(first_k))` of 0 and 1.

    `true` is `(n, 4)`. A NaN that comes first hides the others, as in Python's `max`; later ones
    are passed over.
    """
    boxes, owners, ranks, n = ranked
    reached = generalised_iou(boxes, true[owners])
    hit = reached >= _THRESHOLD
    earliest = np.full(n, np.inf)
    np.minimum.at(earliest, owners[hit], ranks[hit])
    earliest[owners[np.isnan(reached) & (ranks == 0)]] = np.inf
    return (earliest[:, None] < np.array(first_k)).astype(np.float64)


class RefExp(NamedTuple):
    """What the official evaluator makes of predictions.

    `scores` has the ratio at each k of each data set by name; `printed` its lines, whose numbers
    are sorted.
    """

    scores: dict[str, dict[str, float]]
    printed: list[str]


def refexp(
    images: Sequence[Mapping[str, Any]],
    annotations: Sequence[Mapping[str, Any]],
    predictions: Mapping[Any, Mapping[str, Any]],
    first_k: Sequence[int] = FIRST_K,
) -> RefExp:
    """The official evaluator on COCO-like `images` (id, dataset_name) and `annotations` (image_id, bbox).

    `predictions` gives `scores` and `boxes` (xyxy, pixels) by image id.

    Raises:
        DataError: where the official program fails: an image with several annotations or none,
            without predictions, or of another data set than refcoco, refcoco+ and refcocog; a box
            with swapped corners. The message names the image.
    """
    of_image: dict[Any, list[Any]] = {}
    for note in annotations:
        of_image.setdefault(note["image_id"], []).append(note["bbox"])
    names = {image["id"]: image["dataset_name"] for image in images}
    judged = [
        _judged(key, name, of_image.get(key, []), predictions.get(key))
        for key, name in names.items()
    ]
    ranked = by_score([boxes for boxes, _, _ in judged], [scores for _, scores, _ in judged])
    true = np.array([truth for _, _, truth in judged], np.float32).reshape(-1, 4)
    criteria = [str(k) for k in first_k]
    scores = by_data_set(list(names.values()), hits(ranked, true, first_k), criteria)
    return RefExp(scores, printed(scores, ", ".join(criteria)))


def _judged(
    key: Any, name: str, notes: Sequence[Sequence[float]], prediction: Mapping[str, Any] | None
) -> tuple[Sequence[Box], Sequence[float], list[float]]:
    """An image's predicted boxes, their scores, and its true box (xyxy)."""
    if name not in DATA_SETS:
        raise DataError(
            f"image {key}: dataset_name is {name!r}; it must be one of {', '.join(DATA_SETS)}."
        )
    if len(notes) != 1:
        raise DataError(f"image {key}: it has {len(notes) or 'no'} annotations; one is needed.")
    if prediction is None or not len(prediction["boxes"]):
        raise DataError(f"image {key}: there is no predicted box for it; each image needs one.")
    boxes, scores = prediction["boxes"], prediction["scores"]
    if len(boxes) != len(scores):
        raise DataError(f"image {key}: {len(boxes)} boxes and {len(scores)} scores.")
    x, y, width, height = notes[0]
    truth = [x, y, width + x, height + y]
    if swapped(np.array([*boxes, truth], np.float32)).any():
        raise DataError(f"image {key}: a box has swapped corners: x1 <= x2 and y1 <= y2 must hold.")
    return boxes, scores, truth


def _metric(k: int) -> str:
    return f"precision@{k}"


def _score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    true = np.array([box for (box,) in single_boxes(samples, "mdetr")], np.float32)
    ranked = by_score([r.boxes for r in readings], [r.scores for r in readings])
    columns = hits(ranked, true.reshape(-1, 4))
    bad = np.zeros(ranked.n)
    bad[ranked.owners[swapped(ranked.boxes)]] = 1.0
    columns[bad == 1.0] = 0.0
    found = {_metric(k): columns[:, place].tolist() for place, k in enumerate(FIRST_K)}
    return {**found, SWAPPED: bad.tolist()}


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    return refexp_totals.official(samples, columns, [_metric(k) for k in FIRST_K], "1, 5, 10")


# A reply with a swapped box stops the official program; here it scores 0 and is counted.
MDETR = Protocol(
    name="mdetr",
    version=1,
    tasks=frozenset({"ground"}),
    metrics=(
        *(Metric(_metric(k), f"generalised IoU >= 0.5 of one of the first {k}") for k in FIRST_K),
        Metric(
            SWAPPED,
            "replies with a swapped box, which stop the official program; they score 0",
            higher_is_better=False,
            over="read",
        ),
    ),
    primary=_metric(1),
    about="MDETR's own RefCOCO evaluator: generalised IoU >= 0.5 in float32, boxes by score",
    formula="hit@k = max over the k boxes of highest score (without scores: the first k) of "
    "I / U - (C - U) / C >= 0.5 in float32, C the box around both; mean over expressions",
    source="ashkamath/mdetr datasets/refexp.py, util/box_ops.py, ea09acc44ca0",
    score=_score,
    keeps_boxes=True,
    official=_official,
)
