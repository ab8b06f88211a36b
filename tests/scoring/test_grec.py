"""Expressions with several targets, one or none: F1 per expression."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import UsageError
from eyechart.formats import mdetr
from eyechart.scoring import find
from eyechart.scoring.grec import grec, matched
from eyechart.values import Box, Boxes, Image, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path

A, B, C = (0.0, 0.0, 10.0, 10.0), (20.0, 0.0, 30.0, 10.0), (40.0, 0.0, 50.0, 10.0)
FAR = (90.0, 90.0, 99.0, 99.0)
NONE = Reading("none")


def sample(*boxes: Box) -> Sample:
    return Sample("s", "ground", Image("x.jpg", 640, 480), {}, Boxes(boxes), "x.jpg")


def ok(*boxes: Box, scores: tuple[float, ...] = ()) -> Reading:
    return Reading("ok", boxes=boxes, scores=scores)


def worth(truth: Sample, reading: Reading) -> tuple[float, float, float]:
    columns = find("grec").score([truth], [reading])
    f1, whole, decided = (column[0] for column in columns.values())
    return f1, whole, decided


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        ((A, B), (B, A), 1.0),
        ((A, B), (A,), 2 / 3),
        ((A, B), (A, FAR), 2 / 4),
        ((A, B, C), (A, C, FAR, FAR), 4 / 7),
        ((A,), (A, A), 2 / 3),
        ((A, A), (A,), 2 / 3),
        ((A, B), (FAR,), 0.0),
        ((A,), (A, B, C), 2 / 4),
    ],
)
def test_f1_by_hand(truth: tuple[Box, ...], said: tuple[Box, ...], expected: float) -> None:
    assert worth(sample(*truth), ok(*said)) == (expected, float(expected == 1.0), 1.0)


def test_no_target_is_answered_by_none_only() -> None:
    assert worth(sample(), NONE) == (1.0, 1.0, 1.0)
    assert worth(sample(), ok(A)) == (0.0, 0.0, 0.0)
    assert worth(sample(), Reading("ok")) == (0.0, 0.0, 0.0)
    assert worth(sample(A), NONE) == (0.0, 0.0, 0.0)


def test_rec_asks_for_one_box_and_grec_for_all() -> None:
    truth, reading = sample(A, B), ok(A)
    assert find("rec").score([truth], [reading])["acc@0.5"] == [1.0]
    assert worth(truth, reading) == (2 / 3, 0.0, 1.0)


def test_the_pair_that_overlaps_most_goes_first() -> None:
    # greedy, as the program: 0.9 leaves only 0.2 for the other pair, though 0.6 and 0.6 were there
    assert matched(np.array([[0.9, 0.6], [0.6, 0.2]])) == 1
    assert matched(np.array([[0.6, 0.9], [0.2, 0.6]])) == 1
    assert matched(np.array([[0.6, 0.0], [0.0, 0.5]])) == 2


def test_low_scores_are_no_part_of_the_answer() -> None:
    assert worth(sample(A), ok(A, B, scores=(0.7, 0.69))) == (1.0, 1.0, 1.0)
    assert worth(sample(), ok(A, scores=(0.2,))) == (1.0, 1.0, 1.0)
    assert worth(sample(A), ok(A, scores=(0.2,))) == (0.0, 0.0, 0.0)
    low = grec(min_score=0.1)
    assert low.score([sample(A)], [ok(A, scores=(0.2,))])["f1"] == [1.0]
    # the program keeps scores as float32, where 0.7 is 0.699999988
    assert grec("giou").score([sample(A)], [ok(A, scores=(0.7,))])["f1"] == [0.0]


def test_generalised_iou_is_stricter() -> None:
    # IoU 400 / 800, and the box around both has 900: 0.5 - 100 / 900
    truth, near = sample((0, 0, 30, 20)), ok((0, 0, 20, 30))
    assert grec("iou").score([truth], [near])["f1"] == [1.0]
    assert grec("giou").score([truth], [near])["f1"] == [0.0]
    swapped = ok((30, 0, 0, 20), (0, 0, 30, 20))
    assert grec("giou").score([truth], [swapped])["f1"] == [2 / 3]


def test_official_totals_are_over_their_own_samples() -> None:
    protocol, as_program = find("grec"), find("grec", {"overlap": "giou"})
    official = protocol.official
    assert official is not None
    assert as_program.official is not None
    samples = [sample(), sample(), sample(A), sample(A, B), sample(C)]
    columns = protocol.score(samples, [NONE, ok(A), ok(A), ok(A), NONE])
    got = official(samples, columns)
    assert got["N_acc"] == 1 / 2
    assert got["T_acc"] == 2 / 3
    assert got["F1_score"] == 2 / 5
    # the program thresholds another overlap, so its line is printed for that alone
    assert "printed" not in got
    assert as_program.official(samples, columns)["printed"] == [
        f"{{'F1_score': 0.4, 'T_acc': {2 / 3}, 'N_acc': 0.5}} results",
    ]
    part = official(samples[2:], {name: column[2:] for name, column in columns.items()})
    assert part == {"F1_score": 1 / 3, "T_acc": 2 / 3}
    assert official([], protocol.score([], [])) == {}


@pytest.mark.parametrize("options", [{"overlap": "diou"}, {"min_score": "high"}])
def test_bad_options_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=next(iter(options.values()))):
        find("grec", options)


sides = st.integers(0, 6)
box = st.tuples(sides, sides, sides, sides).map(
    lambda b: (b[0], b[1], b[0] + b[2] + 1, b[1] + b[3] + 1)
)


@given(st.lists(box, min_size=1, max_size=3), st.lists(box, min_size=1, max_size=3))
def test_f1_is_bounded_and_one_for_the_truth_itself(truth: list[Box], said: list[Box]) -> None:
    value = worth(sample(*truth), ok(*said))[0]
    assert 0.0 <= value <= 2 * min(len(truth), len(said)) / (len(truth) + len(said))
    if sorted(truth) == sorted(said):
        assert value == 1.0


@given(st.lists(box, min_size=1, max_size=3, unique=True))
def test_the_targets_in_any_order_are_all_found(truth: list[Box]) -> None:
    for order in permutations(truth):
        assert worth(sample(*truth), ok(*order)) == (1.0, 1.0, 1.0)


def test_the_truth_of_a_real_file_with_many_boxes_scores_one(shared: Path) -> None:
    path = shared / "data/refcoco/mdetr_real/RefDrone_test_mdetr.json.gz"
    phrases = list(mdetr.read(path))
    samples = [sample(*phrase.boxes) for phrase in phrases]
    readings = [ok(*phrase.boxes[::-1]) if phrase.boxes else NONE for phrase in phrases]
    protocol = find("grec")
    columns = protocol.score(samples, readings)
    assert protocol.official is not None
    expected = {"F1_score": 1.0, "T_acc": 1.0, "N_acc": 1.0}
    assert {
        k: v for k, v in protocol.official(samples, columns).items() if k != "printed"
    } == expected
    silent = protocol.score(samples, [NONE] * len(samples))
    assert sum(silent["pr@f1=1"]) == 156
