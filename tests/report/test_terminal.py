"""Terminal output: 80 columns, inert, complete, and readable without colour."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from eyechart.errors import UsageError
from eyechart.report import terminal
from eyechart.report.paper import Paper
from eyechart.report.paper import console as make_console

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.report.comparison import Comparison
    from eyechart.report.sample import SampleView
    from eyechart.report.schema import Report

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


def _printed(show: Callable[[Console], None], width: int = 80) -> str:
    stream = io.StringIO()
    show(Console(file=stream, width=width, markup=False, emoji=False, highlight=False))
    return stream.getvalue()


def _inert(text: str, width: int = 80) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text)
    assert max(map(cell_len, text.split("\n"))) <= width


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def everything(
    report: Report, views: list[SampleView], compared: Comparison
) -> dict[str, Callable[[Console], None]]:
    return {
        "summary": lambda console: terminal.summary(report, console),
        "suite": lambda console: terminal.suite([report, report], console),
        "comparison": lambda console: terminal.comparison(compared, console),
        "sample": lambda console: terminal.sample(views[0], console),
    }


@pytest.mark.parametrize("name", ["summary", "suite", "comparison", "sample"])
@pytest.mark.parametrize("width", [80, 120])
def test_fits_and_is_inert(
    everything: dict[str, Callable[[Console], None]], name: str, width: int
) -> None:
    text = _printed(everything[name], width)
    assert text.strip()
    _inert(text, width)


@pytest.mark.parametrize("name", ["summary", "suite", "comparison", "sample"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_that_lacks_characters_gets_them_written_out(
    everything: dict[str, Callable[[Console], None]], name: str, encoding: str
) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    everything[name](Console(file=stream, width=80, markup=False, emoji=False, highlight=False))
    stream.flush()
    _inert(raw.getvalue().decode(encoding).replace("\r\n", "\n"))


@given(any_text)
def test_a_quoted_line_never_passes_for_ours(text: str) -> None:
    printed = _printed(lambda console: Paper(console).quote(text), 40)
    assert all(line.startswith("  | ") for line in printed.split("\n")[:-1])
    _inert(printed, 40)


@given(any_text, any_text)
def test_any_cell_fits(name: str, value: str) -> None:
    _inert(_printed(lambda console: Paper(console).pairs([(name, value)]), 40), 40)
    _inert(
        _printed(
            lambda console: Paper(console).table([(name, "left"), ("n", "right")], [(value, "1")]),
            40,
        ),
        40,
    )


def test_summary_says_what_a_number_needs(report: Report) -> None:
    text = _printed(lambda console: terminal.summary(report, console))
    flat = _flat(text)
    assert "refcoco/val Qwen2.5-VL-7B-Instruct" in flat
    assert "Protocol rec version 1" in flat
    assert "acc@0.5 74.3 % 73.4 to 75.2 10,834" in flat
    assert "distance (lower is better) 31.26 px" in flat
    assert "acc@0.5 74.3 % 74.4 % 75.2 %" in flat
    for row in (
        "answered 10,820 99.9 %",
        "read 10,702 98.8 %",
        "status none 102 0.9 %",
        "truncated 61 0.6 %",
        "several boxes 340 3.1 %",
        "rate_limit 11 0.1 %",
        "no box in the reply 88 0.8 %",
        "acc 74.26",
        "perAnswerType.yes/no 81.2",
        "dialect qwen2.5-vl",
        "temperature=0.0, max_tokens=512, seed=1",
        "p50 0.412 s",
        "14,201,334 in, 402,118 out",
        "3.1000 USD",
        "| Locate {expression} in the image.",
        "INCOMPLETE",
        "WARNING: 7 % of boxes",
        "WARNING: The model answered with several boxes",
    ):
        assert row in flat
    assert text.index("rate_limit") < text.index("timeout")


def test_summary_of_a_clean_run_has_no_empty_tables(report: Report) -> None:
    clean = msgspec.structs.replace(
        report,
        complete=True,
        warnings=[],
        official={},
        coverage=msgspec.structs.replace(report.coverage, errors={}, unread={}, flags={}),
        metrics={
            name: msgspec.structs.replace(f, over_answered=f.value, over_read=f.value)
            for name, f in report.metrics.items()
        },
    )
    text = _printed(lambda console: terminal.summary(clean, console))
    for absent in ("WARNING", "INCOMPLETE", "errors by kind", "unread", "denominators", "own prog"):
        assert absent not in text


def test_by_chooses_the_slices_and_rows_limits_them(report: Report) -> None:
    text = _printed(lambda c: terminal.summary(report, c, by=["category"], rows=2))
    assert "acc@0.5 by category" in text
    assert "acc@0.5 by size" not in text
    assert "category 01" in text
    assert "category 02" not in text
    assert "and 18 more values" in text
    assert "acc@0.5 by" not in _printed(lambda c: terminal.summary(report, c, by=[]))
    with pytest.raises(UsageError):
        _printed(lambda c: terminal.summary(report, c, by=["colour"]))


def test_comparison_gives_the_verdict_in_words(compared: Comparison) -> None:
    text = _flat(_printed(lambda console: terminal.comparison(compared, console)))
    assert "acc@0.5: B is better" in text
    assert "+1.30 points, 95 % interval +0.60 to +2.00" in text
    assert "B wins 420, loses 279, ties 10,135" in text
    assert "McNemar test p <0.001" in text
    assert "iou: not distinguishable" in text
    assert text.count("McNemar") == 1
    assert text.index("acc@0.5:") < text.index("iou:")
    assert "WARNING: The two runs used different prompts." in text


def test_sample_is_printed_whole(views: list[SampleView]) -> None:
    view = views[0]
    long = msgspec.structs.replace(
        view.replies[0], text="begin " + "word " * 4000 + "end", notes=("note " * 500,)
    )
    whole = msgspec.structs.replace(view, replies=(long, *view.replies[1:]))
    text = _printed(lambda console: terminal.sample(whole, console))
    assert text.count("word") == 4000
    assert text.count("note ") + text.count("note\n") >= 500
    flat = _flat(text)
    for part in (
        "boxes [10.00, 20.50, 110.00, 220.25]",
        "user, with the picture",
        "size seen 644 x 420",
        "rate_limit (HTTP 429) after 5 attempts",
        "boxes as numbers, xyxy-pixels",
        "acc@0.5 0.0000, iou 0.0123",
        "ok; truncated;",
    ):
        assert part in flat


def test_suite_has_a_row_a_run_and_marks_the_incomplete(report: Report) -> None:
    whole = msgspec.structs.replace(report, complete=True, model_name="other")
    text = _printed(lambda console: terminal.suite([report, whole], console), 100)
    assert "74.3 %*" in text
    assert re.search(r"other +refcoco/val +acc@0.5 +74.3 % +73.4 to 75.2 +10,834 +14", text)
    assert "* incomplete: 1 of 2 runs" in text


def test_no_colour_unless_a_terminal_and_none_with_no_color(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(forced: bool | None) -> str:
        stream = io.StringIO()
        console = Console(file=stream, force_terminal=forced, width=80, color_system="standard")
        terminal.summary(report, console)
        return stream.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;33mWARNING" in shown(True)
    # all escapes are rich's own styles, none the model's
    assert not re.search(r"\x1b(?!\[[0-9;]*m)", shown(True))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "33m" not in shown(True)


def test_our_console_reads_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    make_console().print("[bold]x[/bold] :smile:")
    assert capsys.readouterr().out == "[bold]x[/bold] :smile:\n"
