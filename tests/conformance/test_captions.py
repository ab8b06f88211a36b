"""Captions: tokens, BLEU, ROUGE-L, CIDEr and METEOR as pycocoevalcap has them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import UsageError
from eyechart.scoring.captions import bleu, columns, meteor, totals
from eyechart.text.ptb import tokenise_officially

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.frame import Records

CLOSE = 1e-9
# the program's names for the columns of single captions
COLUMNS = {"ROUGE_L": "rouge_l", "CIDEr": "cider"}
BLEU_COLUMNS = (
    *("bleu.length", "bleu.reference_length"),
    *(f"bleu.matches_{order}" for order in (1, 2, 3, 4)),
)


def tokens(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    items = record["items"]
    texts = iter(tokenise_officially([text for item in items for text in item["refs"]]))
    references = [[next(texts) for _ in item["refs"]] for item in items]
    return tokenise_officially([item["hypothesis"] for item in items]), references


def test_tokens(records: Records) -> None:
    for record in records("captions"):
        said, references = tokens(record)
        assert said == [item["tokenized_hypothesis"] for item in record["items"]], record["name"]
        assert references == [item["tokenized_refs"] for item in record["items"]], record["name"]


def test_values(records: Records) -> None:
    for record in records("captions"):
        made = columns(*tokens(record))
        expected = {name: value for name, value in record["corpus"].items() if name != "METEOR"}
        assert totals(made) == pytest.approx(expected, abs=CLOSE, rel=0), record["name"]
        per_item = dict(record["per_item"])
        per_item.pop("METEOR", None)
        for place, row in enumerate(zip(*(made[name] for name in BLEU_COLUMNS), strict=True)):
            size, closest, *matches = (int(value) for value in row)
            values = bleu.score([size], [closest], [[one] for one in matches])
            for order, value in enumerate(values, start=1):
                assert value == pytest.approx(per_item[f"Bleu_{order}"][place], abs=CLOSE, rel=0)
        for name, column in COLUMNS.items():
            assert made[column] == pytest.approx(per_item[name], abs=CLOSE, rel=0), record["name"]
        assert per_item.keys() == {*COLUMNS, *(f"Bleu_{order}" for order in (1, 2, 3, 4))}


@pytest.fixture(scope="module")
def program() -> Path:
    """METEOR's program: of an installed pycocoevalcap, or as METEOR_JAR names it."""
    try:
        return meteor.jar(os.environ.get("METEOR_JAR") or True)
    except UsageError as error:
        pytest.skip(str(error))


@pytest.mark.slow
def test_meteor(records: Records, program: Path) -> None:
    for record in records("captions"):
        if "METEOR" not in record["corpus"]:
            continue
        try:
            whole, each = meteor.score(program, *tokens(record))
        except UsageError as error:
            pytest.skip(str(error))
        assert whole == pytest.approx(record["corpus"]["METEOR"], abs=CLOSE, rel=0)
        assert each == pytest.approx(record["per_item"]["METEOR"], abs=CLOSE, rel=0)
