"""Two small classes that people know from tutorials, over the same functions as everything else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class GroundingEvaluator:
    """Acc@IoU of predicted boxes against true ones; boxes are xyxy in pixels.

    >>> evaluator = GroundingEvaluator(iou_threshold=0.5)
    >>> evaluator.compute_iou([0, 0, 10, 10], [0, 5, 10, 15])
    0.3333333333333333
    """

    def __init__(self, iou_threshold: float = 0.5) -> None:
        if not 0 < iou_threshold <= 1:
            raise ValueError(f"iou_threshold must lie in (0, 1], it is {iou_threshold}.")
        self.iou_threshold = iou_threshold
        self.ious: list[float] = []

    def compute_iou(self, predicted: Sequence[float] | None, true: Sequence[float]) -> float:
        """Intersection over union of two xyxy boxes, in float64; 0 where the union is empty.

        A prediction of None (nothing was found) overlaps nothing.
        """
        from eyechart.scoring.boxes import iou

        if predicted is None:
            return 0.0
        one, other = _box(predicted), _box(true)
        return float(iou([one], [other])[0])

    def evaluate_sample(
        self, predicted: Sequence[float] | None, true: Sequence[float]
    ) -> dict[str, Any]:
        """Counts one prediction: `{"iou": float, "correct": bool}`, right where IoU >= threshold."""
        found = self.compute_iou(predicted, true)
        self.ious.append(found)
        return {"iou": found, "correct": found >= self.iou_threshold}

    def accuracy(self) -> float:
        """The share of right predictions among those counted, 0..1; 0.0 where there are none."""
        right = sum(found >= self.iou_threshold for found in self.ious)
        return right / len(self.ious) if self.ious else 0.0


def _answers(rows: Any) -> dict[str, str]:
    if isinstance(rows, str | bytes) or not hasattr(rows, "__getitem__") or hasattr(rows, "keys"):
        raise DataError('Results are a list of {"question_id": ..., "answer": ...}.')
    answers: dict[str, str] = {}
    for position, row in enumerate(rows, start=1):
        number = row.get("question_id") if hasattr(row, "get") else None
        answer = row.get("answer") if hasattr(row, "get") else None
        if not isinstance(number, int | str) or not isinstance(answer, str):
            raise DataError(
                f"result {position} has no question_id (a number or text) or no answer (text): "
                f"{row!r}."
            )
        answers[str(number)] = answer
    return answers


def _box(values: Sequence[float]) -> tuple[float, ...]:
    box = tuple(float(value) for value in values)
    if len(box) != 4:
        raise ValueError(f"A box has four numbers (x1, y1, x2, y2), this one {len(box)}: {box}.")
    return box


class VQAEvaluator:
    """VQAv2 accuracy by protocol `vqa_v2`, from official annotation and question files.

    `evaluate` takes results for all or some of the questions.
    """

    def __init__(self, annotation_file: str | Path, question_file: str | Path) -> None:
        from eyechart.formats import vqa

        self._questions = {
            question.id: question
            for question in vqa.read(Path(question_file), Path(annotation_file))
        }

    def evaluate(self, results: Sequence[Mapping[str, Any]] | str | Path) -> dict[str, Any]:
        """Scores `[{"question_id": ..., "answer": ...}]` or a file of it.

        Gives ratios from 0 to 1: `accuracy`, `per_answer_type`, `per_question_type`,
        `per_question`, `n` and the protocol's name and version. A repeated question counts once, by its last answer.

        Raises:
            DataError: a question that is not in the files, or no results.
        """
        from eyechart.io.files import read_json

        rows = read_json(Path(results)) if isinstance(results, str | Path) else results
        answers = _answers(rows)
        unknown = sorted(answers.keys() - self._questions.keys())
        if unknown:
            raise DataError(
                f"{len(unknown):,} of {len(answers):,} results are for questions that the question "
                f"file does not have, such as {unknown[0]}."
            )
        if not answers:
            raise DataError("There are no results to evaluate.")
        return self._scored(answers)

    def _scored(self, answers: Mapping[str, str]) -> dict[str, Any]:
        from eyechart.scoring import vqa
        from eyechart.scoring.vqa import VQA_V2

        chosen = [question for name, question in self._questions.items() if name in answers]
        column = vqa.accuracies(
            [question.answers for question in chosen],
            [answers[question.id] for question in chosen],
        )
        by_answer: dict[str, list[float]] = {}
        by_question: dict[str, list[float]] = {}
        for question, value in zip(chosen, column, strict=True):
            by_answer.setdefault(question.answer_type, []).append(value)
            by_question.setdefault(question.question_type, []).append(value)
        return {
            "accuracy": _mean(column),
            "per_answer_type": _means(by_answer),
            "per_question_type": _means(by_question),
            "per_question": {
                _number(question.id): value for question, value in zip(chosen, column, strict=True)
            },
            "n": len(column),
            "protocol": f"{VQA_V2.name} v{VQA_V2.version}",
        }


def _number(name: str) -> int | str:
    """A question's id as the files have it: nearly always a number."""
    return int(name) if name.isascii() and name.isdigit() else name


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: _mean(column) for name, column in values.items()}
