"""The generic JSON dialect on real replies whose accuracy their authors state."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find
from eyechart.io.files import read_json
from eyechart.text.thinking import strip

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.values import Box

MADE = [f"{kind}_{step}" for kind in ("r1", "sft") for step in range(100, 700, 100)]


def overlap(one: Box, other: Box) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    inside = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return inside / (sum(areas) - inside)


@pytest.mark.parametrize("name", ["refcoco", "refcocop"])
@pytest.mark.parametrize("made", [name for name in MADE if name != "sft_600"])
def test_the_last_box_gives_the_stated_accuracy(shared: Path, name: str, made: str) -> None:
    folder = shared / "data/refcoco/rec_predictions"
    (path,) = folder.glob(f"rec_results_{name}_val_qwen2_5vl_3b_instruct_{made}.json*")
    record = read_json(path)
    lines = (folder / f"join_{name}_val_500.jsonl").read_text().splitlines()
    dialect, hits = find("json:pixels"), 0
    for result, row in zip(record["results"], map(json.loads, lines), strict=True):
        reading = dialect.read(
            strip(result["model_output"])[0], Sizes((row["width"], row["height"]))
        )
        hits += bool(reading.boxes) and overlap(reading.boxes[-1], tuple(row["bbox_xyxy"])) > 0.5
    assert hits / 5 == pytest.approx(record["accuracy"])
