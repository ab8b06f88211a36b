"""Which samples are asked: fair, nested, the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.runs.select import select
from eyechart.values import Count, Image, Sample

if TYPE_CHECKING:
    from pathlib import Path


def _samples(number: int) -> list[Sample]:
    return [
        Sample(f"s{i}", "count", Image(f"{i}.jpg"), {"question": "?"}, Count(i), f"{i}.jpg")
        for i in range(number)
    ]


def _ids(samples: list[Sample]) -> list[str]:
    return [sample.id for sample in samples]


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_smaller_limit_is_part_of_a_larger_one_in_file_order(small: int, large: int) -> None:
    small, large = sorted((small, large))
    every = _samples(50)
    some, more = _ids(select(every, str(small), None)), _ids(select(every, str(large), None))
    assert len(some) == min(small, 50)
    assert set(some) <= set(more)
    assert more == [name for name in _ids(every) if name in set(more)]


def test_the_choice_is_fixed_and_not_the_first_ones() -> None:
    # the SHA-256 of the ids decides: worked out with sha256sum
    assert _ids(select(_samples(10), "3", None)) == ["s5", "s7", "s8"]
    assert _ids(select(_samples(10), "first:3", None)) == ["s0", "s1", "s2"]
    assert len(select(_samples(10), None, None)) == 10


def test_listed_ids(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_bytes(b"\xef\xbb\xbfs7\r\n\r\ns2\r\n")
    assert _ids(select(_samples(10), None, path)) == ["s2", "s7"]
    path.write_text("s7\ns77\n")
    with pytest.raises(UsageError, match=r"ids\.txt: no sample has the id 's77'\. Did you mean s7"):
        select(_samples(10), None, path)


@pytest.mark.parametrize("limit", ["0", "-1", "ten", "first:", "1.5", ""])
def test_a_limit_that_is_no_number(limit: str) -> None:
    with pytest.raises(UsageError, match="write a number above 0, or first:N"):
        select(_samples(3), limit, None)


def test_the_same_id_twice_and_no_samples() -> None:
    with pytest.raises(DataError, match=r"'s0' stands twice .* at sample 4"):
        select([*_samples(3), *_samples(1)], None, None)
    with pytest.raises(DataError, match="no sample"):
        select([], None, None)
