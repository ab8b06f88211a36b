"""The report's published schema: what `report.json` holds, field by field.

`eyechart schema report` prints it as JSON Schema. Ratios lie in 0..1; the `official` block alone
has the units and the rounding of the protocol's own program.
"""

from __future__ import annotations

from typing import Any

import msgspec

from eyechart.values import Matching


class Figure(msgspec.Struct, frozen=True):
    """One number with its doubt.

    `value` is over all `n` samples (an error or an unreadable reply scores 0), `low` and `high` are
    its 95 % interval clustered by picture (null where one picture is all there is, and the unit is no
    ratio). A measure of error (`higher_is_better` is not true) is over the replies that could be
    read, and `n` is their number. `over_answered` leaves out requests that failed,
    `over_read` also what could not be read; null where nothing is left.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    over_answered: float | None = None
    over_read: float | None = None
    unit: str = "ratio"
    higher_is_better: bool | None = True


class Slice(msgspec.Struct, frozen=True):
    """The figures over the samples whose `tag` has this `value`."""

    tag: str
    value: str
    n: int
    metrics: dict[str, Figure]


class BenchmarkFacts(msgspec.Struct, frozen=True):
    """Which samples were scored."""

    name: str
    split: str
    version: int
    task: str
    args: dict[str, Any]
    citation: str = ""
    known_size: int | None = None


class Yardstick(msgspec.Struct, frozen=True):
    """What a metric would be for somebody else on the same samples: people, or a blind guess."""

    name: str
    metric: str
    about: str
    figure: Figure


class ProtocolFacts(msgspec.Struct, frozen=True):
    """By which rule; the full name of a number is name, version and metric."""

    name: str
    version: int
    primary: str
    about: str
    source: str
    formula: str = ""
    options: dict[str, Any] = {}


class ReadingFacts(msgspec.Struct, frozen=True):
    """How replies were read before they were scored: all of it declared, none of it guessed.

    `parser` says in whose manner boxes in text were read, `seen` what the model's own preprocessing
    is declared to make of what was sent; null where no boxes were read.
    """

    dialect: str | None
    reasoning: str
    filters: list[str]
    box_policy: str | None = None
    parser: str | None = None
    seen: str | None = None


class AskedFacts(msgspec.Struct, frozen=True):
    """What the model was given."""

    system: str | None
    prompt: str
    prompt_source: str
    generation: dict[str, Any]
    images: str
    repeats: int


class Coverage(msgspec.Struct, frozen=True):
    """How many samples got how far. `n` is all of them, each repeat counted.

    `left_out` are samples of the benchmark that are in no figure, since `--subset` was given and
    the file has no reply to them; `matching` tells how a file of replies went with the samples.
    """

    n: int
    answered: int
    read: int
    groups: int
    statuses: dict[str, int]
    truncated: int
    several_boxes: int
    errors: dict[str, int]
    unread: dict[str, int]
    flags: dict[str, int]
    left_out: int = 0
    matching: Matching | None = None


class Effort(msgspec.Struct, frozen=True):
    """What asking took, as measured: seconds a reply (percentiles), tokens, and money if priced."""

    latency_s: dict[str, float] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    currency: str | None = None


class FrameHits(msgspec.Struct, frozen=True):
    """How many replies would hit, were their numbers read in a frame.

    `frame` is a scale, with its order after a comma where that is not xyxy (of boxes that come as
    numbers the name of their form); of the declared frame the dialect's own name. `seen[max=N]` is
    what smart resizing by factor 28 to at most N pixels makes of the picture. `alike` are other
    frames with nearly the same hits: the replies do not tell them apart. `flag` is the option that
    declares the frame; empty where there is none.
    """

    frame: str
    hits: int
    accuracy: float
    declared: bool = False
    alike: list[str] = []
    flag: str = ""


class FrameCheck(msgspec.Struct, frozen=True):
    """Whether boxes seem to be read in the frame in which the model writes them: a diagnosis alone.

    No figure and no reading depends on it. `answered` are the replies that came, `with_boxes` those
    of them in which boxes were read; of these `outside`, `swapped` and `flat` have a box beyond the
    picture, with its corners in the wrong order, or without area. `unread` counts by kind
    (`dialects.found.FAULTS`, or a few words) the replies in which nothing could be read.

    `frames` says, the best first, how many of `looked_at` replies would hit a true box at IoU 0.5
    (whatever the protocol's own rule) with the box that `policy` picks; `pictures` are theirs,
    `tried` the number of frames beside the declared one; `sampled` says that they are spread evenly
    over more replies than are looked at. It holds the best few that hit anything
    and always the declared frame, and is empty where no other frame could be held against it.
    `warning` is empty where nothing seems wrong.
    """

    declared: str
    answered: int
    with_boxes: int
    outside: int
    swapped: int
    flat: int
    unread: dict[str, int]
    policy: str = "first"
    looked_at: int = 0
    pictures: int = 0
    tried: int = 0
    sampled: bool = False
    frames: list[FrameHits] = []
    warning: str = ""


class Published(msgspec.Struct, frozen=True):
    """A figure that was published of a model, and what the measured one says of it.

    `verdict` is agrees (the published figure lies in the measured interval), below or above (the
    measured one does), not comparable, or another model. `said` is the figure as it was printed,
    `published` the same in the unit of `measured`. `mark` says who printed it.
    """

    model: str
    benchmark: str
    metric: str
    said: str
    published: float | None
    measured: Figure
    verdict: str
    reason: str
    mark: str
    source: str
    note: str = ""


class PresetFacts(msgspec.Struct, frozen=True):
    """The preset that the run was made with; `differs` are the settings that are others here."""

    name: str
    differs: list[str]
    published: list[Published]
    notes: list[str]


class Report(msgspec.Struct, frozen=True):
    """All that a run is worth, under one protocol. Derived: it can be deleted and made again."""

    schema: int
    eyechart: str
    run: str
    fingerprint: str
    benchmark: BenchmarkFacts
    model: dict[str, Any]
    model_name: str
    protocol: ProtocolFacts
    reading: ReadingFacts
    asked: AskedFacts
    coverage: Coverage
    complete: bool
    metrics: dict[str, Figure]
    official: dict[str, Any]
    slices: list[Slice]
    effort: Effort
    warnings: list[str]
    yardsticks: list[Yardstick] = []
    frame_check: FrameCheck | None = None
    preset: PresetFacts | None = None


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `report.json`."""
    schema = msgspec.json.schema(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eyechart report",
    } | schema
