"""Counting on real replies, beside which stands what their own authors made of them."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.scoring.counting import COUNT_FINAL
from eyechart.text import thinking
from eyechart.values import Count, Image, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path


def accuracy(replies: list[tuple[str, int]]) -> tuple[float, list[Reading]]:
    """The share of right counts over all replies, as a run scores them, and the readings."""
    assert COUNT_FINAL.read_text is not None
    samples = [
        Sample(str(place), "count", Image("x"), {"question": "?"}, Count(truth), "x")
        for place, (_, truth) in enumerate(replies)
    ]
    readings = [
        COUNT_FINAL.read_text(sample, thinking.strip(text)[0])
        for sample, (text, _) in zip(samples, replies, strict=True)
    ]
    read = [place for place, one in enumerate(readings) if one.status == "ok"]
    columns = COUNT_FINAL.score([samples[at] for at in read], [readings[at] for at in read])
    return sum(columns["accuracy"]) / len(replies), readings


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("counting_results_superclevr_200_qwen2vl_2b_instruct_grpo100_legacy.json", 82.5),
        ("counting_results_superclevr_200_qwen2vl_2b_instruct_r1_100.json", 80.0),
    ],
)
def test_super_clevr_is_what_its_authors_state(shared: Path, name: str, stated: float) -> None:
    file: dict[str, Any] = json.loads(
        (shared / "data/counting/superclevr" / name).read_text("utf-8")
    )
    rows = file["results"]
    found, readings = accuracy([(one["model_output"], one["ground_truth"]) for one in rows])
    assert len(rows) == 200
    assert 100 * found == stated == file["accuracy"]
    assert [one.value for one in readings] == [one["extracted_answer"] for one in rows]


def test_lettered_choices_are_read_by_their_number(shared: Path) -> None:
    path = shared / "data/counting/cvbench/gpt-4.1_CV-Bench-2D.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [row for line in stream if (row := json.loads(line))["category"] == "Count"]
    found, readings = accuracy([(one["prediction"], int(one["answer_text"])) for one in rows])
    assert len(rows) == 788
    assert all(one.status == "ok" for one in readings)
    # what stands after the letter is what the model chose; ten replies go on to count something else
    chosen = [re.search(r"\b[A-F]\s+(\d+)\b", row["prediction"]) for row in rows]
    assert all(chosen)
    alike = sum(int(c[1]) == one.value for c, one in zip(chosen, readings, strict=True) if c)
    assert alike == 778
    assert round(found * 788) == 549
