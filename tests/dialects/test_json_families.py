from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

# width and height of the original, what was sent, what the model saw
SIZES = Sizes((640, 480), (640, 480), (1280, 960))
FAMILIES = (
    *("claude", "gemini", "gpt", "kimi-vl", "mimo-vl", "moondream", "qwen2.5-vl", "qwen3-vl"),
)
DOG = '{"bbox_2d": [100, 200, 300, 400], "label": "dog"}'
CAT = '{"bbox_2d": [500, 600, 700, 800], "label": "cat"}'


def boxes_of(reading: Reading) -> list[Any]:
    """The boxes, to be compared with approximate ones."""
    return [*reading.boxes]


def read(spec: str, text: str, parser: Parser = "tolerant", sizes: Sizes = SIZES) -> Reading:
    return find(spec, parser).read(text, sizes)


# --- frames, by hand -------------------------------------------------------------------------


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize(
    ("spec", "text", "box"),
    [
        # pixels of 1280 x 960, twice the original
        ("qwen2.5-vl", f"[{DOG}]", (50, 100, 150, 200)),
        ("mimo-vl", DOG, (50, 100, 150, 200)),
        ("claude", "[100, 200, 300, 400]", (50, 100, 150, 200)),
        # thousandths of 640 and 480
        ("qwen3-vl", f"[{DOG}]", (64, 96, 192, 192)),
        # y first
        ("gemini", '[{"box_2d": [100, 200, 300, 400]}]', (128, 48, 256, 144)),
        ("kimi-vl", '{"bbox_2d": [0.100, 0.200, 0.300, 0.400]}', (64, 96, 192, 192)),
        ("gpt", '{"bbox": [100, 200, 300, 400]}', (100, 200, 300, 400)),
        (
            "moondream",
            '{"objects": [{"x_min": 0.1, "y_min": 0.2, "x_max": 0.3, "y_max": 0.4}]}',
            (64, 96, 192, 192),
        ),
    ],
)
def test_each_family_in_its_frame(
    spec: str, text: str, box: tuple[float, ...], parser: Parser
) -> None:
    reading = read(spec, text, parser)
    assert reading.status == "ok"
    assert boxes_of(reading) == [pytest.approx(box)]


@pytest.mark.parametrize(
    ("spec", "text", "points", "labels"),
    [
        ("qwen3-vl", '[{"point_2d": [925, 500], "label": "a"}]', [(592, 240)], ("a",)),
        ("gemini", '[{"point": [500, 250], "label": "a"}]', [(160, 240)], ("a",)),
        ("kimi-vl", "pyautogui.click(x=0.5, y=0.25)", [(320, 120)], ()),
        ("kimi-vl", "pyautogui.doubleClick(0.5, 0.25)", [(320, 120)], ()),
        ("moondream", '{"points": [{"x": 0.5, "y": 0.25}]}', [(320, 120)], ()),
        ("json:0-1", '{"point": {"x": 0.5, "y": 0.25}, "label": "a"}', [(320, 120)], ("a",)),
        (
            "qwen2.5-vl",
            '```xml\n<points x1="394" y1="106" x2="464" y2="236" alt="buttons">buttons</points>\n```',
            [(197, 53), (232, 118)],
            ("buttons", "buttons"),
        ),
    ],
)
@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_points(
    spec: str,
    text: str,
    points: list[tuple[float, float]],
    labels: tuple[str, ...],
    parser: Parser,
) -> None:
    reading = read(spec, text, parser)
    assert reading.boxes == ()
    assert list(reading.points) == [pytest.approx(point) for point in points]
    assert reading.labels == labels


def test_moondreams_bins() -> None:
    # 512/1024 is the middle; sizes: bin 1023 is 2^0 = 1, bin 0 is 2^-10
    text = '{"x_bin": 512, "y_bin": 512, "w_bin": 1023, "h_bin": 0}'
    reading = read("moondream", text, "authors")
    high = 480 / 1024
    assert boxes_of(reading) == [pytest.approx((0, 240 - high / 2, 640, 240 + high / 2))]
    # they mean nothing in another family
    assert read("json:0-1", text).status == "malformed"


def test_a_cut_tag_gives_its_whole_pairs() -> None:
    reading = read("qwen2.5-vl", '<points x1="10" y1="20" x2="30" y2="4')
    assert (reading.points, reading.truncated) == (((5, 10),), True)


# --- what tolerant reading takes -------------------------------------------------------------

BOX = (64.0, 96.0, 192.0, 192.0)


@pytest.mark.parametrize(
    "text",
    [
        DOG,
        f"[{DOG}]",
        f"Here it is:\n```json\n[{DOG}]\n```\nAnything else?",
        f"```\n[{DOG}]\n```",
        f"~~~json\n[{DOG}]\n~~~",
        f"<answer>[{DOG}]</answer>",
        f"[{DOG}]<|im_end|>",
        "[{'bbox_2d': [100, 200, 300, 400], 'label': 'dog'}]",
        '[{"bbox_2d": [100, 200, 300, 400,], "label": "dog",},]',
        '{bbox_2d: [100, 200, 300, 400], label: "dog"}',
        "{bbox_2d: [100, 200, 300, 400], label: dog}",
        '{"bbox_2d": (100, 200, 300, 400), "label": "dog"}',
        '{"bbox_2d": ["100", "200", "300", "400"], "label": "dog"}',
        '{"bbox_2d": "[100, 200, 300, 400]", "label": "dog"}',
        '{"bbox_2d": "100, 200, 300, 400", "label": "dog"}',
        '{"visible": true, "score": None, "bbox_2d": [100, 200, 300, 400], "label": "dog"}',
        '[ // all dogs\n{"bbox_2d": [100, 200, /* left */ 300, 400], # one\n "label": "dog"}]',
        '[{"bbox_2d": [100, // x [px]\n 200,\n 300, 400], "label": "dog"}]',
        '{"bbox_2d"：［１００，２００，３００，４００］，"label": "dog"}',
        '{"x1": 100, "y1": 200, "x2": 300, "y2": 400, "label": "dog"}',
        '{"label": "dog", "box": {"x_min": 100, "y_min": 200, "x_max": 300, "y_max": 400}}',
        '{"label": "dog", "bbox": {"xmin": "100", "ymin": "200", "xmax": "300", "ymax": "400"}}',
        '[{"bounding box": {"left": 100, "top": 200, "right": 300, "bottom": 400}, "label": "dog"}]',
        '{"bbox_2d": [[100, 200], [300, 400]], "label": "dog"}',
        '{"coordinates": [100, 200, 300, 400], "label": "dog"}',
        '{"bbox_2d": [1e2, 2.0E2, 300.0, +400], "label": "dog"}',
        # a label that holds what looks like a box, or a quote
        '{"label": "dog", "note": "not [1, 2, 3, 4]", "bbox_2d": [100, 200, 300, 400]}',
        '{"label": "dog", "说明": "not [1, 2, 3, 4]", "bbox_2d": [100, 200, 300, 400]}',
        '{"label": "dog", "notes": ["not [1, 2, 3, 4]"], "bbox_2d": [100, 200, 300, 400]}',
    ],
)
def test_one_box_in_many_clothes(text: str) -> None:
    reading = read("qwen3-vl", text)
    assert boxes_of(reading) == [pytest.approx(BOX)]
    assert (reading.status, reading.labels, reading.truncated) == ("ok", ("dog",), False)


def test_named_corners_are_a_box_whatever_the_order() -> None:
    text = '{"x1": 100, "y1": 200, "x2": 300, "y2": 400}'
    for spec in ("gemini", "json:0-1000", "json:0-1000,xywh", "json:0-1000,cxcywh"):
        assert boxes_of(read(spec, text)) == [pytest.approx(BOX)]


def test_named_sizes_are_read_only_as_declared() -> None:
    text = '{"bbox": {"x": 100, "y": 200, "width": 300, "height": 400}}'
    assert boxes_of(read("json:0-1000,xywh", text)) == [pytest.approx((64, 96, 256, 288))]
    for spec in ("json:0-1000", "qwen3-vl", "gemini", "json:0-1000,cxcywh"):
        reading = read(spec, text)
        assert (reading.status, reading.fault) == ("malformed", "no_box")
        assert "order xywh" in reading.reason
    centred = '{"cx": 200, "cy": 300, "w": 200, "h": 200}'
    assert boxes_of(read("json:0-1000,cxcywh", centred)) == [pytest.approx(BOX)]


def test_two_corners_are_no_box_where_the_order_has_a_size() -> None:
    text = "[[100, 200], [300, 400]]"
    assert boxes_of(read("json:0-1000", text)) == [pytest.approx(BOX)]
    assert read("json:0-1000,xywh", text).fault == "wrong_count"
    # three of them are no box either
    assert read("json:0-1000", "[[1, 2], [3, 4], [5, 6]]").fault == "wrong_count"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"name": "b", "label": "a", "bbox": [1, 2, 3, 4]}', "a"),
        ('{"bbox": [1, 2, 3, 4], "name_zh": "米饭", "name_en": "Rice"}', "Rice"),
        ('{"bbox": [1, 2, 3, 4], "names": {"zh": "米饭", "en": "Rice"}}', "Rice"),
        ('{"bbox": [1, 2, 3, 4], "name_zh": "米饭"}', "米饭"),
        ("{'bbox': [1, 2, 3, 4], 'label': 'man's hat'}", "man's hat"),
        ("{'bbox': [1, 2, 3, 4], 'label': 'man\\'s hat'}", "man's hat"),
        ('{"bbox": [1, 2, 3, 4], "label": "\\u00e9 \\"b\\""}', 'é "b"'),
        ('{"bbox": [1, 2, 3, 4], "label": "\\ud800"}', "\ufffd"),
        ('{"bbox": [1, 2, 3, 4], "label": "a “big” dog"}', "a “big” dog"),
        ('{"bbox": [1, 2, 3, 4], "label": null}', None),
        ('{"bbox": [1, 2, 3, 4], "label": "cut', None),
        ('{"bbox": [1, 2, 3, 4], "label": "kept", "scor', "kept"),
    ],
)
def test_labels(text: str, label: str | None) -> None:
    reading = read("json:0-1000", text)
    assert len(reading.boxes) == 1
    assert reading.labels == ((label,) if label is not None else ())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"bbox_2d": [1, 2, 3]}', "wrong_count"),
        ('{"x1": 1, "y1": 2, "x2": 3}', "wrong_count"),
        ('{"bbox_2d": ["a", "b", "c", "d"]}', "not_numeric"),
        ('{"bbox_2d": [10px, 20px, 30px, 40px]}', "not_numeric"),
        ('{"bbox_2d": [NaN, 2, 3, 4]}', "not_finite"),
        ('{"bbox_2d": [1, 2, -Infinity, 4]}', "not_finite"),
        ('{"bbox_2d": [1, 2, 1e999, 4]}', "not_finite"),
        ('{"bbox_2d": [1, 2, 1e308, 4]}', "not_finite"),
        (f'{{"bbox_2d": [1, 2, {"9" * 5000}, 4]}}', "not_finite"),
        ('{"x1": 1, "y1": 2, "x2": 1e999, "y2": 4}', "not_finite"),
        ('{"bbox_2d": [1, 2, 3', "truncated"),
        ('[{"label": "a dog", "bbox_', "truncated"),
        ("There are no objects that match the description in the image.", "no_box"),
        ('{"image_size": {"width": 640, "height": 480}}', "no_box"),
    ],
)
def test_why_nothing_was_read(text: str, fault: str) -> None:
    reading = read("qwen3-vl", text)
    assert (reading.status, reading.fault) == ("malformed", fault)
    assert reading.reason


@pytest.mark.parametrize("bad", ["[NaN, 2, 3, 4]", "[1e999, 2, 3, 4]", "[1, 2, 3]", "[a, 1, 2]"])
def test_rubbish_beside_a_box_is_counted_and_does_no_harm(bad: str) -> None:
    reading = read("qwen3-vl", f'[{{"bbox_2d": {bad}}}, {DOG}]')
    assert boxes_of(reading) == [pytest.approx(BOX)]
    assert (reading.labels, reading.flags) == (("dog",), ("dropped",))


@pytest.mark.parametrize(
    "text",
    [
        *("[]", '{"objects": []}', '{"bbox_2d": null}', '{"bbox_2d": None}', '{"bbox_2d": "none"}'),
        *('{"bbox_2d": []}', "```json\n[]\n```", "none", '{"detections": [ ]}'),
        "<answer>[]</answer>",
    ],
)
def test_an_empty_answer_is_an_answer(text: str) -> None:
    assert read("qwen3-vl", text).status == "none"


def test_whole_boxes_before_a_cut_are_kept() -> None:
    whole = f"```json\n[{DOG}, {CAT}]\n```"
    for end in range(len(whole)):
        reading = read("qwen3-vl", whole[:end])
        count = sum(whole[:end].count(shut) for shut in ("300, 400]", "700, 800]"))
        assert len(reading.boxes) == count
        # from the list's beginning to its end
        assert reading.truncated is (whole.index("[") < end <= whole.rindex("]"))


# --- the authors' readers --------------------------------------------------------------------


A = (100.0, 120.0, 300.0, 360.0)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            "qwen2.5-vl",
            '```json\n[\n\t{"bbox_2d": [200, 240, 600, 720], "label": "é"}\n]\n```',
        ),
        ("qwen3-vl", '```json\n[\n\t{"bbox_2d": [156, 250, 469, 750], "label": "é"}\n]\n```'),
        ("mimo-vl", '{"bbox_2d": [200, 240, 600, 720], "label": "é"}'),
        ("kimi-vl", '{"bbox_2d": [0.156, 0.250, 0.469, 0.750], "label": "é"}'),
        (
            "moondream",
            '{"objects": [{"x_min": 0.15625, "y_min": 0.25, "x_max": 0.46875, "y_max": 0.75}]}',
        ),
    ],
)
def test_what_each_family_writes(spec: str, text: str) -> None:
    assert find(spec).write([("é", A)], SIZES) == text


@pytest.mark.parametrize("spec", FAMILIES)
def test_writing_nothing_is_read_as_nothing(spec: str) -> None:
    for parser in ("authors", "tolerant"):
        assert read(spec, find(spec).write([], SIZES), parser).status == "none"


# a tag in a label would be a tag of the reply
PLAIN = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<")
LABELS = st.text(PLAIN, min_size=1, max_size=12).map(str.strip)
BOXES = st.tuples(st.floats(0, 300), st.floats(0, 200), st.floats(1, 340), st.floats(1, 280)).map(
    lambda v: (v[0], v[1], v[0] + v[2], v[1] + v[3])
)
# the most that rounding in the family's numbers moves an edge, in pixels of the original
ROUNDING = {
    "claude": 0.25, "gemini": 0.32, "gpt": 0.5, "kimi-vl": 0.32, "mimo-vl": 0.25,
    "moondream": 1e-6, "qwen2.5-vl": 0.25, "qwen3-vl": 0.32,
}  # fmt: skip


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("spec", FAMILIES)
@given(named=st.lists(st.tuples(LABELS.filter(bool), BOXES), min_size=1, max_size=4))
def test_what_is_written_is_read_back(
    spec: str, parser: Parser, named: list[tuple[str, tuple[float, float, float, float]]]
) -> None:
    reading = read(spec, find(spec).write(named, SIZES), parser)
    assert reading.status == "ok"
    assert not reading.truncated
    boxes = [pytest.approx(box, abs=ROUNDING[spec] + 1e-6) for _, box in named]
    assert list(reading.boxes) == boxes
    if spec not in ("claude", "moondream") and all(label.isascii() for label, _ in named):
        assert list(reading.labels) == [label for label, _ in named]


# --- real replies, sizes, arguments, speed ---------------------------------------------------


def test_real_replies(shared: Path) -> None:
    lines = (shared / "data/dialects/grounding_replies.jsonl").read_text().splitlines()
    replies = [json.loads(line) for line in lines]
    points, food, people = [one["reply"] for one in replies if one["model"] == "Qwen3-VL"]
    sizes = Sizes((1000, 1000))
    assert read("qwen3-vl", points, sizes=sizes).points == ((925.0, 618.0),)
    reading = read("qwen3-vl", food, sizes=sizes)
    assert boxes_of(reading)[0] == (0, 614, 224, 825)
    assert reading.labels[0] == "Rice"
    assert (len(reading.boxes), reading.labels[-1]) == (7, "Spicy Blood Tofu")
    # one bracket too many in the middle
    reading = read("qwen3-vl", people, sizes=sizes)
    assert (len(reading.boxes), reading.truncated) == (9, False)
    assert (reading.labels[0], reading.labels[5]) == ("Giyu Tomioka", "Obanai Iguro")
    cupcakes = next(one["reply"] for one in replies if one["model"] == "Gemini")
    for parser in ("authors", "tolerant"):
        reading = read("gemini", cupcakes, parser, sizes)
        assert (len(reading.boxes), reading.labels[0]) == (13, "red sprinkle topping")
        assert boxes_of(reading)[0] == (67, 393, 206, 574)


def test_sizes_that_are_needed_are_asked_for() -> None:
    for spec in ("claude", "mimo-vl", "qwen2.5-vl"):
        assert find(spec).needs_seen
        with pytest.raises(UsageError, match="seen"):
            read(spec, "[1, 2, 3, 4]", sizes=Sizes((640, 480)))
    with pytest.raises(UsageError, match="sent"):
        read("gpt", "[1, 2, 3, 4]", sizes=Sizes((640, 480)))


@pytest.mark.parametrize("spec", FAMILIES)
def test_no_family_takes_an_argument(spec: str) -> None:
    with pytest.raises(UsageError, match="nothing after a colon"):
        find(f"{spec}:x")


@pytest.mark.parametrize(
    "piece",
    [
        *("[1,2,3,4],", '{"bbox_2d": [1, 2, 3, 4], "label": "a"},', "[1,", "1 ", '"a":', "\\", "'"),
        *(
            '<points x1="1" y1="2">',
            "(1//",
            "[1/*",
            '{"x":1,"y":2},',
            "['a'",
            '"bbox":"',
            "click(1",
        ),
    ],
)
@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("family", ["qwen2.5-vl", "qwen3-vl"])
def test_long_repetitions_are_read(family: str, parser: Parser, piece: str) -> None:
    # a square of the length would not come back; the slow tests hold the time against the length
    for beginning in ("", "["):
        reading = read(family, beginning + piece * (100_000 // len(piece)), parser)
        assert reading.status != "error"
