"""Two runs on the same samples: the difference, its 95 % interval, who won which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eyechart.scoring.distributions import sign_test, t_quantile
from eyechart.scoring.statistics import clusters

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from eyechart.scoring import Unit

_P = 0.975


@dataclass(frozen=True, slots=True)
class Paired:
    """How run A compares with run B on the same samples.

    `difference` is the mean of A less the mean of B with its interval; `wins` counts samples on
    which A is higher. `mcnemar` is the exact two-sided probability of McNemar's test where both
    columns hold only 0 and 1, taking the samples as independent; None otherwise. The interval
    knows the clusters; the test does not.
    """

    difference: float | None
    low: float | None
    high: float | None
    wins: int
    losses: int
    ties: int
    n: int
    mcnemar: float | None


def paired(
    a: ArrayLike,
    b: ArrayLike,
    groups: ArrayLike | Sequence[Hashable],
    unit: Unit = "ratio",
) -> Paired:
    """Compares two aligned columns of values, clustered by group (see `statistics.clusters`).

    The interval is the t interval of the cluster-robust variance of the differences. For columns of
    0 and 1 one average cluster won and one lost are added to that variance (as Bonett and Price,
    2012, add a pair each way), so that runs without any disagreement get an interval of about
    3 / clusters either way instead of an empty one. Ratios stay within -1..1.

    Raises:
        ValueError: columns of different lengths, or a value that is not finite.
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape:
        raise ValueError(f"{first.shape} values beside {second.shape}")
    apart = first - second
    summed = clusters(apart, groups)
    n, count = len(apart), len(summed.sums)
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    if n == 0:
        return Paired(None, None, None, 0, 0, 0, 0, None)
    binary = bool(np.isin(first, (0.0, 1.0)).all() and np.isin(second, (0.0, 1.0)).all())
    low: float | None = None
    high: float | None = None
    # without any difference the spread of one is not known, but for ratios
    if count > 1 and (unit == "ratio" or apart.any()):
        # one average cluster each way adds 2 (n / clusters)^2 to the sum of squares
        added = 2.0 / count**2 if unit == "ratio" and (binary or not apart.any()) else 0.0
        half = t_quantile(_P, summed.freedom) * math.sqrt(summed.variance() + added)
        low, high = summed.mean - half, summed.mean + half
        if unit == "ratio":
            low, high = max(low, -1.0), min(high, 1.0)
    return Paired(
        difference=summed.mean,
        low=low,
        high=high,
        wins=wins,
        losses=losses,
        ties=n - wins - losses,
        n=n,
        mcnemar=sign_test(wins, losses) if binary else None,
    )
