"""Text from models cannot act on a terminal, hide anything or grow without end."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.report.escape import shortened, visible, visible_block

ACTIVE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)


@given(any_text)
def test_nothing_active_survives_on_a_line(text: str) -> None:
    assert not {unicodedata.category(c) for c in visible(text)} & ACTIVE


@given(any_text)
def test_in_a_block_only_line_feeds_survive(text: str) -> None:
    shown = visible_block(text)
    assert not {unicodedata.category(c) for c in shown.replace("\n", "")} & ACTIVE
    assert shown.count("\n") == text.count("\n")
    shown.encode()


@given(any_text)
def test_making_visible_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]8;;http://e.vil\x07click", r"\x1b]8;;http://e.vil\x07click"),
        ("\x9b2J", r"\x9b2J"),
        ("a\nb\rc\td\x00", r"a\nb\rc\td\x00"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2066a\u2069", r"\u2066a\u2069"),
        ("a\u200bb\ufeffc\u2060d", r"a\u200bb\ufeffc\u2060d"),
        ("\u3164\u115f\u2800", r"\u3164\u115f\u2800"),
        ("x\U000e0041\U000e0100\ufe0f", r"x\U000e0041\U000e0100\ufe0f"),
        ("\ud83d", r"\ud83d"),
        ("\u2028\u2029", r"\u2028\u2029"),
        (r"C:\new", r"C:\new"),
        ("（１００，２００） 左から 3 番目　の é", "（１００，２００） 左から 3 番目　の é"),
        ("שלום नमस्ते 👋", "שלום नमस्ते 👋"),
    ],
)
def test_what_is_written_out_and_what_stays(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_piles_of_marks_are_written_out() -> None:
    assert visible("e" + "\u0301" * 6) == "e" + "\u0301" * 4 + r"\u0301\u0301"
    assert visible(("e" + "\u0301" * 2) * 3) == ("e" + "\u0301" * 2) * 3


@given(st.text(max_size=300), st.integers(3, 200))
def test_shortened_keeps_both_ends_within_the_limit(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif limit >= 5:
        assert (short[0], short[-1]) == (text[0], text[-1])


def test_shortened_says_how_long_the_text_was() -> None:
    # the note takes 35 of the 100 characters: 33 stay before it and 32 after it
    expected = "a" * 33 + " [... 1,200 characters in all ...] " + "b" * 32
    assert shortened("a" * 600 + "b" * 600, 100) == expected
