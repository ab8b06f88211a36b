"""Progress speaks on a terminal, and elsewhere only when it is done."""

from __future__ import annotations

import io

from rich.console import Console

from eyechart.report.progress import Progress


def _console(*, terminal: bool) -> tuple[io.StringIO, Console]:
    stream = io.StringIO()
    return stream, Console(file=stream, force_terminal=terminal, width=80, markup=False)


def test_one_line_at_the_end_where_there_is_no_terminal() -> None:
    stream, console = _console(terminal=False)
    with Progress(5, "refcoco\x1b[2J", console=console, done=2) as progress:
        progress.advance()
        progress.advance(error=True)
        assert stream.getvalue() == ""
    line = stream.getvalue()
    assert line.startswith(r"refcoco\x1b[2J: 4 of 5 done, 2 now in 0 s")
    assert line.endswith(", 1 error\n")
    assert (progress.done, progress.errors) == (4, 1)


def test_a_bar_on_a_terminal_and_the_line_after_it() -> None:
    stream, console = _console(terminal=True)
    with Progress(3, "refcoco", console=console) as progress:
        for _ in range(3):
            progress.advance(error=True)
    shown = stream.getvalue()
    assert "3/3" in shown
    assert "3 errors" in shown
    assert "refcoco: 3 of 3 done" in shown.splitlines()[-1]


def test_nothing_when_disabled() -> None:
    for terminal in (False, True):
        stream, console = _console(terminal=terminal)
        with Progress(1, "x", enabled=False, console=console) as progress:
            progress.advance()
        assert stream.getvalue() == ""
        assert progress.done == 1


def test_the_line_is_printed_after_an_interruption_too() -> None:
    stream, console = _console(terminal=False)
    try:
        with Progress(9, "x", console=console) as progress:
            progress.advance()
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert "x: 1 of 9 done" in stream.getvalue()
