"""MDETR's RefExpEvaluator: scores and printed lines of whole sets of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.scoring.mdetr import FIRST_K, MDETR, refexp
from eyechart.values import Boxes, Image, Reading, Sample

if TYPE_CHECKING:
    from tests.conformance.frame import Records

Record = dict[str, Any]


def notes(record: Record) -> list[Record]:
    return [{"image_id": a["image_id"], "bbox": a["bbox_xywh"]} for a in record["annotations"]]


def predictions(record: Record) -> dict[int, Record]:
    return {int(key): value for key, value in record["predictions"].items()}


def test_the_program(records: Records) -> None:
    for record in records("mdetr_refexp"):
        run = (record["images"], notes(record), predictions(record), record["k"])
        if record["error"]:
            with pytest.raises(DataError, match="image"):
                refexp(*run)
            continue
        got = refexp(*run)
        assert got.printed[0::2] == record["printed"]
        assert set(got.printed[1::2]) == {""}
        for k in record["k"]:
            by_name = {name: row[str(k)] for name, row in got.scores.items()}
            assert by_name == record["unsorted"][str(k)]
        assert {name: sorted(row.values()) for name, row in got.scores.items()} == record["results"]


def test_the_protocol_gives_the_same_totals(records: Records) -> None:
    official = MDETR.official
    assert official is not None
    for record in records("mdetr_refexp"):
        if record["error"] or tuple(record["k"]) != FIRST_K:
            continue
        truth, said = {n["image_id"]: n["bbox"] for n in notes(record)}, predictions(record)
        samples, readings = [], []
        for image in record["images"]:
            x, y, width, height = truth[image["id"]]
            target = Boxes(((x, y, x + width, y + height),))
            tags = {"dataset": image["dataset_name"]}
            samples.append(Sample(str(image["id"]), "ground", Image("x"), {}, target, "x", tags))
            boxes, scores = said[image["id"]]["boxes"], said[image["id"]]["scores"]
            readings.append(Reading("ok", boxes=tuple(map(tuple, boxes)), scores=tuple(scores)))
        columns = MDETR.score(samples, readings)
        assert official(samples, columns)["printed"][0::2] == record["printed"]
        assert set(columns["swapped"]) == {0.0}
