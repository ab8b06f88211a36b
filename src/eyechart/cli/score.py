"""`eyechart score`: a run again, or a file of replies made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eyechart.cli import options, output
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.report.changes import Changes
    from eyechart.report.schema import Report


@click.command("score")
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--replies", type=click.Path(path_type=Path), help="File of replies, or another run.")
@click.option("--benchmark", help="Which benchmark the replies answer: name[/split].")
@options.with_options(options.SAMPLES)
@options.with_options(options.READING)
@options.PRESET
@click.option("--subset", is_flag=True, help="Score what the file has, and show coverage.")
@click.option("--box-format", help="Form of boxes given as numbers, such as cxcywh-ratio.")
@options.SHORT
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    help="File of scores; lists the samples whose verdict changed.",
)
@click.option(
    "--as-official", is_flag=True, help="Print only what the protocol's own program prints."
)
@options.OUT
@options.as_json
def command(run: Path | None, **given: Any) -> int:
    """Score a RUN again (nobody is asked), or --replies FILE made elsewhere.

    Files: JSON lines with id and reply (or boxes), VQA results, COCO results (boxes or captions),
    Kosmos-2 output with H- lines (.locout), or the folder of another run.
    """
    output.one_thread()
    if given["as_official"] and (given["as_json"] or given["against"]):
        raise UsageError(
            "--as-official prints the program's lines alone: leave --json and --against away "
            "(--json has the lines too, in official.printed)."
        )
    from eyechart import api

    chosen = options.reading(given)
    if run is not None:
        options.refuse_beside_a_run()
    else:
        chosen |= options.samples(given)
        chosen |= {name: given[name] for name in ("subset", "allow_short", "preset")}
        if given["box_format"]:
            chosen["model_args"] = {"box_format": given["box_format"]}
    chosen |= {name: given[name] for name in ("replies", "benchmark", "out")}
    changes = None
    if given["against"]:
        report, changes = api.score_against(given["against"], run, **chosen)
    else:
        scored, report = api.scored(run, **chosen)
        output.hold(scored)
    _show(report, changes, given)
    return 0 if report.complete else 1


def _show(report: Report, changes: Changes | None, given: dict[str, Any]) -> None:
    if given["as_official"]:
        output.print_official(report)
    elif given["as_json"]:
        output.print_json(report if changes is None else {"report": report, "changes": changes})
    else:
        from eyechart.report import changes as changed
        from eyechart.report import terminal
        from eyechart.report.paper import Paper, console

        terminal.summary(report, console())
        if changes is not None:
            changed.table(changes, Paper(console()))
