"""The house: sizes of files and functions, and that every module says what it is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
FORBIDDEN = {"utils", "helpers", "common", "manager", "misc"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_small_and_says_what_it_is(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module opens with one sentence that says what it is"
    assert text.count("\n") <= 400
    assert not FORBIDDEN & set(path.stem.split("_"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


def test_tests_are_small_files_too() -> None:
    assert [path.name for path in TESTS if path.read_text().count("\n") > 400] == []


def test_a_benchmark_file_holds_only_what_is_true_of_it() -> None:
    for path in (ROOT / "src/eyechart/benchmarks").glob("*.py"):
        # the chart's five benchmarks stand in one file
        limit = 100 if path.stem == "chart" else 60
        if path.stem != "__init__":
            assert path.read_text().count("\n") < limit, path


def test_the_examples_are_as_short_as_promised() -> None:
    assert (ROOT / "examples/my_benchmark.py").read_text().count("\n") < 30
    assert (ROOT / "examples/my_model.py").read_text().count("\n") < 20
