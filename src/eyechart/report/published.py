"""Published figures beside the measured one, and what differs from the preset: how it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.report import figures as fig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.report.paper import Paper
    from eyechart.report.schema import PresetFacts, Published

_MOST = 12


def measured(row: Published) -> str:
    """The measured figure with its interval."""
    found = row.measured
    return f"{fig.amount(found.value, found.unit)} ({fig.span(found.low, found.high, found.unit)})"


def shown(facts: PresetFacts) -> tuple[Sequence[Published], int]:
    """The rows that are shown, and how many more there are."""
    return facts.published[:_MOST], max(0, len(facts.published) - _MOST)


def section(paper: Paper, facts: PresetFacts) -> None:
    """The part of a report in the terminal: a table, the verdicts, and what differs."""
    rows, more = shown(facts)
    paper.heading(f"Preset {facts.name}")
    if rows:
        paper.table(
            [
                ("model", "left"),
                ("metric", "left"),
                ("published", "right"),
                ("measured", "right"),
                ("verdict", "left"),
            ],
            [(one.model, one.metric, one.said, measured(one), one.verdict) for one in rows],
        )
        if more:
            paper.line(f"and {more:,} more in report.json")
        for reason in dict.fromkeys(f"{one.model}: {one.reason} [{one.mark}]" for one in rows[:4]):
            paper.line(reason)
    else:
        paper.line("No published figure of this benchmark is known to the preset.")
    for line in facts.differs:
        paper.line(f"differs from the preset: {line}")
