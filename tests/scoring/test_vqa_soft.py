from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scoring.test_vqa import sample

from eyechart.errors import UsageError
from eyechart.scoring import find
from eyechart.scoring.vqa import levels as three_levels
from eyechart.text import wordnet
from eyechart.text.vqa import process
from eyechart.values import Reading

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.scoring import Protocol

NOUNS = """\
automobile n 1 1 @ 1 1 00000001
bike n 1 1 @ 1 1 00000002
bicycle n 1 1 @ 1 1 00000002
car n 1 1 @ 1 1 00000001
motor_vehicle n 1 1 @ 1 1 00000003
sofa n 1 1 @ 1 1 00000004
"""
WORDS = (
    "car",
    "cars",
    "automobile",
    "red car",
    "the bike",
    "bicycles",
    "umbrella",
    "on",
    "dog",
    "",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wordnet")
    (path / "index.noun").write_text(NOUNS)
    for part in ("verb", "adj", "adv"):
        (path / f"index.{part}").write_text("")
    return path


@pytest.fixture(scope="module")
def soft(folder: Path) -> Protocol:
    return find("vqa_soft", {"wordnet": str(folder)})


def score(protocol: Protocol, humans: list[str], reply: str | None) -> float:
    column = protocol.score([sample(humans)], [Reading("ok", value=reply)])
    return column["accuracy"][0]


@pytest.mark.parametrize(
    ("humans", "reply", "expected"),
    [
        (["umbrella", "closed umbrella"], "folded umbrella", 0.4),
        (["umbrella"], "A folded umbrella.", 0.3),
        (["folded umbrella"], "umbrella", 0.1),  # the answer must stand in the reply
        (["umbrella"], "umbrellas", 0.0),  # not in this dictionary, and not a whole word of it
        (["closed red umbrella"], "closed umbrella red", 0.1),
        (["red umbrella"], "closed red umbrella", 0.3),
        (["car"], "automobiles", 0.3),
        (["cars"], "The automobile", 0.3),
        (["bike"] * 2, "bicycle", 0.6),
        (["motor-vehicle"], "motor vehicle", 0.3),
        (["red car"], "automobile", 0.0),  # synonyms of the whole answer only
        (["red car"], "blue car", 0.1),
        (["it is on the sofa"], "it is on the chair", 0.0),  # no content word in common
        (["2 dogs"], "two cats", 0.1),
        (["yes"], "no", 0.0),
        (["the"], "a", 0.3),  # both are empty once articles are gone
        (["the"], "a dog", 0.0),
        (["cat"] * 3, "cat", 0.9),
        (["cat"] * 4 + ["dog"] * 6, "cat", 1.0),
        (["cat"] * 10, "cat", 1.0),
        (["cat"], None, 0.0),
    ],
)
def test_worked_by_hand(
    soft: Protocol, humans: list[str], reply: str | None, expected: float
) -> None:
    assert score(soft, humans, reply) == expected


@given(
    rows=st.lists(
        st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.sampled_from(WORDS)),
        max_size=6,
    )
)
def test_all_at_once_is_one_by_one(
    soft: Protocol, folder: Path, rows: list[tuple[list[str], str]]
) -> None:
    dictionary = wordnet.find(str(folder))
    samples = [sample(humans, str(k)) for k, (humans, _) in enumerate(rows)]
    expected = []
    for humans, reply in rows:
        levels = [three_levels.level(process(reply), process(one), dictionary) for one in humans]
        expected.append(min(10, sum(levels)) / 10)
    readings = [Reading("ok", value=reply) for _, reply in rows]
    assert soft.score(samples, readings) == {"accuracy": expected}
    reversed_humans = [sample(humans[::-1], str(k)) for k, (humans, _) in enumerate(rows)]
    assert soft.score(reversed_humans, readings) == {"accuracy": expected}


def test_the_human_ceiling(soft: Protocol) -> None:
    assert soft.yardsticks is not None
    samples = [sample(["car", "automobile", "red car"]), sample(["cat", "dog"])]
    (ceiling,) = soft.yardsticks(samples)
    # car: 0.3 automobile + 0.1 red car; automobile: 0.3 car; red car: 0.3 car (it stands in it)
    assert ceiling.column == pytest.approx([(0.4 + 0.3 + 0.3) / 3, 0.0], abs=1e-15)
    assert soft.yardsticks([sample(["car"])]) == []


def test_a_dictionary_that_is_not_there_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="no WordNet dictionary is there"):
        find("vqa_soft", {"wordnet": str(tmp_path)})
    monkeypatch.setenv("EYECHART_WORDNET", str(tmp_path))
    protocol = find("vqa_soft")
    assert protocol.ready is not None
    with pytest.raises(UsageError, match="EYECHART_WORDNET"):
        protocol.ready()
    # nothing to score needs no dictionary, so that protocols can be listed without one
    assert protocol.score([], []) == {"accuracy": []}
    with pytest.raises(UsageError, match="EYECHART_WORDNET"):
        score(protocol, ["cat"], "dog")


def test_the_dictionary_is_an_option_of_the_protocol(folder: Path) -> None:
    assert find("vqa_soft", {"wordnet": str(folder)}).options == {"wordnet": str(folder)}
