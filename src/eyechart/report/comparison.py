"""The paired comparison of two runs, as a value: what `eyechart compare` says."""

from __future__ import annotations

import msgspec

from eyechart.report import figures as fig

_SHORT = {"B is better": "B better", "A is better": "A better", "not distinguishable": "unclear"}


class Difference(msgspec.Struct, frozen=True):
    """One metric under A and under B, and B minus A with its 95 % interval.

    `wins`, `losses` and `ties` count the samples on which B is better than, worse than and equal
    to A. `mcnemar_p` is given for right-or-wrong metrics only. `verdict` is in words. One picture
    alone shows no spread: then `low` and `high` are null.
    """

    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    wins: int
    losses: int
    ties: int
    verdict: str
    mcnemar_p: float | None = None
    unit: str = "ratio"
    higher_is_better: bool | None = True


class Comparison(msgspec.Struct, frozen=True):
    """Runs A and B on the same `n` samples of `groups` pictures, under one protocol version."""

    a: str
    b: str
    benchmark: str
    protocol: str
    version: int
    primary: str
    n: int
    groups: int
    metrics: dict[str, Difference]
    warnings: list[str] = []


def verdict(low: float | None, high: float | None, *, higher_is_better: bool | None = True) -> str:
    """What an interval of B minus A says: `B is better`, `A is better` or `not distinguishable`.

    Where neither higher nor lower is better it says `B is higher` or `A is higher`.

    An interval that touches 0 does not tell the runs apart, nor does one that is not known.
    """
    if low is None or high is None or low <= 0 <= high:
        return "not distinguishable"
    if higher_is_better is None:
        return "B is higher" if low > 0 else "A is higher"
    return "B is better" if (low > 0) == higher_is_better else "A is better"


def ordered(compared: Comparison) -> list[tuple[str, Difference]]:
    """All metrics by name, the primary one first."""
    return sorted(compared.metrics.items(), key=lambda pair: pair[0] != compared.primary)


def short(difference: Difference) -> str:
    """The verdict for a table: `B better`, `A better`, or `unclear` (not distinguishable)."""
    return _SHORT.get(difference.verdict, difference.verdict)


def by_sample(d: Difference) -> str:
    """On how many samples B won, lost and tied, and the McNemar test where there is one."""
    text = f"B wins {d.wins:,}, loses {d.losses:,}, ties {d.ties:,}"
    return text if d.mcnemar_p is None else f"{text}; McNemar {fig.probability(d.mcnemar_p)}"


def sentence(compared: Comparison, metric: str) -> str:
    """The verdict on one metric as a sentence that names both runs."""
    d = compared.metrics[metric]
    a, b = f"{compared.a} (A)", f"{compared.b} (B)"
    words = {
        "B is better": f"{b} is better than {a}",
        "A is better": f"{a} is better than {b}",
        "B is higher": f"{b} is higher than {a}",
        "A is higher": f"{a} is higher than {b}",
        "not distinguishable": f"{b} and {a} are not distinguishable",
    }.get(d.verdict, f"{b} against {a}, {d.verdict}")
    change = fig.change(d.difference, d.unit)
    interval = fig.span(d.low, d.high, d.unit, signed=True)
    return f"On {metric}, {words}: B - A is {change}, 95 % interval {interval}."
