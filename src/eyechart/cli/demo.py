"""`eyechart demo`: a built-in model on the built-in eye chart."""

from __future__ import annotations

from pathlib import Path

import click

from eyechart.cli import options, output

TASKS = ("chart/locate", "chart/absent", "chart/phrases", "chart/count", "chart/answer")


@click.command("demo")
@click.option("--n", type=click.IntRange(1), default=60, show_default=True, help="Samples a task.")
@options.OUT
@options.as_json
def command(n: int, out: Path | None, as_json: bool) -> int:
    """Evaluates baseline:pixels on the built-in eye chart and says where the report is."""
    from eyechart import api

    orders = [
        api.order("baseline:pixels", task, benchmark_args={"seed": 0, "n": n}) for task in TASKS
    ]
    runs = list(api.run_all(orders, out=out or Path("runs"), watch=output.watch))
    return output.several(runs, {"as_json": as_json, "max_error_rate": 0.0})
