"""`eyechart run`: ask, keep, score, report; or a suite file of models and benchmarks."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from eyechart.cli import options, output
from eyechart.errors import EyechartError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.runs.handle import Run
    from eyechart.runs.order import Order

CONNECTION = (
    click.option("--base-url", help="Address of the endpoint (or OPENAI_BASE_URL)."),
    click.option("--api-key", help="Key of the endpoint, if any (better: OPENAI_API_KEY)."),
    click.option("--header", "headers", multiple=True, metavar="NAME:VALUE",
                 help="Sent with each request, never written down; repeatable."),
    click.option("--concurrency", type=click.IntRange(1), default=16, show_default=True,
                 help="Requests at a time."),
    click.option("--timeout", "timeout_s", type=float, default=120.0, show_default=True,
                 help="Seconds for one request."),
    click.option("--retry-for", "retry_s", type=float, default=300.0, show_default=True,
                 help="Seconds for which one request is tried again."),
)  # fmt: skip
ASKING = (
    options.PRESET,
    click.option("--prompt", help="Wording of the question, with {slots}; @FILE reads a file."),
    click.option("--system", help="System prompt; @FILE reads a file, empty takes it away."),
    click.option("--gen", "generation", multiple=True, metavar="K=V",
                 help="temperature, max_tokens, seed or any field of the request; repeatable."),
    click.option("--model-arg", "model_args", multiple=True, metavar="K=V", help="For the model."),
    click.option("--repeats", type=click.IntRange(1), default=1, help="Ask each sample N times."),
    click.option("--image-policy", metavar="POLICY",
                 help="What is sent: original, max-pixels=N, multiple-of=28[,max-pixels=N]."),
    click.option("--no-images", is_flag=True, help="Send no pictures (a blind baseline)."),
    click.option("--subset", is_flag=True, help="replay: score what the file has, show coverage."),
    options.SHORT,
)  # fmt: skip


_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def _no_nan(_context: click.Context, option: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter("no finite number", param=option)
    return value


@click.command("run")
@click.argument("model")
@click.argument("benchmarks", nargs=-1)
@options.with_options(options.SAMPLES)
@options.with_options(ASKING)
@options.with_options(options.READING)
@options.with_options(CONNECTION)
@options.OUT
@click.option("--max-error-rate", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              callback=_no_nan,
              help="Share of missing answers above which the exit code is 1.")  # fmt: skip
@options.as_json
def command(model: str, benchmarks: tuple[str, ...], **given: Any) -> int:
    """Ask MODEL the BENCHMARKs, keep every reply, score and report.

    MODEL is openai:NAME, replay:FILE, baseline:pixels, FILE.py:CLASS ... (`eyechart list models`),
    or a SUITE.yaml of models and benchmarks. The same command goes on where it was stopped.
    """
    from eyechart import api

    if model.endswith((".yaml", ".yml")):
        return _suite(Path(model), benchmarks, given)
    if not benchmarks:
        raise UsageError(
            f"Name a benchmark after the model, such as `eyechart run {model} chart/locate` "
            "(`eyechart list benchmarks`)."
        )
    chosen = _options(given)
    out = given["out"] or Path("runs")
    if len(benchmarks) == 1:
        with output.quiet(given["as_json"]):
            run = api.run(model, benchmarks[0], out=out, watch=output.watch, **chosen)
        return output.one(run, given)
    return _all([api.order(model, name, **chosen) for name in benchmarks], out, given)


def _all(orders: Sequence[Order], out: Path, given: dict[str, Any], where: str = "") -> int:
    """Carries out several orders; what failed is said at once, and the others go on."""
    from eyechart import api

    done: list[Run] = []
    failures: list[str] = []

    def failed(error: EyechartError) -> None:
        failures.append(str(error))
        output.say(str(error))

    runs = api.run_all(orders, out=out, watch=output.watch, failed=failed, where=where)
    try:
        with output.quiet(given["as_json"]):
            done.extend(runs)
    except KeyboardInterrupt:
        output.several(done, given, failures)
        raise
    return output.several(done, given, failures)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    return {
        **options.samples(given),
        **options.reading(given),
        "prompt": _text(given["prompt"]),
        "system": _text(given["system"]),
        "generation": options.pairs("--gen", given["generation"]),
        "model_args": options.pairs("--model-arg", given["model_args"]),
        "repeats": given["repeats"],
        "no_images": given["no_images"],
        "preset": given["preset"],
        "image_policy": given["image_policy"],
        **connection(given),
    }


def connection(given: dict[str, Any]) -> dict[str, Any]:
    """How an endpoint is reached, from options and the environment."""
    headers = {}
    for word in given["headers"]:
        name, colon, value = word.partition(":")
        if not colon:
            raise UsageError("--header: write it as NAME:VALUE.")
        headers[name.strip()] = value.strip()
    return {
        "base_url": given["base_url"] or os.environ.get("OPENAI_BASE_URL"),
        "api_key": given["api_key"] or os.environ.get("OPENAI_API_KEY"),
        "headers": headers,
        "concurrency": given["concurrency"],
        "timeout_s": given["timeout_s"],
        "retry_s": given["retry_s"],
        "subset": given["subset"],
        "allow_short": given["allow_short"],
    }


def _text(value: str | None) -> str | None:
    if value is None or not value.startswith("@"):
        return value
    from eyechart.io.files import read_text

    return read_text(Path(value[1:])).rstrip("\n")


def _suite(path: Path, benchmarks: tuple[str, ...], given: dict[str, Any]) -> int:
    from eyechart import api

    if benchmarks:
        raise UsageError(f"{path}: a suite names its own benchmarks; take {benchmarks[0]!r} away.")
    context = click.get_current_context()
    for name in given:
        given_here = context.get_parameter_source(name) in _GIVEN
        if given_here and name not in ("out", "limit", "max_error_rate", "as_json"):
            raise UsageError(
                f"{path}: a suite has its own settings, so --{name.replace('_', '-')} has no place "
                "beside it; only --out, --limit, --max-error-rate and --json have."
            )
    target, orders = api.read_suite(path, given["out"], given["limit"])
    return _all(orders, target, given, where=str(path))
