from __future__ import annotations

import pytest

from eyechart.benchmarks import vqav2
from eyechart.text.abilities import ABILITIES, ability


@pytest.mark.parametrize(
    ("question", "answer_type", "expected"),
    [
        ("How many dogs are there?", "number", "counting"),
        ("How many?", "number", "counting"),
        ("What is the number of people?", "number", "counting"),
        ("What number is on the train?", "number", "object"),
        ("Is it raining?", "yes/no", "yes/no"),
        ("Is it raining?", "", "yes/no"),
        ("Is this a cat or a dog?", "", "object"),
        ("Is this a cat or a dog?", "other", "object"),
        ("What color is the dog?", "other", "colour and attribute"),
        ("what COLOUR?", "", "colour and attribute"),
        ("How tall is the tower?", "number", "colour and attribute"),
        ("What is the shape of it?", "other", "colour and attribute"),
        ("Why is he smiling?", "other", "reasoning"),
        ("How does it work?", "other", "reasoning"),
        ("How?", "", "reasoning"),
        ("What would happen next?", "other", "reasoning"),
        ("What is the purpose of the rope?", "other", "reasoning"),
        ("What is on the table?", "other", "object"),
        ("What kind of animal is it?", "other", "object"),
        ("Where is the cat?", "other", "object"),
        ("Countertops are made of what?", "other", "object"),
        ("", "other", "object"),
        ("???", "", "object"),
    ],
)
def test_the_rule(question: str, answer_type: str, expected: str) -> None:
    assert ability(question, "", answer_type) == expected


@pytest.mark.parametrize(
    ("question_type", "expected"),
    [
        ("how many people are in", "counting"),
        ("what color is the", "colour and attribute"),
        ("why is the", "reasoning"),
        ("is there a", "yes/no"),
        ("none of the above", "object"),
    ],
)
def test_the_type_speaks_where_there_is_no_question(question_type: str, expected: str) -> None:
    assert ability("", question_type) == expected
    assert expected in ABILITIES


def test_samples_of_the_same_slices_share_their_tags() -> None:
    one, same, other = (
        vqav2._tags("val", "how many", "number", ability(question))
        for question in ("How many dogs?", "How many cats?", "Why?")
    )
    assert one is same
    assert one == {
        "split": "val",
        "question_type": "how many",
        "answer_type": "number",
        "ability": "counting",
    }
    assert other["ability"] == "reasoning"
