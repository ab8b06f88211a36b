"""Several benchmarks, suites, the environment, and options beside a run folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.fault_server import Act, Asked, FaultServer, fail, say
from tests.runs.conftest import write_counting

from eyechart.cli import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_mistake_in_the_second_is_found_before_the_first_is_asked(capsys: Captured) -> None:
    with FaultServer(say("3")) as server:
        words = ["run", "openai:m", "chart/count", "chart/locate", "--base-url", server.url]
        assert main(words) == 2
        assert server.asked == []
    assert "openai:m on chart/locate: " in capsys.readouterr().err


def test_the_same_twice_is_refused(capsys: Captured) -> None:
    assert main(["run", "baseline:prior", "chart/count", "chart/count"]) == 2
    assert "stands twice" in capsys.readouterr().err


def test_what_fails_is_said_and_the_others_are_made(capsys: Captured, tmp_path: Path) -> None:
    write_counting(tmp_path / "data")
    text = (tmp_path / "data" / "count.jsonl").read_text().replace("row", "line")
    (tmp_path / "data" / "other.jsonl").write_text(text)

    def behaviour(asked: Asked) -> Act:
        return say("3") if "row" in asked.text else fail(401, "no key")

    with FaultServer(behaviour) as server:
        words = ["run", "openai:m", "data/other.jsonl", "data/count.jsonl"]
        words += ["--base-url", server.url]
        assert main(words) == 2
        captured = capsys.readouterr()
        assert "report.json" in captured.out
        assert "1 of 2 runs could not be made" in captured.out
        assert "openai:m on data/other.jsonl: " in captured.err
        assert main([*words, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [one["benchmark"]["name"] for one in found["reports"]] == ["count"]
    assert len(found["failed"]) == 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("nomodel.py:X", "no such Python file"),
        ("mine.py:Nope", "has no 'Nope'"),
        ("mine.py:words", "writes them is not declared"),
    ],
)
def test_a_model_in_a_file_is_looked_at_before_anything_is_asked(
    capsys: Captured, tmp_path: Path, model: str, message: str
) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    gives_boxes = True\n    def answer(self, request):\n        return []\n\n"
        "def words(request):\n    return 'there'\n"
    )
    assert main(["run", model, "chart/count", "chart/locate", "--limit", "2"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_suites_paths_are_seen_from_its_file(
    capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "suite"
    write_counting(folder / "data")
    (folder / "mine.py").write_text(
        "import eyechart\n\n"
        "class Mine:\n    needs_images = False\n"
        "    def answer(self, request):\n        return '1'\n\n"
        "@eyechart.benchmark('own', task='count', protocol='countqa', builtin=True,\n"
        "                    template=eyechart.Template('{question}'),\n"
        "                    splits={'a': None, 'b': None})\n"
        "def own(data, split):\n"
        "    yield eyechart.Sample(split, 'count', eyechart.Image('a.png', 4, 4),\n"
        "                          {'question': '?'}, eyechart.Count(1), 'a.png')\n"
    )
    (folder / "suite.yaml").write_text(
        "models: ['mine.py:Mine']\n"
        "benchmarks:\n"
        "  - data/count.jsonl\n"
        "  - {benchmark: mine.py, split: b}\n"
        "  - 'mine.py:own'\n"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["run", "../suite/suite.yaml", "--json"]) == 0
    reports = json.loads(capsys.readouterr().out)["reports"]
    names = [(one["benchmark"]["name"], one["benchmark"]["split"]) for one in reports]
    assert names == [("count", ""), ("own", "b"), ("own", "a")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models: [mine.py, mine.py]\nbenchmarks: [chart/count]\n", "stands twice"),
        ("models: [mine.py]\nbenchmarks: [chart/count, {benchmark: refcoco/val, data: nowhere}]\n",
         "mine.py on refcoco/val: "),
        ("models: [mine.py]\nbenchmarks: [{benchmark: chart/count, limit: x}]\n", "--limit x"),
        ("models: [mine.py]\nbenchmarks: [{benchmark: chart/count, protocol: nonsense}]\n", "'nonsense'"),
        ("models: [a]\nmodels: [b]\nbenchmarks: [c]\n", "line 2: the key 'models' stands twice"),
        ("models: [a]\nbenchmarks: [{benchmark: c\n", "YAML"),
        ("models: [{model: 'openai:m', base_url: 'http://h', generation: {a: .nan}}]\n"
         "benchmarks: [chart/count]\n", "line 1: "),
    ],
)  # fmt: skip
def test_a_suite_is_checked_before_its_first_request(
    capsys: Captured, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def answer(self, request):\n        raise SystemExit('asked')\n"
    )
    (tmp_path / "suite.yaml").write_text(text)
    assert main(["run", "suite.yaml"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (
            "FILTER",
            "regex=\\d+ x\nremove_until=</think>",
            ["regex=\\d+ x", "remove_until=</think>"],
        ),
        ("REASONING", "keep", "keep"),
    ],
)
def test_options_have_the_variables_that_the_readme_names(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: object
) -> None:
    monkeypatch.setenv(f"EYECHART_RUN_{name}", value)
    assert main(["run", "baseline:prior", "chart/count", "--limit", "2", "--json"]) == 0
    reading = json.loads(capsys.readouterr().out)["reading"]
    assert reading["filters" if name == "FILTER" else "reasoning"] == expected


def test_a_wrong_variable_is_not_passed_over(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EYECHART_RUN_TIMEOUT", "soon")
    assert main(["run", "baseline:prior", "chart/count", "--limit", "2"]) == 2
    assert "soon" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--limit", "3"], "--limit has no place beside a run"),
        (["--subset"], "--subset has no place"),
        (["--out", "x"], "--out has no place"),
        (["--grid", "32"], "has none"),
        (["--price", "-1,2"], "from 0 on"),
        (["--dialect", "json:pixels"], "has none"),
    ],
)
def test_beside_a_run_only_its_reading_can_change(
    capsys: Captured, options: list[str], message: str
) -> None:
    assert main(["run", "baseline:prior", "chart/count", "--limit", "2"]) == 0
    [folder] = Path("runs").iterdir()
    before = (folder / "spec.json").read_bytes()
    capsys.readouterr()
    assert main(["score", str(folder), *options]) == 2
    assert message in capsys.readouterr().err
    assert (folder / "spec.json").read_bytes() == before


def test_a_subset_is_of_what_was_chosen(capsys: Captured, tmp_path: Path) -> None:
    write_counting(tmp_path / "data")
    rows = "".join(json.dumps({"id": f"q{i}", "reply": str(i)}) + "\n" for i in range(6))
    (tmp_path / "replies.jsonl").write_text(rows)
    words = ["score", "--replies", "replies.jsonl", "--benchmark", "data/count.jsonl", "--subset"]
    assert main([*words, "--limit", "first:8", "--json"]) == 0
    coverage = json.loads(capsys.readouterr().out)["coverage"]
    assert (coverage["n"], coverage["left_out"]) == (6, 2)
    assert main(["run", "baseline:prior", "data/count.jsonl", "--subset"]) == 2
    assert "--subset is for files of replies" in capsys.readouterr().err


def test_where_every_run_fails_there_is_still_a_document(capsys: Captured, tmp_path: Path) -> None:
    write_counting(tmp_path / "data")
    shutil.copy(tmp_path / "data" / "count.jsonl", tmp_path / "data" / "other.jsonl")
    with FaultServer(fail(401, "no key")) as server:
        words = ["run", "openai:m", "data/count.jsonl", "data/other.jsonl"]
        assert main([*words, "--base-url", server.url, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["reports"] == []
    assert len(found["failed"]) == 2


def test_a_report_that_cannot_be_written_stops_no_other_run(
    capsys: Captured, tmp_path: Path
) -> None:
    words = ["run", "baseline:centre-box", "chart/locate", "chart/absent", "--limit", "2"]
    assert main(words) == 0
    [folder] = Path("runs").glob("chart-locate*")
    shutil.rmtree(folder / "scores")
    (folder / "scores").write_text("in the way")
    capsys.readouterr()
    assert main([*words, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [one["benchmark"]["name"] for one in found["reports"]] == ["chart/absent"]
    assert len(found["failed"]) == 1
