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
        return command

    def get_help(self, ctx: click.Context) -> str:
        """The one help text there is."""
        return help_text()


root = Commands(
    name="eyechart",
    context_settings={"auto_envvar_prefix": "EYECHART", "help_option_names": ["-h", "--help"]},
)


def call(words: Sequence[str]) -> int:
    """Runs a command line; gives its exit code."""
    try:
        result: Any = root.main(list(words), prog_name="eyechart", standalone_mode=False)
    except click.UsageError as error:
        return _fail(_usage(error))
    except click.ClickException as error:
        return _fail(error.format_message())
    except EyechartError as error:
        return _fail(str(error))
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
    return result if isinstance(result, int) else 0


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx is not None else "eyechart"
    message = error.format_message().replace("\n", " ")
    if "No such command" in message:
        from eyechart.errors import meant

        wrong = message.split("'")[1] if "'" in message else ""
        message = f"there is no command {wrong!r}.{meant(wrong, COMMANDS)}"
    return f"{message} `{command} --help` shows how it is called."


def _fail(message: str) -> int:
    from eyechart.report.escape import visible

    print(f"eyechart: {visible(message)}", file=sys.stderr)
    return 2
