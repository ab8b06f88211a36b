"""`eyechart schema`: the published formats as JSON Schema."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from eyechart.cli import options


def _report() -> dict[str, Any]:
    from eyechart.report.schema import json_schema

    return json_schema()


def _of(kind: str, title: str) -> dict[str, Any]:
    from eyechart.registry import load

    schema: dict[str, Any] = msgspec.json.schema(load(kind))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | schema


_SCHEMAS = {
    "report": _report,
    "sample": lambda: _of("eyechart.values:Sample", "a line of samples.jsonl"),
    "reply": lambda: _of("eyechart.values:Reply", "a line of replies.jsonl"),
    "score": lambda: _of("eyechart.values:Score", "a line of scores/<protocol>.jsonl"),
    "spec": lambda: _of("eyechart.runs.spec:RunFile", "spec.json"),
    "comparison": lambda: _of("eyechart.report.comparison:Comparison", "eyechart compare --json"),
}


@click.command("schema")
@click.argument("name", type=click.Choice(list(_SCHEMAS)))
def command(name: str) -> int:
    """Prints the JSON Schema of a format."""
    options.print_json(_SCHEMAS[name]())
    return 0
