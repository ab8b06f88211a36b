"""Recall of phrases: any box, merged boxes, orders and NaN, worked by hand; the printed table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart import scoring
from eyechart.errors import DataError, UsageError
from eyechart.scoring.boxes import raw_iou
from eyechart.scoring.flickr import (
    FLICKR_ANY,
    FLICKR_MERGED,
    METRICS,
    by_category,
    kosmos2_flickr,
    recalls,
    table,
)
from eyechart.values import Boxes, Image, Reading, Sample

if TYPE_CHECKING:
    from eyechart.values import Box

UNIT: Box = (0.0, 0.0, 10.0, 10.0)
FAR: Box = (50.0, 50.0, 60.0, 60.0)
POINT: Box = (5.0, 5.0, 5.0, 5.0)
NUMBERS = st.integers(0, 6).map(float)
BOXES = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=12)


def row(predicted: list[Box], true: list[Box], *, merged: bool = False) -> list[float]:
    found: list[float] = recalls([predicted], [true], merged=merged)[0].tolist()
    return found


def test_the_sixth_box_counts_from_recall_at_ten_on() -> None:
    assert row([FAR] * 5 + [UNIT], [UNIT]) == [0, 0, 1, 1]
    assert row([FAR] * 10 + [UNIT], [UNIT]) == [0, 0, 0, 1]
    assert row([], [UNIT]) == [0, 0, 0, 0]


def test_any_true_box_and_the_box_around_all() -> None:
    # around both: 0..10 x 0..20, of which one is exactly the half
    below: Box = (0.0, 10.0, 10.0, 20.0)
    assert row([below], [UNIT, below]) == [1, 1, 1, 1]
    assert row([below], [UNIT, below], merged=True) == [1, 1, 1, 1]
    assert row([UNIT], [UNIT, FAR], merged=True) == [0, 0, 0, 0]
    assert row([(0.0, 0.0, 60.0, 60.0)], [UNIT, FAR], merged=True) == [1, 1, 1, 1]


def test_a_pair_of_empty_boxes_hides_the_hits_beside_it() -> None:
    # the first box is a hit; the second and the second true one are 0/0, a miss from there on
    assert row([UNIT, POINT], [UNIT, POINT]) == [1, 0, 0, 0]
    assert row([POINT, UNIT], [UNIT, POINT]) == [0, 0, 0, 0]
    assert row([UNIT], [UNIT]) == [1, 1, 1, 1]
    empty: Box = (0.0, 0.0, 0.0, 0.0)
    assert row([UNIT, empty], [UNIT]) == [1, 1, 1, 1]


@given(st.lists(st.tuples(BOXES, BOXES.filter(bool)), max_size=6), st.booleans())
def test_all_phrases_at_once_are_as_one_at_a_time(
    phrases: list[tuple[list[Box], list[Box]]], merged: bool
) -> None:
    found = recalls([p for p, _ in phrases], [t for _, t in phrases], merged=merged)
    for (predicted, true), values in zip(phrases, found.tolist(), strict=True):
        truth = np.array(true)
        if merged:
            truth = np.array([[*truth[:, :2].min(axis=0), *truth[:, 2:].max(axis=0)]])
        pairs = raw_iou(np.array(predicted or [(0.0,) * 4])[:, None], truth[None])
        with np.errstate(all="ignore"):
            wanted = [bool(pairs[:k].max() >= 0.5) for k in (1, 5, 10, None)]
        assert values == wanted


def sample(name: str, *true: Box, category: str | None = None) -> Sample:
    tags = {} if category is None else {"categories": category}
    asked = {"phrase": "a", "caption": "a"}
    return Sample(name, "ground_phrases", Image("p.jpg", 100, 100), asked, Boxes(true), "p", tags)


def test_scores_put_the_boxes_in_order_where_each_has_one() -> None:
    reading = Reading("ok", boxes=(FAR, UNIT), scores=(0.1, 0.9))
    assert FLICKR_ANY.score([sample("1", UNIT)], [reading])["recall@1"] == [1.0]
    unscored = Reading("ok", boxes=(FAR, UNIT))
    assert FLICKR_ANY.score([sample("1", UNIT)], [unscored])["recall@1"] == [0.0]
    assert FLICKR_MERGED.score([sample("1", UNIT)], [Reading("none")])["upper_bound"] == [0.0]


def test_no_samples_and_no_true_box() -> None:
    assert FLICKR_ANY.score([], []) == {name: [] for name in METRICS}
    assert FLICKR_ANY.official is not None
    assert FLICKR_ANY.official([], {name: [] for name in METRICS}) == {}
    with pytest.raises(DataError, match=r"sample 7: .* at least one true box"):
        FLICKR_ANY.score([sample("7")], [Reading("none")])
    with pytest.raises(DataError, match="phrase 2 has no true box"):
        recalls([[], []], [[UNIT], []])


def test_a_phrase_counts_in_each_of_its_categories_as_often_as_it_is_named() -> None:
    columns = np.array([[1.0] * 4, [0.0] * 4, [0.0] * 4])
    found = by_category([("people", "people"), ("people", "other"), ()], columns)
    assert found["all"] == [1 / 3] * 4
    assert found["people"] == [2 / 3] * 4
    assert found["other"] == [0.0] * 4


def test_the_table_is_framed_and_centred() -> None:
    assert table({"all": [0.5, 1.0, 1.0, 1.0], "people": [0.25] * 4}) == [
        "+-------------+-----+--------+",
        "|   Recall@k  | all | people |",
        "+-------------+-----+--------+",
        "|   Recall@1  | 0.5 |  0.25  |",
        "|   Recall@5  | 1.0 |  0.25  |",
        "|  Recall@10  | 1.0 |  0.25  |",
        "| Upper_bound | 1.0 |  0.25  |",
        "+-------------+-----+--------+",
    ]


def test_official_totals_are_by_category() -> None:
    samples = [sample("1", UNIT, category="people/other"), sample("2", UNIT)]
    columns = {name: [1.0, 0.0] for name in METRICS}
    assert FLICKR_ANY.official is not None
    made = FLICKR_ANY.official(samples, columns)
    assert made["recall@5"] == {"all": 0.5, "other": 1.0, "people": 1.0}
    assert made["printed"][1] == "|   Recall@k  | all | other | people |"


def test_the_protocols_are_known_and_the_grid_is_an_option() -> None:
    assert scoring.find("flickr_any") is FLICKR_ANY
    assert scoring.find("flickr_merged") is FLICKR_MERGED
    assert scoring.find("kosmos2_flickr", {"grid": 16}).options == {"grid": 16}
    with pytest.raises(UsageError, match="whole number from 1 on"):
        kosmos2_flickr(0)
