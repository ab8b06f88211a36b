from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyechart.scoring.distributions import sign_test, t_cdf, t_quantile
from eyechart.scoring.statistics import clusters, group_codes, interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = {"alone": (1,), "equal": (4,), "unequal": (1, 2, 3, 5, 8)}


def clustered(
    rng: np.random.Generator, count: int, p: float, likeness: float, sizes: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """0 and 1 with mean p; within a cluster they correlate by `likeness`."""
    of_each = rng.choice(sizes, count)
    if likeness:
        rest = (1 - likeness) / likeness
        rates = rng.beta(p * rest, (1 - p) * rest, count)
    else:
        rates = np.full(count, p)
    codes = np.repeat(np.arange(count), of_each)
    return (rng.random(len(codes)) < rates[codes]).astype(np.float64), codes


def coverage(count: int, p: float, likeness: float, sizes: tuple[int, ...], times: int) -> float:
    rng = np.random.default_rng([count, int(100 * p), int(100 * likeness), *sizes])
    held = 0
    for _ in range(times):
        _, low, high, _ = interval(*clustered(rng, count, p, likeness, sizes))
        assert low is not None
        assert high is not None
        held += low <= p <= high
    return held / times


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("count", [20, 100, 1000])
def test_coverage(count: int, sizes: str) -> None:
    # 200 repetitions have a standard error of 1.5 points around 95, six such of 0.6
    times = 200 if count < 1000 else 60
    shares = [
        coverage(count, p, likeness, SIZES[sizes], times)
        for p, likeness in (
            (0.05, 0.3),
            (0.05, 0.7),
            (0.5, 0.0),
            (0.5, 0.5),
            (0.8, 0.1),
            (0.95, 0.7),
        )
    ]
    assert min(shares) >= 0.88
    assert 0.93 <= sum(shares) / len(shares) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("count", [20, 100])
@pytest.mark.parametrize("p", [0.05, 0.2, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("likeness", [0.0, 0.1, 0.3, 0.7])
def test_coverage_on_a_grid(count: int, p: float, likeness: float, sizes: str) -> None:
    assert 0.905 <= coverage(count, p, likeness, SIZES[sizes], 1000) <= 0.99


@pytest.mark.parametrize("count", [20, 100, 1000])
def test_coverage_of_means_that_are_not_0_or_1(count: int) -> None:
    rng = np.random.default_rng(count)
    held = 0
    for _ in range(400):
        codes = np.repeat(np.arange(count), 3)
        values = np.clip(0.6 + 0.15 * rng.standard_normal(count)[codes], 0, 1) * (
            rng.random(len(codes)) < 0.9
        )
        _, low, high, _ = interval(values, codes)
        # E[clip(0.6 + 0.15 Z)] to 4 digits, times 0.9
        held += low is not None and high is not None and low <= 0.9 * 0.59988 <= high
    assert 0.91 <= held / 400 <= 0.99


def test_nothing_wrong_is_not_certainty() -> None:
    # one question a picture: the Wilson interval for 20 samples, 20 / (20 + z^2)
    right = interval(np.ones(20), np.arange(20))
    assert right.low is not None
    assert right.value == right.high == 1.0
    assert right.low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)
    wrong = interval(np.zeros(20), np.arange(20))
    assert wrong.value == wrong.low == 0.0
    assert wrong.high == pytest.approx(1 - right.low)
    # ten questions a picture say no more than one, where all of a picture are alike
    assert interval(np.ones(200), np.arange(200) // 10).low == pytest.approx(right.low)


def test_alone_it_is_nearly_the_wilson_interval() -> None:
    values = np.array([1.0] * 700 + [0.0] * 300)
    found = interval(values, np.arange(1000))
    known = stats.binomtest(700, 1000).proportion_ci(method="wilson")
    assert found.value == 0.7
    assert found.low == pytest.approx(known.low, abs=1e-3)
    assert found.high == pytest.approx(known.high, abs=1e-3)


def test_questions_alike_within_a_picture_count_as_one() -> None:
    values = np.repeat(np.array([1.0] * 60 + [0.0] * 40), 5)
    one_each = interval(values[::5], np.arange(100))
    five_each = interval(values, np.arange(500) // 5)
    assert five_each.low == pytest.approx(one_each.low, abs=2e-3)
    assert five_each.high == pytest.approx(one_each.high, abs=2e-3)


def test_a_single_picture_says_almost_nothing() -> None:
    found = interval([1.0] * 50, ["x"] * 50)
    assert found.low is not None
    assert found.low < 0.21  # Wilson for one sample: 1 / (1 + z^2)
    assert interval([3.0] * 50, ["x"] * 50, "count")[:3] == (3.0, None, None)


def test_no_samples() -> None:
    assert interval([], []) == (None, None, None, 0)


def test_other_units_get_a_t_interval() -> None:
    values = [3.0, 4.0, 5.0, 8.0]
    found = interval(values, list("abcd"), "pixels")
    known = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert found.low == pytest.approx(known[0])
    assert found.high == pytest.approx(known[1])


def test_names_and_codes_are_the_same_clusters() -> None:
    names = ["b", "a", "b", "c"]
    codes = group_codes(names)
    assert codes.tolist() == [0, 1, 0, 2]
    values = [1.0, 0.0, 0.5, 1.0]
    assert interval(values, names) == interval(values, codes) == interval(values, np.array(names))
    # codes of a slice have gaps
    assert interval(values, codes * 1000) == interval(values, codes)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_must_be_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        interval([1.0, bad], ["a", "b"])


def test_values_and_groups_must_be_aligned() -> None:
    with pytest.raises(ValueError, match="groups"):
        clusters([1.0, 0.0], ["a"])


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=40))
def test_ratios_stay_within_0_and_1_and_never_without_width(rows: list[tuple[float, int]]) -> None:
    value, low, high, n = interval([v for v, _ in rows], [g for _, g in rows])
    assert value is not None
    assert low is not None
    assert high is not None
    assert 0.0 <= low <= value <= high <= 1.0
    assert low < high
    assert n == len(rows)


@pytest.mark.parametrize("df", [1, 1.5, 2, 3, 9.7, 19, 99, 4999, 123456])
@pytest.mark.parametrize("p", [0.005, 0.3, 0.5, 0.9, 0.975, 0.9995])
def test_t_against_scipy(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-8, abs=1e-12)
    assert t_cdf(t_quantile(p, df), df) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (0.5, 0)])
def test_t_has_limits(p: float, df: float) -> None:
    with pytest.raises(ValueError, match="quantile"):
        t_quantile(p, df)


@pytest.mark.parametrize(
    ("first", "second"),
    [(0, 0), (1, 0), (3, 3), (1, 9), (9, 1), (10, 30), (0, 1000), (5000, 5200), (250_000, 251_500)],
)
def test_sign_test_against_scipy(first: int, second: int) -> None:
    n = first + second
    expected = stats.binomtest(first, n).pvalue if n else 1.0
    assert sign_test(first, second) == pytest.approx(expected, rel=1e-7)
