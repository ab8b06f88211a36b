from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError
from eyechart.scoring import find, vqa
from eyechart.scoring.vqa import rules
from eyechart.values import Answer, Answers, Count, Image, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

SAID = st.sampled_from(["yes", "Yes.", "no", "a cat", "cat", "2", "two", "none", "", " cat\n"])
RULES = {
    "vqa_v2": rules.V2,
    "vqa_lavis": rules.LAVIS,
    "vqa_normalised": rules.NORMALISED,
    "vqa_simple": rules.SIMPLE,
    "vqa_votes": rules.VOTES,
    "vqa_exact": rules.EXACT,
}


def numbered(answers: Sequence[str]) -> list[dict[str, Any]]:
    return [{"answer": answer, "answer_id": k} for k, answer in enumerate(answers, 1)]


def sample(answers: Sequence[str], name: str = "q", **tags: str) -> Sample:
    target = Answers(tuple(Answer(one, k) for k, one in enumerate(answers, 1)))
    return Sample(name, "answer", Image("a.jpg"), {"question": "?"}, target, "a.jpg", tags)


def score(protocol: str, answers: Sequence[str], reply: str | float | None) -> float:
    column = find(protocol).score([sample(answers)], [Reading("ok", value=reply)])
    return column["accuracy"][0]


@pytest.mark.parametrize(
    ("humans", "reply", "per_cent"),
    [
        (["yes"] * 10, "Yes", 0),
        (["yes"] * 9 + ["no"], "Yes.", 100),
        (["cat"] + ["dog"] * 9, "cat", 30),
        (["cat"] * 2 + ["dog"] * 8, "cat", 60),
        (["cat"] * 3 + ["dog"] * 7, "cat", 90),
        (["cat"] * 4 + ["dog"] * 6, "cat", 100),
        (["can't"] * 5 + ["x"] * 5, "cant", 100),
        (["1,,000"] * 5 + ["x"] * 5, "1000", 0),
        (["x-y 1,0"] * 5 + ["z"] * 5, "xy 10", 100),
        (["U.S.A."] * 5 + ["z"] * 5, "usa", 100),
        (["a"] * 5 + ["z"] * 5, "the", 100),
        (["cat"], "cat", 0),
        (["cat", "cat"], "cat", 33.33),
    ],
)
def test_worked_by_hand(humans: list[str], reply: str, per_cent: float) -> None:
    assert round(100 * vqa.accuracy(numbered(humans), reply), 2) == per_cent
    assert round(100 * score("vqa_v2", humans, reply), 2) == per_cent


@pytest.mark.parametrize(("reply", "expected"), [(2, 1.0), (2.5, 0.0), (None, 0.0)])
def test_a_number_counts_as_its_text_and_nothing_as_nothing(
    reply: float | None, expected: float
) -> None:
    assert score("vqa_v2", ["2"] * 10, reply) == expected


@pytest.mark.parametrize("name", RULES)
@given(
    questions=st.lists(
        st.tuples(st.lists(SAID, min_size=1, max_size=11), SAID, st.sampled_from("dnr")), max_size=8
    )
)
def test_all_at_once_is_one_by_one_in_every_bit(
    name: str, questions: list[tuple[list[str], str, str]]
) -> None:
    # ids that are positions, none at all, or the same for all
    ids = {"d": range(1, 12), "n": [None] * 11, "r": [1] * 11}
    samples = [
        Sample(
            str(place),
            "answer",
            Image("x"),
            {},
            Answers(tuple(map(Answer, humans, ids[kind]))),
            "x",
        )
        for place, (humans, _, kind) in enumerate(questions)
    ]
    readings = [Reading("ok", value=reply) for _, reply, _ in questions]
    expected = [
        vqa.accuracy(one.target.answers, reply, RULES[name])  # type: ignore[union-attr]
        for one, (_, reply, _) in zip(samples, questions, strict=True)
    ]
    assert find(name).score(samples, readings) == {"accuracy": expected}
    assert (
        vqa.accuracies(
            [one.target.answers for one in samples],  # type: ignore[union-attr]
            [reply for _, reply, _ in questions],
            RULES[name],
        )
        == expected
    )


@pytest.mark.parametrize("name", RULES)
@given(humans=st.lists(SAID, min_size=1, max_size=12), reply=SAID, seed=st.integers(0, 99))
def test_the_order_of_people_does_not_matter(
    name: str, humans: list[str], reply: str, seed: int
) -> None:
    # Officially thirds are added person by person, so the order may show in the last bit of the
    # ratio; in no digit that is printed, and not at all where no mean is taken.
    mixed = random.Random(seed).sample(humans, len(humans))
    before, after = score(name, humans, reply), score(name, mixed, reply)
    assert round(100 * before, 2) == round(100 * after, 2)
    if RULES[name].leave_one_out:
        assert after == pytest.approx(before, abs=1e-15)
    else:
        assert after == before


@given(
    rows=st.lists(
        st.tuples(st.lists(SAID, min_size=10, max_size=10), SAID, st.sampled_from("xyz")),
        min_size=1,
        max_size=20,
    ),
    seed=st.integers(0, 99),
)
def test_the_order_of_samples_does_not_matter(
    rows: list[tuple[list[str], str, str]], seed: int
) -> None:
    # Each sample keeps its score in every bit. The totals are added from left to right, so only
    # their digits beyond the printed ones could differ.
    protocol = find("vqa_v2")
    assert protocol.official is not None
    samples = [sample(humans, str(k), question_type=t) for k, (humans, _, t) in enumerate(rows)]
    readings = [Reading("ok", value=reply) for _, reply, _ in rows]
    order = random.Random(seed).sample(range(len(rows)), len(rows))
    columns = protocol.score(samples, readings)
    mixed = [samples[k] for k in order]
    mixed_columns = protocol.score(mixed, [readings[k] for k in order])
    assert mixed_columns["accuracy"] == [columns["accuracy"][k] for k in order]
    before, after = protocol.official(samples, columns), protocol.official(mixed, mixed_columns)
    assert after["overall"] == pytest.approx(before["overall"], abs=0.0100001)
    assert after["perQuestionType"] == pytest.approx(before["perQuestionType"], abs=0.0100001)
    exact = [sum(values) for values in (columns["accuracy"], mixed_columns["accuracy"])]
    assert exact[0] == pytest.approx(exact[1], abs=1e-13)


def test_the_same_samples_may_be_scored_again_with_other_replies() -> None:
    samples = [sample(["cat"] * 5 + ["dog"] * 5), sample(["1"] * 10)]
    for protocol in ("vqa_v2", "vqa_normalised", "vqa_v2"):
        for replies, expected in ((["dog", "1"], [1.0, 1.0]), (["sheep", "cow"], [0.0, 0.0])):
            readings = [Reading("ok", value=reply) for reply in replies]
            assert find(protocol).score(samples, readings)["accuracy"] == expected
    assert score("vqa_v2", ["sheep"] * 10, "sheep") == 1.0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Answers(()), "no human answers"),
        (Count(3), "needs human answers"),
        (Answers((Answer(3, 1),)), "must be text"),  # type: ignore[arg-type]
    ],
)
def test_a_question_that_cannot_be_scored_is_named(target: Any, message: str) -> None:
    bad = Sample("q7", "answer", Image("x"), {}, target, "x")
    for name in RULES:
        with pytest.raises(DataError, match=f"q7.*{message}"):
            find(name).score([sample(["x"]), bad], [Reading("ok", value="x")] * 2)


def test_records_that_cannot_be_scored_are_named_by_their_place() -> None:
    for records in ([], [{"answer": 3}], [{"reply": "x"}]):
        with pytest.raises(DataError, match="question 2"):
            vqa.accuracies([numbered(["x"]), records], ["x", "x"])
    with pytest.raises(DataError, match="question 1: the reply must be text"):
        vqa.accuracies([numbered(["x"])], [3])  # type: ignore[list-item]


def test_types_that_are_not_known_have_no_row() -> None:
    got = vqa.totals([1.0, 0.0], [None, ""], [None, None])
    assert got == {"overall": 50.0, "perAnswerType": {"": 0.0}, "perQuestionType": {}}


def test_nothing_to_add_up() -> None:
    with pytest.raises(DataError, match="no question"):
        vqa.totals([], [], [])
    assert vqa.VQA_V2.official is not None
    assert vqa.VQA_V2.official([], {"accuracy": []}) == {}


def test_totals_are_added_from_left_to_right() -> None:
    scores = [0.1] * 10  # 0.9999999999999999 when added one by one, 1.0 when compensated
    rows = vqa.totals(scores, ["x"] * 10, ["y"] * 10, digits=20)
    assert rows["overall"] == rows["perAnswerType"]["x"] == 100 * 0.9999999999999999 / 10


@pytest.mark.parametrize("name", ["vqa_v2", "vqa_lavis"])
def test_totals_by_type(name: str) -> None:
    protocol = find(name)
    assert protocol.official is not None
    samples = [
        sample(["cat"] * 3 + ["dog"] * 7, "1", question_type="what", answer_type="other"),
        sample(["2"] * 10, "2", question_type="how many", answer_type="number"),
        sample(["red"] * 2 + ["blue"] * 8, "3", question_type="what", answer_type="other"),
    ]
    readings = [Reading("ok", value=reply) for reply in ("cat", "2", "red")]
    official = protocol.official(samples, protocol.score(samples, readings))
    assert official["overall"] == 83.33
    assert official["perQuestionType"] == {"what": 75.0, "how many": 100.0}
    assert official["perAnswerType"] == {"other": 75.0, "number": 100.0}
    # the lines of the official demo belong to the official score alone
    assert ("printed" in official) == (name == "vqa_v2")


def test_a_result_with_a_strange_id_is_refused() -> None:
    with pytest.raises(DataError, match="result 1"):
        vqa.results_by_question([1], [{"question_id": [1], "answer": "x"}])


@given(st.lists(st.sampled_from(["yes", "no", "a cat", "2", "two"]), min_size=1, max_size=12))
def test_what_two_people_said_scores_something(answers: list[str]) -> None:
    for reply in answers:
        worth = vqa.accuracy(numbered(answers), reply)
        assert 0.0 <= worth <= 1.0
        assert worth > 0.0 or answers.count(reply) == 1
    assert vqa.accuracy(numbered(answers), "something else") == 0.0


@pytest.mark.parametrize("name", ["vqa_v2", "vqa_lavis", "textvqa"])
def test_the_official_ones_judge_a_reply_as_it_stands(name: str) -> None:
    # their programs know of no thinking: it is part of the answer there
    assert find(name).reasoning == "keep"
