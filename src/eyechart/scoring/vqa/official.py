"""Totals of VQA scores as the official evaluation computes and prints them, and its results file.

Source: GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEvaluation/vqaEval.py`, `vqaEvalDemo.py` and
`PythonHelperTools/vqaTools/vqa.py`, commit a013f0043c1e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eyechart.errors import DataError


def totals(
    scores: Sequence[float],
    answer_types: Sequence[str | None],
    question_types: Sequence[str | None],
    digits: int = 2,
) -> dict[str, Any]:
    """`overall`, `perAnswerType` and `perQuestionType` in per cent, rounded as officially.

    Unrounded ratios are added left to right by plain addition, so another order of the samples may
    change a total beyond the digits that are printed, and nothing else. A type that is None is not known
    and counts in no row; an empty one is a type like any other.

    Raises:
        DataError: no scores at all.
    """
    if not len(scores):
        raise DataError("there is nothing to add up: no question was scored.")
    column = np.asarray(scores, np.float64)
    return {
        "overall": round(100 * added(column) / len(column), digits),
        "perAnswerType": _by_type(column, answer_types, digits),
        "perQuestionType": _by_type(column, question_types, digits),
    }


def added(scores: Sequence[float] | np.ndarray[Any, Any]) -> float:
    """The sum from left to right.

    Neither `sum`, which compensates from Python 3.12 on, nor numpy's, which adds in pairs: the
    official numbers do not.
    """
    return float(np.add.accumulate(np.asarray(scores, np.float64))[-1]) if len(scores) else 0.0


def _by_type(
    column: np.ndarray[Any, Any], types: Sequence[str | None], digits: int
) -> dict[str, float]:
    if len(types) != len(column):
        raise ValueError(f"{len(column)} scores and {len(types)} types")
    kinds = dict.fromkeys(types)
    numbers = {kind: number for number, kind in enumerate(kinds)}
    of = np.fromiter(map(numbers.__getitem__, types), np.intp, len(types))
    # bincount goes through the scores once, in their order
    sums = np.bincount(of, column).tolist()
    counts = np.bincount(of).tolist()
    return {
        kind: round(100 * sums[number] / counts[number], digits)
        for kind, number in numbers.items()
        if kind is not None
    }


def printed(official: Mapping[str, Any]) -> list[str]:
    """The lines of the official demo: overall, then a line a question type and an answer type."""
    lines = [f"Overall Accuracy is: {official['overall']:.02f}"]
    for table in ("perQuestionType", "perAnswerType"):
        lines += [f"{kind} : {value:.02f}" for kind, value in official[table].items()]
    return lines


def results_by_question(ids: Sequence[Any], results: Any) -> list[str]:
    """The answers of a results file, in the order of the annotations' question ids.

    `results` is the parsed JSON: an array of objects with `question_id` and `answer`. Its ids must
    be those of the annotations, no more and no fewer; of a repeated id the last counts.

    Raises:
        DataError: another form, a missing key, other ids.
    """
    if not isinstance(results, list):
        raise DataError("a VQA results file is a JSON array of {question_id, answer}.")
    found: dict[Any, str] = {}
    for place, row in enumerate(results, 1):
        if not isinstance(row, Mapping) or "question_id" not in row or "answer" not in row:
            raise DataError(f"result {place} must have question_id and answer.")
        if not isinstance(row["question_id"], int | str | float):
            raise DataError(f"result {place}: {row['question_id']!r} is no question_id.")
        found[row["question_id"]] = row["answer"]
    missing = [i for i in ids if i not in found]
    if missing:
        raise DataError(f"{len(missing)} questions have no result, the first is {missing[0]!r}.")
    extra = found.keys() - set(ids)
    if extra:
        raise DataError(
            f"{len(extra)} results answer no question of the annotations, one of them is "
            f"{min(extra, key=repr)!r}."
        )
    return [found[i] for i in ids]
