from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.formats import vqa
from eyechart.formats.data import Data
from eyechart.values import Answer

if TYPE_CHECKING:
    from pathlib import Path


def question(number: int) -> dict[str, Any]:
    return {"question_id": number, "image_id": 42, "question": f"What is {number}?"}


def annotation(number: int, *answers: dict[str, Any]) -> dict[str, Any]:
    given = answers or ({"answer": "a cat"},)
    return {"question_id": number, "question_type": "what is", "answers": list(given)}


def pair(tmp_path: Path, questions: list[Any], annotations: list[Any]) -> tuple[Path, Path]:
    paths = tmp_path / "questions.json", tmp_path / "annotations.json"
    paths[0].write_text(json.dumps({"questions": questions, "data_subtype": "train2014"}))
    paths[1].write_text(json.dumps({"annotations": annotations, "data_subtype": "val2014"}))
    return paths


def test_joined_by_id_in_the_annotations_order(tmp_path: Path) -> None:
    paths = pair(tmp_path, [question(1), question(2)], [annotation(2), annotation(1)])
    rows = list(vqa.read(*paths))
    assert [(row.id, row.question) for row in rows] == [("2", "What is 2?"), ("1", "What is 1?")]
    assert rows[0].question_type == "what is"


def test_answers_without_ids_get_their_position_and_others_keep_theirs(tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = [
        {"answer": "x"},
        {"answer": "x", "answer_id": 7, "answer_confidence": "maybe"},
    ]
    (row,) = vqa.read(*pair(tmp_path, [question(1)], [annotation(1, *answers)]))
    assert row.answers == (Answer("x", 1), Answer("x", 7, "maybe"))


def test_picture_names_try_every_subset(tmp_path: Path) -> None:
    (row,) = vqa.read(*pair(tmp_path, [question(1)], [annotation(1)]))
    assert row.image_names == (
        "COCO_train2014_000000000042.jpg",
        "COCO_val2014_000000000042.jpg",
        "COCO_test2015_000000000042.jpg",
    )


def test_ids_that_differ_are_an_error_naming_both_sides(tmp_path: Path) -> None:
    paths = pair(tmp_path, [question(1), question(2)], [annotation(1), annotation(3)])
    with pytest.raises(DataError, match=r"1 only in .*questions.json \(2\).*1 only in .*\(3\)"):
        list(vqa.read(*paths))


def test_duplicates_and_bad_records_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="question_id 1 stands twice, question number 1 and"):
        list(vqa.read(*pair(tmp_path, [question(1), question(1)], [annotation(1)])))
    with pytest.raises(DataError, match="question_id 1 stands twice, annotation number 1 and"):
        list(vqa.read(*pair(tmp_path, [question(1)], [annotation(1), annotation(1)])))
    with pytest.raises(DataError, match=r"annotation 1 .*answer"):
        list(vqa.read(*pair(tmp_path, [question(1)], [annotation(1, {"answer": 5})])))


def test_either_file_may_be_named(tmp_path: Path) -> None:
    paths = pair(tmp_path, [], [])
    assert vqa.find_pair(Data(tmp_path)) == paths
    assert vqa.find_pair(Data(paths[0])) == paths
    assert vqa.find_pair(Data(paths[1])) == paths
    paths[1].unlink()
    with pytest.raises(DataError, match="annotations file is not beside"):
        vqa.find_pair(Data(paths[0]))
