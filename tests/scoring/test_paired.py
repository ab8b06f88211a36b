from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyechart.scoring.paired import Paired, paired

values = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30
)


def told_apart(found: Paired) -> int:
    """1 where the interval lies above 0 (A is higher), -1 below, 0 where it holds 0."""
    assert found.low is not None
    assert found.high is not None
    return (found.low > 0) - (found.high < 0)


def test_worked_by_hand() -> None:
    a = [1, 1, 1, 1, 0, 0, 1, 0]
    b = [1, 0, 0, 1, 1, 0, 0, 0]
    found = paired(a, b, range(8))
    assert (found.wins, found.losses, found.ties, found.n) == (3, 1, 4, 8)
    assert found.difference == 0.25
    # two-sided: 2 * (C(4,0) + C(4,1)) / 2^4
    assert found.mcnemar == pytest.approx(0.625)
    # variance of d = (1, 1, 1, -1, 0 x 4) around 0.25 is 3.5 / 7, /8 for the mean, and 2 / 64 more
    half = stats.t.ppf(0.975, 7) * np.sqrt(0.5 / 8 + 2 / 64)
    assert found.low == pytest.approx(0.25 - half)
    assert found.high == pytest.approx(0.25 + half)
    assert told_apart(found) == 0


def test_a_clear_difference() -> None:
    a, b = [1.0] * 90 + [0.0] * 10, [0.0] * 60 + [1.0] * 40
    assert told_apart(paired(a, b, range(100))) == 1
    assert told_apart(paired(b, a, range(100))) == -1


def test_pictures_count_and_not_questions() -> None:
    # 100 questions, all about two pictures that fall A's way: no ground to tell the runs apart
    a, b = np.ones(100), np.r_[np.zeros(60), np.ones(40)]
    assert told_apart(paired(a, b, np.arange(100))) == 1
    assert told_apart(paired(a, b, np.arange(100) // 50)) == 0


def test_equal_runs_are_not_certain_to_be_equal() -> None:
    found = paired([1.0] * 100, [1.0] * 100, range(100))
    assert found.difference == 0.0
    assert found.mcnemar == 1.0
    assert found.high == pytest.approx(stats.t.ppf(0.975, 99) * np.sqrt(2) / 100)
    assert found.low == pytest.approx(-stats.t.ppf(0.975, 99) * np.sqrt(2) / 100)


def test_no_mcnemar_for_values_between_0_and_1() -> None:
    assert paired([0.5, 1.0, 0.2], [0.4, 1.0, 0.1], "abc").mcnemar is None


def test_unbounded_units_are_a_paired_t_test() -> None:
    a, b = [3.0, 9.0, 4.0, 7.0], [2.0, 5.0, 5.0, 1.0]
    found = paired(a, b, "abcd", "pixels")
    known = stats.ttest_rel(a, b).confidence_interval(0.95)
    assert found.low == pytest.approx(known.low)
    assert found.high == pytest.approx(known.high)


def test_one_picture_and_none() -> None:
    one = paired([1.0, 1.0], [0.0, 0.0], "aa")
    assert (one.low, one.high) == (None, None)
    assert paired([], [], []).difference is None


def test_columns_must_be_aligned() -> None:
    with pytest.raises(ValueError, match="beside"):
        paired([1.0], [1.0, 0.0], "a")


@pytest.mark.parametrize(("count", "share"), [(30, 0.05), (30, 0.5), (300, 0.05), (300, 0.5)])
def test_coverage_of_the_difference(count: int, share: float) -> None:
    rng = np.random.default_rng([count, int(100 * share)])
    codes = np.repeat(np.arange(count), 3)
    true = share * 0.4
    held = 0
    for _ in range(500):
        # pictures differ together: A right and B wrong in 70 % of those, the other way in 30 %
        kind = rng.random(count)
        a = np.where(kind < 0.7 * share, 1.0, np.where(kind < share, 0.0, 1.0))[codes]
        b = np.where(kind < 0.7 * share, 0.0, 1.0)[codes]
        found = paired(a, b, codes)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
    assert held / 500 >= 0.92


@given(values)
def test_swapping_the_runs_swaps_the_signs(rows: list[tuple[float, float, int]]) -> None:
    a, b, groups = (list(column) for column in zip(*rows, strict=True))
    forward, back = paired(a, b, groups), paired(b, a, groups)
    assert forward.difference is not None
    assert back.difference is not None
    assert forward.difference == pytest.approx(-back.difference)
    assert (forward.wins, forward.losses) == (back.losses, back.wins)
    if forward.low is not None and back.high is not None:
        assert forward.low == pytest.approx(-back.high)
        assert -1.0 <= forward.low <= forward.difference + 1e-12
