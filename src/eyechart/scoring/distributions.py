"""Student's t and the binomial distribution, as far as intervals and tests here need them."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_NORMAL = NormalDist()
# above this many degrees of freedom t and the normal distribution agree to six digits
_AS_GOOD_AS_NORMAL = 1e6


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in 0..1.

    By its continued fraction, evaluated from the front (Lentz); relative error about 1e-10 for
    arguments up to a million.
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    c = 1.0
    d = 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    # convergence takes of the order of sqrt(max(a, b)) steps
    for m in range(1, 200 + int(20 * math.sqrt(max(a, b)))):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _away_from_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


def t_cdf(t: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom is at most `t`."""
    if df >= _AS_GOOD_AS_NORMAL:
        return _NORMAL.cdf(t)
    tail = 0.5 * incomplete_beta(df / 2.0, 0.5, df / (df + t * t))
    return 1.0 - tail if t > 0 else tail


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """The value that Student's t with `df` degrees of freedom stays below with probability `p`."""
    if not 0.0 < p < 1.0 or df <= 0:
        raise ValueError(f"no t quantile at p={p}, df={df}")
    if df >= _AS_GOOD_AS_NORMAL:
        return _NORMAL.inv_cdf(p)
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    low, high = 0.0, 2.0
    while t_cdf(high, df) < p:
        low, high = high, 2.0 * high
    # Newton's steps, and halves of the bracket where one would leave it
    at = min(max(_NORMAL.inv_cdf(p), low), high)
    for _ in range(200):
        apart = t_cdf(at, df) - p
        low, high = (at, high) if apart < 0 else (low, at)
        step = at - apart / _t_density(at, df)
        if not low <= step <= high:
            step = (low + high) / 2.0
        if abs(step - at) <= 1e-14 * max(1.0, abs(at)):
            return step
        at = step
    return at


def _t_density(t: float, df: float) -> float:
    front = math.lgamma((df + 1.0) / 2.0) - math.lgamma(df / 2.0) - 0.5 * math.log(df * math.pi)
    return math.exp(front - (df + 1.0) / 2.0 * math.log1p(t * t / df))


def sign_test(first: int, second: int) -> float:
    """The two-sided exact probability of a split at least as uneven as `first` : `second`.

    Under the hypothesis that each of the `first + second` cases falls either way with probability
    one half. 1.0 where there are none.
    """
    n = first + second
    fewer = min(first, second)
    if n == 0 or 2 * fewer == n:
        return 1.0
    return min(1.0, 2.0 * incomplete_beta(n - fewer, fewer + 1.0, 0.5))
