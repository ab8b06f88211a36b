"""What a probe found, with its published schema and the rows of its table."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA = 1
Verdict = Literal["found", "undecided", "nothing"]
Resizes = Literal["yes", "no", "cannot tell"]
Kind = Literal["box", "point"]


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """One wording, and what came of it.

    `states` counts the replies: `box` and `point` (something is written as one), `none` (an answer
    that there is nothing), `unread`, `refused`, `empty`, and `error: <kind>`. `cut` counts replies that
    ended too early. `used` says that the judgement rests on its replies. `sample` is a reply as it
    came, cut to 200 characters: the model's own text, not to be trusted.
    """

    name: str
    prompt: str
    system: str | None
    source: str
    requests: int
    states: dict[str, int]
    cut: int = 0
    used: bool = False
    sample: str = ""


class Hypothesis(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way of reading the replies, and how well it agrees with the truth.

    `syntax` is the dialect whose marks are read, `scale` and `order` are `dialects.frames`'; `seen` is
    the rule by which the picture was scaled first, where the scale is `seen`. `dialect` is what
    `--dialect` takes for it; None where no dialect has this syntax in this frame. `same_as` names
    others that read every reply alike. `mean_iou` (for points: the share that lies in the true box) and
    `over_half` (the share of IoU 0.5 and more) are over the `read` replies, `score` is the mean over
    all replies that could have been read, 0 for those that this one cannot.
    """

    syntax: str
    scale: str
    order: str
    kind: Kind
    dialect: str | None
    seen: str | None
    read: int
    mean_iou: float
    over_half: float
    score: float
    same_as: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How it is called in a table."""
        spelled = self.dialect
        if spelled is None:
            frame = self.scale if self.order == "xyxy" else f"{self.scale},{self.order}"
            spelled = f"{self.syntax} in {frame}"
        return f"{spelled}, seen {self.seen}" if self.seen else spelled


class Rival(msgspec.Struct, frozen=True):
    """A hypothesis that explains the answers as well as the best one, within doubt.

    `overlap` is the mean IoU between the boxes of the two readings (for points: the share that lies
    within 1 % of the picture's sides); `matters` is False where the two differ
    so little that no score would tell. `difference` says it in words.
    """

    hypothesis: Hypothesis
    overlap: float
    matters: bool
    difference: str


class Margin(msgspec.Struct, frozen=True):
    """By how much the winner leads the best hypothesis that is not within doubt of it.

    `overall` is the difference of the mean scores. The two often differ on some pictures only, so
    it is judged there: `where_apart` is the mean over the replies about `scenes` scenes on which their
    boxes overlap by less than 0.95, `low` and `high` its 95 % interval.
    """

    over: str
    overall: float
    where_apart: float
    low: float
    high: float
    scenes: int
    test: str = "paired bootstrap over scenes, 2,000 draws"


class Resizing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether the model's side seems to scale pictures before the model sees them.

    `rule` is `--seen`'s; `low` and `high` bound its number (max_pixels, or the longest or each
    side) as far as the answers do.
    """

    answer: Resizes
    rule: str | None = None
    measure: str = ""
    value: int | None = None
    low: int | None = None
    high: int | None = None
    why: str = ""


class Probe(msgspec.Struct, frozen=True):
    """How a model writes boxes, as far as its answers about the eye chart tell.

    `winner` is there where `verdict` is `found`. `cannot_tell` lists what explains the answers
    equally well; with the verdict `undecided` those differ in ways that matter. `flags` are words of the
    command line; `preset` are the values of a preset file. `states` sums those of `asked`.
    """

    model: dict[str, Any]
    scenes: int
    seed: int
    sizes: tuple[tuple[int, int], ...]
    requests: int
    states: dict[str, int]
    asked: tuple[Asked, ...]
    hypotheses: tuple[Hypothesis, ...]
    verdict: Verdict
    winner: Hypothesis | None
    margin: Margin | None
    cannot_tell: tuple[Rival, ...]
    resizes: Resizing
    flags: tuple[str, ...]
    preset: dict[str, Any] | None
    notes: tuple[str, ...]
    seconds: float
    schema: int = SCHEMA


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a probe's JSON."""
    schema = msgspec.json.schema(Probe)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eyechart probe",
    } | schema


HEADER = ("", "hypothesis", "read", "mean IoU", "IoU >= 0.5", "score")


def table_rows(probe: Probe, most: int = 10) -> list[tuple[str, ...]]:
    """The hypotheses as rows under `HEADER`, the best first.

    The mark is `*` for the winner and `=` for what explains the answers equally well.
    """
    equal = {rival.hypothesis.name for rival in probe.cannot_tell}
    rows: list[tuple[str, ...]] = []
    for one in probe.hypotheses[:most]:
        winner = probe.winner is not None and one.name == probe.winner.name
        mark = "*" if winner else "=" if one.name in equal else ""
        inside = one.kind == "point"
        rows.append(
            (
                mark,
                one.name,
                str(one.read),
                f"{one.mean_iou:.3f}" + (" inside" if inside else ""),
                "-" if inside else f"{one.over_half:.0%}",
                f"{one.score:.3f}",
            )
        )
    return rows


def state_rows(probe: Probe) -> list[tuple[str, str, str]]:
    """One row a wording: its name (`+` before those that the judgement rests on), requests, states."""
    return [
        (
            ("+ " if one.used else "  ") + one.name,
            str(one.requests),
            ", ".join(f"{count} {state}" for state, count in one.states.items()),
        )
        for one in probe.asked
    ]


def conclusion(probe: Probe) -> list[str]:
    """What the probe says, in lines of plain text."""
    lines = []
    if probe.winner is not None:
        lines.append(f"It writes boxes as {probe.winner.name}.")
        if probe.winner.kind == "point":
            lines = [f"It answers with points, written as {probe.winner.name}."]
        if probe.margin is not None:
            lines.append(
                f"Ahead of {probe.margin.over} by {probe.margin.overall:.3f}; where the two differ "
                f"({probe.margin.scenes} scenes) by {probe.margin.where_apart:.3f}, 95 % interval "
                f"{probe.margin.low:.3f} to {probe.margin.high:.3f}."
            )
    elif probe.verdict == "undecided":
        lines.append("Cannot tell: several hypotheses explain the answers equally well.")
    else:
        lines.append("Cannot tell: no hypothesis explains the answers.")
    lines += [
        f"Not told apart: {rival.hypothesis.name}. {rival.difference}"
        for rival in probe.cannot_tell
    ]
    said = f": {probe.resizes.rule}" if probe.resizes.rule else ""
    why = f" ({probe.resizes.why})" if probe.resizes.why else ""
    lines.append(
        f"Pictures are scaled before the model sees them: {probe.resizes.answer}{said}{why}."
    )
    return lines
