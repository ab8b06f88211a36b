"""The protocols of MDETR, OFA and MiniGPT-v2, rec_strict, and what all of grounding has in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.scoring import find
from eyechart.scoring.boxes import POLICIES, Policy, iou
from eyechart.scoring.mdetr import MDETR, by_score, refexp
from eyechart.scoring.minigpt_v2 import iou_of_pixels
from eyechart.values import Box, Boxes, Image, Reading, Sample

GROUNDING = ("grec", "kosmos2", "mdetr", "minigpt_v2", "ofa_rec", "rec", "rec_strict")
WITH_POLICY = ("minigpt_v2", "ofa_rec", "rec", "rec_strict")
side = st.integers(0, 24)
box = st.tuples(side, side, side, side)
proper = box.map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]) + 1, max(b[1], b[3]) + 1)
)


def sample(*boxes: Box, dataset: str = "refcoco", name: str = "s") -> Sample:
    tags = {"dataset": dataset, "split": "val"}
    return Sample(name, "ground", Image("x.jpg", 640, 480), {}, Boxes(boxes), "x.jpg", tags)


def ok(*boxes: Box, scores: tuple[float, ...] = ()) -> Reading:
    return Reading("ok", boxes=boxes, scores=scores)


def worth(protocol: str, truth: Sample, reading: Reading, **options: Any) -> dict[str, float]:
    columns = find(protocol, options).score([truth], [reading])
    return {name: column[0] for name, column in columns.items()}


@pytest.mark.parametrize(
    ("protocol", "expected"),
    # exactly one half as IoU; with a pixel more on each side 4 of 6; with 1e-6 more just below
    [("rec", 1.0), ("rec_strict", 0.0), ("minigpt_v2", 1.0), ("ofa_rec", 0.0)],
)
def test_one_half_of_a_small_box(protocol: str, expected: float) -> None:
    assert worth(protocol, sample((0, 0, 1, 2)), ok((0, 0, 1, 1)))["acc@0.5"] == expected


@pytest.mark.parametrize(
    ("bottom", "pixels", "expected"),
    # the truth has 10 x 10 pixels
    [(4, 0.5, 0.0), (5, 0.6, 1.0), (9, 1.0, 1.0), (19, 0.5, 0.0), (18, 10 / 19, 1.0)],
)
def test_minigpt_v2_counts_pixels_and_half_is_a_miss(
    bottom: float, pixels: float, expected: float
) -> None:
    truth, said = (0.0, 0.0, 9.0, 9.0), (0.0, 0.0, 9.0, bottom)
    assert iou_of_pixels(np.array(said), np.array(truth)) == pixels
    assert worth("minigpt_v2", sample(truth), ok(said)) == {"acc@0.5": expected}


def test_minigpt_v2_passes_over_a_division_by_zero() -> None:
    # sides of 0 pixels on both: nothing to divide by
    line = (5.0, 5.0, 4.0, 9.0)
    assert iou_of_pixels(np.array(line), np.array(line)) == 0.0


def test_minigpt_v2_prints_per_cent_by_data_set_and_split() -> None:
    protocol = find("minigpt_v2")
    samples = [sample((0, 0, 9, 9), dataset=name) for name in ("refcoco", "refcoco", "refcoco+")]
    columns = protocol.score(samples, [ok((0, 0, 9, 9)), ok((20, 20, 29, 29)), ok((0, 0, 9, 9))])
    assert protocol.official is not None
    assert protocol.official(samples, columns) == {
        "refcoco val": 50.0,
        "refcoco+ val": 100.0,
        "printed": ["refcoco val: 50.0", "refcoco+ val: 100.0"],
    }


def test_ofa_rounds_its_score_to_four_decimals() -> None:
    protocol = find("ofa_rec")
    samples = [sample((0, 0, 90, 90))] * 3
    columns = protocol.score(samples, [ok((0, 0, 90, 90)), ok((0, 0, 1, 1)), ok((0, 0, 90, 90))])
    assert protocol.official is not None
    assert protocol.official(samples, columns) == {"score": 0.6667}


def test_mdetr_takes_boxes_by_score_and_then_by_coordinates() -> None:
    boxes = ((1.0, 0.0, 9.0, 9.0), (0.0, 0.0, 5.0, 5.0), (1.0, 2.0, 3.0, 4.0))
    # in float32 the first two scores are equal
    ranked = by_score([boxes, boxes], [(0.1, 0.1 + 1e-12, 0.9), ()])
    assert ranked.boxes[:3].tolist() == [list(boxes[2]), list(boxes[0]), list(boxes[1])]
    assert ranked.boxes[3:].tolist() == [list(b) for b in boxes]
    assert ranked.ranks.tolist() == [0, 1, 2, 0, 1, 2]


def test_mdetr_wants_generalised_iou() -> None:
    # IoU 400 / 800 = 0.5, and the box around both has 900: 0.5 - 100 / 900
    truth, near = (0.0, 0.0, 30.0, 20.0), (0.0, 0.0, 20.0, 30.0)
    assert float(iou(truth, near)) == 0.5
    got = worth("mdetr", sample(truth), ok(near, truth, scores=(0.9, 0.1)))
    assert got == {"precision@1": 0.0, "precision@5": 1.0, "precision@10": 1.0, "swapped": 0.0}
    assert worth("mdetr", sample(truth), ok(near, truth))["precision@1"] == 0.0
    assert worth("mdetr", sample(truth), ok(near, truth, scores=(0.1, 0.9)))["precision@1"] == 1.0


@pytest.mark.parametrize(("place", "reached"), [(4, (0, 1, 1)), (5, (0, 0, 1)), (10, (0, 0, 0))])
def test_mdetr_looks_at_the_first_k(place: int, reached: tuple[int, ...]) -> None:
    truth, far = (0.0, 0.0, 30.0, 20.0), (100.0, 100.0, 130.0, 120.0)
    said = [far] * 12
    said[place] = truth
    got = worth("mdetr", sample(truth), ok(*said))
    assert tuple(got[f"precision@{k}"] for k in (1, 5, 10)) == reached


def test_a_swapped_box_costs_its_own_reply_only_and_is_counted() -> None:
    truth = (0.0, 0.0, 30.0, 20.0)
    columns = MDETR.score([sample(truth)] * 2, [ok(truth, (9, 0, 3, 4)), ok(truth)])
    assert columns["precision@1"] == [0.0, 1.0]
    assert columns["swapped"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"predictions": {}}, "image 7: there is no predicted box"),
        ({"predictions": {7: {"boxes": [], "scores": []}}}, "image 7: there is no predicted box"),
        ({"predictions": {7: {"boxes": [[0, 0, 1, 1]], "scores": []}}}, "1 boxes and 0 scores"),
        ({"predictions": {7: {"boxes": [[2, 0, 1, 1]], "scores": [1]}}}, "image 7: .*swapped"),
        ({"annotations": []}, "image 7: it has no annotations"),
        ({"images": [{"id": 7, "dataset_name": "flickr"}]}, "image 7: dataset_name is 'flickr'"),
    ],
)
def test_where_mdetr_stops_the_message_names_the_image(change: dict[str, Any], told: str) -> None:
    run: dict[str, Any] = {
        "images": [{"id": 7, "dataset_name": "refcoco"}],
        "annotations": [{"image_id": 7, "bbox": [0, 0, 4, 4]}],
        "predictions": {7: {"boxes": [[0, 0, 4, 4]], "scores": [0.5]}},
    }
    assert refexp(**run).scores["refcoco"] == {"1": 1.0, "5": 1.0, "10": 1.0}
    with pytest.raises(DataError, match=told):
        refexp(**run | change)


@pytest.mark.parametrize("protocol", ["kosmos2", "mdetr", "minigpt_v2", "ofa_rec"])
@pytest.mark.parametrize("truth", [(), ((0, 0, 1, 1), (2, 2, 3, 3))])
def test_programs_for_one_target_refuse_others_by_name(
    protocol: str, truth: tuple[Box, ...]
) -> None:
    with pytest.raises(DataError, match=rf"s9: {protocol} .*rec or grec"):
        find(protocol).score([sample(*truth, name="s9")], [ok((0, 0, 1, 1))])


@pytest.mark.parametrize("protocol", WITH_POLICY)
def test_the_policy_is_an_option(protocol: str) -> None:
    truth, far = (0.0, 0.0, 90.0, 90.0), (200.0, 200.0, 300.0, 300.0)
    reading = ok(far, truth, scores=(0.2, 0.8))
    expected = {"first": 0, "last": 1, "any": 1, "union": 0, "mean": 0, "highest": 1}
    for policy in POLICIES:
        assert worth(protocol, sample(truth), reading, policy=policy)["acc@0.5"] == expected[policy]
    assert find(protocol).options == {"policy": "first"}
    with pytest.raises(UsageError, match="Did you mean last"):
        find(protocol, {"policy": "lasst"})


@pytest.mark.parametrize("protocol", GROUNDING)
def test_a_reading_without_boxes_is_a_miss(protocol: str) -> None:
    truth = sample((0, 0, 9, 9))
    for reading in (Reading("none"), Reading("ok")):
        assert set(worth(protocol, truth, reading).values()) == {0.0}


@pytest.mark.parametrize("protocol", GROUNDING)
@given(
    rows=st.lists(st.tuples(proper, st.lists(box, min_size=1, max_size=4)), min_size=1, max_size=6),
    seed=st.randoms(use_true_random=False),
)
def test_the_order_of_samples_changes_nothing(
    protocol: str, rows: list[tuple[Box, list[Box]]], seed: Any
) -> None:
    order = list(range(len(rows)))
    seed.shuffle(order)
    made = find(protocol)

    def of(places: list[int]) -> tuple[dict[str, list[float]], Any]:
        samples = [
            sample(rows[k][0], dataset=("refcoco", "refcocog")[len(rows[k][1]) % 2]) for k in places
        ]
        columns = made.score(samples, [ok(*rows[k][1]) for k in places])
        official = made.official(samples, columns) if made.official else None
        lists = {name: list(column) for name, column in columns.items()}
        return lists, official if protocol != "minigpt_v2" else None

    columns, official = of(list(range(len(rows))))
    shuffled, official_shuffled = of(order)
    for name, column in columns.items():
        assert [column[k] for k in order] == shuffled[name]
    assert official == official_shuffled


def cells(one: Box) -> set[tuple[int, int]]:
    x1, y1, x2, y2 = map(int, one)
    return {(x, y) for x in range(x1, x2) for y in range(y1, y2)}


@given(proper, proper)
def test_iou_counts_the_cells_of_a_grid(one: Box, other: Box) -> None:
    shared, either = cells(one) & cells(other), cells(one) | cells(other)
    assert float(iou(one, other)) == float(iou(other, one)) == len(shared) / len(either)


@given(proper, proper)
def test_minigpt_v2_counts_cells_with_both_edges(one: Box, other: Box) -> None:
    first, second = (cells((b[0], b[1], b[2] + 1, b[3] + 1)) for b in (one, other))
    got = iou_of_pixels(np.array(one, np.float64), np.array(other, np.float64))
    assert got == len(first & second) / len(first | second)


@pytest.mark.parametrize("policy", [p for p in POLICIES if p != "highest"])
@given(st.lists(st.tuples(proper, st.lists(box, max_size=3)), max_size=6))
def test_batches_score_as_single_samples(policy: Policy, rows: list[tuple[Box, list[Box]]]) -> None:
    for name in WITH_POLICY:
        made = find(name, {"policy": policy})
        truths, readings = [sample(truth) for truth, _ in rows], [ok(*said) for _, said in rows]
        together = made.score(truths, readings)
        for k, (truth, reading) in enumerate(zip(truths, readings, strict=True)):
            alone = worth(name, truth, reading, policy=policy)
            assert {metric: column[k] for metric, column in together.items()} == alone
