"""One sample whole, the worst ones, the command that makes a run again, and report.html of it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError, meant
from eyechart.report.sample import SampleView
from eyechart.runs.ask import render
from eyechart.values import Score

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.report.schema import Report
    from eyechart.runs.folder import RunFolder
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import RunSpec

SHOWN = 24


def view(spec: RunSpec, scored: Scored, sample_id: str) -> SampleView:
    """One sample with its request, its replies and their scores, by its id.

    Raises:
        UsageError: no sample has that id; names the nearest.
    """
    at = [row for row, (i, _) in enumerate(scored.keys) if scored.samples[i].id == sample_id]
    if not at:
        ids = [sample.id for sample in scored.samples]
        raise UsageError(
            f"The run has no sample {sample_id!r}.{meant(sample_id, ids)} It has {len(ids):,}, "
            f"such as {ids[0]!r}."
        )
    return _view(spec, scored, at)


def _view(spec: RunSpec, scored: Scored, rows: list[int]) -> SampleView:
    sample = scored.samples[scored.keys[rows[0]][0]]
    return SampleView(
        sample=sample,
        messages=render(spec.template, sample),
        replies=tuple(
            reply for reply in (scored.replies[row] for row in rows) if reply is not None
        ),
        scores=tuple(_score(scored, row) for row in rows),
        picture=_where(sample.image.source),
    )


def _score(scored: Scored, row: int) -> Score:
    index, repeat = scored.keys[row]
    values = {name: column[row] for name, column in scored.columns.items()}
    reading = scored.readings[row]
    return Score(scored.samples[index].id, repeat, reading.status, values, reading)


def _where(source: str) -> str:
    if not source:
        return "not at hand"
    if source.startswith("chart:"):
        return f"drawn anew from {source}"
    return source


def worst(spec: RunSpec, scored: Scored, most: int = SHOWN) -> list[SampleView]:
    """The samples to look at first: unread and failed ones, then the lowest scores."""
    order = {"malformed": 0, "refused": 1, "ok": 2, "none": 2, "error": 3}
    column = scored.columns[scored.protocol.primary]
    rows = sorted(
        range(len(scored.keys)),
        key=lambda row: (column[row], order[scored.readings[row].status], row),
    )
    wrong = [row for row in rows if column[row] < 1.0]
    return [_view(spec, scored, [row]) for row in wrong[:most]]


def command(report: Report) -> str:
    """The command that makes this run again; paths and keys are the reader's own."""
    name = report.benchmark.name + (f"/{report.benchmark.split}" if report.benchmark.split else "")
    words: list[str] = ["eyechart", "run", report.model_name, name]
    base_url = report.model.get("base_url")
    words += _option("--base-url", base_url)
    if not name.startswith("chart/"):
        words += ["--data", "DATA"]
    words += _pairs("--benchmark-arg", report.benchmark.args)
    words += _pairs("--gen", report.asked.generation)
    if report.asked.prompt_source == "the user":
        words += [
            *_option("--prompt", report.asked.prompt),
            *_option("--system", report.asked.system),
        ]
    words += _option("--dialect", report.reading.dialect)
    words += _option("--protocol", report.protocol.name)
    for one in report.reading.filters:
        words += ["--filter", one]
    words += _option("--box-policy", report.reading.box_policy)
    if report.asked.repeats > 1:
        words += ["--repeats", str(report.asked.repeats)]
    return shlex.join(words)


def _option(name: str, value: str | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def _pairs(name: str, values: dict[str, Any]) -> list[str]:
    return [word for key, value in values.items() for word in (name, f"{key}={value}")]


def write(folder: RunFolder, scored: Scored, report: Report) -> Path:
    """Writes `report.html`; gives its path."""
    from eyechart.report import html

    spec = folder.run_file().spec
    text = html.page(report, worst(spec, scored), command(report))
    return folder.write_derived("report.html", text.encode())
