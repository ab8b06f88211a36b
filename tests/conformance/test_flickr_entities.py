"""Flickr30k Entities against its official readers and the programs of Kosmos-2 and MDETR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from eyechart.errors import DataError
from eyechart.formats.flickr30k import parse_sentences
from eyechart.formats.flickr30k_xml import parse_annotations, parse_unboxed
from eyechart.scoring.flickr import FLICKR_MERGED, KOSMOS2_FLICKR, METRICS, kosmos2_flickr
from eyechart.scoring.flickr_programs import Printed, kosmos2_entities, mdetr_entities
from eyechart.values import Boxes, Image, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.conformance.frame import Records

    from eyechart.scoring import Protocol

STOPS = "SystemExit 0"


def read_sentences(text: str) -> list[dict[str, Any]]:
    return [
        {
            "sentence": one.text,
            "phrases": [
                {
                    "first_word_index": first,
                    "phrase": phrase,
                    "phrase_id": chain,
                    "phrase_type": types.split("/")[1:],
                }
                for first, (chain, types, phrase) in zip(one.first_words(), one.marks, strict=True)
            ],
        }
        for one in parse_sentences(text, "file")
    ]


def read_annotations(text: str) -> dict[str, Any]:
    sizes, boxes = parse_annotations(text.encode(), "file")
    nobox, scene = parse_unboxed(text.encode(), "file")
    listed = {chain: [list(box) for box in some] for chain, some in boxes.items()}
    return {**sizes, "boxes": listed, "nobox": nobox, "scene": scene}


READERS: dict[str, Callable[[str], Any]] = {
    "sentences": read_sentences,
    "annotations": read_annotations,
}


def test_readers(records: Records) -> None:
    for record in records("flickr_entities_readers"):
        read = READERS[record["reader"]]
        if record["error"] is not None:
            with pytest.raises(DataError, match=r"^file, line 1: "):
                read(record["text"])
            continue
        assert read(record["text"]) == record["result"], record["text"]


def laid_out(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def printed(record: Mapping[str, Any], folder: Path, *, merged: bool) -> Printed:
    return kosmos2_entities(
        folder,
        record["annotation"],
        record["predictions"],
        # the class, which alone merges boxes, was told its subset
        "_test.json" if merged else record["annotation_file_name"],
        grid=record["quantized_size"],
        merged=merged,
    )


def test_kosmos2_program(records: Records, tmp_path: Path) -> None:
    for place, record in enumerate(records("flickr_entities")):
        folder = laid_out(tmp_path / str(place), record["files"])
        for merged in (False, True):
            wanted = record["merged_boxes" if merged else "any_box"]
            name = record["name"], merged
            if wanted["error"] not in (None, STOPS):
                with pytest.raises(DataError):
                    printed(record, folder, merged=merged)
                continue
            found = printed(record, folder, merged=merged)
            # the class, which alone merges boxes, does not print these
            if not merged:
                assert found.without_box == wanted["no_box_messages"], name
                assert wanted["there_are"] == [
                    f"There are {found.phrases} phrases in {found.sentences} sentences to evaluate"
                ], name
            if wanted["error"] == STOPS:
                assert (found.results, found.table) == ({}, []), name
                continue
            results = {str(top): by_name for top, by_name in found.results.items()}
            assert results == wanted["results"], name
            assert [*found.table, ""] == wanted["table"], name
            if not merged:
                assert wanted["valid"] == [f"Valid prediction {found.valid}/{found.lines}"], name


def boxes(given: Sequence[Sequence[float]]) -> Boxes:
    return Boxes(tuple((float(x1), float(y1), float(x2), float(y2)) for x1, y1, x2, y2 in given))


def hits(protocol: Protocol, sample: Sample, line: str) -> dict[str, float]:
    """A phrase's hits, as a run would have them: what cannot be read is worth 0."""
    assert KOSMOS2_FLICKR.read_text is not None
    reading = KOSMOS2_FLICKR.read_text(sample, line)
    if reading.status != "ok":
        return dict.fromkeys(("1", "5", "10", "-1"), 0.0)
    columns = protocol.score([sample], [reading])
    return {k: columns[m][0] for k, m in zip(("1", "5", "10", "-1"), METRICS, strict=True)}


def test_one_phrase_at_a_time(records: Records) -> None:
    for record in records("flickr_entities_items"):
        sample = Sample(
            id="1#0#0",
            task="ground_phrases",
            image=Image("1.jpg", record["width"], record["height"]),
            asked={"phrase": record["phrase"]},
            target=boxes(record["truth_boxes"]),
            group="1.jpg",
            tags={"categories": "/".join(record["categories"])},
        )
        assert hits(kosmos2_flickr(32), sample, record["line"]) == record["any_box"], record
        assert hits(FLICKR_MERGED, sample, record["line"]) == record["merged"], record
        lone = boxes(record["merged_box"])
        one = msgspec.structs.replace(sample, target=lone)
        assert hits(KOSMOS2_FLICKR, one, record["line"]) == record["merged"], record


def test_mdetr_evaluator(records: Records, tmp_path: Path) -> None:
    for place, record in enumerate(records("mdetr_flickr")):
        folder = laid_out(tmp_path / str(place), record["files"])
        for merged in (False, True):
            wanted = record["merged_boxes" if merged else "any_box"]
            if wanted["error"] is not None:
                with pytest.raises(DataError):
                    mdetr_entities(folder, record["predictions"], "test", merged=merged)
                continue
            found = mdetr_entities(folder, record["predictions"], "test", merged=merged)
            assert found.scores() == wanted["scores"], (record["tag"], place)
            assert [*found.table, ""] == wanted["table"], (record["tag"], place)
