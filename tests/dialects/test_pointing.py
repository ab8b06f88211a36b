"""Groma and LLaVA-Grounding: texts that point to boxes given beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find
from eyechart.values import RawBoxes, Reading

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser

SIZES = Sizes((100, 200))
# as corners: (10, 40, 30, 60), (40, 40, 60, 160), (0, 0, 100, 200)
BESIDE = RawBoxes(((0.2, 0.25, 0.2, 0.1), (0.5, 0.5, 0.2, 0.6), (0.5, 0.5, 1, 1)), "cxcywh-ratio")
FIRST, SECOND, THIRD = (10.0, 40.0, 30.0, 60.0), (40.0, 40.0, 60.0, 160.0), (0.0, 0.0, 100.0, 200.0)
PARSERS: tuple[Parser, ...] = ("tolerant", "authors")


def groma(text: str, given: RawBoxes | None = BESIDE, parser: Parser = "tolerant") -> Reading:
    return find("groma", parser).read(text, SIZES, given)


def llava(text: str, given: RawBoxes | None = BESIDE, parser: Parser = "tolerant") -> Reading:
    return find("llava-grounding", parser).read(text, SIZES, given)


def assert_boxes(got: Reading, *wanted: tuple[float, ...]) -> None:
    assert list(got.boxes) == [pytest.approx(box) for box in wanted]


@pytest.mark.parametrize("parser", PARSERS)
def test_groma_picks_proposals_by_number(parser: Parser) -> None:
    got = groma("<p> two cups </p><roi><r2><r0></roi> by <roi><r1></roi>", parser=parser)
    assert_boxes(got, THIRD, FIRST, SECOND)
    assert got.labels == ("two cups", "two cups", None)
    assert got.status == "ok"


def test_groma_beyond_the_proposals() -> None:
    got = groma("<roi><r3><r1></roi>")
    assert_boxes(got, SECOND)
    assert got.flags == ("dropped",)
    none = groma("<roi><r3></roi>")
    assert (none.status, none.fault) == ("malformed", "index_out_of_range")
    assert "beyond the 3 boxes" in none.reason


@pytest.mark.parametrize("parser", PARSERS)
def test_without_boxes_beside_it_a_pointer_is_unreadable(parser: Parser) -> None:
    for got in (groma("<roi><r0></roi>", None, parser), llava("<g_s> a <g_e> <seg>", None, parser)):
        assert (got.status, got.fault) == ("malformed", "index_out_of_range")
        assert "none are given beside it" in got.reason
    assert groma("A cup.", None, parser).fault == "no_box"
    assert llava("A cup.", None, parser).fault == "no_box"


@pytest.mark.parametrize("parser", PARSERS)
def test_llava_pairs_the_nth_mark_with_the_nth_box(parser: Parser) -> None:
    text = "<g_s> a man <g_e> <seg> holding <seg> and <g_s> a bat <g_e> <seg>"
    got = llava(text, parser=parser)
    assert_boxes(got, FIRST, SECOND, THIRD)
    assert got.labels == ("a man", None, "a bat")
    four = llava(f"{text} <seg>", parser=parser)
    assert (len(four.boxes), four.flags) == (3, ("dropped",))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (RawBoxes(((0.1, 0.2, 0.3, 0.3),), "xyxy-ratio"), FIRST),
        (RawBoxes(((200, 100, 300, 300),), "yxyx-1000"), FIRST),
        (RawBoxes(((10, 20, 20, 10),), "xywh-100"), FIRST),
    ],
)
def test_other_forms_of_ratios_are_converted(given: RawBoxes, wanted: tuple[float, ...]) -> None:
    assert_boxes(groma("<roi><r0></roi>", given), wanted)
    assert_boxes(llava("<seg>", given), wanted)


@pytest.mark.parametrize("form", ["xyxy-pixels", "cxcywh-padded", "xyxy-seen", "nonsense"])
def test_other_forms_are_refused_by_name(form: str) -> None:
    for got in (groma("<roi><r0></roi>", RawBoxes(((1, 2, 3, 4),), form)),):
        assert (got.status, got.fault) == ("malformed", "invalid_box")
        assert form in got.reason


def test_cut_texts() -> None:
    got = groma("<p>cups</p><roi><r0><r1")
    assert_boxes(got, FIRST)
    assert got.truncated
    cut = llava("<g_s> a man <g_e> <se")
    assert (cut.fault, cut.truncated) == ("truncated", True)
