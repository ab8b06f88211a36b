"""MiniGPT-v2 and Rex-Omni: runs of numbers in angle brackets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

HUNDRED = Sizes((100, 200))
BINS = Sizes((999, 1998))
DOG = "<|object_ref_start|>dog<|object_ref_end|><|box_start|>"


def minigpt(text: str, parser: Parser = "tolerant") -> Reading:
    return find("minigpt-v2", parser).read(text, HUNDRED)


def rex(text: str, parser: Parser = "tolerant") -> Reading:
    return find("rex-omni", parser).read(text, BINS)


@pytest.mark.parametrize(
    "text",
    [
        "{<1><2><3><4>}",
        "{<1>, <2>, <3>, <4>}</s>",
        "It is at <1><2><3><4>.",
        "{<1><unk><2><3><4>",
        "[1, 2, 3, 4]",
        "｛＜1＞＜2＞＜3＞＜4＞｝",
    ],
)
def test_minigpt_reads_what_is_plainly_written(text: str) -> None:
    assert minigpt(text).boxes == ((1.0, 4.0, 3.0, 8.0),)


def test_minigpt_labels_go_with_the_boxes_behind_them() -> None:
    text = (
        "<p>two dogs</p> {<1><2><3><4>}<delim>{<5><6><7><8>} and {<1><2><3><4>} near "
        "<p>a cat</p>{<5><6><7><8>}"
    )
    for parser in ("tolerant", "authors"):
        got = minigpt(text, "authors" if parser == "authors" else "tolerant")
        assert got.labels == ("two dogs", "two dogs", None, "a cat")


def test_minigpt_numbers_elsewhere_are_no_box() -> None:
    got = minigpt("player number 23 {<1><2><3><4>}", "authors")
    assert got.boxes == ((1.0, 4.0, 3.0, 8.0),)
    assert minigpt("players 1, 2, 3 and 4").fault == "no_box"


def test_minigpt_a_run_of_another_length_is_no_box() -> None:
    got = minigpt("{<1><2><3>}{<1><2><3><4>}{<1><2><3><4><5>}")
    assert (len(got.boxes), got.flags) == (1, ("dropped",))
    assert minigpt("{<1><2><3><4><5>}").fault == "wrong_count"
    assert minigpt("{<1><2><3><4><5>}", "authors").fault == "wrong_count"


def test_minigpt_without_braces_is_rejected_by_the_authors() -> None:
    assert minigpt("<1><2><3><4>", "authors").fault == "author_parser_rejects"


@pytest.mark.parametrize(
    "text",
    [
        f"{DOG}<1><2><3><4><|box_end|>",
        f"{DOG}<1><2><3><4><|im_end|>",
        f"Here:\n{DOG}\n<1> <2> <3>\n<4> <|box_end|> done.",
        "dog: <1><2><3><4>",
        '```json\n[{"bbox_2d": [1, 2, 3, 4], "label": "dog"}]\n```',
    ],
)
def test_rex_reads_what_is_plainly_written(text: str) -> None:
    assert rex(text).boxes == ((1.0, 4.0, 3.0, 8.0),)


def test_rex_shapes_by_their_length() -> None:
    text = f"{DOG}<1><2><3><4>, <5><6>, <9><8><1><2><5><5>, <1><2><3><|box_end|>"
    strict = rex(text, "authors")
    assert (strict.boxes, strict.points) == (((1.0, 4.0, 3.0, 8.0),), ((5.0, 12.0),))
    assert (strict.labels, strict.flags) == (("dog", "dog"), ("dropped",))
    # the box around the polygon (9, 8), (1, 2), (5, 5)
    got = rex(text)
    assert got.boxes == ((1.0, 4.0, 3.0, 8.0), (1.0, 4.0, 9.0, 16.0))
    assert (got.points, got.flags) == (((5.0, 12.0),), ("dropped",))


def test_rex_polygons_alone() -> None:
    text = f"{DOG}<9><8><1><2><5><5><|box_end|>"
    assert rex(text).boxes == ((1.0, 4.0, 9.0, 16.0),)
    assert rex(text, "authors").fault == "author_parser_rejects"


def test_rex_two_numbers_at_the_end_of_a_cut_text_may_be_half_a_box() -> None:
    for text in (f"{DOG}<1><2>", f"{DOG}<1><2><", f"{DOG}<1><2><3"):
        got = rex(text)
        assert (got.status, got.fault, got.truncated) == ("malformed", "truncated", True)
    assert rex(f"{DOG}<1><2><|box_e").points == ((1.0, 4.0),)
    # the authors close the box
    assert rex(f"{DOG}<1><2>", "authors").points == ((1.0, 4.0),)


def test_rex_needs_its_tags_for_the_authors() -> None:
    assert rex("dog: <1><2><3><4>", "authors").fault == "author_parser_rejects"
    # their pattern does not go over a line end
    text = f"{DOG}<1><2>\n<3><4><|box_end|>, {DOG}<5><6><7><8><|box_end|>"
    assert rex(text, "authors").boxes == ((5.0, 12.0, 7.0, 16.0),)
    assert len(rex(text).boxes) == 2


def test_rex_nothing_is_said_after_the_end_of_the_turn() -> None:
    text = f"{DOG}<1><2><3><4><|box_end|><|im_end|>{DOG}<5><6><7><8><|box_end|>"
    assert len(rex(text, "authors").boxes) == 1


def test_rex_words_are_no_box() -> None:
    got = rex("There is no dog.")
    assert (got.status, got.fault, got.truncated) == ("malformed", "no_box", False)
    assert not rex("There is no dog.", "authors").truncated
