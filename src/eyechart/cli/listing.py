"""`eyechart list`: what there is to choose from."""

from __future__ import annotations

from typing import Any

import click

from eyechart.cli import options, output


def _benchmarks() -> list[dict[str, Any]]:
    from eyechart.benchmarks import known

    return [
        {
            "name": one.name,
            "splits": list(one.splits),
            "task": one.task,
            "protocol": one.protocol,
            "about": one.about.strip().split("\n")[0],
            "data": one.data or "built in",
            "args": dict(one.args),
        }
        for one in known().values()
    ]


def _models() -> list[dict[str, Any]]:
    from eyechart.models.find import KINDS

    kinds = [{"name": name, "about": about} for name, about in KINDS.items()]
    return [*kinds, *_presets()]


def _presets() -> list[dict[str, Any]]:
    from eyechart import presets

    return [
        {
            "name": f"--preset {name}",
            "about": about,
            "dialect": presets.find(name).dialect,
            "tasks": sorted(presets.find(name).prompts),
        }
        for name, about in presets.known().items()
    ]


def _dialects() -> list[dict[str, Any]]:
    from eyechart.dialects import known

    return [{"name": name, "about": about} for name, about in known().items()]


def _protocols() -> list[dict[str, Any]]:
    from eyechart.scoring import find, known

    return [
        {
            "name": f"{one.name} v{one.version}",
            "tasks": sorted(one.tasks),
            "metrics": [metric.name for metric in one.metrics],
            "about": one.about,
            "formula": one.formula,
            "source": one.source,
        }
        for one in map(find, known())
    ]


_LISTS = {
    "benchmarks": _benchmarks,
    "models": _models,
    "dialects": _dialects,
    "presets": _presets,
    "protocols": _protocols,
}


@click.command("list")
@click.argument("what", type=click.Choice(list(_LISTS)))
@options.as_json
def command(what: str, as_json: bool) -> int:
    """Lists the benchmarks, models, presets, dialects or protocols there are."""
    rows = _LISTS[what]()
    if as_json:
        output.print_json(rows)
        return 0
    from eyechart.report import terminal
    from eyechart.report.paper import console

    terminal.listing(rows, console())
    return 0
