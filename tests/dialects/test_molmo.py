"""Molmo's points in their five forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

SIZES = Sizes((1000, 2000))
# of five points in thousandths of the width and of the height
XS, YS = (100.0, 300.0, 500.0, 700.0, 900.0), (200.0, 400.0, 600.0, 800.0, 950.0)


def molmo(text: str, parser: Parser = "tolerant") -> Reading:
    return find("molmo", parser).read(text, SIZES)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('<point x="45.3" y="67.8" alt="a mug">the mug</point>', "a mug"),
        ('<point x="45.3" y="67.8">the mug</point>', "the mug"),
        ("(45.3, 67.8)", None),
        ("(45.3 67.8)", None),
        ("p=453,678", None),
        ("1 = 453, 678", None),
        ('<points coords="1 1 453 678" alt="a mug">a mug</points>', "a mug"),
    ],
)
def test_forms_that_both_read(text: str, label: str | None) -> None:
    for parser in ("tolerant", "authors"):
        got = molmo(text, "authors" if parser == "authors" else "tolerant")
        assert len(got.points) == 1
        assert got.points[0] == pytest.approx((453.0, 1356.0))
        assert got.boxes == ()
        assert got.labels == ((label,) if label else ())


@pytest.mark.parametrize(
    "text",
    [
        "<point x=45.3 y=67.8>mug</point>",
        "<point x='45.3' y='67.8' alt='mug'>",
        '<point x = "45.3", y = "67.8" alt="mug"/>',
        '```xml\n<point x=" 45.3 " y="67.8" alt="mug">mug</point>\n```',
    ],
)
def test_forms_that_the_authors_reject(text: str) -> None:
    assert molmo(text).points[0] == pytest.approx((453.0, 1356.0))
    assert molmo(text).labels == ("mug",)
    assert molmo(text, "authors").fault == "author_parser_rejects"


def test_a_click_is_two_points_to_the_authors() -> None:
    assert len(molmo("Click(45.3, 67.8)", "authors").points) == 2
    assert len(molmo("Click(45.3, 67.8)").points) == 1


def test_several_points_in_their_order() -> None:
    text = (
        '(10.0, 20.0) <points x1="30.0" y1="40.0" x2="50" y2="60.0" alt="mugs">mugs</points> '
        '<point x="70.0" y="80.0" alt="cup">cup</point> p=900,950'
    )
    got = molmo(text)
    assert list(got.points) == [(x, 2.0 * y) for x, y in zip(XS, YS, strict=True)]
    assert got.labels == (None, "mugs", "mugs", "cup", None)


def test_molmo2_gives_all_points_of_a_picture_in_one_list() -> None:
    text = '<points coords="1 1 100 200 2 500 1000" alt="boats">boats</points>'
    assert molmo(text).points == ((100.0, 400.0), (500.0, 2000.0))
    assert molmo('<points coords="1 1 100 1001" alt="boats">').fault == "out_of_range_dropped"


def test_points_beyond_the_picture_are_dropped() -> None:
    for parser in ("tolerant", "authors"):
        how: Parser = "authors" if parser == "authors" else "tolerant"
        got = molmo('<points x1="10.0" y1="20.0" x2="100.1" y2="5.0" alt="a">a</points>', how)
        assert (got.points, got.flags) == (((100.0, 400.0),), ("dropped",))
        assert molmo("(10.0, 100.1)", how).fault == "out_of_range_dropped"
    assert molmo('<point x="-3.0" y="20.0">').fault == "out_of_range_dropped"


@pytest.mark.parametrize(
    "text",
    ["There are none.", " This isn't in the image.", "This isn’t in the image.", "There is none"],
)
def test_absence_is_an_answer(text: str) -> None:
    assert molmo(text).status == "none"
    assert molmo(text, "authors").status == "none"


def test_a_cut_number_is_no_number() -> None:
    got = molmo('<points x1="10.0" y1="20.0" x2="30.5" y2="44.')
    assert (got.points, got.truncated) == (((100.0, 400.0),), True)
    for text in ('<point x="10.0" y="2', "<point x=10.0 y=2", "<point x="):
        cut = molmo(text)
        assert (cut.status, cut.fault, cut.truncated) == ("malformed", "truncated", True)


def test_without_points() -> None:
    assert molmo("The mug is on the left.").fault == "no_box"
    assert molmo('<point x="10.0">mug</point>').fault == "wrong_count"


def test_json_in_per_cent() -> None:
    assert molmo('{"box": [10, 20, 30, 40]}').boxes == ((100.0, 400.0, 300.0, 800.0),)
