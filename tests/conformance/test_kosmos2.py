"""Kosmos-2's decoding of locations and its RefCOCO program, item by item and as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects.frames import cells_to_box
from eyechart.dialects.kosmos2 import decode
from eyechart.errors import DataError, EyechartError
from eyechart.formats.locout import read_h_lines
from eyechart.scoring import kosmos2 as scorer
from eyechart.scoring.kosmos2_text import after_image, phrase_boxes
from eyechart.values import Box, Boxes, Image, Sample

if TYPE_CHECKING:
    from tests.conformance.frame import Records

CRITERIA = {"precision1": "precision@1", "mean": "mean", "upper_bound": "upper_bound"}


def sample(expression: str, width: int, height: int, truth: Box, data_set: str) -> Sample:
    return Sample(
        id=expression,
        task="ground",
        image=Image("x.jpg", width, height),
        asked={"expression": expression},
        target=Boxes((truth,)),
        group="x.jpg",
        tags={"dataset": data_set} if data_set else {},
    )


def corners(xywh: list[float]) -> Box:
    x, y, width, height = xywh
    return (x, y, x + width, y + height)


def test_decode(records: Records) -> None:
    for r in records("kosmos2_decode"):
        if r["error"]:
            with pytest.raises(EyechartError):
                decode(r["text"], r["quantized_size"])
        else:
            got = decode(r["text"], r["quantized_size"])
            assert [list(named) for named in got] == r["boxes"], r


def test_cells_to_box(records: Records) -> None:
    for r in records("kosmos2_index_to_box"):
        got = cells_to_box(r["upper_left"], r["lower_right"], r["quantized_size"])
        assert list(got) == r["box"]


def test_items(records: Records) -> None:
    for r in records("kosmos2_refexp_items"):
        line = after_image(r["line"])
        _, boxes = phrase_boxes(line, r["caption"], r["width"], r["height"])
        got = scorer.hits([boxes], [corners(r["bbox_xywh"])])[0]
        assert got.tolist() == [r[name] for name in CRITERIA], r


def test_items_in_one_batch_through_the_protocol(records: Records) -> None:
    rows = records("kosmos2_refexp_items")
    samples = [
        sample(r["caption"], r["width"], r["height"], corners(r["bbox_xywh"]), "") for r in rows
    ]
    read = scorer.KOSMOS2.read_text
    assert read is not None
    readings = [read(s, r["line"]) for s, r in zip(samples, rows, strict=True)]
    readable = [k for k, reading in enumerate(readings) if reading.status == "ok"]
    columns = scorer.KOSMOS2.score([samples[k] for k in readable], [readings[k] for k in readable])
    for name, criterion in CRITERIA.items():
        assert list(columns[criterion]) == [rows[k][name] for k in readable]
    for k in set(range(len(rows))) - set(readable):
        assert readings[k].status == "malformed"
        assert readings[k].reason
        assert [rows[k][name] for name in CRITERIA] == [0.0, 0.0, 0.0]


def test_the_program(records: Records) -> None:
    for r in records("kosmos2_refexp"):
        run = (r["annotation"], r["predictions"], r["quantized_size"])
        if r["error"]:
            with pytest.raises(DataError, match="expression"):
                scorer.refexp(*run)
            continue
        got = scorer.refexp(*run)
        assert got.printed[0::2] == r["printed"], r["name"]
        assert set(got.printed[1::2]) == {""}
        assert got.without_box == r["no_box_messages"]
        for name, criterion in CRITERIA.items():
            assert {key: row[criterion] for key, row in got.scores.items()} == r["unsorted"][name]


def test_official_lines_of_the_protocol(records: Records) -> None:
    # where every expression has a prediction, the protocol's totals are the program's
    official, read = scorer.KOSMOS2.official, scorer.KOSMOS2.read_text
    assert official is not None
    assert read is not None
    seen = 0
    for r in records("kosmos2_refexp"):
        images, notes = r["annotation"]["images"], r["annotation"]["annotations"]
        lines = read_h_lines(r["predictions"])
        if r["error"] or r["quantized_size"] != 32 or not len(lines) == len(images) == len(notes):
            continue
        samples = [
            sample(i["caption"], i["width"], i["height"], corners(n["bbox"]), i["dataset_name"])
            for i, n in zip(images, notes, strict=True)
        ]
        readings = [read(s, line) for s, line in zip(samples, lines, strict=True)]
        columns = scorer.KOSMOS2.score(samples, readings)
        assert official(samples, columns)["printed"][0::2] == r["printed"]
        seen += 1
    assert seen
