"""`eyechart probe`: how an endpoint writes boxes, found out on the eye chart."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eyechart.cli import options, output
from eyechart.cli.run import CONNECTION, connection
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.runs.probe.result import Probe


@click.command("probe")
@click.argument("model")
@click.option("--scenes", type=click.IntRange(12, 24), default=16, show_default=True,
              help="How many scenes are drawn.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the scenes' content.")
@click.option("--gen", "generation", multiple=True, metavar="K=V",
              help="max_tokens, temperature or any field of the request; repeatable.")  # fmt: skip
@click.option("--model-arg", "model_args", multiple=True, metavar="K=V", help="For the model.")
@options.with_options(CONNECTION)
@click.option("--write", type=click.Path(path_type=Path, dir_okay=False),
              help="File for the preset that was found (YAML).")  # fmt: skip
@options.as_json
def command(model: str, **given: Any) -> int:
    """Find out how MODEL writes boxes, from its answers about drawn scenes.

    It is asked about 12 to 24 scenes in several wordings, at most four requests a scene. What is
    found is a table of hypotheses, the flags to use with `run`, and with --write a preset. The exit code is 1
    where it cannot be told.
    """
    from eyechart import api

    target = given["write"]
    if target is not None:
        _check_target(target)
    reached = connection({**given, "subset": False, "allow_short": False})
    with output.quiet(given["as_json"]):
        found = api.probe(
            model,
            scenes=given["scenes"],
            seed=given["seed"],
            generation=options.pairs("--gen", given["generation"]),
            model_args=options.pairs("--model-arg", given["model_args"]),
            watch=output.watch,
            **reached,
        )
    if target is not None and found.preset is not None:
        api.write_preset(found, target)
    if given["as_json"]:
        output.print_json(found)
    else:
        _show(found, target)
    return 0 if found.winner is not None else 1


def _check_target(path: Path) -> None:
    """What cannot be written is said before anything is asked."""
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"--write {path}: a preset's file ends in .yaml.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"--write {path}: its folder is not there or cannot be written to.")


def _show(found: Probe, target: Path | None) -> None:
    from eyechart.report import probe
    from eyechart.report.paper import Paper, console
    from eyechart.runs.probe import result

    probe.show(
        Paper(console()),
        result.HEADER,
        result.table_rows(found),
        result.state_rows(found),
        result.conclusion(found),
        notes=found.notes,
        flags=found.flags,
    )
    if target is not None:
        said = f"preset  {target}" if found.preset is not None else "No preset was written."
        print(f"\n{said}")
