"""The built-in benchmarks on small files of their own layouts, and on the real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.benchmarks import find
from eyechart.errors import DataError, UsageError
from eyechart.formats.data import Data
from eyechart.values import Answers, Boxes, Count, Sample

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {
    "refcoco/val": 10834,
    "refcoco/testA": 5657,
    "refcoco/testB": 5095,
    "refcoco+/val": 10758,
    "refcoco+/testA": 5726,
    "refcoco+/testB": 4889,
    "refcocog/val": 4896,
    "refcocog/test": 9602,
}


def rows(name: str, data: Data) -> list[Sample]:
    found, split = find(name)
    return list(found.rows(data, split))


@pytest.mark.parametrize("name", SIZES)
def test_every_real_refcoco_split_has_its_known_size(shared: Path, name: str) -> None:
    found, split = find(name)
    made = rows(name, Data(shared / "data/refcoco", need_images=False))
    assert len(made) == SIZES[name] == found.splits[split]
    assert len({sample.id for sample in made}) == len(made)
    assert all(isinstance(one.target, Boxes) and len(one.target.boxes) == 1 for one in made)


@pytest.mark.parametrize("real", ["refcoco/val", "refcoco+/val", "refcocog/test"])
def test_mdetr_and_flat_files_say_the_same(shared: Path, real: str) -> None:
    flat = rows(real, Data(shared / "data/refcoco/annotations", need_images=False))
    derived = rows(real, Data(shared / "data/refcoco/mdetr_derived", need_images=False))
    known = {(one.group, one.asked["expression"], one.target) for one in flat}
    assert derived
    assert all((one.group, one.asked["expression"], one.target) in known for one in derived)
    assert {one.tags["dataset"] for one in derived} == {find(real)[0].name}


def test_a_sample_of_refcoco(tmp_path: Path) -> None:
    (tmp_path / "train2014").mkdir()
    picture = tmp_path / "train2014" / "COCO_train2014_000000000001.jpg"
    picture.touch()
    row = {
        "img_id": "COCO_train2014_000000000001_5",
        "sents": "left cup",
        "bbox": [10.5, 20, 30, 40],
        "height": 100,
        "width": 200,
    }
    (tmp_path / "refcoco_testA.json").write_text(json.dumps([row]))
    (sample,) = rows("refcoco_testA", Data(tmp_path))
    assert sample.id == "COCO_train2014_000000000001_5#0"
    assert sample.asked == {"expression": "left cup"}
    assert sample.target == Boxes(((10.5, 20.0, 40.5, 60.0),))
    assert sample.group == picture.name
    assert sample.image.source == str(picture)
    assert sample.tags == {"split": "testA", "dataset": "refcoco", "size": "medium"}


@pytest.mark.parametrize(
    ("alias", "name", "split"),
    [
        ("refcoco", "refcoco", "val"),
        ("refcoco_testA", "refcoco", "testA"),
        ("RefCOCO_val", "refcoco", "val"),
        ("RefCOCO+_testB", "refcoco+", "testB"),
        ("refcoco_bbox_rec_val", "refcoco", "val"),
        ("refcoco+_bbox_rec_testA", "refcoco+", "testA"),
        ("refcocog_bbox_rec_test", "refcocog", "test"),
        ("RefCOCOg", "refcocog", "val"),
        ("refcocog-google/val", "refcocog-google", "val"),
        ("vqav2/val", "vqav2", "val"),
        ("vqav2_val", "vqav2", "val"),
        ("vqa_v2/train", "vqav2", "train"),
        ("count_qa", "countqa", "test"),
    ],
)
def test_names_as_other_tools_write_them(alias: str, name: str, split: str) -> None:
    found, taken = find(alias)
    assert (found.name, taken) == (name, split)


def test_the_partitions_of_refcocog_are_not_taken_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "refcocog_val.json").write_text("[]")
    with pytest.raises(DataError, match="refcocog_google_val"):
        rows("refcocog-google/val", Data(tmp_path))
    with pytest.raises(UsageError, match="no split 'test'"):
        find("refcocog-google/test")


def test_the_real_vqa_subset(shared: Path) -> None:
    made = rows("vqav2/val", Data(shared / "data/vqa/vqav2", need_images=False))
    assert len(made) == 5846
    assert all(isinstance(one.target, Answers) and len(one.target.answers) == 10 for one in made)
    assert made[0].id == "5818295"
    assert made[0].group == "COCO_val2014_000000581829.jpg"
    assert made[0].tags == {
        "split": "val",
        "question_type": "five",
        "answer_type": "other",
        "ability": "object",
    }


def test_vqa_pictures_of_either_subset_are_found(shared: Path) -> None:
    data = Data(shared / "data/vqa/vqav2_fixture")
    made = rows("vqav2/val", data)
    data.check_images()
    assert len(made) == 3
    assert all(one.image.source.endswith(".jpg") for one in made)


def test_a_lying_subset_is_found_under_the_other_name(tmp_path: Path) -> None:
    asked = [{"question_id": 1, "image_id": 42, "question": "What?"}]
    told = [{"question_id": 1, "answers": [{"answer": "a"}]}]
    (tmp_path / "questions.json").write_text(
        json.dumps({"questions": asked, "data_subtype": "train2014"})
    )
    (tmp_path / "annotations.json").write_text(json.dumps({"annotations": told}))
    (tmp_path / "val2014").mkdir()
    picture = tmp_path / "val2014" / "COCO_val2014_000000000042.jpg"
    picture.touch()
    (sample,) = rows("vqav2/val", Data(tmp_path))
    assert sample.image.source == str(picture)
    assert sample.image.name == sample.group == "COCO_train2014_000000000042.jpg"


def test_the_countqa_prompt_is_word_for_word(shared: Path) -> None:
    path = shared / "data/counting/samples/one_record_each.json"
    record = json.loads(path.read_text())["CountQA (evalscope/benchmarks/_meta/count_qa.json)"]
    template = find("countqa")[0].template
    assert template.system == record["input"][0]["content"]
    assert template.user.format(question="How many?") == "How many?"


def test_countqa_counts_rows_over_all_its_parts(tmp_path: Path) -> None:
    def row(*counts: str) -> dict[str, Any]:
        return {
            "image": {"bytes": b"x", "path": None},
            "questions": ["How many?"] * len(counts),
            "answers": list(counts),
            "is_focused": True,
            "categories": ["Kitchen", "Toys"],
        }

    for part, content in enumerate([[row("3", "60"), row("0")], [row("20")]]):
        path = tmp_path / f"test-0000{part}-of-00002.parquet"
        pq.write_table(pa.Table.from_pylist(content), path)
    made = rows("countqa", Data(tmp_path))
    assert [one.id for one in made] == ["0#0", "0#1", "1#0", "2#0"]
    assert [one.target for one in made] == [Count(3), Count(60), Count(0), Count(20)]
    assert [one.tags["count"] for one in made] == ["1-5", ">50", "0", "11-20"]
    assert made[0].tags["is_focused"] == "true"
    assert made[0].tags["category"] == "Kitchen / Toys"
    assert made[0].group == made[1].group != made[2].group
    assert made[3].image.source.endswith("test-00001-of-00002.parquet#0")


def test_listing_the_benchmarks_loads_no_heavy_package() -> None:
    code = (
        "import sys\nfrom eyechart.benchmarks import known\nknown()\n"
        "print([m for m in ('numpy', 'PIL', 'pyarrow', 'pandas', 'aiohttp') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
