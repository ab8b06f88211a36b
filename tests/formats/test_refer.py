from __future__ import annotations

import contextlib
import gzip
import json
import pickle
from collections import OrderedDict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.benchmarks import find
from eyechart.errors import DataError
from eyechart.formats import unpickle
from eyechart.formats.data import Data
from eyechart.formats.refer import Refer, in_split
from eyechart.values import Boxes

P = Path("refs(unc).p")


def refs() -> list[dict[str, Any]]:
    def one(ref: int, split: str, *sents: tuple[int, str]) -> dict[str, Any]:
        sentences = [
            {"sent_id": n, "sent": s, "raw": s.title(), "tokens": s.split()} for n, s in sents
        ]
        return {"ref_id": ref, "ann_id": 10 + ref, "image_id": 7, "category_id": 1, "split": split,
                "file_name": "COCO_train2014_000000000007_0.jpg", "sentences": sentences,
                "sent_ids": [n for n, _ in sents]}  # fmt: skip

    return [
        one(5, "testA", (3, "left cup"), (4, "cup nearest you")),
        one(2, "val", (1, "right cup")),
    ]


INSTANCES: dict[str, Any] = {
    "info": {"year": 2014},
    "images": [{"id": 7, "file_name": "COCO_train2014_000000000007.jpg", "width": 200, "height": 100}],
    "annotations": [
        {"id": 15, "image_id": 7, "category_id": 1, "bbox": [10.5, 20, 30, 40], "iscrowd": 0,
         "segmentation": [[1, 2, 3, 4]]},
        {"id": 12, "image_id": 7, "category_id": 1, "bbox": [100, 20, 30, 40]},
    ],
    "categories": [{"id": 1, "name": "cup", "supercategory": "kitchen"}],
}  # fmt: skip


def folder(
    place: Path, value: Any = None, instances: Any = None, by: str = "unc", protocol: int = 2
) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    content = pickle.dumps(refs() if value is None else value, protocol)
    (place / f"refs({by}).p").write_bytes(content)
    (place / "instances.json").write_text(json.dumps(instances or INSTANCES))
    return place


# -- pickles

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
)


@given(PLAIN, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_data_are_read_as_they_were_written(value: Any, protocol: int) -> None:
    # pickle's own reader is trusted with what was written here
    written = pickle.dumps(value, protocol)
    assert unpickle.read(written, P) == pickle.loads(written)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(DataError):
        unpickle.read(data, P)


@given(st.integers(0, 2), st.data())
def test_a_cut_file_is_told(protocol: int, data: st.DataObject) -> None:
    whole = pickle.dumps(refs(), protocol)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(DataError, match=r"broken or cut off|is empty|is no pickle"):
        unpickle.read(whole[:cut], P)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        # what Python 2 writes for {'a': 'caf\xc3\xa9', u'b': [1L, True]} in protocols 0, 1, 2
        (b"(dp0\nS'a'\np1\nS'caf\\xc3\\xa9'\np2\nsVb\np3\n(lp4\nL1L\naI01\nas.",
         {"a": "café", "b": [1, True]}),
        (b"}q\x00(U\x01aq\x01U\x05caf\xc3\xa9q\x02X\x01\x00\x00\x00bq\x03]q\x04(L1L\nI01\neu.",
         {"a": "café", "b": [1, True]}),
        (b"\x80\x02}q\x00(U\x01aq\x01U\x05caf\xc3\xa9q\x02X\x01\x00\x00\x00bq\x03]q\x04"
         b"(\x8a\x01\x01\x88eu.", {"a": "café", "b": [1, True]}),
        # not UTF-8: Latin-1
        (b"S'caf\\xe9'\n.", "café"),
        (b"U\x04caf\xe9.", "café"),
        (b"S'it\\'s \\\\ \\n\\101'\n.", "it's \\ \nA"),
        (b'S"it\'s"\n.', "it's"),
    ],
)  # fmt: skip
def test_the_texts_of_python_2(written: bytes, value: Any) -> None:
    assert unpickle.read(written, P) == value


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"cos\nsystem\n(S'echo'\ntR.", "os.system"),
        (b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04echo\x85R.", "posix.system"),
        (b"(ios\nsystem\n.", "os.system"),
        (pickle.dumps(date(2020, 1, 1), 2), "datetime.date"),
        (pickle.dumps({"ref_id": np.int64(5)}, 2), "numpy.*scalar"),
        (pickle.dumps(OrderedDict(a=1), 2), "collections.OrderedDict"),
        (pickle.dumps(b"bytes", 2), "_codecs.encode"),
        (pickle.dumps(bytearray(b"x"), 5), "byte array"),
        (b"Pother\n.", "reference to elsewhere"),
        (b"\x82\x01.", "extension"),
        (b"}b.", "object"),
    ],
)
def test_all_else_is_refused_by_name(written: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said) as told:
        unpickle.read(written, P)
    assert "refs(unc).p" in str(told.value)
    assert "plain lists" in str(told.value)


@pytest.mark.parametrize(
    "written",
    [
        b"", b".", b"\x00.", b"]", b"(", b"a.", b"]]s.", b"}]Ns.", b"(NNNd.", b"}(Ne.", b"h\x05.",
        b"g999999999999\n.", b"B\xff\xff\xff\xffx.", b"\x8e" + b"\xff" * 8 + b".", b"U\xffx.",
        b"I" + b"9" * 5000 + b"\n.", b"\x8a\xff" + b"\x7f" * 255 + b".", b"Fspam\n.", b"S'\n.",
        b"X\x01\x00\x00\x00\xff.", b"1.", b"\x85.", b"I9223372036854775808\n.",
    ],
)  # fmt: skip
def test_broken_pickles_are_told(written: bytes) -> None:
    with pytest.raises(DataError, match=r"refs\(unc\)\.p"):
        unpickle.read(written, P)


def test_a_pickle_asks_for_no_memory_that_it_does_not_fill() -> None:
    # a memo place beyond all memory; a reader with a table for a memo would set it aside
    assert unpickle.read(b"]r\xff\xff\xff\xff.", P) == []
    assert unpickle.read(b"]p99999999999\n.", P) == []


def test_deep_nesting_does_not_end_the_program() -> None:
    deep = unpickle.read(b"]" * 300_000 + b"a" * 299_999 + b".", P)
    for _ in range(299_999):
        (deep,) = deep
    assert deep == []


def test_more_instructions_than_any_data_set_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpickle, "MOST_INSTRUCTIONS", 100)
    assert unpickle.read(b"](" + b"N" * 96 + b"e.", P) == [None] * 96
    with pytest.raises(DataError, match="100 instructions"):
        unpickle.read(b"](" + b"N" * 97 + b"e.", P)


# -- REFER


@pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
@pytest.mark.parametrize("packed", [False, True])
def test_rows_of_a_refer_folder(tmp_path: Path, protocol: int, packed: bool) -> None:
    place = folder(tmp_path / "refcoco", protocol=protocol)
    if packed:
        for file in list(place.iterdir()):
            (place / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    pictures = tmp_path / "images/mscoco/images/train2014"
    pictures.mkdir(parents=True)
    (pictures / "COCO_train2014_000000000007.jpg").touch()
    benchmark, split = find("refcoco/testA")
    for named in (tmp_path, place, next(place.glob("refs*"))):
        first, second = benchmark.rows(Data(named), split)
        assert (first.id, second.id) == ("3", "4")
        assert first.asked == {"expression": "left cup"}
        assert second.asked == {"expression": "cup nearest you"}
        assert first.target == Boxes(((10.5, 20.0, 40.5, 60.0),))
        assert first.group == "COCO_train2014_000000000007.jpg"
        assert first.image.source == str(pictures / first.group)
        assert first.tags.items() >= {
            "dataset": "refcoco", "split": "testA", "category": "cup", "ref": "5",
        }.items()  # fmt: skip
    (row,) = benchmark.rows(Data(tmp_path, need_images=False), "val")
    assert (row.id, row.asked["expression"]) == ("1", "right cup")


@pytest.mark.parametrize(
    ("name", "sub", "by"),
    [
        ("refcoco", "refcoco", "unc"),
        ("refcoco+", "refcoco+", "unc"),
        ("refcocog", "refcocog", "umd"),
        ("refcocog-google", "refcocog", "google"),
    ],
)
def test_who_divided_each_data_set(tmp_path: Path, name: str, sub: str, by: str) -> None:
    folder(tmp_path / sub, by=by)
    folder(tmp_path / sub, by="mine", value=refs()[:1])
    benchmark, _ = find(name)
    assert len(list(benchmark.rows(Data(tmp_path, need_images=False), "val"))) == 1
    assert not list(benchmark.rows(Data(tmp_path, need_images=False), "val", split_by="mine"))
    with pytest.raises(DataError, match=r"refs\(other\)\.p"):
        list(benchmark.rows(Data(tmp_path), "val", split_by="other"))


def test_flat_rows_come_first_where_both_are(tmp_path: Path) -> None:
    folder(tmp_path)
    row = {"img_id": "x_1", "sents": "a", "bbox": [1, 1, 5, 5], "height": 9, "width": 9}
    (tmp_path / "refcoco_val.json").write_text(json.dumps([row]))
    benchmark, split = find("refcoco/val")
    data = Data(tmp_path, need_images=False)
    assert [one.id for one in benchmark.rows(data, split)] == ["x_1#0"]
    assert [one.id for one in benchmark.rows(data, split, split_by="unc")] == ["1"]


def test_without_instances_the_message_names_them(tmp_path: Path) -> None:
    (folder(tmp_path) / "instances.json").unlink()
    with pytest.raises(DataError, match=r"instances\.json"):
        list(find("refcoco")[0].rows(Data(tmp_path), "val"))


def test_without_anything_the_message_names_what_is_sought(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"finetune_refcoco_val\.json"):
        list(find("refcoco")[0].rows(Data(tmp_path), "val"))


def _changed(**changes: Any) -> dict[str, Any]:
    return INSTANCES | changes


@pytest.mark.parametrize(
    ("value", "instances", "said"),
    [
        ({}, None, "a dict, not REFER's list"),
        ([{"ref_id": 5}], None, r"ref 5 \(number 1 of them\).*ann_id"),
        ([refs()[0] | {"ann_id": 99}], None, r"ref 5 names annotation 99"),
        ([refs()[0] | {"image_id": 8}], None, r"ref 5 names image 8"),
        ([refs()[0] | {"category_id": 8}], None, r"ref 5 names category 8"),
        ([refs()[0], refs()[0]], None, "ref_id 5 stands twice"),
        ([refs()[0], refs()[0] | {"ref_id": 6}], None, "sent_id 3 stands twice"),
        (None, _changed(annotations=[*INSTANCES["annotations"], INSTANCES["annotations"][0]]),
         "annotation id 15 stands twice"),
        (None, _changed(annotations=[{"id": 15}]), r"annotation 15 \(number 1"),
        (None, _changed(images=[]), "image 7"),
        (None, {"images": []}, "annotations"),
        (None, _changed(annotations=[INSTANCES["annotations"][0] | {"bbox": [1, 2, 0, 4]},
                                     INSTANCES["annotations"][1]]), "no area"),
    ],
)  # fmt: skip
def test_faults_are_named(tmp_path: Path, value: Any, instances: Any, said: str) -> None:
    folder(tmp_path, value, instances)
    with pytest.raises(DataError, match=said):
        list(find("refcoco/testA")[0].rows(Data(tmp_path, need_images=False), "testA"))


def test_an_annotation_of_another_picture_is_told(tmp_path: Path) -> None:
    images = [*INSTANCES["images"], INSTANCES["images"][0] | {"id": 8}]
    folder(tmp_path, [refs()[0] | {"image_id": 8}], _changed(images=images))
    with pytest.raises(DataError, match="in image 8, its annotation 15 in image 7"):
        Refer(tmp_path / "refs(unc).p", tmp_path / "instances.json")


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        ("testAB", {"testA", "testB", "test", "testAB"}),
        ("testBC", {"testB", "testC", "test", "testBC"}),
        ("testA", {"testA", "test"}),
        ("test", {"test"}),
        ("val", {"val"}),
        ("train", {"train"}),
    ],
)
def test_split_rules(own: str, wanted: set[str]) -> None:
    everything = ("train", "val", "test", "testA", "testB", "testC", "testAB", "testBC", "testAC")
    assert {one for one in everything if in_split(own, one)} == wanted


@pytest.mark.parametrize("wrong", ["dev", "TestA", "testABC"])
def test_an_unknown_split_is_told(wrong: str) -> None:
    with pytest.raises(DataError, match="testAB"):
        in_split("val", wrong)
