"""Which verdicts changed between two scorings, as values and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eyechart.report import figures as fig

if TYPE_CHECKING:
    from eyechart.report.paper import Paper

_MOST = 50


class Verdict(msgspec.Struct, frozen=True):
    """What became of a reply, and its value by the metric named beside."""

    status: str
    value: float


class Change(msgspec.Struct, frozen=True):
    """One sample whose verdict is another now; `reason` says why its reply is not read, if so."""

    sample_id: str
    repeat: int
    before: Verdict
    now: Verdict
    reason: str = ""


class Changes(msgspec.Struct, frozen=True):
    """All changed verdicts of `n` samples in common; `before` and `now` name the two metrics."""

    against: str
    before: str
    now: str
    n: int
    only_before: int
    only_now: int
    changed: list[Change]


def table(found: Changes, paper: Paper) -> None:
    """Writes the changed samples, the first fifty of them, and how many there are."""
    up = sum(one.now.value > one.before.value for one in found.changed)
    down = sum(one.now.value < one.before.value for one in found.changed)
    same = len(found.changed) - up - down
    paper.heading(f"Changed against {found.against}")
    paper.line(
        f"{fig.counted(len(found.changed), 'verdict')} of {found.n:,} changed: {up:,} higher, "
        f"{down:,} lower, {same:,} with another status only"
    )
    for count, where in ((found.only_before, "in those scores"), (found.only_now, "here")):
        if count:
            paper.line(f"{fig.counted(count, 'sample')} only {where}")
    if not found.changed:
        return
    paper.table(
        [
            ("sample", "left"),
            (f"{found.before} before", "right"),
            (f"{found.now} now", "right"),
            ("status", "left"),
        ],
        [_row(one) for one in found.changed[:_MOST]],
    )
    if len(found.changed) > _MOST:
        paper.line(f"{len(found.changed) - _MOST:,} more; --json gives all", "dim")


def _row(one: Change) -> tuple[str, str, str, str]:
    name = f"{one.sample_id} ({one.repeat})" if one.repeat else one.sample_id
    status = (
        one.now.status
        if one.before.status == one.now.status
        else f"{one.before.status} to {one.now.status}"
    )
    return name, f"{one.before.value:g}", f"{one.now.value:g}", status
