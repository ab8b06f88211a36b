"""EvalScope's CountQA adapter: countqa.jsonl and the totals over it, countqa_totals.jsonl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.scoring.counting import COUNTQA, countqa, extract, match, read_texts
from eyechart.text import filters
from eyechart.values import Count, Image, Reading, Sample

if TYPE_CHECKING:
    from tests.conformance.frame import Records

NAMES = {"accuracy": "accuracy", "relaxed_acc": "relaxed_accuracy"}


def sample(truth: int) -> Sample:
    return Sample("s", "count", Image("x.jpg"), {"question": "How many?"}, Count(truth), "x.jpg")


def reading_of(record: dict[str, Any]) -> Reading:
    """How the protocol reads the reply, alone and among many: both must be the same."""
    protocol = countqa(record["filters"]) if record.get("filters") else COUNTQA
    assert protocol.read_text is not None
    reading = protocol.read_text(sample(1), record["reply"])
    assert protocol.text_alone
    prepared = filters.build(record.get("filters") or ())(record["reply"])
    assert read_texts(["5", prepared, "x"])[1] == reading
    return reading


def test_each_reply(records: Records) -> None:
    for record in records("countqa"):
        prepared = filters.build(record.get("filters") or ())
        if record["error"]:
            assert record["error"] == "ValueError"
            with pytest.raises(DataError):
                match(extract(prepared(record["reply"])), record["truth"])
            continue
        digits = extract(prepared(record["reply"]))
        assert digits == record["extracted"], record
        expected = (record["accuracy"], record["relaxed_acc"])
        assert match(digits, record["truth"]) == expected, record


def test_each_reply_through_the_protocol(records: Records) -> None:
    samples, readings, expected = [], [], []
    for record in records("countqa"):
        reading = reading_of(record)
        if record["error"]:
            continue
        worth = (record["accuracy"], record["relaxed_acc"])
        if reading.status != "ok":
            # what is not read is worth 0 by law, outside
            assert worth == (0.0, 0.0), record
            continue
        assert str(reading.value) == record["extracted"]
        samples.append(sample(int(record["truth"])))
        readings.append(reading)
        expected.append(worth)
    # together, and one by one: the largest numbers are compared another way than the rest
    columns = COUNTQA.score(samples, readings)
    columns_apart = [COUNTQA.score([s], [r]) for s, r in zip(samples, readings, strict=True)]
    for column, name in enumerate(NAMES.values()):
        assert list(columns[name]) == [one[column] for one in expected]
        assert [float(one[name][0]) for one in columns_apart] == [one[column] for one in expected]


def test_totals(records: Records) -> None:
    scored = [record for record in records("countqa") if not record["error"]]
    readings = [reading_of(record) for record in scored]
    read = [place for place, reading in enumerate(readings) if reading.status == "ok"]
    given = COUNTQA.score(
        [sample(int(scored[place]["truth"])) for place in read], [readings[place] for place in read]
    )
    columns = {}
    for name in NAMES.values():
        column = [0.0] * len(scored)
        for place, value in zip(read, given[name], strict=True):
            column[place] = float(value)
        columns[name] = column
    assert COUNTQA.official is not None
    printed = COUNTQA.official([sample(1)] * len(scored), columns)
    for record in records("countqa_totals"):
        column = columns[NAMES[record["metric"]]]
        assert len(column) == record["num"]
        assert sum(column) / len(column) == record["mean"]
        assert printed[NAMES[record["metric"]]] == record["report_score"]
