"""The examples run as the README says."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from PIL import Image as Pillow

import eyechart
from eyechart.cli import main
from tests.test_house import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = ROOT / "examples"


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the examples with the pictures that they speak of."""
    copy = tmp_path / "examples"
    shutil.copytree(EXAMPLES, copy)
    rows = (copy / "my_benchmark.csv").read_text().splitlines()[1:]
    names = {cell for row in rows for cell in row.split(",") if cell.endswith((".png", ".jpg"))}
    for name in names:
        Pillow.new("RGB", (64, 48), (90, 120, 150)).save(copy / name)
    for name in ("sky.png", "door.png", "plates.png"):
        Pillow.new("RGB", (64, 48), (60, 120, 220)).save(copy / "my_vqa" / name)
    return copy


def test_a_model_of_ones_own(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", f"{examples / 'my_model.py'}:Darkest", "chart/locate", "--limit", "8"]
    words += ["--model-arg", "margin=40", "--out", str(tmp_path / "runs"), "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["coverage"]["n"] == found["coverage"]["read"] == 8
    assert found["model"]["args"] == {"margin": 40}


def test_a_benchmark_of_ones_own(examples: Path, tmp_path: Path) -> None:
    run = eyechart.run("baseline:prior", str(examples / "my_benchmark.py"), out=tmp_path / "runs")
    assert (run.report.benchmark.name, run.report.coverage.n) == ("shelf", 3)


def test_three_pictures_with_five_answers(examples: Path, tmp_path: Path) -> None:
    said = {"What color is the sky?": "blue", "Is the door open?": "Yes.",
            "How many plates are there?": "three"}  # fmt: skip

    def answer(request: eyechart.Request) -> str:
        assert request.image is not None
        assert request.image.open().size == (64, 48)
        return said[request.prompt.split("\n")[0]]

    run = eyechart.run(answer, str(examples / "my_vqa" / "my_vqa.jsonl"), out=tmp_path / "runs")
    # four of five say blue: leaving one out, 3 or 4 of 4 agree, so 1; as for yes and for 3
    assert run.report.metrics["accuracy"].value == 1.0
    assert run.report.protocol.name == "vqa_v2"
    assert {(one.tag, one.value) for one in run.report.slices} == {
        ("kind", "color"), ("kind", "yes/no"), ("kind", "number"),
    }  # fmt: skip
