"""What the commands put on the screen: runs as tables or one JSON document, paths, progress."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError
from eyechart.report.escape import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from eyechart.report.schema import Report
    from eyechart.runs.handle import Run

WRONG = 2


_held: list[object] = []


def one_thread() -> None:
    """Keeps numpy from starting threads for matrices, where it is not loaded yet and none is made.

    That takes longer than reading a small file. Not for commands that run a model.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def hold(value: object) -> None:
    """Keeps what is many objects until the program ends.

    `leave` then ends it without giving their memory back one by one, which takes as long as reading
    a small file.
    """
    _held.append(value)


def leave(code: int) -> None:
    """Ends the program at once where something is held; all that was written is on its way."""
    if not _held:
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 1
    os._exit(code)


def watch(total: int, label: str) -> Any:
    """Progress on stderr, quiet where that is no terminal."""
    from eyechart.report.progress import Progress

    return Progress(total, label, enabled=sys.stderr.isatty())


def quiet(as_json: bool) -> AbstractContextManager[object]:
    """Keeps what others print (a model of the user's own) off stdout, where one document goes."""
    return contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext()


def print_official(report: Report) -> None:
    """The protocol's own program's lines, and nothing else.

    Raises:
        UsageError: the protocol has no program that prints totals.
    """
    from eyechart.report.figures import official_lines

    lines = official_lines(report)
    if not lines:
        raise UsageError(
            f"No program prints totals of protocol {report.protocol.name} in a form of its own; "
            "--json has its figures."
        )
    for line in lines:
        print(line)


def say(message: str) -> None:
    """One line on stderr, with nothing in it that acts on a terminal."""
    print(f"eyechart: {visible(message)}", file=sys.stderr)


def one(run: Run, given: dict[str, Any]) -> int:
    """Shows one run whole; gives the exit code."""
    if given["as_json"]:
        print_json(run.report)
    else:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        terminal.summary(run.report, console())
        print_paths(run)
    return _missing([run], given)


def several(runs: Sequence[Run], given: dict[str, Any], failures: Sequence[str] = ()) -> int:
    """Shows several runs in one table; gives the exit code. `failures` are those not made."""
    if given["as_json"]:
        print_json({"reports": [run.report for run in runs], "failed": list(failures)})
    elif runs:
        from eyechart.report import terminal
        from eyechart.report.paper import console

        terminal.suite([run.report for run in runs], console())
        for run in runs:
            print_paths(run)
    if failures and not given["as_json"]:
        print(f"\n{len(failures)} of {len(failures) + len(runs)} runs could not be made.")
    return WRONG if failures else _missing(runs, given)


def _missing(runs: Sequence[Run], given: dict[str, Any]) -> int:
    coverages = [run.report.coverage for run in runs]
    return int(any(1 - one.answered / one.n > given["max_error_rate"] for one in coverages))


def print_paths(run: Run) -> None:
    """Prints where the reports of a run are."""
    print(f"\nreport  {visible(str(run.path / 'report.json'))}")
    print(f"        {visible(str(run.path / 'report.html'))}")


def print_json(value: Any) -> None:
    """Prints one JSON document on stdout."""
    import msgspec

    # bytes, so that what a data set holds does not depend on the terminal's encoding
    text = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text.decode())
    else:
        buffer.write(text)
        buffer.flush()
