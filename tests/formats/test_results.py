from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.formats import replies, results

if TYPE_CHECKING:
    from pathlib import Path


def write(tmp_path: Path, rows: Any, name: str = "results.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_vqa_results_keep_an_empty_answer_as_an_answer(tmp_path: Path) -> None:
    rows = [{"question_id": 7, "answer": ""}, {"answer": "two", "question_id": "8"}]
    found = replies.read(write(tmp_path, rows))
    assert found.form == "vqa_results"
    assert [(one.sample_id, one.state, one.text) for one in found.replies] == [
        ("7", "ok", ""),
        ("8", "ok", "two"),
    ]


@pytest.mark.parametrize(
    "more", [{"answer": 3}, {"id": "x"}, {"answer": None}, {"reply": "the model's own words"}]
)
def test_what_is_not_regular_is_read_row_by_row(tmp_path: Path, more: dict[str, Any]) -> None:
    found = replies.read(write(tmp_path, [{"question_id": 7, "answer": "no", **more}]))
    assert found.form == "rows"
    (only,) = found.replies
    if "reply" in more:
        assert only.text == "the model's own words"
    elif "id" in more:
        assert only.sample_id == "x"
    else:
        assert (only.text, only.state) == (("3", "ok") if more["answer"] else (None, "error"))


def test_regular_lines_are_read_as_the_irregular_are() -> None:
    data = b'{"id": 1, "reply": "a"}\n\n{"sample_id": "z", "id": 2, "reply": " \\n"}\n'
    quick = results.lines(data)
    assert quick is not None
    assert [(one.sample_id, one.state, one.text) for one in quick] == [
        ("1", "ok", "a"),
        ("z", "empty", " \n"),
    ]
    assert results.lines(b'{"id": "", "reply": "a"}') is None
    assert results.lines(b'{"reply": "a"}') is None
    assert results.lines(b'{"id": 1, "reply": "a", "state": "ok"}') is None


def test_coco_boxes_are_put_together_by_picture(tmp_path: Path) -> None:
    rows = [
        {"image_id": 3, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.25},
        {"image_id": 9, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5},
        {"image_id": 3, "category_id": 2, "bbox": [5, 6, 7, 8], "score": 0.75},
    ]
    found = replies.read(write(tmp_path, rows))
    assert found.form == "coco_results"
    assert found.rows == 3
    first, second = found.replies
    assert (first.sample_id, second.sample_id) == ("3", "9")
    assert first.boxes is not None
    assert first.boxes.format == "xywh-pixels"
    assert list(first.boxes.boxes) == [(1, 2, 3, 4), (5, 6, 7, 8)]
    assert first.boxes.scores == (0.25, 0.75)


def test_coco_captions(tmp_path: Path) -> None:
    found = replies.read(write(tmp_path, [{"image_id": "136911", "caption": "two bowls"}]))
    assert [(one.sample_id, one.text) for one in found.replies] == [("136911", "two bowls")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"image_id": 2, "bbox": [1, 2, 3]}, "entry 2"),
        ({"image_id": 2, "caption": "a dog"}, "entry 2.*bbox"),
        ({"image_id": None, "bbox": [1, 2, 3, 4]}, "entry 2.*image_id"),
        (7, "entry 2"),
    ],
)
def test_a_bad_entry_is_named(tmp_path: Path, row: Any, said: str) -> None:
    path = write(tmp_path, [{"image_id": 1, "bbox": [1, 2, 3, 4]}, row])
    with pytest.raises(DataError, match=said):
        replies.read(path)


def test_lines_of_other_kinds_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "out.locout"
    path.write_text("S-0\ta question\nH-0\t-0.1\ta reply\nD-0\t-0.1\ta reply\n\n")
    found = replies.read(path)
    assert (found.form, found.rows, found.passed_over) == ("h_lines", 3, {"no H- line": 2})


def test_predicted_expressions_of_refer(tmp_path: Path) -> None:
    path = write(tmp_path, {"predictions": [{"ref_id": 47, "sent": "red cup"}]})
    found = replies.read(path)
    assert found.form == "refer"
    assert [(one.sample_id, one.text) for one in found.replies] == [("47", "red cup")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ('[{"question_id": 1, "answer": "a"}, {"quest', "line 1.*ends too early"),
        ('{\n "results": [1],\n "accuracy": 3\n}', r"one JSON object \(results, accuracy\)"),
        ("just words", "no replies in a form that is known"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "replies.json"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        replies.read(path)
