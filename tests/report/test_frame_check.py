"""The frame check as it is shown: a quiet line, or shares and a table; inert, in 80 columns."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from eyechart.report import frame_check, html, markdown, terminal
from eyechart.report.schema import FrameCheck, FrameHits, json_schema

if TYPE_CHECKING:
    from eyechart.report.schema import Report

WELL = FrameCheck(
    declared="json:0-1000",
    answered=10820,
    with_boxes=10600,
    outside=21,
    swapped=0,
    flat=0,
    unread={},
    looked_at=10600,
    pictures=1500,
    tried=39,
    frames=[
        FrameHits("json:0-1000", 9010, 0.85, True, ["0-999"]),
        FrameHits("0-1023", 8798, 0.83, flag="--dialect json:0-1023"),
    ],
)
WRONG = msgspec.structs.replace(
    WELL,
    declared="json:0-1",
    outside=10401,
    swapped=53,
    unread={"no_box": 106, "thinking never ended": 2},
    looked_at=1,
    pictures=1,
    frames=[
        FrameHits("0-1000", 9010, 0.85, alike=["0-999"], flag="--dialect json:0-1000"),
        FrameHits("json:0-1", 11, 0.001, declared=True),
    ],
    warning="Frame check: read as 0-1000 it would be 85.0 %: --dialect json:0-1000.",
)


def printed(report: Report, width: int = 80) -> str:
    stream = io.StringIO()
    terminal.summary(
        report, Console(file=stream, width=width, markup=False, emoji=False, highlight=False)
    )
    return stream.getvalue()


def shown(report: Report, check: FrameCheck | None) -> Report:
    warnings = [check.warning] if check is not None and check.warning else []
    return msgspec.structs.replace(report, frame_check=check, warnings=warnings)


def test_a_run_that_reads_well_has_one_quiet_line(report: Report) -> None:
    line = "frame check: no other frame reads far better; boxes outside the picture 0.2 %"
    assert frame_check.line(WELL) == line
    text = printed(shown(report, WELL))
    assert line in text.split("\n")
    assert frame_check.TITLE not in text
    assert "0-1023" not in text
    page = html.page(shown(report, WELL), [], "eyechart report x")
    assert f"<summary>{line}</summary>" in page
    assert f"Diagnosis, {line}." in markdown.headline(shown(report, WELL))
    assert "0-1023" not in markdown.headline(shown(report, WELL))


def test_the_line_without_frames() -> None:
    plain = msgspec.structs.replace(WELL, frames=[], outside=0)
    assert frame_check.line(plain) == (
        "frame check: no box lies outside the picture, is swapped or without area"
    )
    some = msgspec.structs.replace(plain, flat=1, unread={"no_box": 1082})
    assert frame_check.line(some) == "frame check: boxes without area <0.1 %; unreadable 10.0 %"


def test_a_warning_brings_shares_and_frames_apart_from_the_figures(report: Report) -> None:
    text = printed(shown(report, WRONG))
    lines = [re.sub(r"\s{2,}", "  ", line.strip()) for line in text.split("\n")]
    title = lines.index("Frame check: a diagnosis, which changes no score")
    assert lines.index("Coverage") > title
    assert title > next(at for at, line in enumerate(lines) if line.startswith("acc@0.5"))
    assert text.count("WARNING: Frame check: read as 0-1000") == 1
    for row in (
        "boxes outside the picture  10,401  98.1 %",
        "swapped corners  53  0.5 %",
        "unreadable  108  1.0 %",
        "- nothing in the reply is written as a box  106  1.0 %",
        "- thinking never ended  2  <0.1 %",
        "0-1000 = 0-999  85.0 %  9,010",
        "json:0-1 (declared)  0.1 %  11",
    ):
        assert row in lines[title:]
    assert "of 1 reply with a box on 1 picture; 39 other frames tried" in " ".join(lines)


def test_the_page_and_the_table_in_markdown_say_the_same(report: Report) -> None:
    page = html.page(shown(report, WRONG), [], "eyechart report x")
    assert f"<h2>{frame_check.TITLE}</h2>" in page
    assert page.index("<h2>Figures</h2>") < page.index(frame_check.TITLE)
    assert '<th scope="row">0-1000 = 0-999</th><td class="n">85.0 %</td>' in page
    assert "<summary>frame check" not in page
    found = markdown.headline(shown(report, WRONG))
    assert "| `0-1000 = 0-999` | 85.0 % | 9,010 |" in found
    assert "| `json:0-1 (declared)` | 0.1 % | 11 |" in found
    assert "box policy `first`, of 1 reply with a box" in found


def test_a_choice_of_replies_is_said_to_be_one() -> None:
    some = msgspec.structs.replace(WELL, looked_at=20000, with_boxes=31000, sampled=True)
    assert "of 20,000 of the 31,000 replies with a box, spread evenly, on" in frame_check.basis(
        some
    )
    assert "spread" not in frame_check.basis(WELL)


@pytest.mark.parametrize("width", [40, 80])
def test_hostile_names_are_inert(report: Report, nasty: str, width: int) -> None:
    row = FrameHits(nasty, 3, 0.3, alike=[nasty])
    check = msgspec.structs.replace(
        WRONG, declared=nasty, unread={nasty: 3}, frames=[row], warning=nasty, policy=nasty
    )
    text = printed(shown(report, check), width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text)
    assert max(map(cell_len, text.split("\n"))) <= width
    page = html.page(shown(report, check), [], "x")
    assert "<script>" not in page
    assert "\x1b" not in page


def test_without_a_check_nothing_is_said(report: Report) -> None:
    for text in (
        printed(report),
        html.page(report, [], "x"),
        markdown.headline(report),
    ):
        assert "frame check" not in text.lower()


@pytest.mark.parametrize("check", [None, WELL, WRONG])
def test_it_is_part_of_the_published_schema(report: Report, check: FrameCheck | None) -> None:
    # the other parts hold lone surrogates, which are no JSON
    made = msgspec.structs.replace(
        shown(report, check),
        model={},
        coverage=msgspec.structs.replace(report.coverage, unread={}),
        asked=msgspec.structs.replace(report.asked, prompt="x"),
        slices=[],
        official={},
    )
    found = json.loads(msgspec.json.encode(made))
    jsonschema.validate(found, json_schema())
    assert msgspec.convert(found["frame_check"], FrameCheck | None) == check
