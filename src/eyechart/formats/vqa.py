"""The official VQA files: questions and human answers in two JSON files, and results in a third."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats.records import Once, decode_each
from eyechart.io.files import read_json
from eyechart.values import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from eyechart.formats.data import Data

SUBSETS = ("val2014", "train2014", "test2015")
_QUESTIONS = ("questions.json", "questions*.json")
_ANNOTATIONS = ("annotations.json", "annotations*.json")


@dataclass(frozen=True, slots=True)
class Question:
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


class _Questions(msgspec.Struct):
    questions: list[msgspec.Raw]
    data_subtype: str = ""


class _Question(msgspec.Struct):
    question_id: int | str
    image_id: int | str
    question: str


class _Annotations(msgspec.Struct):
    annotations: list[msgspec.Raw]
    data_subtype: str = ""


class _Answer(msgspec.Struct):
    answer: str
    answer_id: int | str | None = None
    answer_confidence: str | None = None


class _Annotation(msgspec.Struct):
    question_id: int | str
    answers: list[_Answer]
    question_type: str = ""
    answer_type: str = ""


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
    questions: _Questions = read_json(questions_path, _Questions)
    document: _Annotations = read_json(annotations_path, _Annotations)
    asked: dict[int | str, _Question] = {}
    once = Once(questions_path, "question_id")
    rows = decode_each(questions.questions, _Question, questions_path, "question", "question_id")
    for position, row in enumerate(rows, start=1):
        once.take(row.question_id, f"question number {position}")
        asked[row.question_id] = row
    annotated = decode_each(
        document.annotations, _Annotation, annotations_path, "annotation", "question_id"
    )
    once = Once(annotations_path, "question_id")
    for position, annotation in enumerate(annotated, start=1):
        once.take(annotation.question_id, f"annotation number {position}")
    _same_ids(questions_path, asked, annotations_path, [one.question_id for one in annotated])
    subsets = tuple(
        dict.fromkeys(s for s in (questions.data_subtype, document.data_subtype, *SUBSETS) if s)
    )
    for annotation in annotated:
        yield _joined(asked[annotation.question_id], annotation, subsets)


def read_annotations(path: Path) -> Iterator[Question]:
    """An annotations file alone, in its order: no question's wording, and no picture's name.

    Raises:
        DataError: another layout, or an id that stands twice.
    """
    document: _Annotations = read_json(path, _Annotations)
    rows = decode_each(document.annotations, _Annotation, path, "annotation", "question_id")
    once = Once(path, "question_id")
    for position, row in enumerate(rows, start=1):
        once.take(row.question_id, f"annotation number {position}")
        yield _joined(_Question(row.question_id, 0, ""), row, ())


def image_name(image_id: int | str, subset: str) -> str:
    """`COCO_<subset>_<12 digits>.jpg`, as the COCO 2014 pictures are called."""
    return f"COCO_{subset}_{str(image_id).zfill(12)}.jpg"


def _joined(question: _Question, annotation: _Annotation, subsets: tuple[str, ...]) -> Question:
    return Question(
        id=str(question.question_id),
        question=question.question,
        image_names=tuple(image_name(question.image_id, subset) for subset in subsets),
        answers=tuple(
            Answer(
                one.answer,
                one.answer_id if one.answer_id is not None else position,
                one.answer_confidence,
            )
            for position, one in enumerate(annotation.answers, start=1)
        ),
        question_type=annotation.question_type,
        answer_type=annotation.answer_type,
    )


def _same_ids(
    questions_path: Path,
    asked: Iterable[int | str],
    annotations_path: Path,
    answered: Iterable[int | str],
) -> None:
    in_questions, in_annotations = set(asked), set(answered)
    if in_questions == in_annotations:
        return
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
