"""The generated inputs of `benchmarks/` have the official layouts, and the benchmarks run on them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.test_house import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def run(*words: str | Path) -> str:
    """What `python -m WORDS` prints in the checkout."""
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a per cent of everything."""
    folder = tmp_path_factory.mktemp("generated")
    run("benchmarks.full_size", "--out", folder, "--scale", "0.005")
    return folder


def load(path: Path) -> Any:
    return json.loads(path.read_bytes())


def h_lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith("H-")]


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(folder)), path.read_bytes()


def test_a_seed_gives_the_same_bytes(generated: Path, tmp_path: Path) -> None:
    run("benchmarks.full_size", "--out", tmp_path / "again", "--scale", "0.005")
    assert dict(files(tmp_path / "again")) == dict(files(generated))
    run("benchmarks.full_size", "--out", tmp_path / "other", "--scale", "0.005", "--seed", "1")
    other = dict(files(tmp_path / "other"))
    assert all(other.get(name) != content for name, content in files(generated))


def test_vqav2(generated: Path) -> None:
    folder = generated / "vqav2"
    annotations = load(folder / "v2_mscoco_val2014_annotations.json")["annotations"]
    questions = load(folder / "v2_OpenEnded_mscoco_val2014_questions.json")["questions"]
    results = load(folder / "v2_OpenEnded_mscoco_val2014_generated_results.json")
    ids = [one["question_id"] for one in annotations]
    assert len(ids) == 1072  # 214,354 x 0.005
    assert len(set(ids)) == 1072
    assert [one["question_id"] for one in questions] == ids
    assert sorted(one["question_id"] for one in results) == ids
    assert len({one["image_id"] for one in annotations}) == 203  # 40,504 x 0.005
    for one in annotations:
        assert [answer["answer_id"] for answer in one["answers"]] == list(range(1, 11))
        assert one["question_id"] // 1000 == one["image_id"]
    assert len({one["question_type"] for one in annotations}) > 50
    assert {one["answer_type"] for one in annotations} == {"yes/no", "number", "other"}
    unanimous = sum(len({a["answer"] for a in one["answers"]}) == 1 for one in annotations)
    assert 0.25 < unanimous / len(annotations) < 0.55


def test_refcoco(generated: Path) -> None:
    document = load(generated / "refcoco/finetune_refcoco_val.json")
    lines = h_lines(generated / "refcoco/finetune_refcoco_val.locout")
    assert len(lines) == len(document["images"]) == len(document["annotations"]) == 54
    for image, annotation, line in zip(
        document["images"], document["annotations"], lines, strict=True
    ):
        assert annotation["image_id"] == image["id"]
        x, y, width, height = annotation["bbox"]
        assert 0 <= x < x + width <= image["width"] + 0.01
        assert 0 <= y < y + height <= image["height"] + 0.01
        assert line.split("\t")[0] == f"H-{image['id']}"
    named = sum(
        f"<phrase>{i['caption']}</phrase>" in line
        for i, line in zip(document["images"], lines, strict=True)
    )
    assert named > 45


def test_flickr30k(generated: Path) -> None:
    folder = generated / "flickr30k"
    images = load(folder / "final_flickr_separateGT_test.json")["images"]
    spans = [span for image in images for span in image["tokens_positive_eval"]]
    assert len(images) == 25
    assert len(spans) == len(h_lines(folder / "final_flickr_separateGT_test.locout")) == 72
    numbers = (folder / "test.txt").read_text().split()
    assert [image["original_img_id"] for image in images[::5]] == list(map(int, numbers))
    for image in images:
        marked = (folder / f"Sentences/{image['original_img_id']}.txt").read_text().splitlines()
        for ((start, end),) in image["tokens_positive_eval"]:
            assert f" {image['caption'][start:end]}]" in marked[image["sentence_id"]]
        assert (folder / f"Annotations/{image['original_img_id']}.xml").is_file()


def test_counting(generated: Path) -> None:
    rows, replies = (
        list(map(json.loads, (generated / f"counting/{name}.jsonl").read_text().splitlines()))
        for name in ("counting", "replies")
    )
    assert [row["id"] for row in rows] == [reply["id"] for reply in replies] == list(range(500))
    right = sum(r["reply"] == str(row["count"]) for row, r in zip(rows, replies, strict=True))
    assert 100 < right < 250


def test_the_benchmark_prints_a_line_a_bar(generated: Path) -> None:
    words = ("--data", generated, "--rounds", "1", "--only", "refcoco", "iou", "counting")
    printed = run("benchmarks.official_scorers", *words)
    assert "FAILED" not in printed
    assert "RefCOCO val, official / time" in printed
    assert "without the official program" in printed
    (line,) = (line for line in printed.splitlines() if line.startswith("IoUs"))
    assert line.rpartition(" | ")[2] in {"met", "NOT MET"}
