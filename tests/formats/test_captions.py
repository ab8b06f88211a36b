"""Files of captions and of referred objects, and the benchmarks that read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.benchmarks import find
from eyechart.errors import DataError
from eyechart.formats.captions import read_pictures, read_regions
from eyechart.formats.data import Data
from eyechart.values import Captions, Sample

if TYPE_CHECKING:
    from pathlib import Path

COCO = {
    "images": [
        {"id": 7, "file_name": "COCO_val2014_000000000007.jpg", "width": 40, "height": 30},
        {"id": 3, "file_name": "b.jpg"},
    ],
    "annotations": [
        {"id": 1, "image_id": 3, "caption": "A cat."},
        {"id": 2, "image_id": 7, "caption": "A dog."},
        {"id": 9, "image_id": 3, "caption": "One cat."},
    ],
}
DIVIDED = {
    "images": [
        {
            "cocoid": 5,
            "filename": "a.jpg",
            "filepath": "val2014",
            "split": "test",
            "sentences": [{"raw": "x"}],
        },
        {
            "cocoid": 6,
            "filename": "b.jpg",
            "split": "val",
            "sentences": [{"raw": "y"}, {"raw": "z"}],
        },
    ],
    "dataset": "coco",
}
LISTED = [
    {"image": "val2014/COCO_val2014_000000391895.jpg", "caption": ["a", "b"]},
    {"image": "x_12.jpg", "caption": "c"},
]
REF: dict[str, Any] = {
    "ref_id": 47,
    "img_id": "COCO_train2014_000000581282_10",
    "bbox": [3.24, 159.31, 156.4, 312.81],
    "height": 480,
    "width": 640,
    "sentences": ["person left", "caf\u00e9 girl"],
}


def written(folder: Path, value: object, name: str = "x.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def lines(folder: Path, *rows: object, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_cocos_own_layout_in_the_order_of_the_images(tmp_path: Path) -> None:
    dog, cat = read_pictures(written(tmp_path, COCO))
    assert (dog.id, dog.width, dog.captions) == ("7", 40, ("A dog.",))
    assert (cat.id, cat.file_name, cat.captions) == ("3", "b.jpg", ("A cat.", "One cat."))


def test_karpathys_file_is_divided(tmp_path: Path) -> None:
    path = written(tmp_path, DIVIDED)
    (one,) = read_pictures(path, "test")
    assert (one.id, one.file_name, one.captions) == ("5", "val2014/a.jpg", ("x",))
    assert [row.id for row in read_pictures(path)] == ["5", "6"]
    with pytest.raises(DataError, match="no pictures of split train"):
        list(read_pictures(path, "train"))


def test_a_list_has_the_id_in_the_pictures_name(tmp_path: Path) -> None:
    found = list(read_pictures(written(tmp_path, LISTED)))
    assert [(one.id, one.captions) for one in found] == [("391895", ("a", "b")), ("12", ("c",))]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            COCO | {"annotations": [*COCO["annotations"], {"image_id": 8, "caption": "x"}]},
            "image 8",
        ),
        (COCO | {"annotations": COCO["annotations"][:1]}, "image 7 has no captions"),
        (COCO | {"images": [COCO["images"][1]] * 2}, "image id 3 stands twice|image 7"),
        (COCO | {"annotations": [{"image_id": 3}]}, "annotation"),
        ([{"image": "x.jpg", "caption": ["a"]}], "no image id in the name"),
        ({"annotations": []}, "images"),
        ([], "no pictures"),
        ({"images": [{"cocoid": 1}]}, "image 1"),
    ],
)
def test_faults_are_named(tmp_path: Path, value: object, message: str) -> None:
    path = written(tmp_path, value)
    with pytest.raises(DataError, match=message) as caught:
        list(read_pictures(path))
    assert str(path) in str(caught.value)


def test_regions(tmp_path: Path) -> None:
    (one,) = read_regions(lines(tmp_path, REF))
    assert (one.id, one.file_name) == ("47", "COCO_train2014_000000581282.jpg")
    assert one.box == pytest.approx((3.24, 159.31, 159.64, 472.12))
    assert one.sentences == ("person left", "caf\u00e9 girl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentences": []}, "line 2: the list of sentences is empty"),
        ({"img_id": "x"}, "line 2: an img_id"),
        ({"width": 0}, "line 2: its picture is 0 x 480"),
        ({"bbox": [1, 2, 0, 4]}, "line 2: the box"),
        ({"ref_id": 47}, "ref_id 47 stands twice, line 1 and line 2"),
        ({"ref_id": None}, "line 2"),
    ],
)
def test_faults_of_regions_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = lines(tmp_path, REF, {**REF, "ref_id": 48, **change})
    with pytest.raises(DataError, match=message):
        list(read_regions(path))


def samples(name: str, data: Path) -> list[Sample]:
    found, split = find(name)
    return list(found.rows(Data(data, need_images=False), split))


def test_the_benchmark_of_captions(tmp_path: Path) -> None:
    written(tmp_path, COCO, "coco_test_karpathy.json")
    dog, cat = samples("coco_karpathy", tmp_path)
    assert (dog.id, dog.task, dog.asked) == ("7", "caption", {})
    assert cat.target == Captions(("A cat.", "One cat."))
    written(tmp_path, COCO, "captions_val2014.json")
    assert len(samples("coco-captions/val2014", tmp_path)) == 2
    assert find("coco_caption")[1] == "test"


def test_the_benchmark_of_referring_expressions(tmp_path: Path) -> None:
    lines(tmp_path, REF, name="refcoco_testA_refs_by_ref_id.jsonl")
    (one,) = samples("refcoco-reg/testA", tmp_path)
    assert (one.id, one.task) == ("47", "refer")
    assert one.asked == {"box": "[3.24, 159.31, 159.64, 472.12]", "size": "640 x 480"}
    # as the official evaluation, whatever is not ASCII is dropped from the references
    assert one.target == Captions(("person left", "caf girl"))
    found, _ = find("refcoco-reg/testA")
    assert "[3.24, 159.31" in found.template.user.format_map(one.asked)
    (named,) = samples("refcoco_reg", lines(tmp_path, REF, name="mine.jsonl"))
    assert named.id == "47"


def test_flat_rows_are_put_together_by_object(tmp_path: Path) -> None:
    rows = [
        {"img_id": f"COCO_train2014_000000000001_{ref}", "sents": text, "bbox": [1, 2, 9, 9 + ref]}
        | {"height": 30, "width": 40}
        for ref, text in ((0, "left"), (1, "right one"), (0, "leftmost"))
    ]
    written(tmp_path, rows, "refcoco_val.json")
    left, right = samples("refcoco-reg/val", tmp_path)
    assert (left.id, left.target) == (
        "COCO_train2014_000000000001_0",
        Captions(("left", "leftmost")),
    )
    assert right.target == Captions(("right one",))
    assert left.group == right.group == "COCO_train2014_000000000001.jpg"


def test_phrases_that_belong_to_no_object_are_refused(tmp_path: Path) -> None:
    mdetr = {
        "images": [{"id": 0, "file_name": "a.jpg", "height": 9, "width": 9, "caption": "x"}],
        "annotations": [{"id": 1, "image_id": 0, "bbox": [1, 1, 2, 2]}],
    }
    written(tmp_path, mdetr, "refcoco_val.json")
    with pytest.raises(DataError, match="which expressions are of one object"):
        samples("refcoco-reg/val", tmp_path)
