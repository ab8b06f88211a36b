"""Captions and referring expressions with real predictions whose official scores are known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.benchmarks import find
from eyechart.errors import UsageError
from eyechart.formats.data import Data
from eyechart.io.files import read_json
from eyechart.scoring.captions import captions, meteor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyechart.scoring import Protocol

OFFICIAL_NAMES = ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "CIDEr"]


def official(
    benchmark: str, data: Path, said: Mapping[str, str], protocol: Protocol | None = None
) -> Mapping[str, Any]:
    protocol = protocol or captions()
    found, split = find(benchmark)
    samples = list(found.rows(Data(data, need_images=False), split))
    assert len(samples) == found.splits[split]
    assert protocol.read_text is not None
    assert protocol.official is not None
    readings = [protocol.read_text(sample, said[sample.id]) for sample in samples]
    assert {reading.status for reading in readings} == {"ok"}
    return protocol.official(samples, protocol.score(samples, readings))


def ofa(shared: Path) -> tuple[Path, dict[str, str], dict[str, Any]]:
    folder = shared / "data" / "captions" / "coco_karpathy"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    rows = read_json(folder / "ofa_caption_test_predict.json")
    said = {row["image_id"]: row["caption"] for row in rows}
    return folder, said, read_json(folder / "official_scores_ofa.json")


def test_ofas_captions_in_every_digit(shared: Path) -> None:
    folder, said, expected = ofa(shared)
    found = official("coco-captions", folder, said)
    for name in ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"):
        assert found[name] == expected[name]
    for name in ("ROUGE_L", "CIDEr"):
        assert found[name] == pytest.approx(expected[name], abs=1e-12, rel=0)
    assert found["printed"] == [f"{name}: {expected[name]:.3f}" for name in OFFICIAL_NAMES]


def with_meteor() -> Protocol:
    """The protocol with METEOR, by an installed pycocoevalcap or as METEOR_JAR names it."""
    wanted: str | bool = os.environ.get("METEOR_JAR") or True
    try:
        meteor.score(meteor.jar(wanted), ["a"], [["a"]])
    except UsageError as error:
        pytest.skip(str(error))
    return captions(wanted)


@pytest.mark.slow
def test_ofas_meteor_in_every_digit(shared: Path) -> None:
    folder, said, expected = ofa(shared)
    found = official("coco-captions", folder, said, with_meteor())
    assert found["METEOR"] == expected["METEOR"]


def expressions(shared: Path) -> tuple[Path, dict[str, str], dict[str, Any]]:
    folder = shared / "data" / "refcoco" / "reg_predictions"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    rows = read_json(folder / "sample_expressions_testA.json")["predictions"]
    # nine objects are predicted twice, with the same words
    said = {str(row["ref_id"]): row["sent"] for row in rows}
    assert all(said[str(row["ref_id"])] == row["sent"] for row in rows)
    return folder, said, read_json(folder / "official_scores_testA.json")


def test_referring_expressions_to_the_digits_printed(shared: Path) -> None:
    folder, said, expected = expressions(shared)
    found = official("refcoco-reg/testA", folder, said)
    for name in OFFICIAL_NAMES:
        assert round(found[name], 3) == expected[name]


@pytest.mark.slow
def test_meteor_of_referring_expressions(shared: Path) -> None:
    folder, said, expected = expressions(shared)
    found = official("refcoco-reg/testA", folder, said, with_meteor())
    assert round(found["METEOR"], 3) == expected["METEOR"]
