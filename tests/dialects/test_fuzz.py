"""Hostile texts: no dialect fails on any, what it reads obeys its rules, and time is linear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.dialect_speed import families, fragments, repeated, seconds
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.fuzz_dialects import MARKS, every_dialect, reading_of, replies, specs

from eyechart.dialects import find
from eyechart.dialects.found import PARSERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eyechart.dialects.found import Parser
    from eyechart.values import Box

DIALECTS = every_dialect()
REPLIES = [(str(record["dialect"]), str(record["reply"])) for record in replies()]
# lone surrogates cannot come in: replies are decoded from UTF-8
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.one_of(st.integers(-1200, 1200), st.floats(), st.integers()).map(str)
SLICES = st.tuples(st.sampled_from(REPLIES), st.integers(0, 120), st.integers(1, 120)).map(
    lambda cut: cut[0][1][cut[1] : cut[1] + cut[2]]
)
TEXTS = st.lists(
    st.one_of(st.sampled_from(MARKS), st.sampled_from(MARKS), NUMBERS, SLICES, WORDS), max_size=30
).map("".join)


@given(TEXTS)
@settings(max_examples=150)
def test_any_text(text: str) -> None:
    for dialect in DIALECTS:
        reading_of(dialect, text)


@pytest.mark.slow
@given(TEXTS)
@settings(max_examples=2_000)
def test_many_texts(text: str) -> None:
    for dialect in DIALECTS:
        reading_of(dialect, text)


@given(st.sampled_from(REPLIES), st.data())
@settings(max_examples=200)
def test_a_reply_with_a_piece_changed(reply: tuple[str, str], data: st.DataObject) -> None:
    family, text = reply
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 8))
    other = data.draw(st.one_of(st.sampled_from(MARKS), WORDS))
    changed = text[:at] + other + text[at + length :]
    for parser in PARSERS:
        reading_of(find(family, parser), changed)


def with_odd_characters(odd: Iterable[str], step: int = 1) -> Iterator[tuple[str, str]]:
    """Each reply with an odd character put in, or in another's stead, at every `step`-th place."""
    for family, text in REPLIES:
        for at in range(0, len(text) + 1, step):
            for mark in odd:
                yield family, text[:at] + mark + text[at:]
                yield family, text[:at] + mark + text[at + 1 :]


# white space to a pattern and not to a number, digits to a pattern and not to a number, too large
@pytest.mark.parametrize("odd", ["\x1c", "²", "9" * 400])
def test_an_odd_character_anywhere(odd: str) -> None:
    for family, text in with_odd_characters([odd], step=5):
        for parser in PARSERS:
            reading_of(find(family, parser), text)


@pytest.mark.slow
def test_any_odd_character_anywhere() -> None:
    odd = [
        "²",
        "9" * 400,
        "\x1c",
        "\0",
        "\x1f",
        "\x85",
        "\xa0",
        "\u2028",
        "\u3000",
        "\ufeff",
        "٠",
        "Ⅷ",
        "一",
        "`",
        "_",
    ]
    odd += ["-", "+", ".", "e5", "1e999", "NaN", "inf", "\\ud800", "\n", *"\"'[]{}()<>,;:"]
    for family, text in with_odd_characters(odd, step=7):
        for parser in PARSERS:
            reading_of(find(family, parser), text)


def test_every_beginning_of_a_reply() -> None:
    """What is cut is read up to the cut: never a box that the whole reply does not hold."""
    for family, text in REPLIES:
        if "think" in text or family == "grounding-dino":
            # reasoning is cut off before, and half of it is no reply; Grounding DINO's scores, which
            # decide which of its boxes are given, stand behind the boxes
            continue
        dialect = find(family)
        whole = reading_of(dialect, text)
        for end in range(len(text)):
            reading_of(find(family, "authors"), text[:end])
            part = reading_of(dialect, text[:end])
            assert set(part.boxes) <= set(whole.boxes), (family, text[:end], part)
            assert set(part.points) <= set(whole.points), (family, text[:end], part)
            assert part.status != "none" or whole.status == "none", (family, text[:end])


@pytest.mark.parametrize("parser", ["authors", "tolerant"])
def test_every_other_familys_reply(parser: Parser) -> None:
    for spec in specs():
        dialect = find(spec, parser)
        for _, text in REPLIES:
            reading_of(dialect, text)


def test_the_rules_can_be_broken() -> None:
    from dataclasses import replace

    def beyond(_numbers: object, _sizes: object, _parser: object) -> Box:
        return (0.0, 0.0, float("nan"), 1.0)

    dialect = find("json:pixels")
    assert reading_of(replace(dialect, to_box=beyond), "[1, 2, 3, 4]").fault == "not_finite"
    with pytest.raises(AssertionError, match="in order and within the picture"):
        reading_of(replace(dialect, keeps_boxes=True), "[9, 2, 3, 4]")


def worst(dialect_fragments: Iterable[str], spec: str, parser: Parser) -> list[str]:
    """The five fragments over which a dialect takes longest, repeated to 15,000 characters."""
    dialect = find(spec, parser)
    took = {one: seconds(dialect, repeated(one, 15_000)) for one in dialect_fragments}
    return sorted(took, key=lambda one: -took[one])[:5]


@pytest.mark.slow
@pytest.mark.parametrize("parser", ["authors", "tolerant"])
@pytest.mark.parametrize("spec", families())
def test_time_is_linear(spec: str, parser: Parser) -> None:
    dialect = find(spec, parser)
    for fragment in worst(fragments(), spec, parser):
        quarter = min(seconds(dialect, repeated(fragment, 250_000)) for _ in range(3))
        # Four times the text: linear is 4, quadratic 16. A few milliseconds tell neither, and on a
        # busy machine one slow look is no proof: what is quadratic is so at every look.
        limit = 8 * max(quarter, 0.05)
        looks = (seconds(dialect, repeated(fragment, 1_000_000)) for _ in range(6))
        assert any(whole < limit for whole in looks), (fragment, quarter)
