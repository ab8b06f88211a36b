"""OFA, Florence-2 and PaliGemma: runs of location tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

# in a picture of 999 x 1998 a bin of OFA is one pixel and two
OFA = Sizes((999, 1998))
LOC = Sizes((1000, 2000))
GEMMA = Sizes((1023, 2046))


def ofa(text: str, parser: Parser = "tolerant") -> Reading:
    return find("ofa", parser).read(text, OFA)


def florence(text: str, parser: Parser = "tolerant") -> Reading:
    return find("florence-2", parser).read(text, LOC)


def gemma(text: str, parser: Parser = "tolerant") -> Reading:
    return find("paligemma", parser).read(text, GEMMA)


# ---- OFA


@pytest.mark.parametrize(
    "text",
    [
        "<bin_1> <bin_2> <bin_3> <bin_4>",
        "<bin_001><bin_002><bin_003><bin_004>",
        "The region is <bin_1>, <bin_2>,\n<bin_3>, <bin_4>.</s><pad><pad>",
        "<answer>< bin_1 > <bin_2> <bin_3> <bin_4></answer>",
        '{"box": [1, 2, 3, 4]}',
        "```json\n[[1, 2, 3, 4]]\n```",
    ],
)
def test_ofa_reads_what_is_plainly_written(text: str) -> None:
    assert ofa(text).boxes == ((1.0, 4.0, 3.0, 8.0),)


def test_ofa_counts_bins_in_units_of_512() -> None:
    text = "<bin_111> <bin_222> <bin_555> <bin_666>"
    sizes = Sizes((640, 480))
    # bin / 999 * 512 / (384 / side)
    wanted = (94.815, 142.222, 474.074, 426.667)
    assert find("ofa:384").read(text, sizes).boxes[0] == pytest.approx(wanted, abs=0.01)
    wanted = (71.111, 106.667, 355.556, 320.0)
    assert find("ofa").read(text, sizes).boxes[0] == pytest.approx(wanted, abs=0.01)
    assert find("ofa:512").name == "ofa"


@pytest.mark.parametrize("side", ["0", "513", "x", "-384", "384.0"])
def test_ofa_has_no_such_side(side: str) -> None:
    with pytest.raises(UsageError, match=f"ofa:{side}: the side of the square"):
        find(f"ofa:{side}")


def test_what_is_left_of_a_run_is_dropped() -> None:
    got = ofa("<bin_1> <bin_2> <bin_3> <bin_4> <bin_5>")
    assert (len(got.boxes), got.flags) == (1, ("dropped",))
    assert "here 3" in ofa("<bin_1> <bin_2> <bin_3>").reason


def test_a_cut_token_is_no_token() -> None:
    got = ofa("<bin_1> <bin_2> <bin_3> <bin_4> <bin_5> <bin_1")
    assert (len(got.boxes), got.truncated) == (1, True)
    cut = ofa("<bin_1> <bin_2> <bin_3> <bin_4")
    assert (cut.status, cut.fault, cut.truncated) == ("malformed", "truncated", True)


def test_a_number_too_long_is_no_bin() -> None:
    assert ofa(f"<bin_{'1' * 5000}> <bin_2> <bin_3> <bin_4>").fault == "wrong_count"


# ---- Florence-2


def test_florence_labels_come_before_their_boxes() -> None:
    box = "<loc_9><loc_19><loc_29><loc_39>"
    text = f"</s><s>A dog{box}{box}in front of\n a wall{box}and sky.</s><pad>"
    got = florence(text)
    assert got.labels == ("A dog", "A dog", "in front of\n a wall")
    # (bin + 0.5) thousandths of 1000 x 2000
    assert set(got.boxes) == {(9.5, 39.0, 29.5, 79.0)}
    # their dot stops at a line end: the second phrase is none
    strict = florence(text, "authors")
    assert strict.labels == ("A dog", "A dog")
    assert strict.flags == ("dropped",)


def test_florence_without_a_phrase() -> None:
    text = "</s><s><s><loc_0><loc_0><loc_999><loc_675><loc_9><loc_19><loc_29><loc_39></s>"
    assert florence(text).boxes == ((0.5, 1.0, 999.5, 1351.0), (9.5, 39.0, 29.5, 79.0))
    assert florence(text, "authors").fault == "author_parser_rejects"


def test_florence_forms_that_the_authors_reject() -> None:
    for text in ("dog <loc_9> <loc_19> <loc_29> <loc_39>", "dog<loc9><loc019><loc29><loc39>"):
        assert florence(text).boxes == ((9.5, 39.0, 29.5, 79.0),)
        assert florence(text).labels == ("dog",)
        assert florence(text, "authors").fault == "author_parser_rejects"


def test_florence_keeps_all_letters_for_the_tolerant_reader() -> None:
    text = "café<loc_9><loc_19><loc_29><loc_39>"
    assert florence(text).labels == ("café",)
    assert florence(text, "authors").labels == ("caf",)
    # nothing is left of it, but it is a phrase
    assert florence("猫<loc_9><loc_19><loc_29><loc_39>", "authors").boxes


def test_florence_polygons_are_no_boxes() -> None:
    polygon = "<poly><loc_1><loc_2><loc_3><loc_4><loc_5><loc_6></poly>"
    got = florence(f"dog<loc_9><loc_19><loc_29><loc_39>{polygon}")
    assert (len(got.boxes), got.flags) == (1, ("dropped",))
    assert florence(f"dog{polygon}").fault == "no_box"
    assert florence(f"dog{polygon}", "authors").fault == "no_box"


# ---- PaliGemma


def test_paligemma_has_y_first_and_the_label_behind() -> None:
    masks = "".join(f"<seg{n:03}>" for n in range(16))
    text = (
        f"<loc0001><loc0002><loc0003><loc0004> {masks} a cat ; <loc0005><loc0006><loc0007><loc0008>"
    )
    got = gemma(text)
    assert got.boxes == ((2.0, 2.0, 4.0, 6.0), (6.0, 10.0, 8.0, 14.0))
    assert got.labels == ("a cat", None)
    assert gemma(text, "authors") == got


def test_paligemma_in_loose_forms() -> None:
    for text in (
        "detect: <loc1> <loc2> <loc3> <loc4> cat<eos>",
        "<loc_0001><loc_0002><loc_0003><loc_0004> cat",
        '```json\n[{"box_2d": [1, 2, 3, 4], "label": "cat"}]\n```',
    ):
        assert gemma(text).boxes == ((2.0, 2.0, 4.0, 6.0),), text
        assert gemma(text).labels == ("cat",)
        assert gemma(text, "authors").status == "malformed"


def test_paligemma_boxes_that_the_authors_call_invalid() -> None:
    # x2 before x1; equal y; a token that is not there
    for first in ("<loc0001><loc0008><loc0003><loc0004>", "<loc0001><loc0002><loc0001><loc0004>"):
        got = gemma(f"{first} cat", "authors")
        assert (got.status, got.fault) == ("malformed", "invalid_box")
        both = gemma(f"{first} cat ; <loc0001><loc0002><loc0003><loc0004> dog", "authors")
        assert (both.labels, both.flags) == (("dog",), ("dropped",))
    swapped = gemma("<loc0001><loc0008><loc0003><loc0004> cat")
    assert (swapped.boxes, swapped.flags) == (((4.0, 2.0, 8.0, 6.0),), ("swapped",))
    beyond = gemma("<loc0001><loc0002><loc0003><loc2000> cat")
    assert (beyond.boxes, beyond.flags) == (((2.0, 2.0, 1023.0, 6.0),), ("outside",))


@pytest.mark.parametrize("family", ["florence-2", "paligemma"])
def test_these_take_no_argument(family: str) -> None:
    with pytest.raises(UsageError, match="takes nothing after a colon"):
        find(f"{family}:448")
