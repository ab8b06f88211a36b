"""Real replies of Qwen2.5-VL on RefCOCO and RefCOCO+ val, whose authors state the accuracy.

24 files of 500 replies each. Boxes are pixels of the original picture and the last one counts,
which gives the stated figure of 22 files exactly; the tests of the other two say what is wrong.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.dialects import Sizes
from eyechart.dialects import find as dialect
from eyechart.io.files import read_json
from eyechart.scoring import find
from eyechart.text.thinking import strip
from eyechart.values import Boxes, Image, Sample

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.dialects.found import Parser

SFT = [f"sft_{step}" for step in range(100, 600, 100)]
TUNED = [f"r1_{step}" for step in range(100, 700, 100)] + SFT


def replies(shared: Path, name: str, made: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A file's record, and its expressions with picture sizes and true boxes."""
    folder = shared / "data/refcoco/rec_predictions"
    (path,) = folder.glob(f"rec_results_{name}_val_qwen2_5vl_3b_instruct_{made}.json*")
    lines = (folder / f"join_{name}_val_500.jsonl").read_text("utf-8").splitlines()
    return read_json(path), [json.loads(line) for line in lines]


def hits(
    record: dict[str, Any], rows: list[dict[str, Any]], policy: str, parser: Parser = "authors"
) -> int:
    """Boxes with an IoU of at least one half, as written or, read tolerantly, clipped."""
    read = dialect("json:pixels", parser).read
    samples, readings = [], []
    for k, (result, row) in enumerate(zip(record["results"], rows, strict=True)):
        size = (row["width"], row["height"])
        reading = read(strip(result["model_output"])[0], Sizes(size))
        if reading.status in ("ok", "none"):
            target = Boxes((tuple(row["bbox_xyxy"]),))
            samples.append(Sample(str(k), "ground", Image("x", *size), {}, target, "x"))
            readings.append(reading)
    columns = [
        find(protocol, {"policy": policy}).score(samples, readings)["acc@0.5"]
        for protocol in ("rec", "rec_strict")
    ]
    # none of these lies at exactly one half
    assert list(columns[0]) == list(columns[1])
    return int(sum(columns[0]))


@pytest.mark.parametrize("name", ["refcoco", "refcocop"])
@pytest.mark.parametrize("made", TUNED)
def test_the_stated_accuracy_of_22_files(shared: Path, name: str, made: str) -> None:
    record, rows = replies(shared, name, made)
    assert hits(record, rows, "last") / 500 * 100 == record["accuracy"]


def test_the_untuned_model_on_refcoco_was_scored_in_another_frame(shared: Path) -> None:
    record, rows = replies(shared, "refcoco", "baseline")
    assert record["accuracy"] == 0.0
    assert hits(record, rows, "last") == hits(record, rows, "first") == 447  # 89.4 %
    # what its authors took out of the first reply is its pixels made thousandths of the picture
    first, row = record["results"][0], rows[0]
    assert "[14, 135, 136, 470]" in first["model_output"]
    width, height = row["width"], row["height"]
    pixels = zip((14, 135, 136, 470), (width, height) * 2, strict=True)
    assert first["extracted_answer"] == [int(value * 1000 / side) for value, side in pixels]
    assert first["ground_truth"] == row["bbox_xyxy"]


def test_the_untuned_model_on_refcoco_plus_was_scored_by_the_first_box(shared: Path) -> None:
    record, rows = replies(shared, "refcocop", "baseline")
    assert record["accuracy"] == 86.0
    assert hits(record, rows, "first") == 430  # 86.0 %
    assert hits(record, rows, "last") == 425  # 85.0 %
    # its truth is in thousandths of the picture
    truth, row = record["results"][0]["ground_truth"], rows[0]
    sides = (row["width"], row["height"]) * 2
    pixels = [value * side / 1000 for value, side in zip(truth, sides, strict=True)]
    assert pixels == pytest.approx(row["bbox_xyxy"], abs=1.0)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("refcoco", (1, 0, 0, 1, 1, 0, 0, 1, 1, 2, 4, 1)),
        ("refcocop", (0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2)),
    ],
)
def test_clipping_to_the_picture_gains_a_hit_or_two(
    shared: Path, name: str, more: tuple[int, ...]
) -> None:
    # eyechart's own parser clips the boxes that run past the picture, which only ever helps
    gained = []
    for made in ("baseline", *TUNED):
        record, rows = replies(shared, name, made)
        counts = [hits(record, rows, "last", parser) for parser in ("tolerant", "authors")]
        gained.append(counts[0] - counts[1])
    assert tuple(gained) == more
