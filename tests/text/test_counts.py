from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.text.counts import final_count
from eyechart.text.numbers import mentions
from eyechart.text.refusals import is_refusal


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        ("7", 7),
        ("7.0", 7),
        ("There are **1,234** beads on the table.", 1234),
        ("1,00,000", 100_000),
        ("1.234.567", 1_234_567),
        ("1\u202f234", 1234),
        ("٣", 3),
        ("١٬٢٣٤", 1234),
        ("共8个", 8),
        ("12개입니다", 12),
        # words
        ("twelve", 12),
        ("There are twenty-three dogs.", 23),
        ("one hundred and five", 105),
        ("Il y a 1 234 personnes.", 1234),
        ("1 000 000", 1000000),
        ("Row by row: 3 4 123", 123),
        ("two thousand three hundred", 2300),
        ("nineteen hundred", 1900),
        ("a dozen eggs", 12),
        ("two dozen", 24),
        ("half a dozen", 6),
        ("2 million", 2_000_000),
        ("one", 1),
        # nothing there
        ("None.", 0),
        ("zero", 0),
        ("No", 0),
        ("There are no dogs in the picture.", 0),
        ("No, there are 3.", 3),
        # marked answers come before all else
        ("\\boxed{8} of 9", 8),
        ("\\boxed{\\text{8 mugs}}", 8),
        ("<answer>9</answer> 10", 9),
        ("#### 42", 42),
        # stated totals
        ("Row 1 has 3, row 2 has 4. Total: 7. Row 1 has 3.", 7),
        ("Total: 3 + 5 = 8", 8),
        ("8 in total. 3 are red.", 8),
        ("The total number of mugs on the 2 shelves is 8.", 8),
        ("a total of 8 mugs: 3 on the left and 5 on the right", 8),
        ("In total, there are 8 mugs on 2 tables.", 8),
        ("Answer:\n\n8", 8),
        ("The answer is 12. There are 3 rows.", 12),
        ('{"answer": 4, "rows": 2}', 4),
        # bold text, but no headings
        ("**8** mugs: 3 on the left and 5 on the right", 8),
        ("**Row 1**: 3\n**Row 2**: 4\n\n7", 7),
        # the last number, weak ones set aside
        ("3 + 5 = 8", 8),
        ("I see 8 dogs (3 brown and 5 black).", 8),
        ("There are 5 apples, and one is red.", 5),
        ("There is one in the picture.", 1),
        ("Step 1: look. Step 2: count. There are 6", 6),
        ("There are 6, see step 2", 6),
        ("1. mug\n2. cup\n3. glass", 3),
        ("There are 8 items of the 2nd kind, 12.5% of them red, since 3:45", 8),
        ("There are 8 of them on the A4 sheet in 3D", 8),
    ],
)
def test_the_count_that_is_stated(reply: str, count: int) -> None:
    reading = final_count(reply)
    assert (reading.status, reading.value) == ("ok", count)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no number"),
        ("There are several.", "no number"),
        ("There is no way to tell.", "no number"),
        ("3.5", "no number"),
        ("1st", "no number"),
        ("<answer>many</answer> 8", "no number"),
        ("1" * 4000, "no number"),
        ("10-15", "range"),
        ("5 to 7", "range"),
        ("between 5 and 7", "range"),
        ("-5", "negative"),
        ("Answer: -5", "negative"),
    ],
)
def test_what_is_no_count(reply: str, reason: str) -> None:
    reading = final_count(reply)
    assert reading.status == "malformed"
    assert reading.value is None
    assert reason in reading.reason


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot count the people in this image.",
        "As an AI, I am not able to see images.",
        "抱歉，我无法回答。",
        "申し訳ありませんが、お答えできません。",
        "Es tut mir leid, das kann ich nicht.",
        "Je suis désolé, je ne peux pas.",
        "Lo siento, no puedo ayudar con eso.",
        "К сожалению, я не могу помочь.",
    ],
)
def test_refusals(reply: str) -> None:
    assert is_refusal(reply)
    assert final_count(reply).status == "refused"


@pytest.mark.parametrize(
    "reply",
    ["", "no", "The man who says sorry", "I can see a dog", "A sorry sight", "I'm sorry. " * 100],
)
def test_what_is_no_refusal(reply: str) -> None:
    assert not is_refusal(reply)


def test_a_number_beats_a_polite_opening() -> None:
    assert final_count("I'm sorry, it is hard to see, but I count 8.").value == 8


@given(st.integers(0, 10**15))
def test_numerals_with_and_without_commas(number: int) -> None:
    assert final_count(f"There are {number} of them").value == number
    assert final_count(f"There are {number:,} of them").value == number


@given(st.text(max_size=200))
def test_mentions_are_in_order_and_apart(text: str) -> None:
    found = mentions(text)
    assert all(m.start < m.end for m in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert final_count(text).status in ("ok", "malformed", "refused")


NO_NUMBER = ("malformed", None, "no number in the reply")
RANGE = ("malformed", None, "a range, not a count")


@pytest.mark.parametrize(
    ("piece", "length", "expected"),
    [
        ("1", 1_000_000, NO_NUMBER),
        ("1,", 60_000, ("ok", 1, "")),
        ("1-", 60_000, RANGE),
        ("no ", 200_000, ("ok", 0, "")),
        ("(", 1_000_000, NO_NUMBER),
        ("total ", 200_000, NO_NUMBER),
        ("answer: ", 200_000, NO_NUMBER),
        ("**", 1_000_000, NO_NUMBER),
        ("**5** ", 200_000, ("ok", 5, "")),
        ("\\boxed{", 1_000_000, NO_NUMBER),
        ("1,111", 200_000, ("ok", 111, "")),
        ("total 5. ", 200_000, ("ok", 5, "")),
        ("sorry ", 600_000, NO_NUMBER),
    ],
)
def test_hostile_text_is_read_to_its_end(
    piece: str, length: int, expected: tuple[str, int | None, str]
) -> None:
    # every piece invites to look through all the others; that would not come to an end
    found = final_count(piece * (length // len(piece)))
    assert (found.status, found.value, found.reason) == expected


@pytest.mark.parametrize(
    "piece",
    ["12,", "1,1", "1,23", "11,11,", " 1", "123,", "1.1.", "1 and ", "one ", "total ", "(1) "],
)
def test_the_answer_after_many_hostile_characters(piece: str) -> None:
    # reading on to the end from each of the pieces would take minutes
    text = piece * (75_000 // len(piece))
    assert final_count(f"{text}\nThe answer is 7.").value == 7
    assert mentions(f"{text}\nseven")[-1].value == 7


def test_only_the_end_of_a_very_long_reply_is_its_conclusion() -> None:
    words = "and so on and on. " * 2_000
    assert final_count(f"The answer is 5. {words}").reason == "no number in the reply"
    assert final_count(f"The answer is 5. {words}Or 6.").value == 6
    assert final_count(f"<answer>5</answer> {words}").value == 5
    # a number that the cut would split is left out whole
    assert final_count(f"{'9' * 18} {'x' * 32_760}").reason == "no number in the reply"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12,34,56", [12, 34, 56]),
        ("12,34,567", [1234567]),
        ("1,23,45,67,89,01,23,45,678", [123456789012345678]),
        ("1,234,56", [1234, 56]),
        ("1,1", [1, 1]),
        # too long to be a count of anything
        ("12,34,56,78,90,12,34,56,78,901", []),
    ],
)
def test_chains_of_digits_and_commas(text: str, values: list[int]) -> None:
    assert [mention.value for mention in mentions(text)] == values


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("one hundred and " * 12_500, "ok"),
        ("999999 billion", "ok"),
        ("99999999999 billion", "malformed"),
        ("nine million " * 9_000, "ok"),
        ("9" * 18, "ok"),
        ("11," * 60_000, "ok"),
    ],
)
def test_no_count_is_larger_than_a_record_can_hold(text: str, status: str) -> None:
    found = final_count(text)
    assert found.status == status
    assert found.value is None or int(found.value) < 10**18
