from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.text.counts import final_count
from eyechart.text.thinking import TAGS, answer_tag, strip

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>\nThere are 10.\n<answer>10</answer>", ("<answer>10</answer>", False)),
        (
            "<think>9 <answer>8</answer> no, <Answer> 10 </ANSWER>\n ",
            ("<Answer> 10 </ANSWER>", False),
        ),
        ("7 <think>9 <answer>10</answer>", ("7 <answer>10</answer>", False)),
        # cut off while it still thought, or while it answered
        ("<think>9 <answer>10</answer> or", ("", True)),
        ("<think>9 <answer>10", ("", True)),
        ("<think>9 10</answer>", ("", True)),
        ("<answer>8</answer> <think>9", ("", True)),
        ("<think>9 <answer>8 <think> 10</answer>", ("", True)),
    ],
)
def test_a_whole_answer_at_the_end_ends_the_reasoning(text: str, left: tuple[str, bool]) -> None:
    assert strip(text) == left


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


@given(
    st.lists(
        st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "</thought>", "8", " "])
    )
)
def test_stripping_twice_is_stripping_once(parts: list[str]) -> None:
    once, truncated = strip("".join(parts))
    if not truncated:
        assert strip(once) == (once, False)


def repeated(piece: str) -> str:
    """A million characters of the piece, then an 8; quadratic reading would not come to an end."""
    return piece * (1_000_000 // len(piece)) + "8"


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("<think>", ("", True)),
        ("</think>", ("8", False)),
        ("<think></think>", ("8", False)),
        ("<think></thought>", ("", True)),
        ("<|channel|>final<|message|>", ("8", False)),
    ],
)
def test_a_million_characters_of_tags(piece: str, expected: tuple[str, bool]) -> None:
    assert strip(repeated(piece)) == expected


@pytest.mark.parametrize(("piece", "inside"), [("<answer>", "8"), ("<answer></answer>", "")])
def test_a_million_characters_of_answers(piece: str, inside: str) -> None:
    assert answer_tag(repeated(piece)) == inside


@pytest.mark.parametrize("piece", ["<", "[/THINK", "<|channel|>", "<think", "</answer", " "])
def test_a_million_characters_that_are_nearly_tags(piece: str) -> None:
    text = repeated(piece)
    left, truncated = strip(text)
    is_same = left == text  # pytest would explain the difference of a million characters
    assert is_same
    assert not truncated
    assert answer_tag(text) is None


def test_the_reply_that_answers_without_ending_its_thought(shared: Path) -> None:
    name = "counting_results_superclevr_200_qwen2vl_2b_instruct_r1_100.json"
    rows = json.loads((shared / "data/counting/superclevr" / name).read_text("utf-8"))["results"]
    replies = [strip(row["model_output"]) for row in rows]
    assert not any(truncated for _, truncated in replies)
    right = [
        final_count(answer).value == row["ground_truth"]
        for (answer, _), row in zip(replies, rows, strict=True)
    ]
    assert (sum(right), len(right)) == (160, 200)
