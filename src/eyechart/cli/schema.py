"""`eyechart schema`: the published formats as JSON Schema."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from eyechart.cli import output
from eyechart.registry import load

# where a room has its own function for it
_WHOLE = {
    "report": "eyechart.report.schema:json_schema",
    "preset": "eyechart.presets:json_schema",
    "probe": "eyechart.runs.probe.result:json_schema",
}


def _of(kind: str, title: str) -> dict[str, Any]:
    schema: dict[str, Any] = msgspec.json.schema(load(kind))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | schema


_KINDS = {
    "sample": ("eyechart.values:Sample", "a line of samples.jsonl"),
    "reply": ("eyechart.values:Reply", "a line of replies.jsonl"),
    "score": ("eyechart.values:Score", "a line of scores/<protocol>.jsonl"),
    "spec": ("eyechart.runs.spec:RunFile", "spec.json"),
    "comparison": ("eyechart.report.comparison:Comparison", "eyechart compare --json"),
}


@click.command("schema")
@click.argument("name", type=click.Choice([*_WHOLE, *_KINDS]))
def command(name: str) -> int:
    """Prints the JSON Schema of a format."""
    output.print_json(load(_WHOLE[name])() if name in _WHOLE else _of(*_KINDS[name]))
    return 0
