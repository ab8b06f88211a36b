"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

F = TypeVar("F", bound="Callable[..., Any]")
_OF_READING = (
    "protocol",
    "protocol_args",
    "dialect",
    "filters",
    "reasoning",
    "parser",
    "seen",
    "box_policy",
    "grid",
    "price",
)

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")

SAMPLES = (
    click.option(
        "--data", type=click.Path(path_type=Path), help="Folder or file of the benchmark's data."
    ),
    click.option(
        "--images", type=click.Path(path_type=Path), help="Folder of pictures, if elsewhere."
    ),
    click.option("--limit", help="N samples, a fixed fair choice; or first:N in file order."),
    click.option("--ids", type=click.Path(path_type=Path), help="File of sample ids, one a line."),
    click.option(
        "--benchmark-arg", "benchmark_args", multiple=True, metavar="K=V", help="For the benchmark."
    ),
)
READING = (
    click.option("--dialect", help="How the model writes boxes, such as qwen3-vl or json:0-1000."),
    click.option("--seen", metavar="RULE",
                 help="Size the model sees: sent, smart:factor=28,max=N, longest:N, square:N."),
    click.option("--parser", type=click.Choice(["tolerant", "authors"]),
                 help="Read boxes forgivingly, or exactly as the family's authors do."),
    click.option("--protocol", help="How replies are scored (`eyechart list protocols`)."),
    click.option("--protocol-arg", "protocol_args", multiple=True, metavar="K=V",
                 help="An option of the protocol, such as wordnet=DIR of vqa_soft; repeatable."),
    click.option("--filter", "filters", multiple=True, metavar="NAME=VALUE",
                 help="Done to the reply before it is read; repeatable, in order. `score RUN`: none."),
    click.option("--reasoning", type=click.Choice(["strip", "keep"]),
                 help="Cut the model's thinking before reading, or not."),
    click.option("--box-policy", help="Which of several boxes counts: first, last, any, union ..."),
    click.option("--grid", type=int, help="Grid cells a side of Kosmos-2 location tokens."),
    click.option("--price", "price", metavar="IN,OUT", help="Money for a million tokens in and out."),
)  # fmt: skip
SHORT = click.option(
    "--allow-short", is_flag=True, help="replay: H- lines may end early; the rest is not counted."
)
PRESET = click.option(
    "--preset", help="A model family's own dialect, prompts and settings, or FILE.yaml."
)
OUT = click.option(
    "--out", type=click.Path(path_type=Path), help="Folder in which run folders are made."
)


def with_options(options: Iterable[Callable[[F], F]]) -> Callable[[F], F]:
    """Puts options on a command, in the order given."""

    def on(command: F) -> F:
        for option in reversed(list(options)):
            command = option(command)
        return command

    return on


def pairs(option: str, words: Iterable[str]) -> dict[str, Any]:
    """`k=v` words as a mapping; a value that is JSON (numbers, true, lists) is taken as such.

    Raises:
        UsageError: a word without `=`, or a key given twice with other values.
    """
    found: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or not key:
            raise UsageError(f"{option} {word}: write it as {option} name=value.")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        if key in found and found[key] != value:
            raise UsageError(f"{option} {key} is given twice, with two values.")
        found[key] = value
    return found


def prices(text: str | None) -> tuple[float, float] | None:
    """`IN,OUT` as two numbers.

    Raises:
        UsageError: anything else.
    """
    if text is None:
        return None
    try:
        into, out = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--price {text}: write two numbers, such as --price 0.5,1.5.") from None
    return into, out


def refuse_beside_a_run() -> None:
    """Refuses options that choose samples or replies where a run folder holds both.

    Raises:
        UsageError: there is one.
    """
    context = click.get_current_context()
    may = {"run", "against", "as_official", *_OF_READING}
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in {*may, "as_json"}:
            raise UsageError(
                f"{parameter.opts[0]} has no place beside a run folder: a run is scored again as it "
                "was asked."
            )


def reading(given: dict[str, Any]) -> dict[str, Any]:
    """The reading options as `api` takes them; what was not given is left out."""
    found = {
        name: given[name]
        for name in ("dialect", "protocol", "reasoning", "parser", "seen", "box_policy")
        if given[name] is not None
    }
    if given["filters"]:
        found["filters"] = list(given["filters"])
    if given["protocol_args"]:
        found["protocol_args"] = pairs("--protocol-arg", given["protocol_args"])
    if given["price"] is not None:
        found["prices"] = prices(given["price"])
    if given["grid"] is not None:
        dialect = f"kosmos-2:{given['grid']}"
        if found.get("dialect", dialect) not in (dialect, "kosmos-2"):
            raise UsageError("--grid belongs to Kosmos-2's location tokens (--dialect kosmos-2).")
        found["dialect"] = dialect
    return found


def samples(given: dict[str, Any]) -> dict[str, Any]:
    """The options that choose samples, as `api` takes them."""
    return {
        "data": given["data"],
        "images": given["images"],
        "limit": given["limit"],
        "ids": given["ids"],
        "benchmark_args": pairs("--benchmark-arg", given["benchmark_args"]),
    }
