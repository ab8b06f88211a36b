"""VQAv2 accuracy exactly as the official evaluation computes it (protocol `vqa_v2`).

Source: GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEvaluation/vqaEval.py`. Equality of strings
after its own normalisation, leave-one-out over the human answers; no synonyms, no partial matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.text.vqa import clean, normalise
from eyechart.values import Answer, Answers, Reading, Sample

Record = Answer | Mapping[str, Any]

# min(1, others / 3) for 0, 1, 2, 3 or more other people who said the same
_WORTH = (0.0, 1 / 3, 2 / 3, 1.0)


def accuracies(answers: Iterable[Sequence[Record]], replies: Iterable[str]) -> list[float]:
    """Each question's accuracy, an unrounded ratio.

    `answers` holds one sequence of records a question, an `Answer` or a mapping with at least
    `answer`; `replies` is aligned with it.

    Raises:
        DataError: a question without human answers, an answer or a reply that is not text; the
            message says which (counted from 1).
    """
    scores = []
    for place, (records, reply) in enumerate(zip(answers, replies, strict=True), 1):
        try:
            scores.append(accuracy(records, reply))
        except DataError as error:
            raise DataError(f"question {place}: {error}") from None
    return scores


def accuracy(records: Sequence[Record], reply: str) -> float:
    """One question's accuracy, an unrounded ratio.

    Where all cleaned human answers are the same string, nothing is normalised, the reply neither.
    For each person the others are those whose whole record differs (answer, id, confidence), so
    records without distinct ids drop out together: ten identical ones give 0.

    Raises:
        DataError: no human answers, an answer or a reply that is not text.
    """
    if not records:
        raise DataError("there are no human answers.")
    if not isinstance(reply, str):
        raise DataError(f"the reply must be text, it is {reply!r}.")
    texts = [clean(_text(record)) for record in records]
    reply = clean(reply)
    if len(set(texts)) > 1:
        texts = [normalise(text) for text in texts]
        reply = normalise(reply)
    same = texts.count(reply)
    if same == 0:
        return 0.0
    alike = [1] * len(texts) if _are_distinct(records) else _alike(records, texts)
    total = 0.0
    for text, itself in zip(texts, alike, strict=True):
        others = same - itself if text == reply else same
        total += _WORTH[min(others, 3)]
    return total / len(texts)


def _text(record: Record) -> str:
    text = record.answer if isinstance(record, Answer) else record.get("answer")
    if not isinstance(text, str):
        raise DataError(f"a human answer must be text, it is {text!r}.")
    return text


def _are_distinct(records: Sequence[Record]) -> bool:
    """Whether ids alone make every record different."""
    ids = [r.answer_id if isinstance(r, Answer) else r.get("answer_id") for r in records]
    return len({i for i in ids if isinstance(i, (int, str))}) == len(records)


def _alike(records: Sequence[Record], texts: Sequence[str]) -> list[int]:
    """How many records equal each one, itself included, once its answer reads as in `texts`."""
    whole: list[Any] = []
    for record, text in zip(records, texts, strict=True):
        if isinstance(record, Answer):
            whole.append((text, record.answer_id, record.confidence))
        else:
            whole.append({**record, "answer": text})
    return [sum(one == other for other in whole) for one in whole]


def totals(
    scores: Sequence[float],
    answer_types: Sequence[str | None],
    question_types: Sequence[str | None],
    digits: int = 2,
) -> dict[str, Any]:
    """`overall`, `perAnswerType` and `perQuestionType` in per cent, rounded as officially.

    Unrounded ratios are added left to right by plain addition. A type that is None is not known
    and counts in no row; an empty one is a type like any other.

    Raises:
        DataError: no scores at all.
    """
    if not scores:
        raise DataError("there is nothing to add up: no question was scored.")
    return {
        "overall": _per_cent(scores, digits),
        "perAnswerType": _by_type(scores, answer_types, digits),
        "perQuestionType": _by_type(scores, question_types, digits),
    }


def _per_cent(scores: Iterable[float], digits: int) -> float:
    total = 0.0
    count = 0
    for score in scores:
        # not sum(): from Python 3.12 on it compensates, which the official numbers do not
        total += score
        count += 1
    return round(100 * total / count, digits)


def _by_type(scores: Sequence[float], types: Sequence[str | None], digits: int) -> dict[str, float]:
    rows: dict[str, list[float]] = {}
    for score, kind in zip(scores, types, strict=True):
        if kind is not None:
            rows.setdefault(kind, []).append(score)
    return {kind: _per_cent(row, digits) for kind, row in rows.items()}


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


def _read(_sample: Sample, text: str) -> Reading:
    """The reply is the answer, as it stands; an empty one that was really said is one too."""
    return Reading(status="ok", value=text)


def _score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    column = []
    for sample, reading in zip(samples, readings, strict=True):
        if not isinstance(sample.target, Answers):
            raise DataError(f"sample {sample.id}: vqa_v2 needs human answers as its target.")
        if reading.value is None:
            column.append(0.0)
            continue
        try:
            column.append(accuracy(sample.target.answers, str(reading.value)))
        except DataError as error:
            raise DataError(f"sample {sample.id}: {error}") from None
    return {"accuracy": column}


def _score_exact(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    column = []
    for sample, reading in zip(samples, readings, strict=True):
        if not isinstance(sample.target, Answers):
            raise DataError(f"sample {sample.id}: vqa_exact needs answers as its target.")
        true = {normalise(one.answer) for one in sample.target.answers}
        column.append(float(reading.value is not None and normalise(str(reading.value)) in true))
    return {"accuracy": column}


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    if not samples:
        return {}
    result = totals(
        [float(score) for score in columns["accuracy"]],
        [sample.tags.get("answer_type") for sample in samples],
        [sample.tags.get("question_type") for sample in samples],
    )
    return {**result, "printed": printed(result)}


VQA_V2 = Protocol(
    name="vqa_v2",
    version=1,
    tasks=frozenset({"answer"}),
    metrics=(
        Metric("accuracy", "leave-one-out agreement with the human answers, min(1, others / 3)"),
    ),
    primary="accuracy",
    about="VQAv2 accuracy as the official evaluation computes it, unanimous answers as they stand",
    source="GT-Vision-Lab/VQA PythonEvaluationTools/vqaEvaluation/vqaEval.py, a013f0043c1e",
    score=_score,
    read_text=_read,
    official=_official,
)

VQA_EXACT = Protocol(
    name="vqa_exact",
    version=1,
    tasks=frozenset({"answer"}),
    metrics=(Metric("accuracy", "the reply equals one of the answers, both normalised"),),
    primary="accuracy",
    about="equal to any of the true answers after VQAv2's normalisation; not the official score",
    source="eyechart",
    score=_score_exact,
    read_text=_read,
)
