"""A run from asking to report: what is asked, kept, scored and shown."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from PIL import Image as Pillow
from tests.runs.conftest import Scripted, number_in

import eyechart
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
            "generation", "image", "messages", "prompt", "repeat", "sample_id", "task",
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


def test_repeats_are_asked_with_other_seeds_and_all_scored(counting: Path, tmp_path: Path) -> None:
    model = Scripted(lambda r: number_in(r) if r.repeat == 0 else "99")
    report = eyechart.run(
        model, str(counting), out=tmp_path / "runs", repeats=3, generation={"seed": 5}
    ).report
    assert {r.generation["seed"] for r in model.asked if r.generation} == {5, 6, 7}
    assert report.metrics["accuracy"].value == pytest.approx(1 / 3)
    assert (report.coverage.n, report.coverage.groups) == (36, 6)


def test_a_declared_dialect_words_the_prompt_and_reads_the_reply(tmp_path: Path) -> None:
    model = Scripted(lambda _: '[{"bbox_2d": [0, 0, 1000, 1000]}]')
    run = eyechart.run(
        model, "chart/locate", out=tmp_path, dialect="json:0-1000", benchmark_args={"n": 3}
    )
    for score, sample in zip(run.scores(), run.samples(), strict=True):
        assert score.reading.boxes == ((0.0, 0.0, sample.image.width, sample.image.height),)
    assert "1000" in model.asked[0].prompt
    assert run.report.asked.prompt_source == "dialect json:0-1000"


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


def test_a_benchmark_of_ones_own_takes_no_built_in_ones_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import eyechart\n\n"
        "@eyechart.benchmark('vqav2', task='count', protocol='countqa', builtin=True,\n"
        "                    template=eyechart.Template('{question}'))\n"
        "def mine(data, split):\n"
        "    yield eyechart.Sample('1', 'count', eyechart.Image('a.png', 4, 4),\n"
        "                          {'question': 'row 1?'}, eyechart.Count(1), 'a.png')\n"
    )
    run = eyechart.run(Scripted(number_in), str(path), out=tmp_path / "runs", no_images=True)
    assert run.report.coverage.n == 1
    from eyechart.benchmarks import find

    assert find("vqav2/val")[0].task == "answer"


def test_a_grid_is_the_protocols_too(tmp_path: Path) -> None:
    row = {"id": "a", "image": "a.png", "width": 160, "height": 160, "expression": "the mug",
           "box": [5, 5, 155, 155]}  # fmt: skip
    (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n")
    said = "</image><phrase>the mug</phrase><object><patch_index_0000><patch_index_0255></object>"
    (tmp_path / "out.locout").write_text(f"H-0\t-0.1\t{said}\n")
    for grid, right in ((16, 1.0), (32, 0.0)):
        report = eyechart.score(
            replies=tmp_path / "out.locout", benchmark=str(tmp_path / "own.jsonl"),
            dialect=f"kosmos-2:{grid}",
        )  # fmt: skip
        assert report.protocol.name == "kosmos2"
        assert report.metrics["precision@1"].value == right


def test_a_sample_shown_blind_says_so(counting: Path, tmp_path: Path) -> None:
    run = eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs", no_images=True)
    assert [message.with_image for message in run.view("q3").messages] == [False]


def test_what_exif_says_is_told_as_it_is_done(tmp_path: Path) -> None:
    def drawn(name: str, size: tuple[int, int], orientation: int) -> None:
        exif = Pillow.Exif()
        exif[0x0112] = orientation
        Pillow.new("RGB", size, (9, 9, 200)).save(tmp_path / name, exif=exif)

    drawn("stored.jpg", (60, 40), 6)
    drawn("upright.jpg", (60, 40), 6)
    drawn("square.jpg", (50, 50), 6)
    drawn("mirrored.jpg", (60, 40), 2)
    sizes = {"stored": (60, 40), "upright": (40, 60), "square": (50, 50), "mirrored": (60, 40)}
    rows = [
        {"image": f"{name}.jpg", "width": w, "height": h, "question": "row 1?", "count": 1}
        for name, (w, h) in sizes.items()
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    seen = []

    class Looks:
        def answer(self, request: Request) -> str:
            assert request.image is not None
            seen.append(request.image.open().size)
            return "1"

    report = eyechart.run(Looks(), str(tmp_path / "own.jsonl"), out=tmp_path / "runs").report
    assert seen == [(60, 40), (40, 60), (50, 50), (60, 40)]
    told = "\n".join(report.warnings)
    assert "1 picture with an EXIF rotation or mirroring, annotated as stored: left so" in told
    assert "3 pictures with an EXIF rotation or mirroring: shown upright" in told


def test_words_from_a_model_that_gives_boxes_cost_that_sample_only(tmp_path: Path) -> None:
    class Mostly:
        gives_boxes = True

        def answer(self, request: Request) -> Any:
            return "top left" if request.sample_id.endswith("/2") else [(0, 0, 9, 9)]

    report = eyechart.run(Mostly(), "chart/locate", out=tmp_path, benchmark_args={"n": 4}).report
    assert report.coverage.unread == {"words, and no dialect is declared": 1}
