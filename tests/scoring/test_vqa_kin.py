from __future__ import annotations

import pytest
from tests.scoring.test_vqa import sample, score

from eyechart.errors import DataError
from eyechart.scoring import find, known
from eyechart.values import Reading


@pytest.mark.parametrize(
    ("humans", "reply", "official", "lavis", "normalised"),
    [
        (["yes"] * 10, "Yes", 0.0, 1.0, 1.0),
        (["Yes"] * 10, "Yes", 1.0, 0.0, 1.0),
        (["a cat"] * 10, "cat", 0.0, 0.0, 1.0),
        (["none"] * 5 + ["x"] * 5, "none", 1.0, 0.0, 1.0),
        (["0"] * 5 + ["x"] * 5, "none", 1.0, 1.0, 1.0),
        (["two"] * 5 + ["x"] * 5, "2", 1.0, 0.0, 1.0),
        (["cant"] * 5 + ["x"] * 5, "can't", 1.0, 0.0, 1.0),
        (["t-shirt"] * 5 + ["x"] * 5, "T shirt", 1.0, 1.0, 1.0),
        ([" cat"] * 5 + ["x"] * 5, "cat", 1.0, 0.0, 1.0),
        (["cat"] * 5 + ["cat "] * 5, "Cat", 0.0, 1.0, 1.0),
    ],
)
def test_which_texts_are_processed(
    humans: list[str], reply: str, official: float, lavis: float, normalised: float
) -> None:
    assert score("vqa_v2", humans, reply) == official
    assert score("vqa_lavis", humans, reply) == lavis
    assert score("vqa_normalised", humans, reply) == normalised


@pytest.mark.parametrize(
    ("same", "leave_one_out", "simple", "votes", "exact"),
    [
        (0, 0, 0, 0, 0),
        (1, 0.3, 1 / 3, 0.1, 1),
        (2, 0.6, 2 / 3, 0.2, 1),
        (3, 0.9, 1, 0.3, 1),
        (4, 1, 1, 0.4, 1),
        (10, 1, 1, 1, 1),
        (12, 1, 1, 1, 1),
    ],
)
def test_what_agreement_is_worth(
    same: int, leave_one_out: float, simple: float, votes: float, exact: float
) -> None:
    humans = ["cat"] * same + [f"dog {k}" for k in range(10 - same)]
    assert score("vqa_normalised", humans, "The cat.") == pytest.approx(leave_one_out, abs=1e-15)
    assert score("vqa_simple", humans, "The cat.") == simple
    assert score("vqa_votes", humans, "The cat.") == votes
    assert score("vqa_exact", humans, "The cat.") == exact


@pytest.mark.parametrize(
    ("answers", "reply", "expected"),
    [
        (["umbrella"], "The umbrella.", 1.0),
        (["two", "three"], "3", 1.0),
        (["umbrella"], "folded umbrella", 0.0),
        (["red/white"], "red white", 1.0),
    ],
)
def test_exact_takes_any_answer_after_normalising(
    answers: list[str], reply: str, expected: float
) -> None:
    assert score("vqa_exact", answers, reply) == expected


@pytest.mark.parametrize(
    ("humans", "reply", "expected"),
    [
        (["yes"] * 10, "YES?", 1.0),
        (["1,000"] * 5 + ["x"] * 5, "1000", 1.0),
        (["1,000 a-b"] * 5 + ["x"] * 5, "1000 a b", 1.0),  # the comma is gone before it could tell
        (["man's"] * 5 + ["x"] * 5, "man 's", 1.0),
        (["man's"] * 5 + ["x"] * 5, "mans", 0.0),
        (["let's go"] * 5 + ["x"] * 5, "let 's go", 1.0),
        (["coca cola"] * 3 + ["coke"] * 7, "Coca Cola", 0.9),
        (["why?not"] * 5 + ["x"] * 5, "whynot", 1.0),
    ],
)
def test_textvqa(humans: list[str], reply: str, expected: float) -> None:
    assert score("textvqa", humans, reply) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("count", [1, 9, 11])
def test_textvqa_is_defined_for_ten_answers(count: int) -> None:
    protocol = find("textvqa")
    samples = [sample(["x"] * 10, "good"), sample(["x"] * count, "bad one")]
    with pytest.raises(DataError, match=rf"bad one.*{count} human answers.*vqa_normalised"):
        protocol.score(samples, [Reading("ok", value="x")] * 2)


def test_textvqa_has_a_plain_ratio_as_its_total() -> None:
    protocol = find("textvqa")
    assert protocol.official is not None
    samples = [sample(["a cat"] * 10), sample(["dog"] * 10)]
    columns = protocol.score(samples, [Reading("ok", value="cat")] * 2)
    assert protocol.official(samples, columns) == {"accuracy": 0.5}
    assert protocol.official([], {"accuracy": []}) == {}


def test_only_one_says_that_it_is_the_official_one() -> None:
    family = {name: find(name) for name in known() if name.startswith("vqa_") or name == "textvqa"}
    for name, protocol in family.items():
        assert protocol.formula
        assert protocol.text_alone
        assert protocol.yardsticks is not None
        if name not in ("vqa_v2", "textvqa"):
            assert "not" in protocol.about, name
            assert "official evaluation" not in protocol.about, name
    assert {p.name for p in family.values()} == set(family)
