"""Real answers of models to VQAv2 and OK-VQA, against the figures that their authors state."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.scoring import find, vqa
from eyechart.values import Answer, Answers, Image, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ANNOTATIONS = "v2_mscoco_val2014_annotations.subset5846.json.gz"
COLUMNS = {"base": 0, "moe": 1}


def load(path: Path) -> Any:
    if not path.is_file():
        pytest.skip(f"no {path}")
    return json.loads(gzip.decompress(path.read_bytes()))


def sample(row: dict[str, Any], answers: Sequence[Answer]) -> Sample:
    name = str(row["image_id"])
    tags = {key: row[key] for key in ("question_type", "answer_type")}
    return Sample(
        str(row["question_id"]), "answer", Image(name), {}, Answers(tuple(answers)), name, tags
    )


def scored(name: str, samples: list[Sample], replies: Sequence[str]) -> list[float]:
    protocol = find(name)
    assert protocol.read_text is not None
    readings = [protocol.read_text(one, said) for one, said in zip(samples, replies, strict=True)]
    return list(protocol.score(samples, readings)["accuracy"])


def vqav2(shared: Path, model: str) -> tuple[list[Sample], list[str], dict[str, list[float]]]:
    folder = shared / "data" / "vqa" / "vqav2"
    rows = load(folder / ANNOTATIONS)["annotations"]
    results = load(folder / f"results_{model}_5846.json.gz")
    replies = vqa.results_by_question([row["question_id"] for row in rows], results)
    samples = [sample(r, [Answer(a["answer"], a["answer_id"]) for a in r["answers"]]) for r in rows]
    return samples, replies, load(folder / "expected_accuracy_5846.json.gz")["acc"]


@pytest.mark.parametrize("model", ["base", "moe"])
def test_vqav2_by_the_older_rules_question_by_question(shared: Path, model: str) -> None:
    samples, replies, expected = vqav2(shared, model)
    scores = scored("vqa_lavis", samples, replies)
    assert len(samples) == 5846
    assert {one.id: round(100 * score, 2) for one, score in zip(samples, scores, strict=True)} == {
        name: row[COLUMNS[model]] for name, row in expected.items()
    }
    official = find("vqa_lavis").official
    assert official is not None
    overall = official(samples, {"accuracy": scores})["overall"]
    assert overall == {"base": 0.0, "moe": 74.71}[model]
    assert round(100 * sum(scores) / len(scores), 3) == {"base": 0.0, "moe": 74.707}[model]


@pytest.mark.parametrize(("model", "overall", "different"), [("base", 0.73, 63), ("moe", 74.74, 6)])
def test_vqav2_by_the_official_rules(
    shared: Path, model: str, overall: float, different: int
) -> None:
    samples, replies, expected = vqav2(shared, model)
    scores = scored("vqa_v2", samples, replies)
    official = find("vqa_v2").official
    assert official is not None
    printed = official(samples, {"accuracy": scores})
    assert printed["overall"] == overall
    assert printed["printed"][0] == f"Overall Accuracy is: {overall}"
    older = [row[COLUMNS[model]] for row in (expected[one.id] for one in samples)]
    per_cent = [round(100 * score, 2) for score in scores]
    assert sum(a != b for a, b in zip(per_cent, older, strict=True)) == different


@pytest.mark.parametrize("name", ["vqa_v2", "vqa_lavis"])
def test_okvqa_question_by_question(shared: Path, name: str) -> None:
    path = shared / "data" / "vqa" / "okvqa" / "output_okvqa.csv.gz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    samples = [
        sample(
            {**row, "question_id": row["ques_id"]},
            [Answer(one, k) for k, one in enumerate(ast.literal_eval(row["gt_answer"]), 1)],
        )
        for row in rows
    ]
    scores = scored(name, samples, [row["pred"] for row in rows])
    assert len(scores) == 5046
    assert [round(100 * score, 2) for score in scores] == [
        round(float(row["acc"]), 2) for row in rows
    ]
    assert round(100 * sum(scores) / len(scores), 3) == 60.012


def test_people_do_better_than_a_blind_guess(shared: Path) -> None:
    samples, _, _ = vqav2(shared, "moe")
    make = find("vqa_v2").yardsticks
    assert make is not None
    found = {one.name: sum(one.column) / len(one.column) for one in make(samples)}
    assert 0 < found["blind floor"] < found["human ceiling"] < 1
