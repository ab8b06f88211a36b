from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.text.thinking import TAGS, answer_tag, strip


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>at [10, 10]? No.</think>\n[100, 200]", "[100, 200]"),
        ("3 on the left, 5 on the right.\n</think>\n\n8", "8"),
        ("<think>a</think> 1 <think>b</think> 2", "1  2"),
        ("<THINK>a</Think>8", "8"),
        ("<think>I may write <think> again</think>8", "8"),
        ("<think>a<reflection>b</think>8", "8"),
        ("<think>a</think>b</think>8", "8"),
        ("<seed:think>a</seed:think>8", "8"),
        ("<|begin_of_thought|>a<|end_of_thought|>8", "8"),
        ("◁think▷a◁/think▷8", "8"),
        ("[THINK]a[/THINK]8", "8"),
        ("<|channel|>analysis<|message|>a<|channel|>final<|message|>8", "8"),
        ("<think></think>", ""),
        ("8 <reason>because</reason>", "8"),
        ("<answer>8</answer>", "<answer>8</answer>"),
    ],
)
def test_reasoning_goes(text: str, left: str) -> None:
    assert strip(text) == (left, False)


@pytest.mark.parametrize("tag", TAGS)
def test_every_tag(tag: str) -> None:
    assert strip(f"<{tag}>3</{tag}>8") == ("8", False)
    assert strip(f"3</{tag}>8") == ("8", False)
    assert strip(f"<{tag}>3, or 8") == ("", True)


@pytest.mark.parametrize("text", ["<think>", "8 <think>or 9", "<think>a</think><think>b"])
def test_reasoning_that_never_ends_leaves_no_answer(text: str) -> None:
    assert strip(text) == ("", True)


@pytest.mark.parametrize("text", ["", " 8 ", "<b>8</b>", "I think 8", "a < thinking > b"])
def test_text_without_reasoning_is_left_alone(text: str) -> None:
    assert strip(text) == (text, False)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("<answer> 8 </answer>", "8"),
        ("<answer>1</answer> <ANSWER>2</ANSWER> 3", "2"),
        ("so <answer>8", "8"),
        ("</answer>8", None),
        ("8", None),
        ("<answer></answer>", ""),
    ],
)
def test_answer_tag(text: str, inside: str | None) -> None:
    assert answer_tag(text) == inside


@given(st.lists(st.sampled_from(["<think>", "</think>", "<answer>", "</thought>", "8", " "])))
def test_stripping_twice_is_stripping_once(parts: list[str]) -> None:
    once, truncated = strip("".join(parts))
    if not truncated:
        assert strip(once) == (once, False)


def test_hostile_text_is_read_in_linear_time() -> None:
    begun = time.process_time()
    for piece in (
        "<think>",
        "</think>",
        "<think></think>",
        "<answer>",
        "<",
        "[/THINK",
        "<|channel|>",
    ):
        strip(piece * 50_000)
        answer_tag(piece * 50_000)
    assert time.process_time() - begun < 5
