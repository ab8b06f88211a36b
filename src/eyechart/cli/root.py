"""Finds a command, calls it, and turns what goes wrong into one line and an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from eyechart.cli import COMMANDS, help_text
from eyechart.errors import EyechartError
from eyechart.registry import load

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports one command."""
        if cmd_name not in COMMANDS:
            return None
        module = {"list": "listing"}.get(cmd_name, cmd_name)
        command: click.Command = load(f"eyechart.cli.{module}:command")
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                _name_variable(parameter, cmd_name)
        return command

    def get_help(self, ctx: click.Context) -> str:
        """The one help text there is."""
        return help_text()


class _Lines(click.types.StringParamType):
    """Text; several stand on a line each where they come from the environment."""

    envvar_list_splitter = "\n"


def _name_variable(option: click.Option, command: str) -> None:
    """`--retry-for` of `run` may be given as EYECHART_RUN_RETRY_FOR."""
    long = next(word for word in option.opts if word.startswith("--"))
    option.envvar = f"EYECHART_{command}_{long[2:]}".upper().replace("-", "_")
    if option.multiple:
        option.type = _Lines()


root = Commands(name="eyechart", context_settings={"help_option_names": ["-h", "--help"]})


def call(words: Sequence[str]) -> int:
    """Runs a command line; gives its exit code."""
    try:
        result: Any = root.main(list(words), prog_name="eyechart", standalone_mode=False)
    except (click.ClickException, EyechartError) as error:
        return _fail(_said(error))
    except (KeyboardInterrupt, click.Abort):
        print(
            "\neyechart: interrupted. Every reply that came is kept; the same command goes on "
            "from there.",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:
        # the reader (head, less) has left; Python would complain once more when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _fail(f"{name}{error.strerror or error}.")
    return result if isinstance(result, int) else 0


# options of other programs, and what they are called here
_CALLED_HERE = {
    "--model": "the model comes first, without an option: eyechart run MODEL BENCHMARK",
    "--models": "the model comes first, without an option: eyechart run MODEL BENCHMARK",
    "--datasets": "benchmarks come after the model: eyechart run MODEL BENCHMARK",
    "--dataset": "benchmarks come after the model: eyechart run MODEL BENCHMARK",
    "--tasks": "benchmarks come after the model: eyechart run MODEL BENCHMARK",
    "--task": "benchmarks come after the model: eyechart run MODEL BENCHMARK",
    "--benchmark": "benchmarks come after the model: eyechart run MODEL BENCHMARK",
    "--split": "the split goes into the benchmark's name: refcoco/val",
    "--api-url": "the address is --base-url",
    "--url": "the address is --base-url",
    "--work-dir": "the folder for runs is --out",
    "--output": "the folder for runs is --out",
    "--output-path": "the folder for runs is --out",
    "--batch-size": "how many requests go at a time is --concurrency",
    "--eval-batch-size": "how many requests go at a time is --concurrency",
    "--temperature": "settings of generation are --gen temperature=0",
    "--max-tokens": "settings of generation are --gen max_tokens=N",
    "--seed": "settings of generation are --gen seed=N; of the chart --benchmark-arg seed=N",
    "--generation-config": "settings of generation are --gen name=value",
    "--dataset-args": "arguments of a benchmark are --benchmark-arg name=value",
    "--model_args": "arguments of a model are --model-arg name=value",
    "--model-args": "arguments of a model are --model-arg name=value",
    "--dataset-dir": "where the data lie is --data",
}


def _said(error: click.ClickException | EyechartError) -> str:
    if isinstance(error, click.UsageError):
        return _usage(error)
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx is not None else "eyechart"
    message = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption) and error.option_name in _CALLED_HERE:
        message = f"No such option: {error.option_name}: {_CALLED_HERE[error.option_name]}."
    elif "No such command" in message:
        from eyechart.errors import meant

        wrong = message.split("'")[1] if "'" in message else ""
        message = f"there is no command {wrong!r}.{meant(wrong, COMMANDS)}"
    return f"{message} `{command} --help` shows how it is called."


def _fail(message: str) -> int:
    from eyechart.cli import output

    output.say(message)
    return output.WRONG
