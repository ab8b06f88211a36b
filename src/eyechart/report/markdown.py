"""The headline of a report as a small Markdown table (GitHub's dialect)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.report import figures as fig
from eyechart.report import frame_check
from eyechart.report.escape import shortened, visible

if TYPE_CHECKING:
    from eyechart.report.schema import FrameCheck, Report

_LIMIT = 1000


def code(text: str) -> str:
    """The text as a code span that is safe in a table cell: nothing in it is markup or a link."""
    shown = visible(shortened(text, _LIMIT)).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    # a span that begins or ends with a backtick or blank needs a blank, which is not shown
    pad = " " if shown[:1] in ("`", " ", "") or shown[-1:] in ("`", " ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def headline(report: Report) -> str:
    """The figures with their intervals, what they were measured on, and how many fell out."""
    coverage = report.coverage
    lines = [
        f"{code(fig.benchmark_name(report))}, {code(report.model_name)}, "
        f"protocol {code(report.protocol.name)} version {report.protocol.version}, "
        f"eyechart {code(report.eyechart)}",
        "",
        "| Metric | Value | 95 % interval | n | Over answered | Over read |",
        "| :-- | --: | --: | --: | --: | --: |",
    ]
    for name, f in fig.figures(report):
        cells = (
            code(name) + (" (lower is better)" if f.higher_is_better is False else ""),
            fig.amount(f.value, f.unit),
            fig.span(f.low, f.high, f.unit),
            f"{f.n:,}",
            fig.part(f.over_answered, f.unit),
            fig.part(f.over_read, f.unit),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for name, f, _ in fig.yardsticks(report):
        span = fig.span(f.low, f.high, f.unit)
        lines.append(f"| {code(name)} | {fig.amount(f.value, f.unit)} | {span} | {f.n:,} | | |")
    shares = ", ".join(
        f"{code(name)} {fig.share(count, coverage.n)}" for name, count in fig.statuses(coverage)
    )
    lines += ["", f"Statuses: {shares}; truncated {fig.share(coverage.truncated, coverage.n)}."]
    if not report.complete:
        lines += ["", "**Incomplete**: some samples have no answer yet."]
    lines += ["", *(f"- Warning: {code(warning)}" for warning in report.warnings)]
    if report.frame_check is not None:
        lines += [*([""] if report.warnings else []), *_frames(report.frame_check)]
    return "\n".join(lines).rstrip() + "\n"


def _frames(check: FrameCheck) -> list[str]:
    """The frame check's line; where it warns of a frame, the frames in a table below it."""
    lines = [f"Diagnosis, {frame_check.line(check)}."]
    if check.warning and check.frames:
        lines += ["", "| Read as | acc@0.5 | Hits |", "| :-- | --: | --: |"]
        lines += [
            f"| {code(name)} | {amount} | {hits} |"
            for name, amount, hits in frame_check.frame_rows(check)
        ]
        lines += ["", frame_check.basis(check, code(check.policy))]
    return lines
