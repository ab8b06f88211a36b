"""What the authors of families that write JSON read, and what they do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.dialects import Sizes, find
from eyechart.dialects.json_literal import python_value

if TYPE_CHECKING:
    from eyechart.dialects.found import Parser
    from eyechart.values import Reading

# width and height of the original, what was sent, what the model saw
SIZES = Sizes((640, 480), (640, 480), (1280, 960))
FAMILIES = (
    *("claude", "gemini", "gpt", "kimi-vl", "mimo-vl", "moondream", "qwen2.5-vl", "qwen3-vl"),
)
DOG = '{"bbox_2d": [100, 200, 300, 400], "label": "dog"}'
CAT = '{"bbox_2d": [500, 600, 700, 800], "label": "cat"}'


def read(spec: str, text: str, parser: Parser = "tolerant", sizes: Sizes = SIZES) -> Reading:
    return find(spec, parser).read(text, sizes)


@pytest.mark.parametrize(
    ("spec", "text", "boxes", "fault"),
    [
        # the cookbook takes Python's literals, and what follows the last `"}`
        ("qwen2.5-vl", f"[{DOG}]\nIs that all?", 1, ""),
        ("qwen2.5-vl", f'```json\n[{DOG}, {CAT}, {{"bbox_2d": [1, 2', 2, ""),
        ("qwen2.5-vl", "[{'bbox_2d': (100, 200, 300, 400), 'label': 'dog'},]", 1, ""),
        ("qwen2.5-vl", DOG, 1, ""),
        ("qwen2.5-vl", f"See: [{DOG}]", 0, "author_parser_rejects"),
        ("qwen2.5-vl", f"```\n[{DOG}]\n```", 0, "author_parser_rejects"),
        ("qwen2.5-vl", '[{"bbox_2d": [1, 2, 3, 4], "new": true}]', 0, "author_parser_rejects"),
        ("qwen2.5-vl", "[100, 200, 300, 400]", 0, "author_parser_rejects"),
        (
            "qwen2.5-vl",
            '[{"bbox_2d": [1, 2, 3, 4]}, {"bbox_2d": [1, 2, 3',
            0,
            "author_parser_rejects",
        ),
        ("qwen2.5-vl", f'[{DOG}, {{"bbox_2d": [1], "label": "a"}}]', 0, "wrong_count"),
        ("qwen2.5-vl", '[{"bbox_2d": [1, 2, 3', 0, "truncated"),
        # ODinW-13's script takes a list with labels and nothing else
        ("qwen3-vl", f"```json\n[{DOG}, {CAT},]\n```", 2, ""),
        ("qwen3-vl", f'[{DOG}, {{"bbox_2d": [1, 2, 3], "label": "a"}}, {{"label": "b"}}]', 1, ""),
        ("qwen3-vl", '[{"bbox_2d": [1, 2, 3], "label": "a"}]', 0, "wrong_count"),
        ("qwen3-vl", '[{"bbox_2d": ["1", "2", "3", "4"], "label": "a"}]', 0, "not_numeric"),
        ("qwen3-vl", DOG, 0, "author_parser_rejects"),
        ("qwen3-vl", f"[{DOG}] done", 0, "author_parser_rejects"),
        ("qwen3-vl", f'[{DOG}, {{"bbox_2d": [1, 2, 3, 4]}}]', 0, "author_parser_rejects"),
        ("qwen3-vl", f"[{DOG}, [1, 2, 3, 4]]", 0, "author_parser_rejects"),
        ("qwen3-vl", f"[{DOG}, {CAT[:-1]}", 0, "author_parser_rejects"),
        ("qwen3-vl", '[{"bbox_2d": [1, 2, 3, 4], "label": "a [b"}]', 1, ""),
        # Gemini's cookbook takes JSON and no Python, a list and no object
        ("gemini", '[{"box_2d": [1, 2, 3, 4]}]', 1, ""),
        ("gemini", 'Well:\n```json\n[{"box_2d": [1, 2, 3, 4]}]\n``` ok', 1, ""),
        ("gemini", "[{'box_2d': [1, 2, 3, 4]}]", 0, "author_parser_rejects"),
        ("gemini", '{"box_2d": [1, 2, 3, 4]}', 0, "author_parser_rejects"),
        ("gemini", '[{"box_2d": [1, 2, 3, 4]},]', 0, "author_parser_rejects"),
        ("gemini", ' ```json\n[{"box_2d": [1, 2, 3, 4]}]\n```', 0, "author_parser_rejects"),
        ("gemini", '[{"box_2d": [1, 2, 3, 4]}, {"box_2d": [1, 2', 0, "author_parser_rejects"),
        ("gemini", '[{"bbox_2d": [1, 2, 3, 4]}]', 0, "author_parser_rejects"),
        ("gemini", '[{"box_2d": [1, 2, NaN, 4]}]', 0, "not_finite"),
    ],
)
def test_what_the_authors_take(spec: str, text: str, boxes: int, fault: str) -> None:
    reading = read(spec, text, "authors")
    assert (len(reading.boxes), reading.fault) == (boxes, fault)
    assert reading.status == ("ok" if boxes else "malformed")


def test_the_authors_keep_boxes_as_they_stand_and_two_of_them_order_corners() -> None:
    said = [800, 700, 1200, 600]
    for spec, key, ordered in (
        ("qwen2.5-vl", "bbox_2d", True),
        ("qwen3-vl", "bbox_2d", False),
        ("gemini", "box_2d", True),
    ):
        text = json.dumps([{key: said, "label": "a"}])
        (x1, y1, x2, y2) = read(spec, text, "authors").boxes[0]
        assert (x1 <= x2 and y1 <= y2) is ordered
    # beyond the picture
    text = json.dumps([{"bbox_2d": said, "label": "a"}])
    assert read("qwen3-vl", text, "authors").boxes[0] == pytest.approx((512, 336, 768, 288))
    assert read("qwen3-vl", text).boxes[0] == pytest.approx((512, 288, 640, 336))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2.5, -3, +4, .5, 6., 1e3]", [1, 2.5, -3, 4, 0.5, 6.0, 1000.0]),
        ("[(1, 2), {'a': \"b\"},]", [[1, 2], {"a": "b"}]),
        ("{'a': None, 'b': True, 'c': False}", {"a": None, "b": True, "c": False}),
        (r"['it\'s', '\x41\u00e9\n', '\d', 'a\\b']", ["it's", "Aé\n", r"\d", "a\\b"]),
        ("[1, # one\n 2]", [1, 2]),
        ("['a, ]', 1]", ["a, ]", 1]),
        ("['''']", None),
        ("[01.5, 1.e2, 1e+2]", [1.5, 100.0, 100.0]),
        ("[1+2]", None),
        ("[12ab]", None),
        ("[012]", None),
        ("[true]", None),
        ("[NaN]", None),
        ("[a]", None),
        ("['a", None),
        ("[1, 2", None),
        ("[1,, 2]", None),
        ("__import__('os')", None),
        ("[" * 100_000, None),
        ("[" * 100_000 + "]" * 100_000, None),
        ("'\\U00ffffff'", None),
        ("", None),
    ],
)
def test_python_literals(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(ValueError, match=r"\S"):
            python_value(text)
    else:
        assert python_value(text) == value


# --- writing ---------------------------------------------------------------------------------
