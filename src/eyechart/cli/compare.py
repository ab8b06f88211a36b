"""`eyechart compare`: two runs on the same samples, pair by pair."""

from __future__ import annotations

from pathlib import Path

import click

from eyechart.cli import options, output


@click.command("compare")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@options.as_json
def command(a: Path, b: Path, as_json: bool) -> int:
    """The paired difference B - A of two runs, with its 95 % interval clustered by picture."""
    output.one_thread()
    from eyechart import api

    found = api.compare(a, b)
    if as_json:
        output.print_json(found)
    else:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        terminal.comparison(found, console())
    return 0
