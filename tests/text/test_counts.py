from __future__ import annotations

import itertools
import time

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


@pytest.mark.parametrize(
    "piece",
    ["1", "1,", "1-", "no ", "(", "total ", "answer: ", "**", "**5** ", "one hundred and ",
     "\\boxed{", "1,111", "total 5. ", "sorry "],
)  # fmt: skip
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    def seconds(times: int) -> float:
        begun = time.process_time()
        final_count(piece * times)
        return time.process_time() - begun

    seconds(1_000)
    # twice the text in far less than the four times of quadratic reading
    assert seconds(20_000) < 0.3 + 3.2 * seconds(10_000)
