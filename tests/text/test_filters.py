from __future__ import annotations

from typing import Any

import pytest

from eyechart.errors import UsageError
from eyechart.text.filters import NAMES, build, parse

LAST = {"regex": {"regex_pattern": r"(\d+)", "group_select": -1}}


@pytest.mark.parametrize(
    ("filters", "text", "left"),
    [
        ({}, "as it is ", "as it is "),
        (LAST, "3 of 5", "5"),
        (LAST, "none", "[invalid]"),
        ({"regex": {}}, "so #### -1,042.", "-1,042."),
        ({"regex": {"regex_pattern": r"(a)|(b)"}}, "xb", "b"),
        ({"regex": {"regex_pattern": r"(a?)(b?)", "fallback": "f"}}, "", "f"),
        ({"regex": {"regex_pattern": r"\d", "group_select": 2, "fallback": "f"}}, "1 2", "f"),
        ({"regex": {"regex_pattern": r" \d "}}, "a 1 ", "1"),
        ({"extract": {"regex_pattern": r"\d"}}, "a 1 ", "1"),
        ({"remove_until": {"delimiter": "</think>"}}, "a</think>b</think>c", "b</think>c"),
        ({"remove_until": {"delimiter": "</think>"}}, "abc", "abc"),
        ({"remove_whitespace": {}}, " \n a ", "a "),
        ({"remove_whitespace": None}, " a", "a"),
        (
            [{"remove_until": {"delimiter": ":"}}, {"remove_until": {"delimiter": ":"}}],
            "a:b:c",
            "c",
        ),
    ],
)
def test_filters(filters: Any, text: str, left: str) -> None:
    assert build(filters)(text) == left


def test_filters_run_in_the_order_given() -> None:
    until = {"remove_until": {"delimiter": "5"}}
    assert build({**LAST, **until})("3 of 5") == ""
    assert build({**until, **LAST})("3 of 5") == "[invalid]"


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("remove_until=</think>", {"remove_until": {"delimiter": "</think>"}}),
        ("remove_until=a=b", {"remove_until": {"delimiter": "a=b"}}),
        (r"regex=(\d+)", {"regex": {"regex_pattern": r"(\d+)"}}),
        (r"regex[-1]=(\d+)", {"regex": {"regex_pattern": r"(\d+)", "group_select": -1}}),
        ("regex", {"regex": {}}),
        ("remove_whitespace", {"remove_whitespace": {}}),
    ],
)
def test_the_form_of_the_command_line(text: str, mapping: dict[str, Any]) -> None:
    assert parse(text) == mapping
    build(parse(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("remov_until=x", "remove_until"),
        ("", "No filter"),
        ("regex=(", "regular expression"),
        ("remove_until=", "empty"),
        ("remove_until", "delimiter"),
        ("remove_whitespace=x", "no value"),
        ("regex[last]=x", r"regex\[-1\]"),
        ("remove_until[1]=x", r"regex\[-1\]"),
    ],
)
def test_a_wrong_filter_is_told(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"regex": {"pattern": "x"}}, "regex_pattern"),
        ({"regex": {"group_select": "1"}}, "whole number"),
        ({"regex": {"group_select": True}}, "whole number"),
        ({"regex": {"regex_pattern": 3}}, "text"),
        ({"regex": "x"}, "mapping"),
        (["regex"], "mapping"),
        ({"remove_until": {}}, "delimiter"),
        ({"take_first": {}}, ", ".join(NAMES)),
    ],
)
def test_a_wrong_suite_entry_is_told(filters: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build(filters)
