"""A run from asking to report: what is kept, what resumes, what is refused."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from PIL import Image as Pillow
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
    with pytest.raises(
        eyechart.EyechartError, match=r"2 pictures not found: p1\.png, p4\.png .*--no-images"
    ):
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


def test_a_reading_that_fails_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    class Two:
        gives_boxes = True

        def answer(self, request: Request) -> list[tuple[int, int, int, int]]:
            return [(0, 0, 9, 9), (3, 3, 30, 30)]

    run = eyechart.run(Two(), "chart/locate", out=tmp_path, benchmark_args={"n": 4})
    before = (run.path / "spec.json").read_bytes()
    with pytest.raises(eyechart.EyechartError, match="score"):
        eyechart.score(run.path, box_policy="highest")  # these boxes have no scores
    assert (run.path / "spec.json").read_bytes() == before
    assert eyechart.score(run.path, box_policy="union").reading.box_policy == "union"
    assert eyechart.score(run.path, box_policy="none").reading.box_policy is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be 1 or more"),
        ({"prices": (float("nan"), 1.0)}, "no finite number"),
        ({"generation": {"temperature": float("inf")}}, "no finite number"),
        ({"generation": {"api_key": "sk-1"}}, "looks like a secret"),
        ({"prompt": "{question!r}"}, "a format"),
        ({"prompt": "{question:>9}"}, "a format"),
        ({"limit": "9" * 5000}, "above 0"),
    ],
)
def test_values_that_would_spoil_a_run_are_refused(
    counting: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs", **options)
    assert not (tmp_path / "runs").exists()


def test_a_bug_in_ones_own_benchmark_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import eyechart\n\n"
        "@eyechart.benchmark('mine', task='count', protocol='countqa', builtin=True,\n"
        "                    template=eyechart.Template('{question}'))\n"
        "def mine(data, split):\n"
        "    yield {}['missing']\n"
    )
    with pytest.raises(UsageError, match=r"mine\.py, line 6: benchmark mine failed: KeyError"):
        eyechart.run(Scripted(number_in), str(path), out=tmp_path / "runs")


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


@pytest.mark.parametrize(
    "generation",
    [
        {"metadata": {"api_key": "sk-1"}},
        {"tools": [{"headers": {"Authorization": "Bearer sk-1"}}]},
        {"callback": "https://user:sk-1@host/x"},
    ],
)
def test_secrets_deep_in_settings_are_refused(
    counting: Path, tmp_path: Path, generation: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="looks like a secret") as caught:
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path, generation=generation)
    assert "sk-1" not in str(caught.value)


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
