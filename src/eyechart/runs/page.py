"""One sample whole, the worst ones, the command that makes a run again, and report.html of it."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from eyechart.report.sample import SampleView
from eyechart.runs.prompts import render

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.report.schema import Report
    from eyechart.runs.folder import RunFolder
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import RunSpec

SHOWN = 24


def view(spec: RunSpec, scored: Scored) -> SampleView:
    """The one sample that was scored, with its request, its replies and their scores."""
    return _view(spec, scored, list(range(len(scored.keys))))


def _view(spec: RunSpec, scored: Scored, rows: list[int]) -> SampleView:
    sample = scored.samples[scored.keys[rows[0]][0]]
    return SampleView(
        sample=sample,
        messages=render(spec.template, sample, spec.images != "none"),
        replies=tuple(
            reply for reply in (scored.replies[row] for row in rows) if reply is not None
        ),
        scores=tuple(scored.score_of(row) for row in rows),
        picture=_where(sample.image.source),
    )


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


def command(report: Report, called: str = "") -> str:
    """The command that makes this run again; paths and keys are the reader's own."""
    name = report.benchmark.name + (f"/{report.benchmark.split}" if report.benchmark.split else "")
    kind, model = report.model.get("kind"), str(report.model.get("name"))
    words = ["eyechart", "run", model if kind == "custom" else report.model_name, called or name]
    base_url = report.model.get("base_url")
    words += _option("--base-url", base_url)
    if not (called or name).startswith("chart/") and not called.endswith((".jsonl", ".py")):
        words += ["--data", "DATA"]
    words += _pairs("--model-arg", report.model.get("args", {}))
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
    words += ["--reasoning", report.reading.reasoning]
    if report.asked.images == "none":
        words.append("--no-images")
    if report.asked.repeats > 1:
        words += ["--repeats", str(report.asked.repeats)]
    return shlex.join(words)


def _option(name: str, value: str | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def _pairs(name: str, values: dict[str, Any]) -> list[str]:
    return [word for key, value in values.items() for word in (name, f"{key}={_spelt(value)}")]


def _spelt(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write(folder: RunFolder, scored: Scored, report: Report) -> Path:
    """Writes `report.html`; gives its path."""
    from eyechart.report import html

    run = folder.run_file()
    text = html.page(report, worst(run.spec, scored), command(report, run.called))
    return folder.write_derived("report.html", text.encode())
