"""`eyechart score`: a run again, or a file of replies made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from eyechart.cli import options, output


@click.command("score")
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--replies", type=click.Path(path_type=Path), help="File of replies, or another run.")
@click.option("--benchmark", help="Which benchmark the replies answer: name[/split].")
@options.with_options(options.SAMPLES)
@options.with_options(options.READING)
@click.option("--subset", is_flag=True, help="Score what the file has, and show coverage.")
@click.option("--box-format", help="Form of boxes given as numbers, such as cxcywh-ratio.")
@options.OUT
@options.as_json
def command(run: Path | None, **given: Any) -> int:
    """Score a RUN again (nobody is asked), or --replies FILE made elsewhere.

    Files: JSON lines with id and reply (or boxes), VQA results JSON, Kosmos-2 output with H- lines.
    """
    from eyechart import api

    chosen = options.reading(given)
    if run is not None:
        options.refuse_beside_a_run()
    else:
        chosen |= {**options.samples(given), "subset": given["subset"]}
        if given["box_format"]:
            chosen["model_args"] = {"box_format": given["box_format"]}
    report = api.score(
        run, replies=given["replies"], benchmark=given["benchmark"], out=given["out"], **chosen
    )
    if given["as_json"]:
        output.print_json(report)
    else:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        terminal.summary(report, console())
    return 0 if report.complete else 1
