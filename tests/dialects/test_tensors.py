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
        ("xyxy-100", (25, 50, 75, 100), (160, 240, 480, 480)),
        ("xyxy-999", (0, 333, 999, 666), (0, 160, 640, 320)),
        # 341 = 1023/3
        ("yxyx-1023", (341, 0, 682, 1023), (0, 160, 640, 320)),
        # 54.5 * 0.64, 375.5 * 0.48, 906.5 * 0.64, 707.5 * 0.48
        ("xyxy-centres-1000", (54, 375, 906, 707), (34.88, 180.24, 580.16, 339.6)),
        # 511.5/1024 of 640 and 480, 767.5/1024 of them
        ("xyxy-centres-1024", (511, 511, 767, 767), (319.6875, 239.765625, 479.6875, 359.765625)),
        ("cxcywh-padded", (0.5, 0.5, 0.25, 0.5), (240, 80, 400, 400)),
        ("xyxy-square", (0.25, 0.3, 0.75, 0.7), (160, 112, 480, 368)),
    ],
)
def test_forms_by_hand(form: str, values: Box, box: Box) -> None:
    reading = read_boxes(RawBoxes((values,), form), VGA)
    assert (reading.status, reading.flags) == ("ok", ())
    assert reading.boxes[0] == pytest.approx(box)


def test_only_transvg_is_clipped_by_its_authors() -> None:
    # authors' rule, worked in their canvas: x 0.8..1.1 is clipped to 1.0; (0.5 - 0.2) * 640 - 106
    odd = Sizes((640, 427))
    padded = read_boxes(RawBoxes(((0.95, 0.5, 0.3, 0.4),), "cxcywh-padded"), odd, "authors")
    assert padded.boxes[0] == pytest.approx((512, 86, 640, 342))
    assert not padded.flags
    # x -0.05..0.25 of 427, y 0..0.4 of 640
    raw = RawBoxes(((0.1, 0.2, 0.3, 0.4),), "cxcywh-ratio")
    kept = read_boxes(raw, Sizes((427, 640)), "authors")
    assert kept.boxes[0] == pytest.approx((-21.35, 0, 106.75, 256))
    clipped = read_boxes(raw, Sizes((427, 640)))
    assert clipped.boxes[0] == pytest.approx((0, 0, 106.75, 256))
    assert kept.flags == clipped.flags == ("outside",)


def test_the_padding_of_transvg_is_clipped_away_tolerantly() -> None:
    # y 0..0.5 of the square is 0 - 80 .. 320 - 80 of the picture
    raw = RawBoxes(((0.5, 0.25, 1.0, 0.5),), "cxcywh-padded")
    assert read_boxes(raw, VGA, "authors").boxes[0] == pytest.approx((0, -80, 640, 240))
    assert read_boxes(raw, VGA).boxes[0] == pytest.approx((0, 0, 640, 240))
    assert read_boxes(raw, VGA).flags == ("outside",)


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
    assert (huge.status, huge.fault) == ("malformed", "not_finite")
    assert huge.reason == "a number that is not finite"
    one = ((0.0, 0.0, 1.0, 1.0),)
    short = read_boxes(RawBoxes(one, "xyxy-ratio", (0.1, 0.2)), VGA)
    assert (short.status, short.fault) == ("malformed", "wrong_count")
    assert short.reason == "1 boxes and 2 scores"


def test_swapped_corners_are_put_in_order_or_kept() -> None:
    raw = RawBoxes(((30, 40, 10, 20), (5, 5, 5, 9)), "xyxy-pixels")
    tolerant, authors = read_boxes(raw, VGA), read_boxes(raw, VGA, "authors")
    assert list(tolerant.boxes) == [(10, 20, 30, 40), (5, 5, 5, 9)]
    assert authors.boxes == raw.boxes
    assert list(tolerant.flags) == list(authors.flags) == ["swapped", "flat"]


def test_a_form_that_needs_a_size_says_so() -> None:
    raw = RawBoxes(((322, 210, 644, 420),), "xyxy-seen")
    with pytest.raises(UsageError, match="--seen"):
        read_boxes(raw, VGA)
    # 322/644 = 210/420 = 1/2
    seen = read_boxes(raw, Sizes((640, 480), seen=(644, 420)))
    assert seen.boxes[0] == pytest.approx((320, 240, 640, 480))


def test_an_unknown_form_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'xyxy-pixel'.*Did you mean xyxy-pixels"):
        read_boxes(RawBoxes((), "xyxy-pixel"), VGA)
    assert "cxcywh-padded" in FORMATS
    with pytest.raises(UsageError, match=r"Did you mean xyxy-centres-1000\?.*centres-1024, square"):
        read_boxes(RawBoxes((), "xyxy-centre-1000"), VGA)


@pytest.mark.parametrize(
    ("dialect", "form", "key"),
    [
        ("mdetr", "cxcywh-ratio", "boxes_cxcywh"),
        ("transvg", "cxcywh-padded", "box_cxcywh"),
    ],
)
def test_the_authors_records(vectors: Path, dialect: str, form: str, key: str) -> None:
    path = vectors / "dialects/dialects.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    checked = 0
    for record in records:
        if record["dialect"] != dialect or record.get("error"):
            continue
        given = json.loads(record["reply"])
        boxes = given[key] if key.startswith("boxes") else [given[key]]
        raw = RawBoxes(tuple(tuple(box) for box in boxes), form, tuple(given.get("scores", ())))
        size = (record["image_width"], record["image_height"])
        reading = read_boxes(raw, Sizes(size), "authors")
        expected = [one["box"] for one in record["expected"]]
        assert [list(box) for box in reading.boxes] == [
            pytest.approx(b, abs=0.01) for b in expected
        ]
        assert ("outside" in reading.flags) == ("out_of_range" in record.get("flags", ()))
        assert all(
            0 <= x1 <= x2 <= size[0] and 0 <= y1 <= y2 <= size[1]
            for x1, y1, x2, y2 in read_boxes(raw, Sizes(size)).boxes
        )
        checked += 1
    assert checked >= 2
