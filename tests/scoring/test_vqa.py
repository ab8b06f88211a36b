from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError
from eyechart.scoring import find, vqa
from eyechart.text.vqa import clean, digits_and_articles, normalise, punctuation
from eyechart.values import Answer, Answers, Image, Reading, Sample

if TYPE_CHECKING:
    from pathlib import Path

Records = Callable[[str], list[dict[str, Any]]]
NORMALISATION = ("vqa_v2_normalisation", "vqa_v2_normalisation_py27_differs")


def numbered(answers: list[str]) -> list[dict[str, Any]]:
    return [{"answer": answer, "answer_id": k} for k, answer in enumerate(answers, 1)]


@pytest.mark.parametrize("name", NORMALISATION)
def test_normalisation_vectors(records: Records, name: str) -> None:
    for r in records(name):
        raw = r["raw"]
        assert punctuation(raw) == r["punct"], r
        assert digits_and_articles(raw) == r["digit_article"], r
        assert normalise(raw) == r["processed"], r
        assert clean(raw) == r.get("cleaned_only", raw), r
        assert normalise(clean(raw)) == r.get("in_evaluate", r["processed"]), r


@pytest.mark.parametrize("name", NORMALISATION)
def test_long_text_is_normalised_as_short_text_is(records: Records, name: str) -> None:
    # texts over 64 characters are not remembered; words alone do not touch each other's rules
    for r in records(name):
        word = r["digit_article"]
        if word and len(r["raw"].split()) == 1 and r["punct"] == r["raw"]:
            assert normalise("x " * 40 + r["raw"]) == "x " * 40 + word


def test_cases_vectors(records: Records) -> None:
    cases = records("vqa_v2_cases")
    scores = vqa.accuracies([numbered(c["answers"]) for c in cases], [c["answer"] for c in cases])
    assert [round(100 * score, 2) for score in scores] == [c["accuracy"] for c in cases]


def test_cases_vectors_through_the_protocol(records: Records) -> None:
    cases = records("vqa_v2_cases")
    samples = [
        Sample(
            id=str(c["question_id"]),
            task="answer",
            image=Image("x.jpg"),
            asked={"question": "?"},
            target=Answers(tuple(Answer(a, k) for k, a in enumerate(c["answers"], 1))),
            group="x.jpg",
            tags={"question_type": c["question_type"], "answer_type": c["answer_type"]},
        )
        for c in cases
    ]
    read, official = vqa.VQA_V2.read_text, vqa.VQA_V2.official
    assert read is not None
    assert official is not None
    readings = [read(s, c["answer"]) for s, c in zip(samples, cases, strict=True)]
    assert {r.status for r in readings} == {"ok"}
    columns = vqa.VQA_V2.score(samples, readings)
    printed = official(samples, columns)
    for r in records("vqa_v2_totals"):
        if isinstance(r["over"], str) and r.get("n") == 2:
            assert {k: printed[k] for k in ("overall", "perAnswerType", "perQuestionType")} == {
                k: r[k] for k in ("overall", "perAnswerType", "perQuestionType")
            }


def test_totals_vectors(records: Records) -> None:
    cases = records("vqa_v2_cases")
    scores = vqa.accuracies([numbered(c["answers"]) for c in cases], [c["answer"] for c in cases])
    by_id = {c["question_id"]: (c, s) for c, s in zip(cases, scores, strict=True)}
    for r in records("vqa_v2_totals"):
        over = by_id if isinstance(r["over"], str) else r["over"]
        rows = [by_id[i] for i in over]
        got = vqa.totals(
            [score for _, score in rows],
            [c["answer_type"] for c, _ in rows],
            [c["question_type"] for c, _ in rows],
            r.get("n", 2),
        )
        if "printed" not in r:
            assert got == {key: r[key] for key in got}
            continue
        overall, *rest = vqa.printed(got)
        lines = r["printed"]
        assert overall == lines["overall"]
        assert sorted(rest) == sorted(lines["per_question_type"] + lines["per_answer_type"])


def test_nonstandard_vectors(records: Records) -> None:
    for r in records("vqa_v2_nonstandard"):
        if r["error"]:
            with pytest.raises(DataError):
                vqa.accuracy(r["answers"], r["answer"])
        else:
            assert round(100 * vqa.accuracy(r["answers"], r["answer"]), 2) == r["accuracy"], r


def test_nonstandard_vectors_as_answers(records: Records) -> None:
    for r in records("vqa_v2_nonstandard"):
        if not r["error"]:
            answers = [
                Answer(a["answer"], a.get("answer_id"), a.get("answer_confidence"))
                for a in r["answers"]
            ]
            assert round(100 * vqa.accuracy(answers, r["answer"]), 2) == r["accuracy"], r


def test_loadres_vectors(records: Records) -> None:
    for r in records("vqa_v2_loadres"):
        ids = [q["question_id"] for q in r["questions"]]
        if r["error"]:
            with pytest.raises(DataError):
                vqa.results_by_question(ids, r["results"])
            continue
        replies = vqa.results_by_question(ids, r["results"])
        scores = vqa.accuracies([numbered(q["answers"]) for q in r["questions"]], replies)
        types = [q["question_type"] for q in r["questions"]]
        assert vqa.totals(scores, types, types)["overall"] == r["overall"]
        per_question = {str(i): round(100 * s, 2) for i, s in zip(ids, scores, strict=True)}
        assert per_question == r["per_question"]


def test_cases_from_user_pains(records: Records) -> None:
    cases = {c["id"]: c for c in records("cases")}
    v13, v14, v15 = cases["v13"], cases["v14"], cases["v15"]
    score = vqa.accuracy(numbered(v13["input"]["answers"]), v13["input"]["prediction"])
    assert score == pytest.approx(v13["expected"]["score"], abs=1e-6)
    score = vqa.accuracy(numbered(v14["input"]["answers"]), v14["input"]["prediction"])
    assert score == v14["expected"]["score_by_mode"]["vqa_v2_official"]
    score = vqa.accuracy(numbered(v15["input"]["answers"]), v15["input"]["prediction"])
    assert score == v15["expected"]["score"]


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
    ],
)
def test_worked_by_hand(humans: list[str], reply: str, per_cent: float) -> None:
    assert round(100 * vqa.accuracy(numbered(humans), reply), 2) == per_cent


@pytest.mark.parametrize(("model", "overall"), [("base", 0.73), ("moe", 74.74)])
def test_real_answers_of_two_models(shared: Path, model: str, overall: float) -> None:
    folder = shared / "data" / "vqa" / "vqav2"
    name = "v2_mscoco_val2014_annotations.subset5846.json.gz"
    notes = json.loads(gzip.decompress((folder / name).read_bytes()))["annotations"]
    results = json.loads(gzip.decompress((folder / f"results_{model}_5846.json.gz").read_bytes()))
    replies = vqa.results_by_question([n["question_id"] for n in notes], results)
    scores = vqa.accuracies([n["answers"] for n in notes], replies)
    got = vqa.totals(scores, [n["answer_type"] for n in notes], [n["question_type"] for n in notes])
    assert got["overall"] == overall


def test_a_question_without_answers_is_named() -> None:
    sample = Sample("q7", "answer", Image("x"), {}, Answers(()), "x")
    with pytest.raises(DataError, match="q7"):
        vqa.VQA_V2.score([sample], [Reading("ok", value="x")])


def test_types_that_are_not_known_have_no_row() -> None:
    got = vqa.totals([1.0, 0.0], [None, ""], [None, None])
    assert got == {"overall": 50.0, "perAnswerType": {"": 0.0}, "perQuestionType": {}}


def test_nothing_to_add_up() -> None:
    with pytest.raises(DataError, match="no question"):
        vqa.totals([], [], [])


@given(st.text())
def test_normalising_gives_single_spaces_and_no_article(text: str) -> None:
    words = normalise(clean(text)).split(" ")
    assert words == [""] or all(words)
    assert not {"a", "an", "the"} & set(words)


@given(st.lists(st.sampled_from(["yes", "no", "a cat", "2", "two"]), min_size=1, max_size=12))
def test_what_two_people_said_scores_something(answers: list[str]) -> None:
    for reply in answers:
        score = vqa.accuracy(numbered(answers), reply)
        assert 0.0 <= score <= 1.0
        assert score > 0.0 or answers.count(reply) == 1
    assert vqa.accuracy(numbered(answers), "something else") == 0.0


@pytest.mark.parametrize(
    ("piece", "times", "left"),
    [
        ("- ", 400_000, ""),
        ("1,1", 300_000, "1" * 600_000),
        (".", 1_000_000, "." * 999_968),  # the official rule takes 32 away
        ("?", 800_000, ""),
        ("'", 1_000_000, "'" * 1_000_000),
        ("a ", 500_000, ""),
    ],
    ids=["beside spaces", "digits and commas", "full stops", "marks", "apostrophes", "articles"],
)
def test_hostile_text_is_normalised_to_its_end(piece: str, times: int, left: str) -> None:
    is_left = normalise(piece * times) == left  # pytest would explain a million characters
    assert is_left


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
    target = Answers(tuple(Answer(one, i) for i, one in enumerate(answers, 1)))
    sample = Sample("q", "answer", Image("a.jpg"), {"question": "?"}, target, "a.jpg")
    assert find("vqa_exact").score([sample], [Reading("ok", value=reply)]) == {
        "accuracy": [expected]
    }
