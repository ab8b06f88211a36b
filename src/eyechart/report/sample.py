"""One sample seen whole: the question, the truth, what was said and what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eyechart.report import curve
from eyechart.values import Answers, Boxes, Count, Message, Reply, Sample, Score, Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyechart.values import Box, Reading


class SampleView(msgspec.Struct, frozen=True):
    """What `eyechart show` prints. `picture` is a path, or a note why there is none.

    `messages` are those of the request, `replies` and `scores` are one for each repeat asked.
    """

    sample: Sample
    messages: tuple[Message, ...]
    replies: tuple[Reply, ...]
    scores: tuple[Score, ...]
    picture: str = ""


def boxes_text(boxes: Iterable[Box]) -> str:
    """Boxes as `[x0, y0, x1, y1]` in pixels, to a hundredth."""
    return ", ".join("[" + ", ".join(f"{x:.2f}" for x in box) + "]" for box in boxes)


def target_text(target: Target) -> str:
    """The truth in words."""
    if isinstance(target, Boxes):
        return f"boxes {boxes_text(target.boxes)}" if target.boxes else "no such thing (no box)"
    if isinstance(target, Answers):
        return "answers " + ", ".join(repr(one.answer) for one in target.answers)
    if isinstance(target, Count):
        return f"count {target.value}"
    return "captions " + ", ".join(repr(one) for one in target.captions)


def reading_text(reading: Reading) -> str:
    """What a reply was read as, in one line."""
    parts: list[str] = [reading.status]
    if reading.truncated:
        parts.append("truncated")
    if reading.value is not None:
        parts.append(f"value {reading.value!r}")
    if reading.boxes:
        parts.append(f"boxes {boxes_text(reading.boxes)}")
    if reading.points:
        points = ", ".join(f"({x:.2f}, {y:.2f})" for x, y in reading.points)
        parts.append(f"points {points}")
    if any(label is not None for label in reading.labels):
        parts.append("labels " + ", ".join(repr(label) for label in reading.labels))
    if reading.scores:
        parts.append("scores " + ", ".join(f"{score:.4g}" for score in reading.scores))
    if reading.flags:
        parts.append("flags " + ", ".join(reading.flags))
    if reading.reason:
        parts.append(f"reason: {reading.reason}")
    return "; ".join(parts)


def reply_facts(reply: Reply) -> list[tuple[str, str]]:
    """What is known of a reply besides its text, as rows; only what is known."""
    usage = reply.usage
    rows: list[tuple[str, object]] = [
        ("state", reply.state),
        ("finish reason", reply.finish_reason),
        ("size sent", reply.sent_size and "{} x {}".format(*reply.sent_size)),
        ("size seen", reply.seen_size and "{} x {}".format(*reply.seen_size)),
        ("seconds", None if reply.latency_s is None else f"{reply.latency_s:.3g}"),
        ("tokens in", usage and usage.input_tokens),
        ("tokens out", usage and usage.output_tokens),
        ("notes", "; ".join(reply.notes) or None),
    ]
    return [(name, str(value)) for name, value in rows if value is not None]


def failure_text(reply: Reply) -> str:
    """Why a request got no reply; empty where it got one."""
    error = reply.error
    if error is None:
        return ""
    status = f" (HTTP {error.status})" if error.status is not None else ""
    tries = "1 attempt" if error.attempts == 1 else f"{error.attempts} attempts"
    return f"{error.kind}{status} after {tries}: {error.message}"


def values_text(score: Score) -> str:
    """The score's values, to four decimals."""
    return ", ".join(f"{name} {value:.4f}" for name, value in score.values.items())


def worth(score: Score) -> list[tuple[str, str]]:
    """The score as rows: its values, and an IoU curve in a line of its own."""
    steps = curve.steps(score.values)
    named = {name: value for name, value in score.values.items() if name not in steps}
    rows = [("worth", ", ".join(f"{name} {value:.4f}" for name, value in named.items()))]
    return [*rows, ("curve", curve.text(score.values))] if steps else rows
