"""Counting: is the number that the model gave the true one, and how far is it off?

Protocol `countqa` reads and scores as EvalScope's CountQA adapter does; `count_final` reads the
count that the reply finally states.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.text import filters as answer_filters
from eyechart.text.counts import final_count
from eyechart.text.digits import first_runs
from eyechart.values import Count, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    _Array = NDArray[Any]

_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = 4300
_LARGEST = 2**63 - 1
# up to here int64 and float64 hold every whole number, so that arrays compare as Python does
_EXACT = 2**53
# 5 %: |predicted - true| <= 0.05 * true, inclusive
_RELAXED = 0.05


def extract(reply: str) -> str:
    """The digits of the count as the CountQA adapter finds them, without leading zeros, or "".

    The first run of digits in the reply. (The adapter first takes white space and ``*`_"'.,:;`` off
    the ends and looks whether only digits are left; they are then the first run as well.) Signs,
    decimals and number words are not read; digits of every script are.

    Raises:
        DataError: more than 4,300 digits.
    """
    run = _DIGITS.search(reply)
    return _plain(run.group()) if run else ""


def _plain(digits: str) -> str:
    if len(digits) > _MOST_DIGITS:
        raise DataError(f"a number of more than {_MOST_DIGITS} digits.")
    return str(int(digits))


def match(extracted: str, truth: str) -> tuple[float, float]:
    """Accuracy and relaxed accuracy (5 %, inclusive; exact for a truth of 0), each 0 or 1.

    Raises:
        DataError: the truth is not a whole number as Python's `int` reads it.
    """
    try:
        true = int(truth)
    except ValueError:
        raise DataError(f"the true count must be a whole number, it is {truth[:40]!r}.") from None
    return worth(int(extracted) if extracted else None, true)


def worth(count: int | None, true: int) -> tuple[float, float]:
    """As `match`, of a count (None where none was read) and the true one."""
    if count is None:
        return 0.0, 0.0
    exact = float(count == true)
    if true == 0 or abs(true) > _LARGEST:
        return exact, exact
    return exact, float(abs(count - true) <= _RELAXED * true)


def _score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, Sequence[float]]:
    targets = [sample.target for sample in samples]
    if set(map(type, targets)) - {Count}:
        wrong = next(one for one in samples if not isinstance(one.target, Count))
        raise DataError(f"sample {wrong.id}: its target must be a count.")
    truths = [target.value for target in targets if isinstance(target, Count)]
    # arrays are sequences of floats in all but their type
    return cast("dict[str, Sequence[float]]", columns([one.value for one in readings], truths))


def columns(counts: Sequence[object], truths: Sequence[int]) -> dict[str, NDArray[np.float64]]:
    """An array for each metric, aligned with the counts: ints, or digits of more than 64 bits.

    Any other count is worth 0 throughout.

    `mae` holds absolute errors, `rmse` squared ones, `bias` predicted - true. All are finite: an
    error is taken as at most 2^64.
    """
    read = np.ones(len(counts), bool)
    kinds = set(map(type, counts))
    if kinds - {int, type(None)}:
        counts = list(map(_number, counts))
    if kinds != {int}:
        read = np.array([count is not None for count in counts], bool)
        counts = [count or 0 for count in counts]
    try:
        count, true = np.array(counts, np.int64), np.array(truths, np.int64)
    except OverflowError:
        return _columns(*_one_by_one(counts, truths), read)
    if not all(len(one) == 0 or -_EXACT < one.min() <= one.max() < _EXACT for one in (count, true)):
        return _columns(*_one_by_one(counts, truths), read)
    bias = (count - true).astype(np.float64)
    exact = count == true
    near = np.where(true == 0, exact, np.abs(bias) <= _RELAXED * true)
    return _columns(exact, near, bias, read)


def _number(count: object) -> int | None:
    if isinstance(count, str):
        return int(count) if count.isdecimal() and len(count) <= _MOST_DIGITS else None
    return count if isinstance(count, int) else None


def _one_by_one(counts: Sequence[Any], truths: Sequence[int]) -> tuple[_Array, _Array, _Array]:
    """Hits, near hits and errors where numbers are too large for arrays to compare exactly."""
    pairs = list(zip(counts, truths, strict=True))
    marks = np.array([worth(count, true) for count, true in pairs], bool)
    bias = [max(-(2**64), min(count - true, 2**64)) for count, true in pairs]
    return marks[:, 0], marks[:, 1], np.array(bias, np.float64)


def _columns(exact: _Array, near: _Array, bias: _Array, read: _Array) -> dict[str, _Array]:
    bias = np.where(read, bias, 0.0)
    return {
        "accuracy": (exact & read).astype(np.float64),
        "relaxed_accuracy": (near & read).astype(np.float64),
        "mae": np.abs(bias),
        "rmse": bias * bias,
        "bias": bias,
    }


def _official(_samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The means over all replies, rounded to four decimals as EvalScope's report does."""
    return {
        name: round(sum(float(v) for v in columns[name]) / len(columns[name]), 4)
        for name in ("accuracy", "relaxed_accuracy")
        if len(columns[name])
    }


_METRICS = (
    Metric("accuracy", "the count is the true one"),
    Metric("relaxed_accuracy", "the count is within 5 % of the true one"),
    Metric("mae", "mean |count - true|", "count", higher_is_better=False, over="read"),
    Metric(
        "rmse",
        "root of the mean squared error",
        "count",
        higher_is_better=False,
        over="read",
        root=True,
    ),
    Metric(
        "bias",
        "mean of count - true: above 0 too many",
        "count",
        higher_is_better=None,
        over="read",
    ),
)
_FORMULA = (
    "accuracy: count = true; relaxed: |count - true| <= 0.05 true (exact where true is 0), both 0 "
    "where no count was read; mae, rmse, bias: of count - true where one was read"
)
_NONE = Reading("malformed", reason="no digits in the reply")


def _reading_of(run: int | str | None) -> Reading:
    """The reading that a first run of digits means; its value is text where a record cannot hold it."""
    if run is None:
        return _NONE
    if isinstance(run, int):
        return Reading("ok", value=run)
    try:
        digits = _plain(run)
    except DataError as error:
        return Reading("malformed", reason=str(error))
    return Reading("ok", value=count if (count := int(digits)) <= _LARGEST else digits)


def read_texts(texts: Sequence[str]) -> list[Reading]:
    """The readings of many replies at once by countqa's rule; equal counts share one."""
    runs = first_runs(texts)
    readings = {run: _reading_of(run) for run in set(runs)}
    return list(map(readings.__getitem__, runs))


def countqa(filters: Any = ()) -> Protocol:
    """The protocol `countqa`; `filters` are run on the reply first (see `text.filters.build`).

    Raises:
        UsageError: an unknown filter, a bad regular expression.
    """
    prepared = answer_filters.build(filters)

    def read(_sample: Sample, text: str) -> Reading:
        run = _DIGITS.search(prepared(text))
        return _reading_of(run.group() if run else None)

    def read_many(texts: Sequence[str]) -> list[Reading]:
        return read_texts([prepared(text) for text in texts] if filters else texts)

    return Protocol(
        name="countqa",
        version=1,
        tasks=frozenset({"count"}),
        metrics=_METRICS,
        primary="accuracy",
        about="the first run of digits in the raw reply, as EvalScope's CountQA adapter reads it",
        source="modelscope/evalscope evalscope/benchmarks/count_qa, fde259d2a32a",
        formula=_FORMULA,
        score=_score,
        read_text=read,
        text_alone=True,
        read_texts=read_many,
        official=_official,
        reasoning="keep",
        options={"filters": filters} if filters else {},
    )


COUNTQA = countqa()


def _read_final(_sample: Sample, text: str) -> Reading:
    return final_count(text)


COUNT_FINAL = Protocol(
    name="count_final",
    version=2,
    tasks=frozenset({"count"}),
    metrics=_METRICS,
    primary="accuracy",
    about="the count that the reply finally states, number words of five languages included",
    source="eyechart's own; the rules stand in eyechart.text.counts",
    formula=_FORMULA,
    score=_score,
    read_text=_read_final,
    text_alone=True,
)
