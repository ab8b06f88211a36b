"""The benchmark flickr30k on a small data set, end to end with Kosmos-2's own lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eyechart.benchmarks import find
from eyechart.errors import DataError
from eyechart.formats.data import Data
from eyechart.scoring.flickr import FLICKR_ANY, KOSMOS2_FLICKR, METRICS
from eyechart.values import Boxes, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path

SENTENCES = "[/EN#1/people a man] and [/EN#2/people/other a man] .\nhere [/EN#1/people he] is .\n"
XML = """<annotation><filename>12.jpg</filename>
<size><width>320</width><height>320</height><depth>3</depth></size>
<object><name>1</name><bndbox><xmin>10</xmin><ymin>10</ymin><xmax>110</xmax><ymax>110</ymax></bndbox></object>
<object><name>2</name><bndbox><xmin>200</xmin><ymin>200</ymin><xmax>300</xmax><ymax>300</ymax></bndbox></object>
</annotation>
"""
# patches of 10 pixels: the centres of those at (1, 1) and (10, 10), so 15..105, IoU 0.81
LEFT = "<phrase>a man</phrase><object><patch_index_0033><patch_index_0330></object>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, name, text in (("Sentences", "12.txt", SENTENCES), ("Annotations", "12.xml", XML)):
        (tmp_path / part).mkdir()
        (tmp_path / part / name).write_text(text)
    (tmp_path / "test.txt").write_text("12\n")
    return tmp_path


def rows(path: Path, name: str = "flickr30k/test", **args: bool) -> list[Sample]:
    found, split = find(name)
    return list(found.rows(Data(path, need_images=False), split, **args))


def test_a_sample_is_a_phrase(folder: Path) -> None:
    first, second, third = rows(folder)
    assert [one.id for one in (first, second, third)] == ["12#0#0", "12#0#1", "12#1#0"]
    assert second.asked == {"phrase": "a man", "caption": "a man and a man ."}
    assert second.target == Boxes(((200.0, 200.0, 300.0, 300.0),))
    assert second.group == second.image.name == "12.jpg"
    assert (second.image.width, second.image.height) == (320, 320)
    assert first.tags == {"split": "test", "categories": "people"}
    assert second.tags == {"split": "test", "categories": "people/other", "repeats": "0"}
    (shifted, *_) = rows(folder, shifted=True)
    assert shifted.target == Boxes(((9.0, 9.0, 109.0, 109.0),))


def test_the_order_is_the_jsons_where_there_is_one(folder: Path) -> None:
    images = [
        {
            "caption": caption,
            "original_img_id": 12,
            "sentence_id": number,
            "width": 320,
            "height": 320,
            "tokens_positive_eval": [[span] for span in spans],
        }
        for number, caption, spans in (
            (1, "here he is .", [(5, 7)]),
            (0, "a man and a man .", [(0, 5), (10, 15)]),
        )
    ]
    path = folder / "final_flickr_separateGT_test.json"
    path.write_text(json.dumps({"images": images}))
    for data in (folder, path):
        assert [one.id for one in rows(data)] == ["12#1#0", "12#0#0", "12#0#1"]


def test_names_as_other_tools_write_them() -> None:
    for name in ("flickr30k", "flickr30k_entities", "flickr30k-entities_test"):
        assert (find(name)[0].name, find(name)[1]) == ("flickr30k", "test")
    assert find("flickr30k_entities/val")[1] == "val"
    known = find("flickr30k")[0]
    assert known.splits == {"test": 14481, "val": 14433, "train": None}
    assert known.protocol == FLICKR_ANY.name


def test_a_folder_without_the_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Sentences/ and Annotations/"):
        rows(tmp_path)


def test_a_repeated_phrase_is_judged_by_the_first_ones_boxes(folder: Path) -> None:
    samples = rows(folder)[:2]
    assert KOSMOS2_FLICKR.read_text is not None
    readings = [KOSMOS2_FLICKR.read_text(one, LEFT) for one in samples]
    assert all(one.status == "ok" for one in readings)
    assert KOSMOS2_FLICKR.score(samples, readings)["recall@1"] == [1.0, 1.0]
    assert FLICKR_ANY.score(samples, readings)["recall@1"] == [1.0, 0.0]
    assert KOSMOS2_FLICKR.official is not None
    columns = {name: [1.0, 0.0] for name in METRICS}
    # both count as what the first is: the second one's type `other` is nobody's
    assert KOSMOS2_FLICKR.official(samples, columns)["recall@1"] == {"all": 0.5, "people": 0.5}
    # alone, it has only its own boxes
    assert KOSMOS2_FLICKR.score(samples[1:], readings[1:])["recall@1"] == [0.0]


def test_a_line_without_the_phrase_is_malformed(folder: Path) -> None:
    (*_, he) = rows(folder)
    assert KOSMOS2_FLICKR.read_text is not None
    reading = KOSMOS2_FLICKR.read_text(he, LEFT)
    assert reading == Reading("malformed", reason="no box whose phrase is the one asked for")
