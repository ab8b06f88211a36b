"""A run from asking to report: what is kept, what resumes, what is refused."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.runs.conftest import Scripted, number_in, write_counting

import eyechart
from eyechart.errors import CorruptRun, SpecMismatch, UsageError
from eyechart.report.schema import json_schema
from eyechart.values import Failure, Reply, Request

if TYPE_CHECKING:
    from pathlib import Path

RATE = Failure("rate_limit", "slow down", status=429, attempts=3)


def test_a_run_keeps_asks_scores_and_reports(counting: Path, tmp_path: Path) -> None:
    model = Scripted(lambda request: number_in(request) if "7" not in request.prompt else "70")
    run = eyechart.run(model, str(counting), out=tmp_path / "runs")
    assert run.path.name == f"count--test-scripted--{run.report.fingerprint}"
    kept = sorted(str(one.relative_to(run.path)) for one in run.path.rglob("*") if one.is_file())
    assert kept == [
        ".lock", "replies.jsonl", "report.html", "report.json", "samples.jsonl",
        "scores/count_final.jsonl", "scores/count_final.summary.json", "spec.json",
    ]  # fmt: skip
    figure = run.report.metrics["accuracy"]
    assert (figure.value, figure.n) == (11 / 12, 12)
    assert figure.low is not None
    assert figure.high is not None
    assert 0.3 < figure.low < 11 / 12 < figure.high < 1
    assert run.report.coverage.groups == 6
    odd = next(one for one in run.report.slices if (one.tag, one.value) == ("parity", "odd"))
    assert (odd.n, odd.metrics["accuracy"].value) == (6, 5 / 6)
    jsonschema.validate(json.loads((run.path / "report.json").read_bytes()), json_schema())


def test_the_model_sees_no_truth_and_no_name(counting: Path, tmp_path: Path) -> None:
    model = Scripted(lambda _: "1")
    eyechart.run(model, str(counting), out=tmp_path / "runs")
    for request in model.asked:
        assert {name for name in dir(request) if not name.startswith("_")} == {
            "generation", "image", "messages", "prompt", "repeat", "sample_id",
        }  # fmt: skip
        assert request.image is not None
        public = {name for name in dir(request.image) if not name.startswith("_")}
        assert public == {"width", "height", "read", "open"}


def test_errors_are_states_with_their_own_denominators(counting: Path, tmp_path: Path) -> None:
    def say(request: Request) -> object:
        number = int(number_in(request))
        if number < 3:
            return RATE  # its message holds 429 and must never be read as a count
        if number == 3:
            return Reply(request.sample_id, state="empty", finish_reason="length")
        if number == 4:
            return Reply(request.sample_id, state="refused")
        if number == 5:
            return "no idea"
        return str(number)

    report = eyechart.run(Scripted(say), str(counting), out=tmp_path / "runs").report
    coverage, figure = report.coverage, report.metrics["accuracy"]
    assert coverage.statuses == {"ok": 6, "none": 0, "malformed": 2, "refused": 1, "error": 3}
    assert (coverage.n, coverage.answered, coverage.read, coverage.truncated) == (12, 9, 6, 1)
    assert coverage.errors == {"rate_limit": 3}
    assert (figure.value, figure.over_answered, figure.over_read) == (6 / 12, 6 / 9, 1.0)
    assert not report.complete
    assert any("3 of 12 requests have no reply" in warning for warning in report.warnings)


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


def test_derived_files_come_back_byte_for_byte(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")
    derived = ["report.json", "report.html", "scores/count_final.jsonl"]
    before = {name: (run.path / name).read_bytes() for name in derived}
    shutil.rmtree(run.path / "scores")
    (run.path / "report.json").unlink()
    (run.path / "report.html").unlink()
    eyechart.load(run.path).derive()
    assert {name: (run.path / name).read_bytes() for name in derived} == before


def test_a_run_is_scored_without_its_data(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")
    shutil.rmtree(counting.parent)
    assert eyechart.score(run.path, protocol="countqa").metrics["accuracy"].value == 1.0
    assert eyechart.load(run.path).report.protocol.name == "countqa"


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
    with pytest.raises(SpecMismatch, match=rf"sample 'q4' has another {what}"):
        eyechart.run(model, str(counting), out=out)
    assert model.asked == []


def test_a_changed_picture_is_refused(counting: Path, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    eyechart.run(Scripted(number_in), str(counting), out=out)
    picture = counting.parent / "p3.png"
    picture.write_bytes(picture.read_bytes() + b"\0")
    with pytest.raises(SpecMismatch, match=r"sample 'q6' .* the picture's bytes"):
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


def test_repeats_are_asked_with_other_seeds_and_all_scored(counting: Path, tmp_path: Path) -> None:
    model = Scripted(lambda r: number_in(r) if r.repeat == 0 else "99")
    report = eyechart.run(
        model, str(counting), out=tmp_path / "runs", repeats=3, generation={"seed": 5}
    ).report
    assert {r.generation["seed"] for r in model.asked if r.generation} == {5, 6, 7}
    assert report.metrics["accuracy"].value == pytest.approx(1 / 3)
    assert (report.coverage.n, report.coverage.groups) == (36, 6)


def test_a_damaged_record_is_refused_with_its_line(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")
    path = run.path / "replies.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], b"oops\n", *lines[4:]]))
    with pytest.raises(CorruptRun, match=r"replies\.jsonl, line 5"):
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": "How many?"}, "no slot"),
        ({"prompt": "{qestion}"}, r"slot \{qestion\} .* Did you mean question\?"),
        ({"prompt": "{question} {"}, "brace"),
        ({"prompt": "{question.__class__}"}, "slot"),
        ({"protocol": "vqa_v2"}, "does not score the task 'count'"),
        ({"protocol": "count_finl"}, "Did you mean count_final"),
        ({"filters": ["remove_untl=x"]}, "Did you mean remove_until"),
        ({"limits": 5}, r"No option is named 'limits'\. Did you mean limit\?"),
        ({"images": "nowhere"}, "no such folder"),
    ],
)
def test_a_mistake_ends_in_one_line_before_anything_is_asked(
    counting: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    model = Scripted(number_in)
    with pytest.raises(eyechart.EyechartError, match=message) as caught:
        eyechart.run(model, str(counting), out=tmp_path / "runs", **options)
    assert "\n" not in str(caught.value)
    assert model.asked == []
    assert not (tmp_path / "runs").exists()


def test_boxes_need_a_declared_dialect(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--dialect"):
        eyechart.run(Scripted(lambda _: "[1, 2, 3, 4]"), "chart/locate", out=tmp_path, limit=1)


def test_a_declared_dialect_words_the_prompt_and_reads_the_reply(tmp_path: Path) -> None:
    model = Scripted(lambda _: '[{"bbox_2d": [0, 0, 1000, 1000]}]')
    run = eyechart.run(
        model, "chart/locate", out=tmp_path, dialect="json:0-1000", benchmark_args={"n": 3}
    )
    for score, sample in zip(run.scores(), run.samples(), strict=True):
        assert score.reading.boxes == ((0.0, 0.0, sample.image.width, sample.image.height),)
    assert "1000" in model.asked[0].prompt
    assert run.report.asked.prompt_source == "dialect json:0-1000"


def test_missing_pictures_are_all_named_before_the_run(counting: Path, tmp_path: Path) -> None:
    (counting.parent / "p1.png").unlink()
    (counting.parent / "p4.png").unlink()
    model = Scripted(number_in)
    with pytest.raises(eyechart.EyechartError, match=r"2 pictures not found: p1\.png, p4\.png"):
        eyechart.run(model, str(counting), out=tmp_path / "runs")
    assert model.asked == []
    blind = eyechart.run(model, str(counting), out=tmp_path / "runs", no_images=True)
    assert blind.report.asked.images == "none"


def test_a_broken_picture_costs_its_samples_only(counting: Path, tmp_path: Path) -> None:
    picture = counting.parent / "p1.png"
    picture.write_bytes(picture.read_bytes()[:60])

    class Looks:
        def answer(self, request: Request) -> str:
            assert request.image is not None
            request.image.open()
            return number_in(request)

    report = eyechart.run(Looks(), str(counting), out=tmp_path / "runs").report
    assert report.coverage.errors == {"picture": 2}
    assert report.metrics["accuracy"].value == 10 / 12
    assert any("p1.png" in warning for warning in report.warnings)


def test_a_table_of_the_run(counting: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    frame = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs").to_pandas()
    assert list(frame["id"]) == [f"q{i}" for i in range(12)]
    assert list(frame["value"]) == list(range(12))
    assert frame["accuracy"].mean() == 1.0
    assert set(frame["tag.parity"]) == {"odd", "even"}


def test_text_that_is_no_unicode_costs_its_sample_only(counting: Path, tmp_path: Path) -> None:
    model = Scripted(lambda r: "half a \ud83d" if number_in(r) == "4" else number_in(r))
    report = eyechart.run(model, str(counting), out=tmp_path / "runs").report
    assert report.coverage.errors == {"protocol": 1}
    assert report.metrics["accuracy"].value == 11 / 12


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
