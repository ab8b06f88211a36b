from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.scoring.counting import COUNT_FINAL, COUNTQA, countqa, extract, match, worth
from eyechart.text import filters, thinking
from eyechart.values import Boxes, Count, Image, Reading, Sample

Records = Callable[[str], list[dict[str, Any]]]


def sample(truth: int) -> Sample:
    return Sample("s", "count", Image("x.jpg"), {"question": "How many?"}, Count(truth), "x.jpg")


def test_countqa_vectors_and_their_totals(records: Records) -> None:
    rows = []
    for r in records("countqa"):
        prepared = filters.build(r.get("filters", {}))
        if r["error"]:
            with pytest.raises(DataError):
                match(extract(prepared(r["reply"])), r["truth"])
            continue
        digits = extract(prepared(r["reply"]))
        assert digits == r["extracted"], r
        assert match(digits, r["truth"]) == (r["accuracy"], r["relaxed_acc"]), r
        rows.append((r["accuracy"], r["relaxed_acc"]))
    for r in records("countqa_totals"):
        column = [row[("accuracy", "relaxed_acc").index(r["metric"])] for row in rows]
        assert len(column) == r["num"]
        assert sum(column) / len(column) == r["mean"]
        assert round(sum(column) / len(column), 4) == r["report_score"]


def test_countqa_vectors_through_the_protocol(records: Records) -> None:
    samples, readings, expected = [], [], []
    for r in records("countqa"):
        if r["error"] or len(r["truth"]) > 18:
            continue
        protocol = countqa(r["filters"]) if r.get("filters") else COUNTQA
        assert protocol.read_text is not None
        truth = sample(int(r["truth"]))
        reading = protocol.read_text(truth, r["reply"])
        # what is not read scores 0 by law, outside
        if reading.status == "ok":
            samples.append(truth)
            readings.append(reading)
            expected.append((r["accuracy"], r["relaxed_acc"]))
        else:
            assert (r["accuracy"], r["relaxed_acc"]) == (0.0, 0.0)
    columns = COUNTQA.score(samples, readings)
    got = list(zip(columns["accuracy"], columns["relaxed_accuracy"], strict=True))
    assert got == expected


def test_the_official_report_rounds_to_four_decimals() -> None:
    assert COUNTQA.official is not None
    columns = {"accuracy": [1.0, 0.0, 0.0], "relaxed_accuracy": [1.0, 1.0, 0.0]}
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


@pytest.mark.parametrize("reply", ["", "none", "1" * 4301, "9" * 30])
def test_what_countqa_cannot_read_is_malformed(reply: str) -> None:
    assert COUNTQA.read_text is not None
    reading = COUNTQA.read_text(sample(8), reply)
    assert reading.status == "malformed"
    assert reading.reason


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
