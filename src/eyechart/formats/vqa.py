"""The official VQA files: questions and human answers in two JSON files, and results in a third."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats.records import read_records, refuse_twice
from eyechart.values import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from eyechart.formats.data import Data

SUBSETS = ("val2014", "train2014", "test2015")
_QUESTIONS = ("questions.json", "questions*.json")
_ANNOTATIONS = ("annotations.json", "annotations*.json")
_TEN = list(range(1, 11))


class Question(msgspec.Struct, frozen=True):
    """A question with its human answers in file order, each with an id.

    `image_names` are the names its picture may have, the likeliest first: the file's own
    `data_subtype` does not always tell the truth.
    """

    id: str
    question: str
    image_names: tuple[str, ...]
    answers: tuple[Answer, ...]
    question_type: str
    answer_type: str


class _Question(msgspec.Struct, gc=False):
    question_id: int | str
    image_id: int | str
    question: str


class _Questions(msgspec.Struct):
    questions: list[_Question]
    data_subtype: str = ""


class _SureAnswer(msgspec.Struct, gc=False):
    answer: str
    answer_id: int | str | None = None
    answer_confidence: str | None = None


# Two million answers: those that their ids tell apart are read without their confidence.
class _Annotation(msgspec.Struct, gc=False):
    question_id: int | str
    answers: tuple[Answer, ...]
    question_type: str = ""
    answer_type: str = ""


class _SureAnnotation(msgspec.Struct):
    question_id: int | str
    answers: list[_SureAnswer]
    question_type: str = ""
    answer_type: str = ""


class _Annotations(msgspec.Struct):
    annotations: list[_Annotation]
    data_subtype: str = ""


class _SureAnnotations(msgspec.Struct):
    annotations: list[_SureAnnotation]


def find_pair(
    data: Data, questions: tuple[str, ...] = (), annotations: tuple[str, ...] = ()
) -> tuple[Path, Path]:
    """The two files in a data folder, by these names or plain `questions*` and `annotations*`.

    Where the user named one of them directly, the other is looked for beside it.

    Raises:
        DataError: one of them is not there, or more than one could be meant.
    """
    questions, annotations = (*questions, *_QUESTIONS), (*annotations, *_ANNOTATIONS)
    if data.path is None or not data.path.is_file():
        return data.file(*questions), data.file(*annotations)
    is_questions = "question" in data.path.name.lower()
    wanted = annotations if is_questions else questions
    other = data.file_beside(*wanted)
    if other is None or other == data.path:
        raise DataError(
            f"{data.path}: its {'annotations' if is_questions else 'questions'} file is not beside "
            f"it ({' or '.join(wanted)}, or .gz); name the folder that holds both: --data DIR."
        )
    return (data.path, other) if is_questions else (other, data.path)


def read(questions_path: Path, annotations_path: Path) -> Iterator[Question]:
    """The questions joined with their answers, in the annotations' order.

    An answer without `answer_id` gets its position, from 1, as the official files have it.

    Raises:
        DataError: another layout, an id that stands twice, or files whose ids are not the same.
    """
    annotations, subset = _annotations(annotations_path)
    questions: _Questions = read_records(
        questions_path, _Questions, "questions", "question", "question_id"
    )
    asked = {row.question_id: row for row in questions.questions}
    if len(asked) != len(questions.questions):
        refuse_twice(
            (row.question_id for row in questions.questions),
            questions_path,
            "question_id",
            "question",
        )
    _same_ids(questions_path, asked, annotations_path, [one.question_id for one in annotations])
    subsets = tuple(dict.fromkeys(s for s in (questions.data_subtype, subset, *SUBSETS) if s))
    names: dict[int | str, tuple[str, ...]] = {}
    for annotation in annotations:
        question = asked[annotation.question_id]
        image = question.image_id
        if image not in names:
            names[image] = tuple(image_name(image, one) for one in subsets)
        yield _joined(annotation, question.question, names[image])


def read_annotations(path: Path) -> Iterator[Question]:
    """An annotations file alone, in its order: no question's wording, and no picture's name.

    Raises:
        DataError: another layout, or an id that stands twice.
    """
    for annotation in _annotations(path)[0]:
        yield _joined(annotation, "", ())


def _annotations(path: Path) -> tuple[list[_Annotation], str]:
    """The annotations, every answer with an id, and the file's `data_subtype`."""
    document: _Annotations = read_records(
        path, _Annotations, "annotations", "annotation", "question_id"
    )
    rows = document.annotations
    if len({row.question_id for row in rows}) != len(rows):
        refuse_twice((row.question_id for row in rows), path, "question_id", "annotation")
    unsure = _unsure(rows)
    if unsure:
        sure = read_records(path, _SureAnnotations, "annotations", "annotation", "question_id")
        for place in unsure:
            row, answers = rows[place], sure.annotations[place].answers
            rows[place] = msgspec.structs.replace(row, answers=tuple(map(_sure, answers, count(1))))
    return rows, document.data_subtype


def _unsure(rows: list[_Annotation]) -> list[int]:
    """The places of those whose answers their ids do not tell apart; confidence may."""
    every = [one.answer_id for row in rows for one in row.answers]
    # nearly always all are 1 to 10
    if every == _TEN * len(rows):
        return []
    return [
        place
        for place, row in enumerate(rows)
        if len({one.answer_id for one in row.answers} - {None}) != len(row.answers)
    ]


def _sure(one: _SureAnswer, position: int) -> Answer:
    given = one.answer_id if one.answer_id is not None else position
    return Answer(one.answer, given, one.answer_confidence)


def image_name(image_id: int | str, subset: str) -> str:
    """`COCO_<subset>_<12 digits>.jpg`, as the COCO 2014 pictures are called."""
    return f"COCO_{subset}_{str(image_id).zfill(12)}.jpg"


def _joined(annotation: _Annotation, question: str, image_names: tuple[str, ...]) -> Question:
    return Question(
        str(annotation.question_id),
        question,
        image_names,
        annotation.answers,
        annotation.question_type,
        annotation.answer_type,
    )


def _same_ids(
    questions_path: Path,
    asked: dict[int | str, _Question],
    annotations_path: Path,
    answered: Iterable[int | str],
) -> None:
    in_annotations = set(answered)
    if asked.keys() == in_annotations:
        return
    in_questions = set(asked)
    if set(map(str, in_questions)) == set(map(str, in_annotations)):
        raise DataError(
            f"{questions_path} and {annotations_path}: the same question ids are numbers in one file "
            "and text in the other; write them alike."
        )
    sides = [
        f"{len(extra):,} only in {path} ({', '.join(sorted(map(str, extra))[:5])})"
        for path, extra in (
            (questions_path, in_questions - in_annotations),
            (annotations_path, in_annotations - in_questions),
        )
        if extra
    ]
    raise DataError(
        f"The question ids of the two files are not the same: {'; '.join(sides)}. "
        "Take both files from the same release and split."
    )
