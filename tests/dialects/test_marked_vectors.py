"""Families that mark their boxes, against the recorded replies: both readers, and every cut."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from eyechart.dialects import Sizes, find
from eyechart.values import RawBoxes, Reading

FAMILIES = (
    "florence-2",
    "grounding-dino",
    "groma",
    "kosmos-2",
    "llava-grounding",
    "mdetr",
    "minigpt-v2",
    "molmo",
    "ofa",
    "paligemma",
    "rex-omni",
    "transvg",
)
# what a whole box or point ends with, seen from outside: a pattern, and how many matches make one
WHOLE = {
    "florence-2": (r"<loc_\d+>", 4),
    "grounding-dino": (r"\[[^][]*\]", 1),
    "groma": (r"<r\d+>", 1),
    "kosmos-2": (r"<patch_index_\d+>", 2),
    "llava-grounding": (r"<seg>", 1),
    "mdetr": (r"\[[^][]*\]", 1),
    "minigpt-v2": (r"<\d+>", 4),
    "molmo": (r"p=\d{3},\d{3}|y\d*=\"? *\d+\.?\d*[\">]", 1),
    "ofa": (r"<bin_\d+>", 4),
    "paligemma": (r"<loc\d+>", 4),
    "rex-omni": (r"(?:<\d+>){4}|(?:<\d+>){2}<\|box_e", 1),
    "transvg": (r"\[[^][]*\]", 1),
}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    path = Path(__file__).parents[1] / "vectors" / "dialects" / "dialects.jsonl"
    found = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    kept = [row for row in found if row["dialect"] in FAMILIES]
    assert {row["dialect"] for row in kept} == set(FAMILIES)
    return kept


def read(row: dict[str, Any], parser: str, text: str | None = None, name: str = "") -> Reading:
    beside = row.get("tensor_boxes", row.get("proposals_cxcywh"))
    given = None
    if beside is not None:
        given = RawBoxes(tuple((a, b, c, d) for a, b, c, d in beside), "cxcywh-ratio")
    sizes = Sizes((row["image_width"], row["image_height"]))
    dialect = find(name or row["dialect"], "authors" if parser == "authors" else "tolerant")
    return dialect.read(row["reply"] if text is None else text, sizes, given)


def shapes(reading: Reading) -> list[tuple[str | None, tuple[float, ...]]]:
    found = (*reading.boxes, *reading.points)
    labels = reading.labels or (None,) * len(found)
    return list(zip(labels, found, strict=True))


def assert_shapes(reading: Reading, wanted: list[dict[str, Any]], row: dict[str, Any]) -> None:
    found = shapes(reading)
    assert [label for label, _ in found] == [one["label"] for one in wanted], row["id"]
    for (_, got), one in zip(found, wanted, strict=True):
        want = one.get("box", one.get("point"))
        assert got == pytest.approx(want, abs=row["tolerance_px"]), row["id"]


def test_the_authors_reader(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        got = read(row, "authors")
        assert_shapes(got, row["expected"], row)
        if row.get("error"):
            assert (got.status in ("malformed", "refused"), got.fault) == (True, row["error"])
            assert got.status == "refused" or got.reason
        else:
            assert got.status == ("none" if row.get("no_target") else "ok"), row["id"]
        assert list(got.scores) == row.get("expected_scores", []), row["id"]


def test_the_tolerant_reader_takes_what_the_authors_reject(rows: list[dict[str, Any]]) -> None:
    seen = 0
    for row in rows:
        got = read(row, "tolerant")
        if "lenient_expected" in row:
            assert_shapes(got, row["lenient_expected"], row)
            seen += 1
        elif not row.get("error"):
            assert len(shapes(got)) == len(row["expected"]), row["id"]
            assert got.status == ("none" if row.get("no_target") else "ok")
    assert seen == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_every_cut_keeps_the_whole_boxes_before_it(rows: list[dict[str, Any]], family: str) -> None:
    pattern, share = WHOLE[family]
    # with every score let through: what was said before the cut, not what is left in the end
    name = "grounding-dino:0" if family == "grounding-dino" else family
    for row in (row for row in rows if row["dialect"] == family and not row.get("error")):
        whole = [shape for _, shape in shapes(read(row, "tolerant", name=name))]
        for end in range(len(row["reply"])):
            said = row["reply"][:end]
            cut = [shape for _, shape in shapes(read(row, "tolerant", said, name))]
            if family in ("mdetr", "grounding-dino"):
                # what is best is known when the scores are
                assert set(cut) <= set(whole), said
            else:
                assert cut == whole[: len(cut)], said
            marked = len(re.findall(pattern, said.replace("<unk>", ""), re.DOTALL))
            assert len(cut) >= min(marked // share, len(whole)), said


def test_real_replies_of_kosmos_2_and_florence_2(shared: Path) -> None:
    path = shared / "data" / "dialects" / "grounding_replies.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    seen = 0
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        family = row["model"].lower()[:8]
        if not family.startswith(("kosmos-2", "florence")) or not row["expected_boxes"]:
            continue
        seen += 1
        is_kosmos = family == "kosmos-2"
        width, height = row["image_size_wh"]
        got = find("kosmos-2" if is_kosmos else "florence-2").read(
            row["reply"], Sizes((width, height))
        )
        assert [label or "" for label, _ in shapes(got)] == [
            one[0] for one in row["expected_boxes"]
        ]
        for box, (_, want) in zip(got.boxes, row["expected_boxes"], strict=True):
            if is_kosmos:
                x1, y1, x2, y2 = want
                wanted = (x1 * width, y1 * height, x2 * width, y2 * height)
                assert box == pytest.approx(wanted)
            else:
                # that port cuts pixels to whole numbers
                assert [int(value) for value in box] == want
    assert seen == 5
