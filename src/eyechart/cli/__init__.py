"""The command line: commands are imported when they are called, and help loads none of them."""

from __future__ import annotations

import sys

# not imported from typing: that alone would take as long as Python takes to start
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "run": "Ask a model a benchmark, keep every reply, score and report.",
    "score": "Score a run again, or a file of replies made elsewhere.",
    "compare": "The paired difference of two runs, with its doubt.",
    "probe": "Find out how an endpoint writes boxes, on the eye chart.",
    "report": "The report of a run, in the terminal or as JSON.",
    "show": "One sample whole: asked, said, read, scored.",
    "list": "Benchmarks, models, dialects and protocols.",
    "schema": "The JSON Schema of a published format.",
    "demo": "Evaluate a built-in model on the built-in eye chart.",
}


def help_text() -> str:
    """What `eyechart --help` prints."""
    lines = [f"  {name:<10}{about}" for name, about in COMMANDS.items()]
    return "\n".join(
        [
            "Usage: eyechart COMMAND [OPTIONS] ...",
            "",
            "Measures how well a vision-language model points, counts and answers.",
            "",
            "Commands:",
            *lines,
            "",
            "  eyechart demo                                  # half a minute, needs nothing",
            "  eyechart run openai:NAME countqa --base-url URL --data DIR",
            "  eyechart COMMAND --help                        # the options of one command",
            "",
            "Exit codes: 0 complete, 1 answers are missing, 2 wrong usage or input, 130 interrupted.",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The `eyechart` program; gives its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in ([], ["--help"], ["-h"], ["help"]):
        print(help_text())
        return 0
    if words in (["--version"], ["-V"]):
        from eyechart import __version__

        print(f"eyechart {__version__}")
        return 0
    from eyechart.cli.root import call

    code = call(words)
    if argv is None:
        from eyechart.cli.output import leave

        leave(code)
    return code
