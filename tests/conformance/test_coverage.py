"""A run of the whole folder fails where a vector to be reproduced, or a record of one, goes unread."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.conformance.frame import HERE, Vector, parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SUMS = """
def test_sums(records):
    for record in records("box_iou"):
        assert record["a"] + record["b"] == record["sum"]
"""
HALVES = """
def test_first(records):
    for record in records("countqa")[:2]:
        assert record["count"] > 0

def test_rest(records):
    found = records("countqa")
    for place in range(2, len(found)):
        assert found[place]["count"] > 0
"""
SEVERAL = ("-p", "xdist.plugin", "-n", "2")
OVER_SUMS = [{"a": 1, "b": 2, "sum": 3}, {"a": 2, "b": 2, "sum": 4}]
COUNTS = [{"count": n} for n in (1, 2, 3, 4, 5)]


class Project:
    """A small project with this folder's frame, two files of tests and a folder of vectors."""

    def __init__(self, root: Path) -> None:
        self.root, self.vectors = root, root / "vectors"
        tests = root / "tests"
        (tests / "conformance").mkdir(parents=True)
        self.vectors.mkdir()
        shutil.copy(HERE.parent / "conftest.py", tests)
        for name in ("conftest.py", "frame.py"):
            shutil.copy(HERE / name, tests / "conformance")
        (tests / "__init__.py").touch()
        (root / "pytest.ini").write_text(
            "[pytest]\naddopts = --import-mode=importlib -m 'not slow'\nmarkers = slow: takes long\n"
        )
        self.test("test_sums", SUMS)
        self.test("test_halves", HALVES)
        self.vector("box_iou", OVER_SUMS)
        self.vector("countqa", COUNTS)

    def test(self, name: str, text: str) -> None:
        (self.root / "tests/conformance" / f"{name}.py").write_text(text)

    def vector(self, name: str, records: Sequence[object]) -> None:
        text = "".join(f"{json.dumps(record)}\n" for record in records)
        (self.vectors / f"{name}.jsonl").write_text(text)

    def run(self, *words: str, where: str = "tests/conformance") -> tuple[int, str]:
        """Exit status and output of pytest on the folder, or on what is named."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", where, "--vectors", "vectors", *words],
            cwd=self.root,
            env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize("processes", [(), SEVERAL], ids=["one", "several"])
def test_all_records_read(project: Project, processes: tuple[str, ...]) -> None:
    status, output = project.run(*processes)
    assert status == 0, output
    assert "box_iou: 2 records" in output
    assert "countqa: 5 records" in output


def test_an_altered_record_fails(project: Project) -> None:
    project.vector("box_iou", [*OVER_SUMS, {"a": 2, "b": 2, "sum": 5}])
    status, output = project.run()
    assert status == 1
    assert "no test has read it" not in output


def test_each_file_is_optional(project: Project) -> None:
    (project.vectors / "box_iou.jsonl").unlink()
    status, output = project.run("-rs")
    assert status == 0, output
    assert "vectors has no box_iou.jsonl" in output


def test_a_file_that_nobody_reads_fails(project: Project) -> None:
    project.vector("kosmos2_decode", [{"text": ""}])
    status, output = project.run()
    assert status == 1
    assert "kosmos2_decode.jsonl: no test has read it" in output


@pytest.mark.parametrize("processes", [(), SEVERAL], ids=["one", "several"])
def test_a_record_left_out_fails(project: Project, processes: tuple[str, ...]) -> None:
    project.test("test_halves", HALVES.replace("range(2, ", "range(3, "))
    status, output = project.run(*processes)
    assert status == 1
    assert "4 of 5 records were compared; record 3 was not" in output


def test_what_is_for_information_need_not_be_read(project: Project) -> None:
    for name in ("refcoco_dialects", "vqa_dialects", "count_dialects"):
        project.vector(name, [{"reply": ""}])
    status, output = project.run()
    assert status == 0, output


def test_totals_need_the_records_they_are_over(project: Project) -> None:
    project.vector("countqa_totals", [{"mean": 1.0}])
    assert project.run()[0] == 1
    (project.vectors / "countqa.jsonl").unlink()
    status, output = project.run()
    assert status == 0, output


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ((), "tests/conformance/test_sums.py"),
        ((), "tests/conformance/test_halves.py::test_first"),
        (("-k", "sums"), "tests/conformance"),
    ],
)
def test_a_part_of_the_folder_is_not_blamed(
    project: Project, words: tuple[str, ...], where: str
) -> None:
    status, output = project.run(*words, where=where)
    assert status == 0, output


def test_a_slow_test_does_not_excuse_the_rest(project: Project) -> None:
    project.test("test_halves", f"import pytest\n{HALVES}\npytestmark = pytest.mark.slow\n")
    status, output = project.run()
    assert status == 1
    assert "countqa.jsonl: no test has read it" in output


def test_a_vector_notes_what_is_taken_out() -> None:
    seen: set[int] = set()
    vector = Vector([{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}], seen)
    assert len(vector) == 4
    assert seen == set()
    assert vector[-1] == {"n": 3}
    assert vector[:2] == [{"n": 0}, {"n": 1}]
    assert seen == {0, 1, 3}
    with pytest.raises(IndexError):
        vector[4]
    assert list(vector) == [{"n": n} for n in range(4)]
    assert seen == {0, 1, 2, 3}


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "countqa.jsonl"
    path.write_bytes(b'{"a": 1}\n\n[2]\n')
    with pytest.raises(ValueError, match=r"countqa\.jsonl, line 3: not a JSON object"):
        parse(path)
    path.write_bytes(b'{"a": "\xe2\x80\xa8"}\n{"b":\n')
    with pytest.raises(ValueError, match=r"countqa\.jsonl, line 2"):
        parse(path)
