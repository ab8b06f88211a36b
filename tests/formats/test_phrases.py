from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.formats import mdetr
from eyechart.formats.records import count_band, object_size
from eyechart.formats.refcoco_flat import read_phrases

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = {"id": 3, "file_name": "a.jpg", "height": 100, "width": 200, "caption": "a cup"}
BOX = {"id": 9, "image_id": 3, "bbox": [10, 20.5, 30, 40]}
ROW = {
    "img_id": "COCO_train2014_000000000001_5",
    "sents": "left cup",
    "bbox": [10.5, 20, 30, 40],
    "height": 100,
    "width": 200,
}


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(value))
    return path


def coco(tmp_path: Path, images: list[Any], annotations: list[Any]) -> Path:
    return written(tmp_path, {"info": {}, "images": images, "annotations": annotations})


def test_one_annotation_each_gives_its_id_and_xyxy(tmp_path: Path) -> None:
    (row,) = mdetr.read(coco(tmp_path, [{**IMAGE, "dataset_name": "refcoco"}], [BOX]))
    assert (row.id, row.phrase, row.file_name, row.dataset) == ("9", "a cup", "a.jpg", "refcoco")
    assert row.boxes == ((10.0, 20.5, 40.0, 60.5),)


def test_several_none_and_empty_annotations_give_the_image_id(tmp_path: Path) -> None:
    images = [{**IMAGE, "id": number} for number in (3, 4, 5)]
    annotations = [
        BOX,
        {**BOX, "id": 10, "bbox": [0, 0, 5, 5]},
        {"id": 11, "image_id": 5, "bbox": [0, 0, 0, 0], "empty": True},
    ]
    rows = list(mdetr.read(coco(tmp_path, images, annotations)))
    assert [row.id for row in rows] == ["3", "4", "5"]
    assert [len(row.boxes) for row in rows] == [2, 0, 0]


def test_slices_tell_the_number_of_targets_where_a_file_has_another_than_one(
    tmp_path: Path,
) -> None:
    (alone,) = mdetr.read(coco(tmp_path, [IMAGE], [BOX]))
    assert alone.slices == {"size": "medium"}
    images = [{**IMAGE, "id": number} for number in (3, 4, 5)]
    annotations = [
        BOX,
        {**BOX, "id": 10, "image_id": 4},
        {**BOX, "id": 11, "image_id": 4},
        {"id": 12, "image_id": 5, "bbox": [0, 0, 0, 0], "empty": True},
    ]
    rows = mdetr.read(coco(tmp_path, images, annotations))
    assert [row.slices for row in rows] == [
        {"size": "medium", "targets": "one"},
        {"targets": "several"},
        {"targets": "none"},
    ]
    # one annotation each, but one of them says that there is nothing
    rows = mdetr.read(coco(tmp_path, [images[0], images[2]], [BOX, annotations[-1]]))
    assert [row.slices["targets"] for row in rows] == ["one", "none"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"bbox": [10, 20, -3, 4]}, "annotation 9.*above 0"),
        ({"bbox": [10, 20, 3, 0]}, "annotation 9.*above 0"),
        ({"bbox": [10, 20, 3]}, "annotation 9.*four numbers"),
        ({"bbox": [10, 20, 3, 4, 5]}, "annotation 9.*four numbers"),
        ({"bbox": [10, 20, 3, "4"]}, "annotation 9.*got `str`"),
        ({"bbox": [10, 20, 3, None]}, "annotation 9.*got `null`"),
        ({"bbox": [1000, 20, 3, 4]}, "annotation 9.*outside its picture"),
        ({"bbox": [-50, 20, 3, 4]}, "annotation 9.*outside its picture"),
        ({"image_id": 4}, "annotation 9.*image 4"),
    ],
)
def test_bad_boxes_name_their_annotation(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        list(mdetr.read(coco(tmp_path, [IMAGE], [{**BOX, **change}])))


def test_missing_keys_and_repeated_ids_are_named(tmp_path: Path) -> None:
    bare = {key: value for key, value in BOX.items() if key != "bbox"}
    with pytest.raises(DataError, match=r"annotation 9.*`bbox`"):
        list(mdetr.read(coco(tmp_path, [IMAGE], [bare])))
    with pytest.raises(DataError, match=r"annotation id 9 stands twice.*number 1.*number 2"):
        list(mdetr.read(coco(tmp_path, [IMAGE], [BOX, BOX])))
    with pytest.raises(DataError, match=r"image id 3 stands twice"):
        list(mdetr.read(coco(tmp_path, [IMAGE, IMAGE], [BOX])))
    with pytest.raises(DataError, match=r"`annotations`"):
        list(mdetr.read(written(tmp_path, {"images": []})))


def test_nan_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('{"images": [],\n"annotations": [{"bbox": [NaN, 1, 2, 3]}]}')
    with pytest.raises(DataError, match=r"line 2.*NaN"):
        list(read_phrases(path))


def test_flat_rows_count_each_img_id_in_file_order(tmp_path: Path) -> None:
    other = {**ROW, "img_id": "COCO_train2014_000000000001_6"}
    path = tmp_path / "rows.json.gz"
    text = json.dumps([ROW, ROW, other, ROW], indent=1).replace("\n", "\r\n")
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text.encode()))
    rows = list(read_phrases(path))
    stem = "COCO_train2014_000000000001"
    assert [row.id for row in rows] == [f"{stem}_5#0", f"{stem}_5#1", f"{stem}_6#0", f"{stem}_5#2"]
    assert {row.file_name for row in rows} == {f"{stem}.jpg"}
    assert rows[0].boxes == ((10.5, 20.0, 40.5, 60.0),)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"img_id": "picture"}, "row 2 .*picture"),
        ({"bbox": [1, 2, 0, 4]}, "row 2 .*_5.*above 0"),
        ({"width": 0}, "row 2 .*0 x 100"),
        ({"sents": None}, "row COCO_train2014_000000000001_5 .number 2"),
    ],
)
def test_bad_flat_rows_are_named(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        list(read_phrases(written(tmp_path, [ROW, {**ROW, **change}])))


def test_size_classes_and_count_bands() -> None:
    assert object_size((0, 0, 32, 31)) == "small"
    assert object_size((0, 0, 32, 32)) == "medium"
    assert object_size((5, 5, 101, 101)) == "large"
    bands = [count_band(count) for count in (0, 1, 5, 6, 10, 11, 20, 21, 50, 51)]
    assert bands == ["0", "1-5", "1-5", "6-10", "6-10", "11-20", "11-20", "21-50", "21-50", ">50"]


def test_the_real_many_box_file(shared: Path) -> None:
    rows = list(mdetr.read(shared / "data/refcoco/mdetr_real/RefDrone_test_mdetr.json.gz"))
    assert len(rows) == 3432
    assert sum(len(row.boxes) for row in rows) == 12105 - 156
    assert sum(not row.boxes for row in rows) == 156


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"a cup"', b'"a \xff cup"', "image 3 .number 1 of them.: .*UTF-8"),
        (b"20.5", b"1e999", "annotation 9 .number 1 of them.: .*out of range"),
        (b"20.5", b"9" * 1_000_000, "annotation 9 .number 1 of them.: .*out of range"),
        (b'"id": 9', b'"id": ' + b"9" * 1_000_000, "annotation .number 1 of them.: .*range"),
        (b'"id": 9', b'"x": ' + b"[" * 900 + b"]" * 900, "annotation .number 1 of them.: .*`id`"),
        (b'"id": 9', b'"id": 9, "x": ' + b"[" * 100_000 + b"]" * 100_000, "recursion"),
        (b'"id": 9', b'"id": [9]', "annotation .number 1 of them.: Expected"),
        (b'"id": 9', b'"id": "\\ud800"', "file"),
    ],
)
def test_what_cannot_be_decoded_is_one_message_that_names_the_record(
    tmp_path: Path, old: bytes, new: bytes, told: str
) -> None:
    path = coco(tmp_path, [IMAGE], [BOX])
    path.write_bytes(path.read_bytes().replace(old, new))
    with pytest.raises(DataError, match=told) as caught:
        list(mdetr.read(path))
    assert len(str(caught.value)) < 300
    assert str(path) in str(caught.value)
