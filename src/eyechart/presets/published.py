"""Published figures beside a measured one, and the settings in which a run departs from its preset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from eyechart.presets import modelnames
from eyechart.presets.preset import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyechart.presets.preset import Preset, Published, Unit

Word = Literal["agrees", "below", "above", "not comparable", "another model"]

# an IoU of 0.5 of the first box with the true one decides in each; they differ at the edge and in
# what they read, not in what they measure
_HIT_RATES = {
    "rec": "acc@0.5",
    "rec_strict": "acc@0.5",
    "ofa_rec": "acc@0.5",
    "minigpt_v2": "acc@0.5",
    "kosmos2": "precision@1",
}
# eyechart's figure times this is the figure in the unit
_SCALES: dict[Unit, float] = {"percent": 100.0, "ratio": 1.0, "CIDEr": 100.0}
_SIGNS: dict[Unit, str] = {"percent": " %", "ratio": "", "CIDEr": " (CIDEr)"}


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure of a run with its 95 % interval, in eyechart's units (a ratio in 0..1, CIDEr in 0..10).

    `benchmark` is `name/split`; `n` samples are in the figure, `known_size` in the whole split, where
    that is known.
    """

    benchmark: str
    protocol: str
    metric: str
    value: float
    low: float | None
    high: float | None
    n: int
    known_size: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure: of `table`, on `benchmark`, in the table's own unit."""

    table: Published
    benchmark: str
    value: float


class Verdict(msgspec.Struct, frozen=True):
    """A published figure and what a measured one says of it.

    `word` is `below` where the measured figure lies below the published one. `published` is in the
    unit of the measured figure (null where it has none), `said` as it was printed.
    """

    word: Word
    reason: str
    model: str
    benchmark: str
    metric: str
    said: str
    published: float | None
    mark: str
    source: str
    note: str = ""


def rows(preset: Preset) -> Iterator[Row]:
    """All published figures of a preset, one by one."""
    for table in preset.published:
        for benchmark, value in table.values.items():
            yield Row(table, benchmark, value)


def verdicts(preset: Preset, model: str, measured: Measured) -> list[Verdict]:
    """What the preset's published figures and a measured one say of each other.

    Those of the asked model; where there are none, all of the family, as of another model. Figures
    of another metric, or of another split of the benchmark, stand there (as not comparable) only
    where none is of the same.
    """
    own = [row for row in rows(preset) if is_of(preset, model, row)]
    chosen = _nearest(own, measured)
    if chosen:
        return [compare(row, measured, asked=model) for row in chosen]
    return [
        compare(row, measured, asked=model, same_model=False)
        for row in _nearest(list(rows(preset)), measured)
    ]


def is_of(preset: Preset, model: str, row: Row) -> bool:
    """Whether a figure is of the model of that name (`modelnames.same`)."""
    label = row.table.model
    called = (label, *preset.weights.get(label, ()))
    return any(modelnames.same(model, name) for name in called)


def compare(row: Row, measured: Measured, *, asked: str = "", same_model: bool = True) -> Verdict:
    """What a measured figure says of a published one, with the reason in words.

    It agrees where the published figure lies in the measured 95 % interval, ends included.
    `asked` is the asked model's name.
    """
    hindrance = _hindrance(row, measured)
    value = None if hindrance else row.value / _SCALES[row.table.unit]
    word: Word
    if hindrance:
        word, reason = "not comparable", hindrance
    elif not same_model:
        word = "another model"
        reason = f"it is of {row.table.model}, and none is known of {asked or 'the model asked'}"
    else:
        word, reason = _judged(row, measured, asked)
    table = row.table
    return Verdict(
        word=word,
        reason=reason,
        model=table.model,
        benchmark=row.benchmark,
        metric=table.metric,
        said=f"{row.value:g}{_SIGNS[table.unit]}",
        published=value,
        mark=f"{table.mark}: {MARKS[table.mark]}",
        source=table.source,
        note=table.note,
    )


def _nearest(candidates: list[Row], measured: Measured) -> list[Row]:
    """Of the rows on this benchmark those of the same split and metric, else the next best."""
    name = _name(measured.benchmark)
    there = [row for row in candidates if _name(row.benchmark) == name]
    split = [row for row in there if row.benchmark == measured.benchmark]
    measure = [row for row in split if _same_measure(row, measured)]
    alike = [row for row in there if _same_measure(row, measured)]
    return measure or split or alike


def _same_measure(row: Row, measured: Measured) -> bool:
    return row.table.metric == measured.metric or _both_hit_rates(row, measured)


def _both_hit_rates(row: Row, measured: Measured) -> bool:
    pairs = ((row.table.protocol, row.table.metric), (measured.protocol, measured.metric))
    return all(_HIT_RATES.get(protocol) == metric for protocol, metric in pairs)


def _hindrance(row: Row, measured: Measured) -> str:
    """Why the two figures cannot be held side by side; empty where they can."""
    table = row.table
    if row.benchmark != measured.benchmark:
        if "/" not in row.benchmark and "/" in measured.benchmark:
            return f"the source does not say on which split of {row.benchmark} it is"
        return f"it is on {row.benchmark}, and this run on {measured.benchmark}"
    if not _same_measure(row, measured):
        return f"it is {table.metric}, and this is {measured.metric}"
    if not table.comparable:
        return "it was not measured as this was" + (f": {table.note}" if table.note else "")
    if table.protocol != measured.protocol and not _both_hit_rates(row, measured):
        return f"it is by protocol {table.protocol or 'unknown'}, and this by {measured.protocol}"
    return ""


def _judged(row: Row, measured: Measured, asked: str) -> tuple[Word, str]:
    unit = row.table.unit
    scale, sign = _SCALES[unit], _SIGNS[unit]
    if measured.low is None or measured.high is None:
        return "not comparable", "the measured figure has no interval: one picture shows no spread"
    # on the scale of the published figure, which is a decimal: 0.925 times 100 is not always 92.5
    low, high = (round(scale * end, 9) for end in (measured.low, measured.high))
    digits = 1 if scale > 1 else 3
    span = f"{low:.{digits}f} to {high:.{digits}f}"
    if low <= row.value <= high:
        reason = f"{row.value:g}{sign} lies in the measured {span}{sign}"
        return "agrees", reason + _provisos(row, measured, asked)
    word: Word = "below" if row.value > high else "above"
    here = f"{scale * measured.value:.{digits}f}"
    reason = f"measured {here}{sign} ({span}), {word} the published {row.value:g}{sign}"
    return word, reason + _provisos(row, measured, asked)


def _provisos(row: Row, measured: Measured, asked: str) -> str:
    said = ""
    if measured.known_size is not None and measured.n != measured.known_size:
        said += f"; on {measured.n:,} samples, where the split has {measured.known_size:,}"
    if row.table.protocol != measured.protocol:
        said += f"; published by {row.table.protocol}, measured by {measured.protocol}"
    packing = modelnames.quantised(asked)
    if packing is not None and modelnames.quantised(row.table.model) is None:
        said += f"; the asked weights are quantised ({packing})"
    if row.table.mark == "S":
        said += "; the published figure is a second-hand copy"
    return said


def _name(benchmark: str) -> str:
    return benchmark.partition("/")[0]


def differs(preset: Preset, task: str, used: Mapping[str, Any]) -> list[str]:
    """The settings in which a run departs from its preset: `temperature: 0.2 here, 0 in the preset`.

    `used` may hold `prompt`, `system`, `generation` (a mapping), `dialect`, `parser`, `seen`,
    `image_policy`, `reasoning` and `box_policy`; what it does not hold is not looked at. What the
    preset leaves open (its own None) departs from nothing, but for prompts and generation.
    """
    found: list[str] = []
    wording = preset.wording(task)
    if wording is not None:
        for name, told in (("prompt", wording.user), ("system", wording.system)):
            if name in used and (used[name] or None) != told:
                found.append(_departure(name, used[name] or None, told))
    for name in ("dialect", "parser", "seen", "image_policy", "reasoning", "box_policy"):
        told = getattr(preset, name)
        if name not in used or told is None:
            continue
        here = used[name]
        if here is None and name == "image_policy":
            here = "original"
        if here != told and _spelled(name, here) != _spelled(name, told):
            found.append(_departure(name.replace("_", " "), here, told))
    if "generation" in used:
        found += _generation(preset.settings(task), used["generation"])
    return found


def _spelled(name: str, value: str | None) -> str | None:
    """A size in the spelling that equal ones share; other settings as they are."""
    from eyechart.io.resizing import ImagePolicy, Resize

    if value is None or name not in ("seen", "image_policy"):
        return value
    return Resize.parse(value).spelled if name == "seen" else ImagePolicy.parse(value).spelled


def _generation(told: Mapping[str, Any], used: Mapping[str, Any]) -> list[str]:
    names = [*told, *(name for name in used if name not in told)]
    return [
        _departure(name, used.get(name), told.get(name))
        for name in names
        if used.get(name) != told.get(name)
    ]


def _departure(name: str, here: Any, told: Any) -> str:
    return f"{name}: {_said(here)} here, {_said(told)} in the preset"


def _said(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e6 else str(value)
    return repr(value) if isinstance(value, str) and " " in value else str(value)
