"""Referring expressions as OFA's own code scores them (protocol `ofa_rec`).

Source: OFA-Sys/OFA, `tasks/mm_tasks/refcoco.py` (a36b91ce86ff). Float32 throughout, 1e-6 added to
the union, so that exact halves of boxes of a few square pixels are misses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import Policy, area, chosen, sides
from eyechart.scoring.grounding import facing, single_boxes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from eyechart.values import Reading, Sample

_THRESHOLD = 0.5
_ADDED = np.float32(1e-6)


def hits(predicted: ArrayLike, true: ArrayLike) -> NDArray[np.bool_]:
    """Which boxes `(..., 4)` xyxy in pixels hit the true ones, by OFA's rule in float32.

    Both sides of the intersection must be above 0; a NaN is a miss.
    """
    with np.errstate(all="ignore"):
        one, other = np.asarray(predicted, np.float32), np.asarray(true, np.float32)
        width, height = sides(one, other)
        inter = width * height
        quotient = inter / (area(one) + area(other) - inter + _ADDED)
        hit: NDArray[np.bool_] = (quotient >= _THRESHOLD) & (width > 0) & (height > 0)
    return hit


def _official(_samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """`score` as the program logs it: a ratio with four decimals."""
    column = columns["acc@0.5"]
    if not len(column):
        return {}
    return {"score": round(float(np.sum(column, dtype=np.float32)) / len(column), 4)}


def ofa_rec(policy: Policy = "first") -> Protocol:
    """The protocol `ofa_rec` with a policy for replies of several boxes (see `boxes.chosen`).

    Raises:
        UsageError: an unknown policy.
    """
    chosen((), policy)

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        pairs = facing(single_boxes(samples, "ofa_rec"), readings, policy)
        best = pairs.best(hits(pairs.predicted, pairs.true).astype(np.float64))
        return {"acc@0.5": best.tolist()}

    return Protocol(
        name="ofa_rec",
        version=1,
        tasks=frozenset({"ground"}),
        metrics=(Metric("acc@0.5", "IoU with the true box at least 0.5 (float32, union + 1e-6)"),),
        primary="acc@0.5",
        about="OFA's own RefCOCO scorer: float32, 1e-6 added to the union, IoU >= 0.5",
        formula="hit = I / (A + B - I + 1e-6) >= 0.5 and both sides of I > 0, in float32; "
        "mean over expressions",
        source="OFA-Sys/OFA tasks/mm_tasks/refcoco.py, a36b91ce86ff",
        score=score,
        official=_official,
        parser="authors",
        keeps_boxes=True,
        options={"policy": policy},
    )


OFA_REC = ofa_rec()
