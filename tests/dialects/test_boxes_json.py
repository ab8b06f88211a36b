from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find, known
from eyechart.errors import UsageError
from eyechart.text.thinking import strip

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.values import Reading

VGA = Sizes((640, 480))
ONE = ((10.0, 20.0, 30.0, 40.0),)


def read(text: str, spec: str = "json:pixels", sizes: Sizes = VGA) -> Reading:
    return find(spec).read(text, sizes)


@pytest.mark.parametrize(
    "text",
    [
        "[10, 20, 30, 40]",
        "[[10, 20, 30, 40]]",
        "[10.0,2e1,30.,+40]",
        "[10; 20; 30; 40]",
        "The dog is at [10, 20, 30, 40].",
        '{"bbox_2d": [10, 20, 30, 40]}',
        '{"bbox": [10, 20, 30, 40]}',
        '{"box_2d": [10, 20, 30, 40]}',
        '{"box": [10, 20, 30, 40]}',
        '{"boxes": [[10, 20, 30, 40]]}',
        '{"objects": [{"box": [10, 20, 30, 40]}]}',
        "{'bbox_2d': [10, 20, 30, 40]}",
        '```json\n[{"bbox_2d": [10, 20, 30, 40]}]\n```',
        'Sure!\n```json\n{"bbox_2d": [10, 20,\n30, 40]}\n```\nAnything else?',
        "［１０，２０，３０，４０］",
        "【10、20、30、40】",
        '{"bbox_2d"：[10，20，30，40]}',
        '"bbox_2d": [10, 20, 30, 40]',
        'The 5" tile (see [a]) is at [10, 20, 30, 40]',
        '{"color": [255, 0, 0, 1], "bbox_2d": [10, 20, 30, 40]}',
        '{"bbox_2d": [10, 20, 30, 40], "note": "not [1, 2, 3, 4]"}',
        "] } ] [10, 20, 30, 40]",
        '[{"bbox_2d": [10, 20, 30, 40]]',
        "<ref>it</ref><box>[[10, 20, 30, 40]]</box>",
    ],
)
def test_one_box_in_many_clothes(text: str) -> None:
    reading = read(text)
    assert (reading.status, reading.boxes, reading.truncated) == ("ok", ONE, False)


def test_several_boxes_keep_their_order_and_labels() -> None:
    text = (
        '[{"label": "a \\"b\\" \\u00e9", "bbox_2d": [1, 2, 3, 4]}, {"bbox_2d": [5, 6, 7, 8]},'
        ' {"boxes": [[1, 1, 2, 2], [3, 3, 4, 4]], "label": "two",'
        ' "parts": [{"box": [9, 9, 10, 10]}]}]'
    )
    reading = read(text)
    assert [box[0] for box in reading.boxes] == [1, 5, 1, 3, 9]
    assert reading.labels == ('a "b" é', None, "two", "two", None)
    assert read("[[1, 2, 3, 4], [5, 6, 7, 8]]").labels == ()


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[ ]",
        "[[]]",
        "none",
        "None.",
        " null\n",
        "```json\n[]\n```",
        "```json\nnull\n```",
        '{"boxes": []}',
        '{"bbox_2d": null}',
        '{"bbox_2d": None}',
        "There is none: []",
    ],
)
def test_an_empty_answer_is_an_answer(text: str) -> None:
    assert read(text).status == "none"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the reply is empty"),
        (" \n", "the reply is empty"),
        ("[10, 20, 30]", "a box has four numbers, here 3"),
        ("[10, 20, 30, 40, 50]", "a box has four numbers, here 5"),
        ('[{"bbox_2d": [10, 20, 30]}, {"bbox_2d": [1]}]', "a box has four numbers, here 1 and 3"),
        ("[10-20, 30-40]", "a list holds more than numbers"),
        ("[10px, 20px, 30px, 40px]", "a list holds more than numbers"),
        ("[x1, y1, x2, y2]", "no list of four numbers"),
        ('{"answer": [10, 20, 30, 40]}', "four numbers under the key 'answer'"),
        ("10, 20, 30, 40", "no list of four numbers"),
        ("It is on the left.", "no list of four numbers"),
        ("[1e999, 20, 30, 40]", "a number that is not finite"),
        ("nonesuch", "no list of four numbers"),
    ],
)
def test_unreadable_replies_say_why(text: str, reason: str) -> None:
    reading = read(text)
    assert (reading.status, reading.boxes) == ("malformed", ())
    assert reading.reason.startswith(reason)


def test_a_refusal_is_neither_an_answer_nor_unreadable() -> None:
    assert read("I'm sorry, but I can't help with identifying people.").status == "refused"
    assert read("I'm sorry for the delay: [10, 20, 30, 40]").boxes == ONE


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "a"}, {"bbox_2d": [1, 2, 3', 1),
        ('[{"bbox_2d": [10, 20, 30, 40], "la', 1),
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "a long nam', 1),
        ("[[10, 20, 30, 40], ", 1),
        ("[10, 20, 30", 0),
        ('{"label": "cut [1, 2, 3, 4]', 0),
    ],
)
def test_of_cut_json_the_whole_boxes_count(text: str, count: int) -> None:
    reading = read(text)
    assert (reading.truncated, len(reading.boxes)) == (True, count)
    assert reading.status == ("ok" if count else "malformed")


def test_flags_stand_beside_what_was_read() -> None:
    swapped = read("[30, 40, 10, 20]")
    assert (swapped.boxes, swapped.flags) == (ONE, ("swapped",))
    outside = read("[10, 20, 700, 40]")
    assert (outside.boxes, outside.flags) == (((10, 20, 640, 40),), ("outside",))
    kept = find("json:pixels", "authors").read("[10, 20, 700, 40]", Sizes((640, 480)))
    assert (kept.boxes, kept.flags) == (((10, 20, 700, 40),), ("outside",))
    flat = read("[10, 20, 10, 40]")
    assert (flat.boxes, flat.flags) == (((10, 20, 10, 40),), ("flat",))
    dropped = read("[10, 20, 30, 40] and [1, 2, 3]")
    assert (dropped.boxes, dropped.flags) == (ONE, ("dropped",))
    assert read("[0, 0, 1000, 1000]", "json:0-1000").flags == ()


def test_scale_and_order_are_the_declared_ones_whatever_the_numbers() -> None:
    text = "[10, 20, 30, 40]"
    assert read(text, "json:pixels,yxyx").boxes == ((20, 10, 40, 30),)
    assert read(text, "json:pixels, xywh").boxes == ((10, 20, 40, 60),)
    assert read(text, "json:0-1000").boxes[0] == pytest.approx((6.4, 9.6, 19.2, 19.2))
    ratios = find("json:0-1", "authors").read(text, Sizes((640, 480)))
    assert ratios.boxes[0] == pytest.approx((6400, 9600, 19200, 19200))


@pytest.mark.parametrize("spec", known())
def test_every_dialect_asks_for_what_it_reads(spec: str) -> None:
    dialect = find(spec)
    assert dialect.name == spec
    assert dialect.about
    in_pixels_seen = ("json:seen", "claude", "mimo-vl", "qwen2.5-vl")
    assert dialect.needs_seen is (spec in in_pixels_seen)
    if spec.startswith("json"):
        assert dialect.template is not None
        assert "the dog" in dialect.template.format(expression="the dog")
        assert "[x1, y1, x2, y2]" in dialect.template


def test_unknown_dialects_are_told_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'jsn:pixels'.*Did you mean json:pixels"):
        find("jsn:pixels")
    with pytest.raises(UsageError, match=r"'pixel'.*Did you mean pixels"):
        find("json:pixel")
    with pytest.raises(UsageError, match="needs a scale"):
        find("json")
    with pytest.raises(UsageError, match="grid"):
        find("kosmos-2:x")
    assert find("kosmos-2:16").read is not None


CASES = {
    "v01": "json:0-1000",
    "v02": "json:seen",
    "v03": "json:pixels",
    "v04": "json:0-1000",
    "v05": "json:pixels",
    "v06": "json:0-1000",
    "v07": "json:square",
    "v10": "json:pixels",
    "v11": "json:0-999",
}


@pytest.mark.parametrize("case", CASES)
def test_reported_cases(vectors: Path, case: str) -> None:
    lines = (vectors / "cases.jsonl").read_text().splitlines()
    record = next(one for one in map(json.loads, lines) if one["id"] == case)
    given, expected = record["input"], record["expected"]
    seen = expected.get("resized_wh")
    sizes = Sizes(tuple(given["image_size_wh"]), seen=tuple(seen) if seen else None)
    reading = read(strip(given["reply"])[0], CASES[case], sizes)
    assert reading.status == expected.get("status", "ok")
    assert reading.truncated is expected.get("truncated", False)
    tolerance = expected.get("tol_px", 1e-4)
    boxes = [pytest.approx(box, abs=tolerance) for box in expected["boxes_xyxy_px"]]
    assert [list(box) for box in reading.boxes] == boxes


NOTHING = (False, 0, "no list of four numbers")
CUT_OFF = (True, 0, "cut off before the first whole box")
# the piece, how many characters of it, and what is found
HOSTILE = {
    "open brackets": ("[", 120_000, CUT_OFF),
    "closed brackets": ("]", 200_000, NOTHING),
    "mixed brackets": ("[{", 120_000, CUT_OFF),
    "crossed brackets": ("[{]", 200_000, NOTHING),
    "quotes": ('"', 300_000, NOTHING),
    "escaped quotes": ('\\"', 300_000, NOTHING),
    "open labels": ('"label":"\\', 1_000_000, NOTHING),
    "keys": ('"a" ', 400_000, NOTHING),
    "nested labels": ('{"label":"a","bbox":[1,2,3,4],"k":', 340_000, (True, 10_000, "")),
    "digits": ("1", 1_000_000, NOTHING),
    "spaces": ('"a"        ', 1_000_000, NOTHING),
    "dots": ("1.", 1_000_000, NOTHING),
    "exponents": ("1e", 1_000_000, NOTHING),
    "signs": ("-", 400_000, NOTHING),
}


@pytest.mark.parametrize(("piece", "length", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_to_its_end(
    piece: str, length: int, expected: tuple[bool, int, str]
) -> None:
    # reading that looks ahead or back from every piece would not come to an end
    found = read(piece * (length // len(piece)))
    assert (found.truncated, len(found.boxes), found.reason) == expected
    assert found.status == ("ok" if found.boxes else "malformed")


def test_nested_labels_that_all_close_at_the_end_keep_to_their_boxes() -> None:
    depth = 20_000
    found = read('{"label":"a","bbox":[1,2,3,4],"k":' * depth + "0" + "}" * depth)
    assert len(found.boxes) == len(found.labels) == depth
    assert set(found.boxes) == {(1.0, 2.0, 3.0, 4.0)}
    assert set(found.labels) == {"a"}
    assert not found.truncated


@given(st.text(st.sampled_from('[]{}"\\:,. 0123456789-ebox_2dlabelnull\n［１')))
def test_any_text_is_read_without_failing(text: str) -> None:
    reading = read(text, "json:0-1000")
    assert (reading.status == "ok") == bool(reading.boxes)
    assert reading.status != "malformed" or reading.reason


@given(
    st.lists(
        st.tuples(*[st.integers(0, 400)] * 4).map(
            lambda v: (min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3]))
        ),
        min_size=1,
    )
)
def test_what_json_writes_is_read_back(boxes: list[tuple[int, int, int, int]]) -> None:
    rows = [{"bbox_2d": box, "label": f"n{place}"} for place, box in enumerate(boxes)]
    reading = read(json.dumps(rows, indent=1))
    assert reading.boxes == tuple(boxes)
    assert reading.labels == tuple(row["label"] for row in rows)
