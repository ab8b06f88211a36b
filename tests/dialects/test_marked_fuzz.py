"""Hostile texts to every family that marks its boxes: no exception, no endless reading."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.dialects.found import FAULTS, Parser
from eyechart.values import RawBoxes

BESIDE = RawBoxes(((0.5, 0.5, 0.2, 0.4),) * 3, "cxcywh-ratio")
SIZES = Sizes((640, 480))
# the marks of each family, of which fragments are made
MARKS = {
    "florence-2": "<loc_1>|<loc_|a| |,|<|<poly>|</poly>|<sep>|<s>|\n|é|[|>",
    "grounding-dino": '"boxes_cxcywh":|[0.5,0.5,0.2,0.4]|,|"scores":|[|]|0.3|"labels":|"a"|{|}',
    "groma": "<p>|</p>|<roi>|</roi>|<r0>|<r9>|<r|<|1| |a",
    "kosmos-2": "<object>|</object>|<patch_index_0001>|<patch_index_|1|<phrase>|</phrase>|a| |"
    "</delimiter_of_multi_objects/>|<|</image>",
    "llava-grounding": "<g_s>|<g_e>|<seg>|<|a| ",
    "mdetr": '"boxes_cxcywh":|[0.5,0.5,0.2,0.4]|,|"|\'|\\|1|.|e|-|[|]|{|}|:| |NaN',
    "minigpt-v2": "{|}|<1>|<|1| |,|<p>|</p>|<delim>|<unk>|-|a|>",
    "molmo": '<point |<points |x="|y="|1|1.5|"|(|Click(|p=|,|=|alt=|\'|>|</points>|coords="| |123|-',
    "ofa": "<bin_1>|<bin_|<|1| |,|>|[|{",
    "paligemma": "<loc0001>|<loc|1| |;|<seg001>|<seg|a|<",
    "rex-omni": "<,object_ref_start,>|<,object_ref_end,>|<,box_start,>|<,box_end,>|<1>|<|1|,|\n|a| ",
    "transvg": '"box_cxcywh":|[0.5,0.5,0.2,0.4]|[|]|0.5|,|{|}',
}
LENGTH = 50_000


def marks_of(family: str) -> list[str]:
    found = MARKS[family].split("|")
    return [one.replace("<,", "<|").replace(",>", "|>") for one in found]


def fragments(family: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(marks_of(family)), min_size=1, max_size=8).map("".join)


def check(family: str, text: str, parser: Parser) -> None:
    got = find(family, parser).read(text, SIZES, BESIDE)
    assert all(math.isfinite(value) for box in (*got.boxes, *got.points) for value in box)
    assert got.labels == () or len(got.labels) == len(got.boxes) + len(got.points)
    if got.status == "ok":
        assert got.boxes or got.points
    elif got.status == "malformed":
        assert got.fault in FAULTS
        assert got.reason


@pytest.mark.parametrize("parser", ["tolerant", "authors"])
@pytest.mark.parametrize("family", MARKS)
@given(data=st.data())
def test_marks_in_any_order(family: str, parser: Parser, data: st.DataObject) -> None:
    some = st.sampled_from(marks_of(family)) | st.text(max_size=5)
    check(family, "".join(data.draw(st.lists(some, max_size=30))), parser)


@pytest.mark.parametrize("parser", ["tolerant", "authors"])
@pytest.mark.parametrize("family", MARKS)
@settings(max_examples=5)
@given(data=st.data())
def test_a_long_text_of_one_fragment(family: str, parser: Parser, data: st.DataObject) -> None:
    # a reader whose time grows with the square would take minutes here
    fragment = data.draw(fragments(family))
    lead = data.draw(fragments(family))
    check(family, lead + (fragment * (LENGTH // len(fragment) + 1))[:LENGTH], parser)
