"""A mean with its 95 % interval where samples come in clusters (several questions a picture)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eyechart.scoring.distributions import t_quantile

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from eyechart.scoring import Unit

_P = 0.975
_Z = 1.959963984540054
# how many informative clusters (squared) the assumption of wholly alike clusters weighs
_PRIOR = 2.0


class Interval(NamedTuple):
    """A mean, the ends of its 95 % interval, and the number of samples.

    All but `n` are None where there are no samples; `low` and `high` also where one cluster of an
    unbounded unit says nothing about the others.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


class Clusters(NamedTuple):
    """Values summed by cluster: the sums and the sizes, both `(clusters,)`."""

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The mean over all samples."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def alike(self) -> float:
        """The design effect if all samples of a cluster were the same (Kish): sum n_g^2 / n."""
        return float((self.sizes**2).sum() / self.sizes.sum())

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the clusters' variance: their effective number less one."""
        return max(float(self.sizes.sum()) / self.alike - 1.0, 1.0)

    def variance(self) -> float:
        """The cluster-robust variance of the mean; 0 for a single cluster."""
        count = len(self.sums)
        if count < 2:
            return 0.0
        residuals = self.sums - self.mean * self.sizes
        return float((residuals**2).sum()) * count / (count - 1) / float(self.sizes.sum()) ** 2


def group_codes(names: Iterable[Hashable]) -> NDArray[np.int64]:
    """Each name's number in the order of first appearance, `(n,)`: make it once, use it often."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(name, len(seen)) for name in names], np.int64)


def rooted(squares: ArrayLike) -> NDArray[np.float64]:
    """Values whose mean is the root of the mean of `squares`, linear in each of them.

    Their variance is that of the root by the delta method. All 0 where the mean is.
    """
    column = np.asarray(squares, np.float64)
    root = math.sqrt(float(column.mean())) if len(column) else 0.0
    return root / 2.0 + column / (2.0 * root) if root > 0 else np.zeros(len(column))


def clusters(values: ArrayLike, groups: ArrayLike | Sequence[Hashable]) -> Clusters:
    """Sums and sizes by group; `groups` are codes from `group_codes`, or any names.

    Raises:
        ValueError: lengths that differ, or a value that is not finite.
    """
    column = np.asarray(values, np.float64)
    codes = np.asarray(groups)
    if codes.dtype.kind not in "iu":
        codes = group_codes(codes.tolist())
    if column.shape != codes.shape:
        raise ValueError(f"{column.shape} values but {codes.shape} groups")
    if not np.isfinite(column).all():
        raise ValueError("a value is not finite")
    sizes = np.bincount(codes).astype(np.float64)
    there = sizes > 0
    sums = np.asarray(np.bincount(codes, column), np.float64)
    return Clusters(sums[there], sizes[there])


def interval(
    values: ArrayLike, groups: ArrayLike | Sequence[Hashable], unit: Unit = "ratio"
) -> Interval:
    """The mean of the values and its 95 % interval, clustered by group.

    A ratio (values within 0..1) gets a Wilson interval for its effective number of samples: the
    number that would give the mean the variance which the clusters show. Values between 0 and 1
    reduce it by (z / t)^2 for the few degrees of freedom that few clusters leave (Korn and
    Graubard, 1998); for plain right and wrong Wilson's own caution does that. Where hardly
    any cluster departs from 0 or 1 its variance cannot be estimated; then clusters are taken to be
    wholly alike, so that at 0 % and 100 % the effective number is that of the clusters (by Kish's
    formula) and the width is never empty. Other units get the t interval of the cluster-robust
    variance. In simulations with pictures of 1 to 8 questions and any likeness within pictures,
    coverage lies between 92 % and 98.5 % for 20 pictures or more. Deterministic.

    Raises:
        ValueError: lengths that differ, or a value that is not finite.
    """
    summed = clusters(values, groups)
    n = int(summed.sizes.sum())
    if n == 0:
        return Interval(None, None, None, 0)
    if unit != "ratio":
        if len(summed.sums) < 2:
            return Interval(summed.mean, None, None, n)
        half = t_quantile(_P, summed.freedom) * math.sqrt(summed.variance())
        return Interval(summed.mean, summed.mean - half, summed.mean + half, n)
    mean = min(max(summed.mean, 0.0), 1.0)
    effective = _effective_number(summed, mean, n)
    column = np.asarray(values)
    if not ((column == 0.0) | (column == 1.0)).all():
        effective *= (_Z / t_quantile(_P, summed.freedom)) ** 2
    low, high = _wilson(mean, effective)
    return Interval(mean, min(low, mean), max(high, mean), n)


def _effective_number(summed: Clusters, mean: float, n: int) -> float:
    rarer = summed.sums if mean <= 0.5 else summed.sizes - summed.sums
    squares = float((rarer**2).sum())
    # how many clusters hold the rarer outcome, unequal shares counted as fewer
    informative = float(rarer.sum()) ** 2 / squares if squares > 0 else 0.0
    spread = mean * (1.0 - mean)
    effect = summed.variance() * n / spread if spread > 0 else 0.0
    weight = informative**2
    effect = (weight * effect + _PRIOR * max(summed.alike, effect)) / (weight + _PRIOR)
    return n / effect


def _wilson(mean: float, n: float) -> tuple[float, float]:
    share = _Z * _Z / n
    centre = (mean + share / 2.0) / (1.0 + share)
    half = math.sqrt(mean * (1.0 - mean) * share + share * share / 4.0) / (1.0 + share)
    return max(centre - half, 0.0), min(centre + half, 1.0)
