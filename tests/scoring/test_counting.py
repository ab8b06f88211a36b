from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.formats import own
from eyechart.formats.data import Data
from eyechart.scoring.counting import (
    COUNT_FINAL,
    COUNTQA,
    columns,
    countqa,
    extract,
    read_texts,
    worth,
)
from eyechart.text import thinking
from eyechart.values import Boxes, Count, Image, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path

Records = Callable[[str], list[dict[str, Any]]]


def sample(truth: int) -> Sample:
    return Sample("s", "count", Image("x.jpg"), {"question": "How many?"}, Count(truth), "x.jpg")


def test_the_official_report_rounds_to_four_decimals() -> None:
    assert COUNTQA.official is not None
    columns = {"accuracy": [1.0, 0.0, 0.0], "relaxed_accuracy": [1.0, 1.0, 0.0], "mae": [9.0] * 3}
    printed = COUNTQA.official([sample(1)] * 3, columns)
    assert printed == {"accuracy": 0.3333, "relaxed_accuracy": 0.6667}


@pytest.mark.parametrize(
    ("count", "true", "expected"),
    [
        (19, 20, (0.0, 1.0)),
        (21, 20, (0.0, 1.0)),
        (18, 20, (0.0, 0.0)),
        (0, 0, (1.0, 1.0)),
        (1, 0, (0.0, 0.0)),
        (5, -5, (0.0, 0.0)),
        (None, 0, (0.0, 0.0)),
    ],
)
def test_worth(count: int | None, true: int, expected: tuple[float, float]) -> None:
    assert worth(count, true) == expected


@pytest.mark.parametrize("case", ["v16", "v17"])
def test_count_final_reads_the_cases(records: Records, case: str) -> None:
    found = next(c for c in records("cases") if c["id"] == case)
    text, _ = thinking.strip(found["input"]["reply"])
    assert COUNT_FINAL.reasoning == "strip"
    assert COUNT_FINAL.read_text is not None
    reading = COUNT_FINAL.read_text(sample(1), text)
    assert reading == Reading(found["expected"]["status"], value=found["expected"]["count"])


def test_countqa_reads_the_raw_reply() -> None:
    assert COUNTQA.reasoning == "keep"
    assert COUNTQA.read_text is not None
    assert COUNTQA.read_text(sample(8), "<think>3</think> 8").value == 3


@pytest.mark.parametrize("reply", ["", "none", "1" * 4301])
def test_what_countqa_cannot_read_is_malformed(reply: str) -> None:
    assert COUNTQA.read_text is not None
    reading = COUNTQA.read_text(sample(8), reply)
    assert reading.status == "malformed"
    assert reading.reason


def test_a_number_that_no_record_can_hold_is_kept_as_its_digits() -> None:
    assert COUNTQA.read_text is not None
    reading = COUNTQA.read_text(sample(8), "00" + "9" * 30)
    assert reading == Reading("ok", value="9" * 30)
    found = COUNTQA.score([sample(8), sample(10**30 - 1)], [reading] * 2)
    assert list(found["accuracy"]) == [0.0, 1.0]
    assert list(found["bias"]) == [2.0**64, 0.0]
    assert COUNTQA.read_text(sample(8), str(2**63 - 1)).value == 2**63 - 1


def test_a_bad_filter_is_told_when_the_protocol_is_made() -> None:
    with pytest.raises(UsageError, match="regular expression"):
        countqa({"regex": {"regex_pattern": "("}})


def test_a_target_of_another_kind_is_named() -> None:
    wrong = Sample("s9", "ground", Image("x"), {}, Boxes(()), "x")
    with pytest.raises(DataError, match="s9"):
        COUNTQA.score([wrong], [Reading("ok", value=1)])


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_exact_is_within_relaxed(count: int, true: int) -> None:
    exact, relaxed = worth(count, true)
    assert exact <= relaxed
    assert bool(relaxed) == (20 * abs(count - true) <= true)


# -- errors


def test_errors_by_hand() -> None:
    samples = [sample(10), sample(0), sample(7)]
    readings = [Reading("ok", value=12), Reading("ok", value=0), Reading("ok", value=4)]
    found = COUNT_FINAL.score(samples, readings)
    assert {name: list(column) for name, column in found.items()} == {
        "accuracy": [0.0, 1.0, 0.0],
        "relaxed_accuracy": [0.0, 1.0, 0.0],
        "mae": [2.0, 0.0, 3.0],
        "rmse": [4.0, 0.0, 9.0],
        "bias": [2.0, 0.0, -3.0],
    }
    by_name = {metric.name: metric for metric in COUNT_FINAL.metrics}
    assert [by_name[name].over for name in ("mae", "rmse", "bias")] == ["read"] * 3
    assert [by_name[name].root for name in ("mae", "rmse", "bias")] == [False, True, False]
    assert [by_name[name].unit for name in ("accuracy", "mae")] == ["ratio", "count"]
    assert [by_name[name].higher_is_better for name in ("rmse", "bias")] == [False, None]


LARGE = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.none() | st.integers(0, 40) | st.integers(0, 2**63 - 1)


@given(st.lists(st.tuples(COUNTS, st.integers(0, 40) | LARGE | st.integers(0, 10**400))))
def test_columns_are_those_of_each_pair_and_finite(pairs: list[tuple[int | None, int]]) -> None:
    found = columns([count for count, _ in pairs], [true for _, true in pairs])
    each = [worth(count, true) for count, true in pairs]
    assert found["accuracy"].tolist() == [exact for exact, _ in each]
    assert found["relaxed_accuracy"].tolist() == [near for _, near in each]
    for place, (count, true) in enumerate(pairs):
        error = 0 if count is None else max(-(2**64), min(count - true, 2**64))
        assert found["bias"][place] == float(error)
        assert found["mae"][place] == abs(float(error))
        assert found["rmse"][place] == float(error) * float(error)
    assert all(np.isfinite(column).all() for column in found.values())


@pytest.mark.parametrize("count", [2**53 + 1, 2**62, 2**63 - 1])
def test_the_largest_counts_are_compared_to_the_digit(count: int) -> None:
    found = columns([count, count - 1, 3], [count, count, 3])
    assert found["accuracy"].tolist() == [1.0, 0.0, 1.0]
    assert found["mae"].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("value", ["twelve", "²", 12.0, None])
def test_a_reading_of_another_kind_is_worth_nothing(value: str | float | None) -> None:
    found = COUNTQA.score([sample(12)], [Reading("ok", value=value)])
    assert {name: list(column) for name, column in found.items()} == {name: [0.0] for name in found}


def test_no_replies() -> None:
    assert read_texts([]) == []
    assert all(len(column) == 0 for column in COUNTQA.score([], []).values())


# -- many replies at once

PIECES = st.sampled_from(
    [*"0123456789", "12", "007", "9" * 18, "9" * 19, "1" * 4301, "٣", "３", "²", "½", " ", "\n", "no",
     "-", ".", ",", "é", "\x00", "万"]
)  # fmt: skip
REPLIES = st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=12)


@given(REPLIES)
def test_many_replies_are_read_as_one_by_one(replies: list[str]) -> None:
    assert COUNTQA.read_text is not None
    assert read_texts(replies) == [COUNTQA.read_text(sample(1), one) for one in replies]


@given(st.text(max_size=60))
def test_the_whole_reply_without_its_wrapping_is_no_other_number(reply: str) -> None:
    # EvalScope's two steps, as its adapter has them
    bare = reply.strip().strip("*`_\"'.,:; \n")
    whole = re.fullmatch(r"\d+", bare) or re.search(r"\d+", reply)
    assert extract(reply) == (str(int(whole.group())) if whole else "")


def test_replies_beyond_one_batch() -> None:
    replies = [f"{'so ' * (k % 700)}{k} of them" for k in range(5_000)]
    assert sum(map(len, replies)) > 2 * 2**20
    assert [one.value for one in read_texts(replies)] == list(range(5_000))
    assert [one.value for one in read_texts([*replies, "é"])][:5_000] == list(range(5_000))


def test_the_true_count_is_a_slice_of_own_data(tmp_path: Path) -> None:
    row = {"image": "a.jpg", "width": 5, "height": 5, "question": "?", "count": 12}
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"tags": {"count": "many"}}) + "\n")
    first, second = own.read(path, Data(path, need_images=False))
    assert (first.tags, second.tags) == ({"count": "11-20"}, {"count": "many"})
