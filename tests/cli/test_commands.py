"""The commands as a user types them: output, exit codes, one line for each mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.runs.conftest import write_counting

from eyechart.cli import COMMANDS, main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def _json(captured: Captured, *words: str) -> Any:
    assert main(words) == 0
    return json.loads(captured.readouterr().out)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from eyechart.cli import main; main(['--help']); "
        "heavy = {'numpy', 'aiohttp', 'PIL', 'rich', 'click', 'msgspec', 'jinja2', 'yaml'}; "
        "sys.exit(sorted(heavy & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_commands_help_loads_nothing_heavy(command: str) -> None:
    code = (
        f"import sys; from eyechart.cli import main; main(['{command}', '--help']); "
        "sys.exit(sorted({'numpy', 'aiohttp', 'PIL', 'rich'} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"Usage: eyechart {command}" in done.stdout


def test_demo(capsys: Captured) -> None:
    assert main(["demo", "--n", "2"]) == 0
    out = capsys.readouterr().out
    assert "chart/locate" in out
    named = [word for word in out.split() if word.endswith(("report.json", "report.html"))]
    assert len(named) == 10
    assert all(Path(name).is_file() for name in named)


def test_run_prints_one_json_document_with_metrics(capsys: Captured) -> None:
    found = _json(
        capsys, "run", "baseline:whole-image", "chart/locate", "--benchmark-arg", "n=5", "--json"
    )
    metrics = found["metrics"]
    assert isinstance(metrics, dict)
    assert {"value", "low", "high", "n"} <= metrics["acc@0.5"].keys()
    assert metrics["acc@0.5"]["n"] == 5


def test_show_report_compare_score_and_schema(capsys: Captured) -> None:
    for model in ("baseline:pixels", "baseline:centre-box"):
        assert main(["run", model, "chart/locate", "--benchmark-arg", "n=4"]) == 0
    runs = sorted(str(path) for path in Path("runs").iterdir())
    capsys.readouterr()
    assert main(["show", runs[1], "locate/0/2"]) == 0
    assert "locate/0/2" in capsys.readouterr().out
    assert main(["show", runs[1], "locate/0/20"]) == 2
    assert "Did you mean" in capsys.readouterr().err
    assert main(["compare", *runs]) == 0
    assert "baseline:centre-box" in capsys.readouterr().out
    found = _json(capsys, "score", runs[1], "--box-policy", "any", "--json")
    assert found["reading"] == {
        "dialect": None, "reasoning": "strip", "filters": [], "box_policy": "any",
        "parser": None, "seen": None,
    }  # fmt: skip
    assert main(["report", runs[1], "--by", "contrast"]) == 0
    out = capsys.readouterr().out
    assert "acc@0.5 by contrast" in out
    assert "by occlusion" not in out
    assert main(["report", runs[1], "--markdown"]) == 0
    assert "| Metric | Value |" in capsys.readouterr().out
    assert _json(capsys, "schema", "report")["title"] == "eyechart report"


@pytest.mark.parametrize("what", ["benchmarks", "models", "dialects", "protocols"])
def test_lists(capsys: Captured, what: str) -> None:
    assert main(["list", what]) == 0
    printed = capsys.readouterr().out
    rows = _json(capsys, "list", what, "--json")
    assert len(rows) >= 3
    assert all(row["name"].split(" ")[0] in printed for row in rows)


def test_replies_made_elsewhere(capsys: Captured, tmp_path: Path) -> None:
    data = write_counting(tmp_path / "data")
    rows = [{"id": f"q{i}", "reply": f"<think>maybe 3</think>There are {i}."} for i in range(12)]
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["score", "--replies", str(replies), "--benchmark", str(data)]
    found = _json(capsys, *words, "--json")
    assert found["metrics"]["accuracy"]["value"] == 1.0
    assert not (tmp_path / "runs").exists()
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows[:9]))
    assert main(words) == 2
    assert "12" in capsys.readouterr().err
    found = _json(capsys, *words, "--subset", "--json")
    coverage = found["coverage"]
    assert isinstance(coverage, dict)
    assert (coverage["n"], coverage["answered"], coverage["left_out"]) == (9, 9, 3)
    assert found["metrics"]["accuracy"]["value"] == 1.0
    assert "3 of 12 samples have no reply" in str(found["warnings"])


def test_missing_answers_give_exit_code_1(capsys: Captured, tmp_path: Path) -> None:
    data = write_counting(tmp_path / "data")
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    def answer(self, request):\n"
        "        return str(1 / ('row 1?' in request.prompt))\n"
    )
    words = ["run", "mine.py:Mine", str(data)]
    assert main(words) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert main([*words, "--max-error-rate", "0.95"]) == 0


def test_a_suite(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(
        "models: [baseline:pixels, baseline:centre-box]\n"
        "benchmarks:\n"
        "  - {benchmark: chart/locate, args: {n: 2}}\n"
        "  - {benchmark: chart/count, args: {n: 2}, filters: {regex: {regex_pattern: '\\d+'}}}\n"
    )
    assert main(["run", "suite.yaml", "--json"]) == 0
    reports = json.loads(capsys.readouterr().out)["reports"]
    assert [(one["model_name"], one["benchmark"]["name"]) for one in reports] == [
        ("baseline:pixels", "chart/locate"),
        ("baseline:pixels", "chart/count"),
        ("baseline:centre-box", "chart/locate"),
        ("baseline:centre-box", "chart/count"),
    ]
    assert reports[1]["reading"]["filters"] == [r"regex=\d+"]
    assert len(list((tmp_path / "runs").iterdir())) == 4


def test_beside_a_suite_options_are_refused_but_the_limit(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("models: [baseline:centre-box]\nbenchmarks: [chart/locate]\n")
    assert main(["run", "suite.yaml", "--no-images"]) == 2
    assert "--no-images has no place" in capsys.readouterr().err
    assert main(["run", "suite.yaml", "--limit", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reports"][0]["coverage"]["n"] == 3
    path.write_text(
        "models: [baseline:centre-box]\n"
        "benchmarks: [chart/locate, {benchmark: chart/locate, limit: 5}]\n"
    )
    assert main(["run", "suite.yaml"]) == 2
    assert "stands twice" in capsys.readouterr().err


def test_what_a_model_prints_stays_off_the_document(capsys: Captured, tmp_path: Path) -> None:
    data = write_counting(tmp_path / "data")
    (tmp_path / "mine.py").write_text(
        "def answer(request):\n    print('thinking')\n    return '1'\n\n"
        "class Mine:\n    answer = staticmethod(answer)\n"
    )
    assert main(["run", "mine.py:Mine", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["n"] == 12


def test_all_missing_pictures_are_listed_in_a_file(capsys: Captured, tmp_path: Path) -> None:
    rows = [{"image": f"p{i}.png", "question": "?", "count": i} for i in range(30)]
    data = tmp_path / "own.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["run", "baseline:pixels", str(data)]) == 2
    assert "30 pictures not found: p0.png, p1.png, p2.png and 27 more" in capsys.readouterr().err
    listed = (tmp_path / "runs" / "missing-pictures.txt").read_text().splitlines()
    assert listed[-30:] == [f"p{i}.png" for i in range(30)]


def test_a_folder_that_cannot_be_written_to(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    words = ["run", "baseline:centre-box", "chart/locate", "--out", "file"]
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


MISTAKES = [
    ("run --model openai:x --datasets countqa", "the model comes first"),
    ("run baseline:pixels refcoco --split val --data .", "refcoco/val"),
    ("run baseline:pixels chart/locate,chart/count", "separated by spaces"),
    ("run baseline:pixels chart/locate --temperature 0", "--gen temperature=0"),
    ("list", "benchmarks"),
    ("runn", "there is no command 'runn'. Did you mean run?"),
    ("run", "MODEL"),
    ("run baseline:pixels", "Name a benchmark after the model"),
    ("run baseline:pixls chart/locate", "Did you mean pixels?"),
    ("run pixels chart/locate", "Did you mean baseline:pixels?"),
    ("run gpt-4o chart/locate", "openai:gpt-4o"),
    ("run Qwen/Qwen2.5-VL-3B chart/locate", "openai:Qwen/Qwen2.5-VL-3B"),
    ("run openia:x chart/locate", "Did you mean openai?"),
    ("run openai:x chart/count", "--base-url"),
    ("run baseline:pixels chart/locat", "Did you mean chart/locate?"),
    ("run baseline:pixels refcoco/tset --data .", "Its splits: val, testA, testB"),
    ("run baseline:pixels refcoco/val", "--data"),
    ("run baseline:pixels refcoco/val --data nowhere", "nowhere"),
    ("run baseline:pixels refcoco/val --data .", "refcoco_val"),
    ("run baseline:pixels chart/count --price nan,1", "no finite"),
    ("run baseline:pixels chart/locate --benchmark-arg n=null", "not a whole number"),
    ("run baseline:pixels chart/locate --limt 5", "--limit"),
    ("run baseline:pixels chart/locate --limit five", "--limit five"),
    ("run baseline:pixels chart/locate --benchmark-arg sed=1", "Did you mean seed?"),
    ("run baseline:pixels chart/locate --benchmark-arg n=x", "not a whole number"),
    ("run baseline:pixels chart/locate --benchmark-arg n", "name=value"),
    ("run baseline:pixels chart/locate --protocol recc", "Did you mean rec?"),
    ("run baseline:pixels chart/locate --protocol vqa_v2", "rec"),
    ("run baseline:pixels chart/locate --dialect jsn:pixels", "json"),
    ("run baseline:pixels chart/locate --box-policy best", "best"),
    ("run suite.yaml", "suite.yaml: no such file"),
    ("run own.jsonl chart/locate", "own.jsonl"),
    ("run mine.py:Model chart/locate", "mine.py: no such Python file"),
    ("run replay:none.json chart/locate", "none.json"),
    ("score", "--replies"),
    ("score --replies a.json", "--benchmark"),
    ("score runs/none", "not a run folder"),
    ("compare a b", "not a run folder"),
    ("show runs/none x", "not a run folder"),
    ("list benchmark", "benchmarks"),
    ("schema reports", "report"),
]


@pytest.mark.parametrize(("line", "expected"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_ends_in_one_line(capsys: Captured, line: str, expected: str) -> None:
    assert main(line.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    assert captured.err.startswith("eyechart: ")
    assert expected in captured.err


def test_options_come_from_the_environment_too(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EYECHART_RUN_LIMIT", "3")
    monkeypatch.setenv("EYECHART_RUN_OUT", "elsewhere")
    found = _json(capsys, "run", "baseline:centre-box", "chart/locate", "--json")
    assert found["coverage"]["n"] == 3
    assert Path("elsewhere").is_dir()
