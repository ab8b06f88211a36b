"""VQAv2 accuracy against what the official evaluation answered, and the VQA cases of users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.scoring import find, vqa
from eyechart.text.vqa import clean, digits_and_articles, normalise, process, punctuation
from eyechart.values import Answer, Answers, Image, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conformance.frame import Records

NORMALISATION = ("vqa_v2_normalisation", "vqa_v2_normalisation_py27_differs")
TABLES = ("overall", "perAnswerType", "perQuestionType")
# the names that cases.jsonl has for protocols
MODES = {"vqa_v2_official": "vqa_v2", "normalise_always": "vqa_normalised"}


def numbered(answers: Sequence[str]) -> list[dict[str, Any]]:
    return [{"answer": answer, "answer_id": k} for k, answer in enumerate(answers, 1)]


def as_answers(records: Sequence[dict[str, Any]]) -> tuple[Answer, ...]:
    return tuple(
        Answer(one["answer"], one.get("answer_id"), one.get("answer_confidence")) for one in records
    )


def sample(name: str, answers: tuple[Answer, ...], question_type: str, answer_type: str) -> Sample:
    tags = {"question_type": question_type, "answer_type": answer_type}
    return Sample(name, "answer", Image("x"), {"question": "?"}, Answers(answers), "x", tags)


def scored(samples: list[Sample], replies: Sequence[str], name: str = "vqa_v2") -> list[float]:
    """Unrounded accuracies of texts, read and scored by a protocol."""
    protocol = find(name)
    assert protocol.read_text is not None
    readings = [protocol.read_text(s, text) for s, text in zip(samples, replies, strict=True)]
    assert {reading.status for reading in readings} <= {"ok"}
    return list(protocol.score(samples, readings)["accuracy"])


def per_cent(scores: Sequence[float], digits: int = 2) -> list[float]:
    return [round(100 * score, digits) for score in scores]


@pytest.mark.parametrize("name", NORMALISATION)
def test_normalisation(records: Records, name: str) -> None:
    for r in records(name):
        raw = r["raw"]
        assert punctuation(raw) == r["punct"], r
        assert digits_and_articles(raw) == r["digit_article"], r
        assert normalise(raw) == r["processed"], r
        assert clean(raw) == r.get("cleaned_only", raw), r
        assert process(raw) == r.get("in_evaluate", r["processed"]), r


@pytest.mark.parametrize("name", NORMALISATION)
def test_normalisation_within_a_long_text(records: Records, name: str) -> None:
    # longer texts are not remembered; words alone do not touch each other's rules
    for r in records(name):
        word = r["digit_article"]
        if word and len(r["raw"].split()) == 1 and r["punct"] == r["raw"]:
            assert normalise("x " * 40 + r["raw"]) == "x " * 40 + word


def test_cases_one_by_one(records: Records) -> None:
    for c in records("vqa_v2_cases"):
        got = vqa.accuracy(numbered(c["answers"]), c["answer"])
        assert round(100 * got, 2) == c["accuracy"], c


def test_cases_all_at_once(records: Records) -> None:
    cases = records("vqa_v2_cases")
    samples = [
        sample(str(c["question_id"]), as_answers(numbered(c["answers"])), "", "") for c in cases
    ]
    scores = scored(samples, [c["answer"] for c in cases])
    assert per_cent(scores) == [c["accuracy"] for c in cases]
    one_by_one = [vqa.accuracy(numbered(c["answers"]), c["answer"]) for c in cases]
    assert scores == one_by_one  # in every bit


def test_totals(records: Records) -> None:
    by_id = {}
    for c in records("vqa_v2_cases"):
        one = sample(
            str(c["question_id"]),
            as_answers(numbered(c["answers"])),
            c["question_type"],
            c["answer_type"],
        )
        by_id[c["question_id"]] = (one, c["answer"])
    for r in records("vqa_v2_totals"):
        rows = [by_id[i] for i in (by_id if isinstance(r["over"], str) else r["over"])]
        samples = [one for one, _ in rows]
        scores = scored(samples, [reply for _, reply in rows])
        got = vqa.totals(
            scores,
            [one.tags["answer_type"] for one in samples],
            [one.tags["question_type"] for one in samples],
            r.get("n", 2),
        )
        compare_totals(r, got)
        if r.get("n", 2) == 2:
            official = find("vqa_v2").official
            assert official is not None
            assert official(samples, {"accuracy": scores}) == {**got, "printed": vqa.printed(got)}


def compare_totals(r: dict[str, Any], got: dict[str, Any]) -> None:
    for table in TABLES:
        if table in r:
            assert got[table] == r[table], r
    if "printed" in r:
        overall, *rest = vqa.printed(got)
        lines = r["printed"]
        assert overall == lines["overall"]
        assert sorted(rest) == sorted(lines["per_question_type"] + lines["per_answer_type"])
    assert "printed" in r or set(TABLES) <= r.keys()


def test_nonstandard_records(records: Records) -> None:
    for r in records("vqa_v2_nonstandard"):
        if r["error"]:
            with pytest.raises(DataError):
                vqa.accuracy(r["answers"], r["answer"])
            continue
        got = vqa.accuracy(r["answers"], r["answer"])
        assert round(100 * got, 2) == r["accuracy"], r
        assert vqa.totals([got], [None], [None])["overall"] == r["overall"], r
        one = sample("q", as_answers(r["answers"]), r["question_type"], r["answer_type"])
        assert scored([one], [r["answer"]]) == [got], r


def test_nonstandard_records_among_ordinary_ones(records: Records) -> None:
    ordinary = sample("q", as_answers(numbered(["cat"] * 3 + ["dog"] * 7)), "", "")
    samples, replies, expected = [], [], []
    for r in records("vqa_v2_nonstandard"):
        if not r["error"]:
            samples += [sample("o", as_answers(r["answers"]), "", ""), ordinary]
            replies += [r["answer"], "a Cat."]
            expected += [r["accuracy"], 90.0]
    assert per_cent(scored(samples, replies)) == expected


def test_results_files(records: Records) -> None:
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
        per_question = {str(i): one for i, one in zip(ids, per_cent(scores), strict=True)}
        assert per_question == r["per_question"]


def test_cases_of_users(records: Records) -> None:
    cases = [c for c in records("cases") if c["area"] == "vqa.score"]
    for c in cases:
        expected, given = c["expected"], c["input"]
        modes = expected.get("score_by_mode") or {given["metric"]: expected["score"]}
        one = sample(c["id"], as_answers(numbered(given["answers"])), "", "")
        for mode, score in modes.items():
            got = scored([one], [given["prediction"]], MODES[mode])
            assert got == [pytest.approx(score, abs=expected["tol"])], c


def test_no_reply_at_all_is_worth_nothing(records: Records) -> None:
    samples = [
        sample("q", as_answers(numbered(c["answers"])), "", "") for c in records("vqa_v2_cases")
    ]
    nothing = [Reading("none")] * len(samples)
    assert set(find("vqa_v2").score(samples, nothing)["accuracy"]) <= {0.0}
