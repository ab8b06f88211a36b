"""Each formula for the overlap of two boxes against the official code that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.scoring import ofa
from eyechart.scoring.boxes import iou, raw_iou
from eyechart.scoring.mdetr import generalised_iou, swapped

if TYPE_CHECKING:
    from tests.conformance.frame import Records

Numbers = np.ndarray[Any, Any]


def numbers(values: list[Any]) -> Numbers:
    kind = np.int64 if all(isinstance(v, int) for v in values) else np.float64
    return np.array([float(v) if isinstance(v, str) else v for v in values], kind)


def pair(record: dict[str, Any]) -> tuple[Numbers, Numbers]:
    return numbers(record["pred"]), numbers(record["gt"])


def as_torch(pred: Numbers, gt: Numbers) -> tuple[Numbers, Numbers]:
    """Whole numbers stay so if both boxes have no others, as in a program that makes tensors."""
    if pred.dtype == gt.dtype == np.int64:
        return pred, gt
    return pred.astype(np.float32), gt.astype(np.float32)


def same(got: Any, expected: float | str) -> bool:
    return bool(np.isnan(got)) if expected == "nan" else float(got) == expected


def test_kosmos2(records: Records) -> None:
    for record in records("box_iou"):
        single = np.float32(raw_iou(*as_torch(*pair(record))))
        assert same(single, record["kosmos2_iou"]), record
        assert bool(single >= 0.5) == record["kosmos2_hit"], record


def test_flickr30k_entities(records: Records) -> None:
    for record in records("box_iou"):
        double = raw_iou(*pair(record))
        assert same(double, record["flickr_iou"]), record
        assert bool(double >= 0.5) == record["flickr_hit"], record


def test_mdetr_generalised(records: Records) -> None:
    for record in records("box_iou"):
        pred, gt = as_torch(*pair(record))
        refused = record["mdetr_giou"] == "AssertionError"
        assert bool(swapped(pred) or swapped(gt)) == refused, record
        if not refused:
            assert same(generalised_iou(pred, gt), record["mdetr_giou"]), record


def test_ofa(records: Records) -> None:
    for record in records("box_iou"):
        assert bool(ofa.hits(*pair(record))) == record["ofa_hit"], record


def test_our_own_differs_only_where_the_official_one_is_no_ratio(records: Records) -> None:
    for record in records("box_iou"):
        expected = 0.0 if record["flickr_iou"] == "nan" else max(0.0, record["flickr_iou"])
        assert iou(*pair(record)) == expected, record


def test_many_at_once(records: Records) -> None:
    rows = [pair(r) for r in records("box_iou")]
    pred, gt = (np.array(side, np.float64) for side in zip(*rows, strict=True))
    times = 20_000 // len(rows) + 1
    alone = [float(iou(*one)) for one in rows]
    assert iou(np.tile(pred, (times, 1)), np.tile(gt, (times, 1))).tolist() == alone * times
