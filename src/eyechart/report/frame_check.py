"""How the frame check is shown: one quiet line, or its shares and a table where it warns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.dialects.found import FAULTS
from eyechart.report import figures as fig

if TYPE_CHECKING:
    from eyechart.report.paper import Paper
    from eyechart.report.schema import FrameCheck, FrameHits

TITLE = "Frame check: a diagnosis, which changes no score"
_KINDS = 6


def line(check: FrameCheck) -> str:
    """What the check found, in a line: of other frames, of boxes that look wrong, of no reading."""
    parts = [f"{name} {fig.share(count, n)}" for name, count, n in shares(check) if count]
    if check.frames and not check.warning:
        parts.insert(0, "no other frame reads far better")
    elif not parts:
        parts.append("no box lies outside the picture, is swapped or without area")
    return f"frame check: {'; '.join(parts)}"


def shares(check: FrameCheck) -> list[tuple[str, int, int]]:
    """Of how many replies what is so: a name, the number, and the number that it is a part of."""
    return [
        ("boxes outside the picture", check.outside, check.with_boxes),
        ("swapped corners", check.swapped, check.with_boxes),
        ("boxes without area", check.flat, check.with_boxes),
        ("unreadable", sum(check.unread.values()), check.answered),
    ]


def share_rows(check: FrameCheck) -> list[tuple[str, str, str]]:
    """`shares` as rows of a table, with the kinds of unreadable replies below."""
    rows = [(name, f"{count:,}", fig.share(count, n)) for name, count, n in shares(check)]
    for kind, count in fig.most_frequent(check.unread)[:_KINDS]:
        rows.append((f"- {FAULTS.get(kind, kind)}", f"{count:,}", fig.share(count, check.answered)))
    return rows


def frame_rows(check: FrameCheck) -> list[tuple[str, str, str]]:
    """A row for each frame, the best first: its names, its accuracy, its hits."""
    return [
        (_names(one), fig.amount(one.accuracy, "ratio"), f"{one.hits:,}") for one in check.frames
    ]


def _names(one: FrameHits) -> str:
    declared = " (declared)" if one.declared else ""
    return f"{one.frame}{declared}" + "".join(f" = {name}" for name in one.alike)


def basis(check: FrameCheck, policy: str | None = None) -> str:
    """What the accuracies of frames are over, and how; `policy` as it is to be written."""
    replies = f"{check.looked_at:,} {'reply' if check.looked_at == 1 else 'replies'} with a box"
    if check.sampled:
        replies = (
            f"{check.looked_at:,} of the {check.with_boxes:,} replies with a box, spread evenly,"
        )
    return (
        f"Hits at IoU 0.5, box policy {policy or check.policy}, of {replies} on "
        f"{fig.counted(check.pictures, 'picture')}; {check.tried:,} other frames tried. Frames "
        "joined by = have nearly the same hits."
    )


def show(check: FrameCheck, paper: Paper) -> None:
    """Prints the check: the line alone, or where it warns the shares and the frames."""
    if not check.warning:
        paper.gap()
        paper.line(line(check), "dim")
        return
    paper.heading(TITLE)
    paper.table([("replies", "left"), ("number", "right"), ("share", "right")], share_rows(check))
    if check.frames:
        paper.gap()
        paper.table(
            [("read as", "left"), ("acc@0.5", "right"), ("hits", "right")], frame_rows(check)
        )
        paper.line(basis(check), "dim")
