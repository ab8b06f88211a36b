"""The paired comparison of two runs, as a value: what `eyechart compare` says."""

from __future__ import annotations

import msgspec


class Difference(msgspec.Struct, frozen=True):
    """One metric under A and under B, and B minus A with its 95 % interval.

    `wins`, `losses` and `ties` count the samples on which B is better than, worse than and equal
    to A. `mcnemar_p` is given for right-or-wrong metrics only. `verdict` is in words.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int
    verdict: str
    mcnemar_p: float | None = None
    unit: str = "ratio"
    higher_is_better: bool = True


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


def verdict(low: float, high: float, *, higher_is_better: bool = True) -> str:
    """What an interval of B minus A says: `B is better`, `A is better` or `not distinguishable`.

    An interval that touches 0 does not tell the runs apart.
    """
    if low <= 0 <= high:
        return "not distinguishable"
    return "B is better" if (low > 0) == higher_is_better else "A is better"
