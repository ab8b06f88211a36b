"""A run goes on where it was stopped, and never pairs a reply with another question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.runs.conftest import Scripted, number_in, write_counting

import eyechart
from eyechart.errors import CorruptRun, SpecMismatch
from eyechart.values import Failure, Request

if TYPE_CHECKING:
    from pathlib import Path

RATE = Failure("rate_limit", "slow down", status=429, attempts=3)


def test_the_same_call_asks_only_what_is_missing_or_failed(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    first = Scripted(lambda r: RATE if number_in(r) in ("2", "9") else number_in(r))
    eyechart.run(first, str(counting), out=out, limit="first:10")
    second = Scripted(number_in)
    run = eyechart.run(second, str(counting), out=out)
    assert [request.sample_id for request in second.asked] == ["q2", "q9", "q10", "q11"]
    assert run.report.metrics["accuracy"].value == 1.0
    assert sum(reply.state == "error" for reply in run.replies()) == 2  # kept, never rewritten
    third = Scripted(number_in)
    eyechart.run(third, str(counting), out=out)
    assert third.asked == []


def test_a_run_that_breaks_off_keeps_what_came(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"

    def breaks(request: Request) -> object:
        return KeyError("a bug") if number_in(request) == "5" else number_in(request)

    with pytest.raises(KeyError):
        eyechart.run(Scripted(breaks), str(counting), out=out)
    again = Scripted(number_in)
    eyechart.run(again, str(counting), out=out)
    assert next(request.sample_id for request in again.asked) == "q5"
    assert len(again.asked) == 7


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"row 4?"', '"row 44?"', "asked"),
        ('"count": 4', '"count": 5', "target"),
    ],
)
def test_changed_rows_are_refused_by_name(
    counting: Path, tmp_path: Path, old: str, new: str, what: str
) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out)
    old, new = old.replace('"row 4?"', "row 4?"), new.replace('"row 44?"', "row 44?")
    counting.write_text(counting.read_text().replace(old, new, 1))
    model = Scripted(number_in)
    with pytest.raises(SpecMismatch, match=rf"sample 'q4' differs .* in {what}\."):
        eyechart.run(model, str(counting), out=out)
    assert model.asked == []


def test_a_changed_picture_is_refused(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out)
    picture = counting.parent / "p3.png"
    picture.write_bytes(picture.read_bytes() + b"\0")
    with pytest.raises(SpecMismatch, match=r"sample 'q6' .* in the picture's bytes"):
        eyechart.run(Scripted(number_in), str(counting), out=out)


def test_moved_data_resume(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out, limit=5)
    moved = write_counting(tmp_path / "elsewhere")
    model = Scripted(number_in)
    eyechart.run(model, str(moved), out=out)
    assert len(model.asked) == 7


def test_what_decides_an_answer_makes_another_run(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"

    def path(name: str = "a", **options: Any) -> Path:
        return eyechart.run(Scripted(number_in, name), str(counting), out=out, **options).path

    base = path()
    assert path(limit=3) == path(concurrency=2) == path(protocol="countqa") == base
    others = {
        path("b"),
        path(prompt="{question} Say a number."),
        path(system="Count."),
        path(generation={"temperature": 0.5}),
        path(no_images=True),
    }
    assert len(others | {base}) == 6


def test_a_damaged_record_is_refused_with_its_line(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")
    path = run.path / "replies.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], b"oops\n", *lines[4:]]))
    with pytest.raises(CorruptRun, match=r"replies\.jsonl, line 5"):
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")


def test_fewer_samples_now_lose_none_and_disarm_nothing(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out)
    few = eyechart.run(Scripted(number_in), str(counting), out=out, limit="first:2")
    assert few.report.coverage.n == 2
    assert any("none is lost" in warning for warning in few.report.warnings)
    assert few.view("q11").scores[0].values["accuracy"] == 1.0
    text = counting.read_text()
    counting.write_text(text.replace("row 4?", "row 5?", 1))
    with pytest.raises(SpecMismatch, match="'q4'"):
        eyechart.run(Scripted(number_in), str(counting), out=out)
    counting.write_text(text)
    model = Scripted(number_in)
    whole = eyechart.run(model, str(counting), out=out)
    assert model.asked == []
    assert whole.report.coverage.n == 12
    assert whole.report.warnings == []


def test_a_picture_that_was_unreadable_for_a_while_is_still_the_same(
    counting: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    text = counting.read_text().replace(
        '"image": "p3.png"', '"image": "p3.png", "width": 43, "height": 30'
    )
    counting.write_text(text)
    picture = counting.parent / "p3.png"
    whole = picture.read_bytes()
    eyechart.run(Scripted(number_in), str(counting), out=out)
    picture.write_bytes(b"gone")
    eyechart.run(Scripted(number_in), str(counting), out=out)
    picture.write_bytes(whole + b"another")
    with pytest.raises(SpecMismatch, match="the picture's bytes"):
        eyechart.run(Scripted(number_in), str(counting), out=out)


def test_samples_cut_short_are_noticed(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")
    path = run.path / "samples.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    with pytest.raises(SpecMismatch, match=r"samples\.jsonl is not as the run left it"):
        _ = eyechart.load(run.path).report
    model = Scripted(number_in)
    assert eyechart.run(model, str(counting), out=tmp_path / "runs").report.coverage.n == 12
    assert model.asked == []


def test_lost_samples_come_back_only_if_they_are_the_same(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    run = eyechart.run(Scripted(number_in), str(counting), out=out)
    path = run.path / "samples.jsonl"
    before = path.read_bytes()
    path.unlink()
    model = Scripted(number_in)
    eyechart.run(model, str(counting), out=out)
    assert (model.asked, path.read_bytes()) == ([], before)
    path.unlink()
    counting.write_text(counting.read_text().replace("row 4?", "row 5?", 1))
    with pytest.raises(SpecMismatch, match="'q4' was to another question"):
        eyechart.run(Scripted(number_in), str(counting), out=out)


def test_lost_samples_come_back_for_any_choice_of_them(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out, limit=8)
    run = eyechart.run(Scripted(number_in), str(counting), out=out, limit="first:5")
    for limit in ("first:5", "8", None):
        (run.path / "samples.jsonl").unlink()
        with pytest.raises(SpecMismatch, match="not as the run left it"):
            run.view("q0")
        model = Scripted(number_in)
        found = eyechart.run(model, str(counting), out=out, limit=limit)
        assert found.report.metrics["accuracy"].value == 1.0
    # only what neither choice had was asked
    kept = [reply.sample_id for reply in run.replies()]
    assert len(kept) == len(set(kept)) == 12
    assert all(len(reply.asked) == 16 for reply in run.replies())


def test_a_model_of_ones_own_is_another_when_its_settings_are(
    counting: Path, tmp_path: Path
) -> None:
    class Guess:
        needs_images = False

        def __init__(self, number: int) -> None:
            self.number = number

        def answer(self, request: Request) -> str:
            return str(self.number)

    three, five = (
        eyechart.run(Guess(number), str(counting), out=tmp_path / "runs") for number in (3, 5)
    )
    assert three.path != five.path
    assert [score.values["accuracy"] for score in five.scores()].index(1.0) == 5
