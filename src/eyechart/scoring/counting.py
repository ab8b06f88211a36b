"""Counting: is the number that the model gave the true one?

Protocol `countqa` reads and scores as EvalScope's CountQA adapter does; `count_final` reads the
count that the reply finally states.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.text import filters as answer_filters
from eyechart.text.counts import final_count
from eyechart.values import Count, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WRAPPING = "*`_\"'.,:; \n"
_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = 4300
_LARGEST = 2**63 - 1
# 5 %: |predicted - true| <= true / 20
_RELAXED = 0.05


def extract(reply: str) -> str:
    """The digits of the count as the CountQA adapter finds them, without leading zeros, or "".

    The reply without white space and then without ``*`_"'.,:;`` at its ends, if that is digits
    only; otherwise the first run of digits in the whole reply. Signs, decimals and number words are
    not read; digits of every script are.

    Raises:
        DataError: more than 4,300 digits.
    """
    bare = reply.strip().strip(_WRAPPING)
    whole = _DIGITS.fullmatch(bare)
    run = whole or _DIGITS.search(reply)
    if run is None:
        return ""
    if len(run.group()) > _MOST_DIGITS:
        raise DataError(f"a number of more than {_MOST_DIGITS} digits.")
    return str(int(run.group()))


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


def _score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    rows = []
    for sample, reading in zip(samples, readings, strict=True):
        if not isinstance(sample.target, Count):
            raise DataError(f"sample {sample.id}: its target must be a count.")
        value = reading.value
        rows.append(worth(value if isinstance(value, int) else None, sample.target.value))
    return {
        "accuracy": [exact for exact, _ in rows],
        "relaxed_accuracy": [relaxed for _, relaxed in rows],
    }


def _official(_samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The means over all replies, rounded to four decimals as EvalScope's report does."""
    return {
        name: round(sum(float(v) for v in column) / len(column), 4)
        for name, column in columns.items()
        if len(column)
    }


_METRICS = (
    Metric("accuracy", "the count is the true one"),
    Metric("relaxed_accuracy", "the count is within 5 % of the true one"),
)


def countqa(filters: Any = ()) -> Protocol:
    """The protocol `countqa`; `filters` are run on the reply first (see `text.filters.build`).

    Raises:
        UsageError: an unknown filter, a bad regular expression.
    """
    prepared = answer_filters.build(filters)

    def read(_sample: Sample, text: str) -> Reading:
        try:
            digits = extract(prepared(text))
        except DataError as error:
            return Reading(status="malformed", reason=str(error))
        if not digits:
            return Reading(status="malformed", reason="no digits in the reply")
        if int(digits) > _LARGEST:
            return Reading(status="malformed", reason="a number too large to be a count")
        return Reading(status="ok", value=int(digits))

    return Protocol(
        name="countqa",
        version=1,
        tasks=frozenset({"count"}),
        metrics=_METRICS,
        primary="accuracy",
        about="the first run of digits in the raw reply, as EvalScope's CountQA adapter reads it",
        source="modelscope/evalscope evalscope/benchmarks/count_qa, fde259d2a32a",
        score=_score,
        read_text=read,
        official=_official,
        reasoning="keep",
        options={"filters": filters} if filters else {},
    )


COUNTQA = countqa()


def _read_final(_sample: Sample, text: str) -> Reading:
    return final_count(text)


COUNT_FINAL = Protocol(
    name="count_final",
    version=1,
    tasks=frozenset({"count"}),
    metrics=_METRICS,
    primary="accuracy",
    about="the count that the reply finally states, English number words included",
    source="eyechart's own; the rules stand in eyechart.text.counts",
    score=_score,
    read_text=_read_final,
)
