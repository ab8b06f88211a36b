"""`eyechart show`: one sample whole."""

from __future__ import annotations

from pathlib import Path

import click

from eyechart.cli import options, output


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("sample")
@options.as_json
def command(run: Path, sample: str, as_json: bool) -> int:
    """Shows one SAMPLE of a RUN: what was asked, said, read, and what it is worth."""
    output.one_thread()
    from eyechart import api

    view = api.load(run).view(sample)
    if as_json:
        output.print_json(view)
    else:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        terminal.sample(view, console())
    return 0
