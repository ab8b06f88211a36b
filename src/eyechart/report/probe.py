"""What a probe found, in the terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.report.paper import Paper


def show(
    paper: Paper,
    header: Sequence[str],
    hypotheses: Sequence[Sequence[str]],
    asked: Sequence[Sequence[str]],
    conclusion: Sequence[str],
    *,
    notes: Sequence[str] = (),
    flags: Sequence[str] = (),
) -> None:
    """Prints what was asked, the table of hypotheses, what follows from it, and the flags to use."""
    paper.line("Wordings that were tried", "bold")
    paper.table([("wording", "left"), ("asked", "right"), ("what came", "left")], asked)
    if hypotheses:
        paper.heading("Hypotheses")
        paper.table(
            [(name, "left" if place < 2 else "right") for place, name in enumerate(header)],
            hypotheses,
        )
    paper.gap()
    for place, line in enumerate(conclusion):
        paper.line(line, "bold" if place == 0 else "")
    for note in notes:
        paper.line(note)
    if flags:
        paper.heading("Flags to use")
        paper.line(shlex.join(flags))
