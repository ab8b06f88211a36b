"""Referring expressions as MiniGPT-v2's own program scores them (protocol `minigpt_v2`).

Source: Vision-CAIR/MiniGPT-4, `eval_scripts/eval_ref.py` (226cb38bcf34) and `computeIoU` of
`minigpt4/common/eval_utils.py` (081fb02424ab). Boxes are pixels with both edges in, in float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import Policy, chosen
from eyechart.scoring.grounding import facing, single_boxes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.values import Reading, Sample

_THRESHOLD = 0.5


def iou_of_pixels(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """IoU of boxes `(..., 4)` xyxy whose last pixel belongs to them: every side is one longer.

    As the official code has it: sides of the boxes are not clamped, so a swapped box can give any
    number. 0 where it would divide by 0 (its program passes over such a reply) or is no number.
    """
    x1, y1, x2, y2 = np.moveaxis(first, -1, 0)
    u1, v1, u2, v2 = np.moveaxis(second, -1, 0)
    with np.errstate(all="ignore"):
        width = np.maximum(0, np.minimum(x2, u2) - np.maximum(x1, u1) + 1)
        height = np.maximum(0, np.minimum(y2, v2) - np.maximum(y1, v1) + 1)
        inter = width * height
        areas = (x2 - x1 + 1) * (y2 - y1 + 1) + (u2 - u1 + 1) * (v2 - v1 + 1)
        quotient: NDArray[np.float64] = inter / (areas - inter)
    return np.where(np.isfinite(quotient), quotient, 0.0)


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Per cent by data set and split, and the program's line for each."""
    sums: dict[tuple[str, str], list[float]] = {}
    for sample, value in zip(samples, columns["acc@0.5"], strict=True):
        if "dataset" in sample.tags:
            key = sample.tags["dataset"], sample.tags.get("split", "")
            sums.setdefault(key, []).append(value)
    scores = {
        f"{name} {split}": sum(hits) / len(hits) * 100 for (name, split), hits in sums.items()
    }
    return {**scores, "printed": [f"{name}: {score}" for name, score in scores.items()]}


def minigpt_v2(policy: Policy = "first") -> Protocol:
    """The protocol `minigpt_v2` with a policy for replies of several boxes (see `boxes.chosen`).

    The official program takes a reply's first four numbers, as the policy first does.

    Raises:
        UsageError: an unknown policy.
    """
    chosen((), policy)

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        pairs = facing(single_boxes(samples, "minigpt_v2"), readings, policy)
        best = pairs.best(iou_of_pixels(pairs.predicted, pairs.true))
        return {"acc@0.5": (best > _THRESHOLD).astype(np.float64).tolist()}

    return Protocol(
        name="minigpt_v2",
        version=1,
        tasks=frozenset({"ground"}),
        metrics=(
            Metric("acc@0.5", "IoU of pixels (sides one longer) with the true box above 0.5"),
        ),
        primary="acc@0.5",
        about="MiniGPT-v2's own RefCOCO scorer: one pixel added to every side, IoU > 0.5",
        formula="hit = I / (A + B - I) > 0.5 in float64, with sides x2 - x1 + 1 and y2 - y1 + 1; "
        "mean over expressions",
        source="Vision-CAIR/MiniGPT-4 eval_scripts/eval_ref.py, 226cb38bcf34",
        score=score,
        official=_official,
        parser="authors",
        keeps_boxes=True,
        options={"policy": policy},
    )


MINIGPT_V2 = minigpt_v2()
