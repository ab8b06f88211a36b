"""MDETR, TransVG and Grounding DINO: numbers that a program printed as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

SIZES = Sizes((100, 200))
# corners (10, 40, 30, 60) and (40, 40, 60, 160)
A, B = "[0.2, 0.25, 0.2, 0.1]", "[0.5, 0.5, 0.2, 0.6]"
FIRST, SECOND = (10.0, 40.0, 30.0, 60.0), (40.0, 40.0, 60.0, 160.0)
PARSERS: tuple[Parser, ...] = ("tolerant", "authors")


def read(spec: str, text: str, parser: Parser = "tolerant") -> Reading:
    return find(spec, parser).read(text, SIZES)


def assert_boxes(got: Reading, *wanted: tuple[float, ...]) -> None:
    assert list(got.boxes) == [pytest.approx(box) for box in wanted]


@pytest.mark.parametrize("parser", PARSERS)
def test_the_best_score_comes_first(parser: Parser) -> None:
    text = f'{{"boxes_cxcywh": [{A}, {B}], "scores": [0.2, 0.9], "labels": ["a", "b"]}}'
    got = read("mdetr", text, parser)
    assert_boxes(got, SECOND, FIRST)
    assert (got.labels, got.scores) == (("b", "a"), (0.9, 0.2))
    # the threshold of Grounding DINO leaves one, another none
    one = read("grounding-dino", text, parser)
    assert_boxes(one, SECOND)
    assert (one.labels, one.scores) == (("b",), (0.9,))
    assert read("grounding-dino:0.9", text, parser).status == "none"
    assert len(read("grounding-dino:0.1", text, parser).boxes) == 2


@pytest.mark.parametrize("parser", PARSERS)
def test_an_empty_list_is_an_answer(parser: Parser) -> None:
    for text in ('{"boxes_cxcywh": []}', '{"boxes_cxcywh": [], "scores": []}'):
        assert read("mdetr", text, parser).status == "none"
        assert read("grounding-dino", text, parser).status == "none"
    assert read("transvg", '{"box_cxcywh": null}', parser).status == "none"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"boxes_cxcywh": [[0.1, 0.2, 0.3]], "scores": [0.9]}', "wrong_count"),
        (f'{{"boxes_cxcywh": [{A}], "scores": [0.9, 0.8]}}', "wrong_count"),
        (f'{{"boxes_cxcywh": [{A}], "scores": [0.9], "labels": ["a", "b"]}}', "wrong_count"),
        ('{"boxes_cxcywh": [["a", "b", "c", "d"]]}', "not_numeric"),
        ('{"boxes_cxcywh": [[true, true, true, true]]}', "not_numeric"),
        ('{"boxes_cxcywh": [[NaN, 0, 1, 1]]}', "not_numeric"),
        ('{"boxes_cxcywh": [[1e999, 0, 1, 1]]}', "not_numeric"),
        (f'{{"boxes_cxcywh": [{A}], "scores": ["high"]}}', "not_numeric"),
        (f'{{"boxes": [{A}]}}', "no_box"),
        ('{"boxes_cxcywh": "none"}', "not_numeric"),
        ("no such thing", "no_box"),
        ("[" * 100_000, "truncated"),
        ("1" * 5000, "no_box"),
    ],
)
@pytest.mark.parametrize("parser", PARSERS)
def test_faults(text: str, fault: str, parser: Parser) -> None:
    got = read("mdetr", text, parser)
    assert (got.status, got.fault) == ("malformed", fault)
    assert got.reason


def test_a_broken_box_beside_a_whole_one_is_dropped() -> None:
    got = read("mdetr", f'{{"boxes_cxcywh": [[0.1, 0.2], {A}], "scores": [0.9, 0.8]}}')
    assert_boxes(got, FIRST)
    assert (got.scores, got.flags) == ((0.8,), ("dropped",))


@pytest.mark.parametrize(
    "text",
    [
        f'Detections:\n```json\n{{"boxes_cxcywh": [{B}, {A}], "scores": [0.3, 0.9]}}\n```',
        f"{{'boxes_cxcywh': [{B}, {A},], 'scores': [0.3, 0.9,],}}",
        f'{{"scores": [0.3, 0.9], "boxes_cxcywh": [{B}, {A}]}} done',
        f"[{A}, {B}]",
    ],
)
def test_what_is_plainly_written(text: str) -> None:
    assert_boxes(read("mdetr", text), FIRST, SECOND)
    assert read("mdetr", text, "authors").fault == "author_parser_rejects"


def test_cut_json_keeps_whole_boxes() -> None:
    whole = f'{{"boxes_cxcywh": [{B}, {A}], "scores": [0.3, 0.9'
    got = read("mdetr", whole)
    # the last score may be cut, so the second box has none
    assert_boxes(got, SECOND, FIRST)
    assert (got.truncated, got.scores) == (True, ())
    one = read("mdetr", f'{{"boxes_cxcywh": [{B}, [0.2, 0.25')
    assert_boxes(one, SECOND)
    assert one.truncated
    nothing = read("mdetr", '{"boxes_cxcywh": [[0.5, 0.5')
    assert (nothing.status, nothing.fault) == ("malformed", "truncated")


def test_transvg_clips_to_its_square_first() -> None:
    # the square is 200 pixels wide, the picture its middle: x = v * 200 - 50
    got = read("transvg", '{"box_cxcywh": [0.9, 0.5, 0.6, 0.5]}', "authors")
    # right edge 1.2 of the square, clipped to 1
    assert_boxes(got, (70.0, 50.0, 150.0, 150.0))
    assert got.flags == ("outside",)
    assert_boxes(
        read("transvg", '{"box_cxcywh": [0.9, 0.5, 0.6, 0.5]}'), (70.0, 50.0, 100.0, 150.0)
    )


@pytest.mark.parametrize("threshold", ["x", "-0.1", "1.5", "nan"])
def test_no_such_threshold(threshold: str) -> None:
    with pytest.raises(UsageError, match=f"grounding-dino:{threshold}: the score that a box"):
        find(f"grounding-dino:{threshold}")


def test_labels_can_be_written_down() -> None:
    text = f'{{"boxes_cxcywh": [{A}, {B}], "scores": [0.9, 0.8], "labels": ["a\\ud800", 0]}}'
    assert read("mdetr", text).labels == ("a?", "0")
