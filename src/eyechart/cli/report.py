"""`eyechart report`: what a run is worth, made anew from its record."""

from __future__ import annotations

from pathlib import Path

import click

from eyechart.cli import options, output
from eyechart.errors import RunError


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", multiple=True, metavar="TAG", help="Slices by these tags; repeatable.")
@click.option("--markdown", is_flag=True, help="The headline as a Markdown table.")
@options.as_json
def command(run: Path, by: tuple[str, ...], markdown: bool, as_json: bool) -> int:
    """Derives scores, report.json and report.html of RUN anew, and shows the report."""
    output.one_thread()
    from eyechart import api

    found = api.load(run)
    written = True
    try:
        report = found.derive()
    except RunError as error:
        # somebody else's folder, or a full disk: the figures can be shown all the same
        report, written = found.report, False
        output.say(str(error))
    if as_json:
        output.print_json(report)
    elif markdown:
        from eyechart.report.markdown import headline

        print(headline(report))
    else:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        tags = [tag for word in by for tag in word.split(",")]
        terminal.summary(report, console(), by=tags or None)
        if written:
            output.print_paths(found)
    return 0 if report.complete else 1
