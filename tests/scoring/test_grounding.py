from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.scoring.boxes import POLICIES, Policy, chosen, iou
from eyechart.scoring.grounding import REC, THRESHOLDS, rec
from eyechart.values import Box, Boxes, Count, Image, Reading, Sample

Records = Callable[[str], list[dict[str, Any]]]

coordinate = st.floats(-1e6, 1e6)
box = st.tuples(coordinate, coordinate, coordinate, coordinate)


def sample(*boxes: Box, name: str = "s") -> Sample:
    return Sample(name, "ground", Image("x.jpg", 640, 480), {}, Boxes(boxes), "x.jpg")


def ok(*boxes: Box, scores: tuple[float, ...] = ()) -> Reading:
    return Reading("ok", boxes=boxes, scores=scores)


def scored(truth: Sample, reading: Reading, policy: Policy = "first") -> dict[str, float]:
    columns = rec(policy).score([truth], [reading])
    return {name: column[0] for name, column in columns.items()}


def test_v19_the_expression_is_the_unit(records: Records) -> None:
    case = next(c for c in records("cases") if c["id"] == "v19")
    rows = case["input"]["samples"]
    truths = [sample((x, y, x + w, y + h)) for x, y, w, h in (row["gt_xywh"] for row in rows)]
    column = REC.score(truths, [ok(tuple(row["pred_xyxy"])) for row in rows])["acc@0.5"]
    hits = {row["sample_id"]: bool(hit) for row, hit in zip(rows, column, strict=True)}
    assert hits == case["expected"]["hit_by_sample"]
    assert sum(column) / len(column) == case["expected"]["accuracy"]


def test_v06_the_policy_decides_which_box_counts(records: Records) -> None:
    case = next(c for c in records("cases") if c["id"] == "v06")
    truth = sample(tuple(case["input"]["gt_xyxy_px"]))
    reading = ok(*(tuple(b) for b in case["expected"]["boxes_xyxy_px"]))
    for policy, expected in case["expected"]["iou_by_policy"].items():
        assert scored(truth, reading, policy)["mean_iou"] == pytest.approx(expected, abs=1e-4)


def test_metrics_are_the_columns() -> None:
    assert [m.name for m in REC.metrics] == list(scored(sample((0, 0, 1, 1)), ok((0, 0, 1, 1))))
    assert REC.primary == "acc@0.5"
    assert THRESHOLDS[1] == 0.55
    assert THRESHOLDS[-1] == 0.95


def test_exactly_one_half_is_a_hit() -> None:
    got = scored(sample((0, 0, 1, 2)), ok((0, 0, 1, 1)))
    assert got["mean_iou"] == 0.5
    assert got["acc@0.5"] == 1.0
    assert got["acc@0.55"] == 0.0
    assert got["acc@0.5:0.95"] == 0.1


def test_centre_counts_the_edges() -> None:
    truth = sample((10, 10, 20, 20))
    assert scored(truth, ok((0, 0, 20, 20)))["centre"] == 1.0
    assert scored(truth, ok((0, 0, 19.9, 20)))["centre"] == 0.0


def test_the_best_of_several_true_boxes_counts() -> None:
    truth = sample((0, 0, 10, 10), (100, 100, 110, 110))
    assert scored(truth, ok((100, 100, 110, 110)))["mean_iou"] == 1.0
    assert scored(truth, ok((0, 0, 110, 110)))["mean_iou"] == pytest.approx(100 / 12100)


def test_no_target_is_answered_by_none_only() -> None:
    absent = sample()
    said = scored(absent, Reading("none"))
    assert said["acc@0.5"] == said["mean_iou"] == said["acc@0.5:0.95"] == said["centre"] == 1.0
    assert set(scored(absent, ok((0, 0, 1, 1))).values()) == {0.0}
    assert set(scored(absent, Reading("ok")).values()) == {0.0}


def test_none_scores_nothing_where_there_is_a_target() -> None:
    assert set(scored(sample((0, 0, 1, 1)), Reading("none")).values()) == {0.0}


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("first", (0, 0, 2, 2)),
        ("last", (4, 4, 8, 6)),
        ("union", (0, 0, 8, 6)),
        ("mean", (2, 2, 5, 4)),
        ("highest", (4, 4, 8, 6)),
    ],
)
def test_policies(policy: Policy, expected: Box) -> None:
    readings = [Reading("none"), ok((0, 0, 2, 2), (4, 4, 8, 6), scores=(0.2, 0.9)), Reading("none")]
    boxes, owners = chosen(readings, policy)
    assert boxes.tolist() == [list(expected)]
    assert owners.tolist() == [1]


def test_any_gives_every_box() -> None:
    boxes, owners = chosen([ok((0, 0, 2, 2), (4, 4, 8, 6)), ok((1, 1, 2, 2))], "any")
    assert owners.tolist() == [0, 0, 1]
    assert boxes.shape == (3, 4)


def test_highest_needs_scores_only_of_several_boxes() -> None:
    assert chosen([ok((0, 0, 1, 1))], "highest")[0].shape == (1, 4)
    with pytest.raises(DataError, match="score"):
        chosen([ok((0, 0, 1, 1), (0, 0, 2, 2))], "highest")


def test_an_unknown_policy_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="first"):
        rec("frist")  # type: ignore[arg-type]


def test_a_target_of_another_kind_is_named() -> None:
    wrong = Sample("s9", "count", Image("x"), {}, Count(3), "x")
    with pytest.raises(DataError, match="s9"):
        REC.score([wrong], [ok((0, 0, 1, 1))])


@given(box, box)
def test_iou_is_symmetric_and_within_0_and_1(a: Box, b: Box) -> None:
    forward = float(iou(a, b))
    assert 0.0 <= forward <= 1.0
    assert forward == float(iou(b, a))


@given(box)
def test_a_box_with_area_is_itself(a: Box) -> None:
    x1, x2 = sorted((a[0], a[2]))
    y1, y2 = sorted((a[1], a[3]))
    area = (x2 - x1) * (y2 - y1)
    assert float(iou((x1, y1, x2, y2), (x1, y1, x2, y2))) == (1.0 if area > 0 else 0.0)


@given(
    st.lists(
        st.tuples(st.lists(box, max_size=3), st.lists(box, max_size=3), st.booleans()), max_size=8
    ),
    st.sampled_from([p for p in POLICIES if p != "highest"]),
)
def test_batches_score_as_single_samples(
    rows: list[tuple[list[Box], list[Box], bool]], policy: Policy
) -> None:
    truths = [sample(*true) for true, _, _ in rows]
    readings = [Reading("none") if none else ok(*said) for _, said, none in rows]
    together = rec(policy).score(truths, readings)
    for k, (truth, reading) in enumerate(zip(truths, readings, strict=True)):
        assert {name: column[k] for name, column in together.items()} == scored(
            truth, reading, policy
        )


@pytest.mark.parametrize("huge", [1e300, 1e308, float("inf")])
def test_absurd_boxes_never_give_nan(huge: float) -> None:
    values = scored(sample((0, 0, 10, 10)), ok((-huge, -huge, huge, huge))).values()
    assert all(np.isfinite(v) for v in values)
