from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes
from eyechart.dialects.tensors import FORMATS, read_boxes
from eyechart.errors import UsageError
from eyechart.values import Box, RawBoxes, Reading

if TYPE_CHECKING:
    from pathlib import Path

VGA = Sizes((640, 480))


@pytest.mark.parametrize(
    ("form", "values", "box"),
    [
        ("xyxy-pixels", (1, 2, 30, 40), (1, 2, 30, 40)),
        ("xywh-pixels", (1, 2, 30, 40), (1, 2, 31, 42)),
        ("xyxy-ratio", (0.25, 0.5, 0.75, 1), (160, 240, 480, 480)),
        ("cxcywh-ratio", (0.5, 0.5, 0.25, 0.5), (240, 120, 400, 360)),
        ("xyxy-1000", (250, 500, 750, 1000), (160, 240, 480, 480)),
        ("yxyx-1000", (500, 250, 1000, 750), (160, 240, 480, 480)),
        ("cxcywh-padded", (0.5, 0.5, 0.25, 0.5), (240, 80, 400, 400)),
        ("xyxy-square", (0.25, 0.3, 0.75, 0.7), (160, 112, 480, 368)),
    ],
)
def test_forms_by_hand(form: str, values: Box, box: Box) -> None:
    reading = read_boxes(RawBoxes((values,), form), VGA)
    assert (reading.status, reading.flags) == ("ok", ())
    assert reading.boxes[0] == pytest.approx(box)


def test_only_transvg_is_clipped_to_its_square() -> None:
    # authors' rule, worked in their canvas: x 0.8..1.1 is clipped to 1.0
    odd = Sizes((640, 427))
    padded = read_boxes(RawBoxes(((0.95, 0.5, 0.3, 0.4),), "cxcywh-padded"), odd)
    assert padded.boxes[0] == pytest.approx((512, 86, 640, 342))
    kept = read_boxes(RawBoxes(((0.1, 0.2, 0.3, 0.4),), "cxcywh-ratio"), Sizes((427, 640)))
    assert kept.boxes[0] == pytest.approx((-21.35, 0, 106.75, 256))
    assert kept.flags == ("outside",)


def test_the_best_score_comes_first_and_carries_its_label() -> None:
    raw = RawBoxes(
        ((0, 0, 1, 1), (0, 0, 2, 2), (0, 0, 3, 3)), "xyxy-pixels", (0.4, 0.9, 0.9), ("a", "b", "c")
    )
    reading = read_boxes(raw, VGA)
    assert [box[2] for box in reading.boxes] == [2, 3, 1]
    assert (reading.scores, reading.labels) == ((0.9, 0.9, 0.4), ("b", "c", "a"))


def test_no_box_is_an_answer_and_bad_numbers_are_none() -> None:
    assert read_boxes(RawBoxes((), "xyxy-pixels"), VGA) == Reading("none")
    huge = read_boxes(RawBoxes(((0, 0, 1e308, 1),), "xyxy-ratio"), VGA)
    assert (huge.status, huge.reason) == ("malformed", "a number that is not finite")
    one = ((0.0, 0.0, 1.0, 1.0),)
    short = read_boxes(RawBoxes(one, "xyxy-ratio", (0.1, 0.2)), VGA)
    assert (short.status, short.reason) == ("malformed", "1 boxes and 2 scores")


def test_swapped_corners_of_a_program_are_kept_and_flagged() -> None:
    reading = read_boxes(RawBoxes(((30, 40, 10, 20),), "xyxy-pixels"), VGA)
    assert (reading.boxes, reading.flags) == (((30, 40, 10, 20),), ("swapped",))


def test_an_unknown_form_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'xyxy-pixel'.*Did you mean xyxy-pixels"):
        read_boxes(RawBoxes((), "xyxy-pixel"), VGA)
    assert "cxcywh-padded" in FORMATS


@pytest.mark.parametrize(
    ("dialect", "form", "key"),
    [
        ("mdetr", "cxcywh-ratio", "boxes_cxcywh"),
        ("transvg", "cxcywh-padded", "box_cxcywh"),
    ],
)
def test_the_authors_records(shared: Path, dialect: str, form: str, key: str) -> None:
    path = shared / "vectors/dialects/dialects.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    checked = 0
    for record in records:
        if record["dialect"] != dialect or record.get("error"):
            continue
        given = json.loads(record["reply"])
        boxes = given[key] if key.startswith("boxes") else [given[key]]
        raw = RawBoxes(tuple(tuple(box) for box in boxes), form, tuple(given.get("scores", ())))
        reading = read_boxes(raw, Sizes((record["image_width"], record["image_height"])))
        expected = [one["box"] for one in record["expected"]]
        assert [list(box) for box in reading.boxes] == [
            pytest.approx(b, abs=0.01) for b in expected
        ]
        assert ("outside" in reading.flags) == ("out_of_range" in record.get("flags", ()))
        checked += 1
    assert checked >= 2
