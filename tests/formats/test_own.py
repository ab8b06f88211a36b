from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as Pillow

from eyechart.errors import DataError
from eyechart.formats import own
from eyechart.formats.data import Data
from eyechart.values import Answer, Answers, Boxes, Captions, Count, Sample

if TYPE_CHECKING:
    from pathlib import Path

SIZE = {"image": "a.png", "width": 100, "height": 80}


def samples(tmp_path: Path, *rows: dict[str, Any] | str, need_images: bool = False) -> list[Sample]:
    path = tmp_path / "mine.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(own.read(path, Data(path, need_images=need_images)))


@pytest.mark.parametrize(
    ("fields", "task", "asked", "target"),
    [
        (
            {"expression": "cup", "box": [1, 2, 30, 40]},
            "ground",
            {"expression": "cup"},
            Boxes(((1, 2, 30, 40),)),
        ),
        (
            {"expression": "cup", "bbox": [1, 2, 30, 40]},
            "ground",
            {"expression": "cup"},
            Boxes(((1, 2, 31, 42),)),
        ),
        (
            {"expression": "cups", "bboxes": [[1, 2, 3, 4], [5, 6, 7, 8]]},
            "ground",
            {"expression": "cups"},
            Boxes(((1, 2, 4, 6), (5, 6, 12, 14))),
        ),
        ({"expression": "cup", "boxes": []}, "ground", {"expression": "cup"}, Boxes(())),
        (
            {"phrase": "a cup", "caption": "a cup here", "box": [1, 2, 3, 4]},
            "ground_phrases",
            {"phrase": "a cup", "caption": "a cup here"},
            Boxes(((1, 2, 3, 4),)),
        ),
        (
            {"question": "Why?", "answers": ["so", 3]},
            "answer",
            {"question": "Why?"},
            Answers((Answer("so", 1), Answer("3", 2))),
        ),
        (
            {"question": "Why?", "answer": "so"},
            "answer",
            {"question": "Why?"},
            Answers((Answer("so", 1),)),
        ),
        ({"question": "How many?", "count": 0}, "count", {"question": "How many?"}, Count(0)),
        ({"captions": ["a", "b"]}, "caption", {}, Captions(("a", "b"))),
        ({"caption": "a"}, "caption", {}, Captions(("a",))),
        (
            {"box": [1.5, 2, 3, 4], "expressions": ["the cup"]},
            "refer",
            {"box": "[1.5, 2, 3, 4]"},
            Captions(("the cup",)),
        ),
    ],
)
def test_every_task(
    tmp_path: Path, fields: dict[str, Any], task: str, asked: dict[str, str], target: Any
) -> None:
    (sample,) = samples(tmp_path, {**SIZE, **fields})
    assert (sample.task, sample.asked, sample.target) == (task, asked, target)
    assert (sample.id, sample.group, sample.image.width) == ("1", "a.png", 100)


def test_ids_tags_and_line_ends(tmp_path: Path) -> None:
    row = {**SIZE, "id": 7, "question": "?", "count": 1, "tags": {"hard": True, "n": 2, "k": "x"}}
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row).encode() + b"\r\n\r\n")
    (sample,) = own.read(path, Data(path, need_images=False))
    assert (sample.id, sample.tags) == (
        "7",
        {"count": "1-5", "hard": "true", "n": "2", "k": "x"},
    )


COUNT = {**SIZE, "question": "?", "count": 1}
CUP = {**SIZE, "expression": "cup"}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([COUNT, {**COUNT, "count": -1}], "line 2: a count is 0 or more"),
        ([COUNT, {**COUNT, "count": "many"}], "line 2: Expected `int"),
        ([COUNT, {**SIZE, "question": "?"}], "line 2: the fields are those of no task"),
        ([COUNT, {**SIZE, "question": "?", "answer": "x"}], "line 2.*task answer.*of count"),
        ([COUNT, {**COUNT, "answer": "x"}], r"line 2.*several tasks \(answer, count\)"),
        ([COUNT, {**COUNT, "coutn": 1}], "line 2: unknown field 'coutn'. Did you mean count"),
        ([COUNT, "[1]"], "line 2: not a JSON object"),
        ([COUNT, "{"], "line 2: not valid JSON"),
        ([COUNT, {**COUNT, "id": "x"}], "line 2: give every line an `id`, or none"),
        ([{**COUNT, "id": "x"}] * 2, "id x stands twice, line 1 and line 2"),
        ([COUNT, {**COUNT, "height": None}], "line 2: give both"),
        ([{**CUP, "box": [30, 2, 1, 40]}], "line 1, `box`.*swapped corners"),
        ([{**CUP, "box": [1, 2, 1, 40]}], "line 1, `box`.*no area"),
        ([{**CUP, "bbox": [1, 2, -1, 40]}], "line 1, `bbox`.*above 0"),
        ([{**CUP, "box": [200, 2, 210, 40]}], "line 1, `box`.*outside its picture"),
        ([{**CUP, "box": [1, 2, 3]}], "line 1, `box`.*four numbers, this one 3"),
        ([{**CUP, "boxes": [[1, 2, 3, 4], [1, 2, 3, "4"]]}], "line 1: Expected `float`"),
        ([{**CUP, "box": [1, 2, 3, 4], "bbox": [1, 2, 3, 4]}], "line 1.*both `box` and `bbox`"),
        ([{**SIZE, "box": [1, 2, 3, 4], "expressions": []}], "line 1.*is empty"),
        ([""], "is empty"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, rows: list[Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        samples(tmp_path, *rows)


def test_a_box_that_leaves_its_picture_in_part_is_kept(tmp_path: Path) -> None:
    (sample,) = samples(tmp_path, {**CUP, "box": [-3, 2, 120, 40]})
    assert sample.target == Boxes(((-3, 2, 120, 40),))


def test_sizes_are_read_upright_from_the_picture(tmp_path: Path) -> None:
    Pillow.new("RGB", (12, 7)).save(tmp_path / "plain.png")
    exif = Pillow.Exif()
    exif[0x0112] = 6
    stream = io.BytesIO()
    Pillow.new("RGB", (12, 7)).save(stream, "JPEG", exif=exif)
    (tmp_path / "turned.jpg").write_bytes(stream.getvalue())
    rows = [{"image": name, "question": "?", "count": 1} for name in ("plain.png", "turned.jpg")]
    made = samples(tmp_path, *rows, need_images=True)
    assert [(one.image.width, one.image.height) for one in made] == [(12, 7), (7, 12)]
    assert made[0].image.source == str(tmp_path / "plain.png")


def test_a_broken_picture_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("not a picture")
    with pytest.raises(DataError, match=r"line 1: the picture .*a\.png cannot be read"):
        samples(tmp_path, {"image": "a.png", "question": "?", "count": 1}, need_images=True)


def test_the_task_of_a_file(tmp_path: Path) -> None:
    samples(tmp_path, {**SIZE, "question": "?", "answers": ["a", "b"]})
    assert own.task_of(tmp_path / "mine.jsonl") == ("answer", 2)
