"""The integer stream: splitmix64 as published, and fair draws."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from eyechart.chart.generator import Stream, mixed

GOLDEN = 0x9E3779B97F4A7C15


def test_the_mixer_gives_the_published_outputs_for_seed_1234567() -> None:
    outputs = [mixed(1234567 + k * GOLDEN) for k in range(1, 6)]
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=4), st.integers(1, 2**40))
def test_draws_depend_on_the_keys_alone_and_keep_their_bounds(keys: list[int], bound: int) -> None:
    first, again = Stream(*keys), Stream(*keys)
    drawn = [first.below(bound) for _ in range(5)]
    assert drawn == [again.below(bound) for _ in range(5)]
    assert all(0 <= value < bound for value in drawn)


def test_neighbouring_keys_and_their_order_give_unrelated_streams() -> None:
    starts = {Stream(a, b).bits() for a in range(40) for b in range(40)}
    assert len(starts) == 1600


def test_weights_are_kept_to() -> None:
    stream = Stream(5)
    drawn = Counter(stream.weighted((("a", 3), ("b", 1), ("never", 0))) for _ in range(4000))
    assert set(drawn) == {"a", "b"}
    assert 2850 < drawn["a"] < 3150


@given(st.integers(0, 10**9), st.lists(st.integers(), max_size=20))
def test_shuffling_keeps_every_item(seed: int, items: list[int]) -> None:
    assert sorted(Stream(seed).shuffled(items)) == sorted(items)
