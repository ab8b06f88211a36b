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
from eyechart.report.schema import Slice

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
        "listing": lambda console: terminal.listing(
            _items(report.model["nested"]["note"]), console
        ),
    }


def _items(text: str) -> list[dict[str, object]]:
    """What `eyechart list` gives: an item with all kinds of facts, one with none, a hostile one."""
    return [
        {
            "name": "chart/locate",
            "splits": [],
            "task": "ground",
            "protocol": "rec",
            "about": "Where is the one thing that an expression means?",
            "data": "none: the pictures are drawn from the seed; n is their number",
            "args": {"seed": 0, "n": 100},
        },
        {"name": "baseline:pixels", "about": "reads the eye chart"},
        {"name": text, "about": text * 3, "metrics": [text, text], "args": {text: text}},
    ]


_ALL = ["summary", "suite", "comparison", "sample", "listing"]


@pytest.mark.parametrize("name", _ALL)
@pytest.mark.parametrize("width", [80, 120])
def test_fits_and_is_inert(
    everything: dict[str, Callable[[Console], None]], name: str, width: int
) -> None:
    text = _printed(everything[name], width)
    assert text.strip()
    _inert(text, width)


@pytest.mark.parametrize("name", _ALL)
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
    assert "acc@0.5 over answered 74.4 %, over read 75.2 %; above, a failed" in flat
    assert flat.count("over answered") == 1
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


def test_summary_begins_with_what_must_not_be_missed(report: Report) -> None:
    text = _printed(lambda console: terminal.summary(report, console))
    order = [
        "Protocol rec version 1",
        "INCOMPLETE",
        "WARNING: 7 %",
        "WARNING: The model",
        "Coverage",
        "errors by kind",
        "acc@0.5 by size",
        "acc@0.5 by category",
        "Asked and read",
        "The protocol's own totals",
        "What asking took",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_statuses_that_did_not_occur_are_left_out(report: Report) -> None:
    coverage = msgspec.structs.replace(
        report.coverage, statuses={"ok": 10834}, truncated=0, several_boxes=0
    )
    rare = msgspec.structs.replace(report, coverage=coverage)
    text = _printed(lambda console: terminal.summary(rare, console))
    assert re.search(r"status error +0 +0 %", text)
    for absent in ("status none", "status malformed", "status refused", "truncated ", "several b"):
        assert absent not in text.split("Asked and read")[0].split("Coverage")[1]


def test_official_lines_are_printed_as_lines(report: Report) -> None:
    def shown(lines: list[str]) -> str:
        block = {"overall": 74.74, "perQuestionType": {"what": 1.0}, "printed": lines}
        full = msgspec.structs.replace(report, official=block)
        return _printed(lambda console: terminal.summary(full, console))

    text = shown([f"kind {k} : {k}.00" for k in range(20)])
    assert "\n  | kind 0 : 0.00\n  | kind 1 : 1.00\n" in text
    assert "\n  | kind 11 : 11.00\n... 8 more lines in report.json\n" in text
    for absent in ("kind 12", "perQuestionType", "overall", "printed"):
        assert absent not in text
    assert "... 1 more line in report.json" in shown(["x"] * 13)
    assert "more line" not in shown(["x"] * 12)
    # one line, however the data set wrote it, is one line
    assert "\n  | a\\nWARNING: b\n" in shown(["a\nWARNING: b"])


def test_an_official_block_without_lines_is_its_pairs(report: Report) -> None:
    block = {"accuracy": 81.2, "by type": {"what": 70.5, "why": {}}, "empty": {}}
    full = msgspec.structs.replace(report, official=block)
    text = _printed(lambda console: terminal.summary(full, console))
    flat = _flat(text)
    assert "accuracy 81.2 by type.what 70.5 What asking took" in flat
    assert "{}" not in text


def _with_slices(report: Report, counts: dict[str, list[int]]) -> Report:
    figure = report.metrics["acc@0.5"]
    slices = [
        Slice(tag, f"{tag}{k}", n, {"acc@0.5": figure})
        for tag, sizes in counts.items()
        for k, n in enumerate(sizes)
    ]
    return msgspec.structs.replace(report, slices=slices)


def test_five_tags_are_shown_and_the_others_named(report: Report) -> None:
    many = _with_slices(report, {tag: [9, 7, 1] for tag in "gbcadfe"} | {"tiny": [4, 3]})
    text = _printed(lambda console: terminal.summary(many, console))
    assert re.findall(r"acc@0\.5 by (\w+)\n", text) == list("gbcad")
    assert "\nalso by: f, e, tiny (eyechart report --by TAG)\n" in text
    assert text.count("1 more value with fewer than 5 samples") == 5
    assert "g2" not in text
    chosen = _printed(lambda console: terminal.summary(many, console, by=["tiny", "f"]))
    assert re.findall(r"acc@0\.5 by (\w+)\n", chosen) == ["tiny", "f"]
    assert "fewer than" not in chosen
    assert "also by" not in chosen
    assert re.search(r"tiny1 +3 ", chosen)
    assert re.search(r"f2 +1 ", chosen)


def test_small_values_are_folded_and_eight_shown(report: Report) -> None:
    full = _with_slices(report, {"kind": [30, 29, 28, 27, 26, 25, 24, 23, 22, 5, 4, 3]})
    text = _printed(lambda console: terminal.summary(full, console))
    assert re.search(r"kind7 +23 ", text)
    assert "kind8" not in text
    assert "2 more values, of 27 samples\n2 more values with fewer than 5 samples\n" in text
    every = _printed(lambda console: terminal.summary(full, console, by=["kind"]))
    assert re.search(r"kind11 +3 ", every)
    assert "more value" not in every


def test_tags_of_small_values_alone_are_only_named(report: Report) -> None:
    text = _printed(lambda c: terminal.summary(_with_slices(report, {"a": [4], "b": [1]}), c))
    assert "\nacc@0.5 by: a, b (eyechart report --by TAG)\n" in text
    assert "fewer than" not in text


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
    for absent in ("WARNING", "INCOMPLETE", "errors by", "unread by", "over answered", "own prog"):
        assert absent not in text


def test_by_chooses_the_slices_and_rows_limits_them(report: Report) -> None:
    text = _printed(lambda c: terminal.summary(report, c, by=["category"], rows=2))
    assert "acc@0.5 by category" in text
    assert "acc@0.5 by size" not in text
    assert "category 01" in text
    assert "category 02" not in text
    # 20 values of 500, 480 ... 120 samples: 6,200 in all
    assert "18 more values, of 5,220 samples" in text
    assert "acc@0.5 by" not in _printed(lambda c: terminal.summary(report, c, by=[]))
    with pytest.raises(UsageError):
        _printed(lambda c: terminal.summary(report, c, by=["colour"]))


def test_listing_has_a_name_beside_its_facts() -> None:
    lines = _printed(lambda console: terminal.listing(_items("x"), console)).splitlines()
    assert [line.rstrip() for line in lines] == [
        "chart/locate     Where is the one thing that an expression means?",
        "                 task: ground; protocol: rec; args: seed=0, n=100",
        "                 data: none: the pictures are drawn from the seed; n is their",
        "                 number",
        "baseline:pixels  reads the eye chart",
        "x                xxx",
        "                 metrics: x, x; args: x=x",
    ]


def test_listing_folds_a_curve() -> None:
    names = [f"acc@{t / 100:g}" for t in range(50, 100, 5)]
    row = {"name": "rec v1", "about": "boxes", "metrics": [*names, "mean_iou"]}
    text = _printed(lambda console: terminal.listing([row], console))
    assert "metrics: acc@0.5, acc@0.55 to 0.95, mean_iou" in text


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
    assert "* incomplete: 1 of 2 runs lacks answers" in text
    text = _printed(lambda console: terminal.suite([report, report], console), 100)
    assert "* incomplete: 2 of 2 runs lack answers" in text


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
