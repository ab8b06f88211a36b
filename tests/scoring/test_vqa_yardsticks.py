from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.test_vqa import RULES, SAID

from eyechart.scoring import Yardstick, find
from eyechart.text.vqa import clean
from eyechart.values import Answer, Answers, Image, Reading, Sample


def sample(humans: list[str], kind: str | None = "what", picture: str = "a.jpg") -> Sample:
    answers = Answers(tuple(Answer(one, k) for k, one in enumerate(humans, 1)))
    tags = {} if kind is None else {"question_type": kind}
    return Sample("q", "answer", Image(picture), {}, answers, picture, tags)


def yardsticks(name: str, samples: list[Sample]) -> dict[str, Yardstick]:
    make = find(name).yardsticks
    assert make is not None
    found = {one.name: one for one in make(samples)}
    assert {one.metric for one in found.values()} <= {"accuracy"}
    assert all(len(one.column) == len(samples) for one in found.values())
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # six people have five others with them, three have two, one is alone
        ("vqa_v2", (6 * 1 + 3 * 2 / 3 + 0) / 10),
        ("vqa_normalised", (6 * 1 + 3 * 2 / 3 + 0) / 10),
        ("vqa_simple", (6 * 1 + 3 * 2 / 3 + 0) / 10),
        ("vqa_votes", (6 * 0.5 + 3 * 0.2 + 0) / 10),
        ("vqa_exact", 0.9),
        ("textvqa", (6 * 1 + 3 * 2 / 3 + 0) / 10),
        # a person's "two" becomes "2" as a reply, and as an answer stays: it is with nobody
        ("vqa_lavis", (6 * 1 + 0 + 0) / 10),
    ],
)
def test_the_human_ceiling_by_hand(name: str, expected: float) -> None:
    ceiling = yardsticks(name, [sample(["cat"] * 6 + ["two"] * 3 + ["dog"])])["human ceiling"]
    assert list(ceiling.column) == pytest.approx([expected], abs=1e-15)


def test_people_are_prepared_as_the_question_is() -> None:
    # all said the same, so officially nothing is normalised
    assert yardsticks("vqa_v2", [sample(["A cat."] * 10)])["human ceiling"].column == [1.0]
    three = yardsticks("vqa_v2", [sample(["A cat."] * 3)])["human ceiling"]
    assert list(three.column) == pytest.approx([2 / 3], abs=1e-15)


@pytest.mark.parametrize("name", RULES)
@given(rows=st.lists(st.lists(SAID, min_size=2, max_size=6), min_size=1, max_size=5))
def test_the_ceiling_is_each_person_judged_by_the_others(name: str, rows: list[list[str]]) -> None:
    rule = RULES[name]
    expected = []
    for row in rows:
        humans, said = [rule.human(one) for one in row], [rule.reply(one) for one in row]
        if rule.agreed is not None and len({rule.agreed(one) for one in row}) == 1:
            humans, said = [rule.agreed(one) for one in row], [rule.agreed_reply(r) for r in row]
        total = 0.0
        for place, own in enumerate(said):
            same = (humans[:place] + humans[place + 1 :]).count(own)
            total += rule.worth[min(same, len(rule.worth) - 1)]
        expected.append(total / len(row))
    got = yardsticks(name, [sample(row) for row in rows])["human ceiling"]
    assert list(got.column) == expected


def test_there_is_no_ceiling_where_one_person_answered() -> None:
    assert yardsticks("vqa_v2", [sample(["x"] * 10), sample(["x"])]) == {}
    assert yardsticks("vqa_v2", []) == {}


def test_the_blind_floor_by_hand() -> None:
    samples = [
        sample(["2"] * 6 + ["3"] * 4, "how many", "a.jpg"),
        sample(["2"] * 3 + ["4"] * 7, "how many", "b.jpg"),
        sample(["3"] * 10, "how many", "c.jpg"),
        sample(["cat"] * 10, "what", "a.jpg"),
        sample(["cat"] * 4 + ["dog"] * 6, "what", "d.jpg"),
        sample(["why not"] * 10, "why", "a.jpg"),
    ]
    floor = yardsticks("vqa_v2", samples)["blind floor"]
    # how many: for a.jpg 3 is said ten times elsewhere, for b.jpg 3 fourteen times, for c.jpg 2
    # nine times; what: for a.jpg dog six times, for d.jpg cat ten times; why: nobody else knows
    assert list(floor.column) == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "samples",
    [
        [sample(["x"] * 10, "what", "a"), sample(["x"] * 10, "what", "b")],
        [sample(["x"] * 10, None, "a"), sample(["x"] * 10, "what", "b")],
        [sample(["x"] * 10, "who", "a"), sample(["x"] * 10, "what", "a")],
    ],
    ids=["one type", "a type not known", "one picture"],
)
def test_there_is_no_floor_without_types_and_other_pictures(samples: list[Sample]) -> None:
    assert set(yardsticks("vqa_v2", samples)) == {"human ceiling"}


ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["yes", "no", "no ", "Yes", "2"]), min_size=1, max_size=4),
        st.sampled_from(["is", "what"]),
        st.sampled_from(["a", "b", "c", "d"]),
    ),
    max_size=14,
)


@given(rows=ROWS)
def test_the_blind_floor_is_a_count_over_other_pictures(
    rows: list[tuple[list[str], str, str]],
) -> None:
    samples = [sample(*row) for row in rows]
    found = yardsticks("vqa_simple", samples).get("blind floor")
    if len({kind for _, kind, _ in rows}) < 2 or len({picture for _, _, picture in rows}) < 2:
        assert found is None
        return
    guesses: list[str | None] = []
    for _, kind, picture in rows:
        counts = Counter(
            clean(answer)
            for humans, other_kind, other_picture in rows
            for answer in humans
            if (other_kind, other_picture != picture) == (kind, True)
        )
        best = min(counts, key=lambda answer: (-counts[answer], answer), default=None)
        guesses.append(best)
    readings = [Reading("ok", value=guess) for guess in guesses]
    assert found is not None
    assert list(found.column) == find("vqa_simple").score(samples, readings)["accuracy"]


@given(rows=ROWS, reverse=st.booleans())
def test_yardsticks_do_not_depend_on_the_order_of_samples(
    rows: list[tuple[list[str], str, str]], reverse: bool
) -> None:
    samples = [sample(*row) for row in rows]
    order = sorted(range(len(rows)), key=lambda k: rows[k], reverse=reverse)
    before, after = (
        yardsticks("vqa_normalised", given) for given in (samples, [samples[k] for k in order])
    )
    assert set(before) == set(after)
    for name, one in before.items():
        assert list(after[name].column) == [one.column[k] for k in order]
