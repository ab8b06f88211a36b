"""The Markdown headline is a table of the figures, and names in it are no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from eyechart.report import markdown

if TYPE_CHECKING:
    from eyechart.report.schema import Report


def test_headline(report: Report) -> None:
    lines = markdown.headline(report).splitlines()
    assert lines[0] == (
        "`refcoco/val`, `Qwen2.5-VL-7B-Instruct`, protocol `rec` version 1, eyechart `0.1.0`"
    )
    assert lines[2].startswith("| Metric | Value | 95 % interval | n |")
    assert lines[4] == "| `acc@0.5` | 74.3 % | 73.4 to 75.2 | 10,834 | 74.4 % | 75.2 % |"
    assert lines[9].startswith("Statuses: `ok` 97.8 %, `none` 0.9 %, `malformed` 0.9 %")
    assert "**Incomplete**: some samples have no answer yet." in lines
    assert sum(line.startswith("- Warning: ") for line in lines) == 2


def test_a_complete_run_without_warnings_ends_with_its_statuses(report: Report) -> None:
    clean = msgspec.structs.replace(report, complete=True, warnings=[])
    assert markdown.headline(clean).endswith("truncated 0.6 %.\n")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("a|b", "`a\\|b`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("", "`  `"),
        ("a\nb\x1b", r"`a\nb\x1b`"),
    ],
)
def test_code_spans(text: str, span: str) -> None:
    assert markdown.code(text) == span


def test_a_hostile_name_stays_in_its_cell(report: Report, nasty: str) -> None:
    name = "x | y `` <img src=x> @team\n# z " + nasty
    hostile = msgspec.structs.replace(report, metrics={name: report.metrics["iou"]})
    row = next(r for r in markdown.headline(hostile).splitlines() if "team" in r)
    assert row.startswith("| ```x \\| y `` <img src=x> @team\\n# z ")
    assert row.replace("\\|", "").count("|") == 7
