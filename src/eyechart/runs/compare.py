"""Two runs on the same samples, compared pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.errors import SpecMismatch
from eyechart.report.comparison import Comparison, Difference, verdict
from eyechart.runs.rescore import READ
from eyechart.scoring import paired, statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import RunFile
    from eyechart.scoring import Metric


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    name: str
    run: RunFile
    scored: Scored


def compare(first: Side, second: Side) -> Comparison:
    """The paired difference B - A of every metric, with its interval clustered by picture.

    Raises:
        SpecMismatch: other samples, another truth, another protocol or version, or another way of
            reading.
    """
    a, b = first.scored, second.scored
    _refuse_others(first, second)
    rows_a = {(a.samples[i].id, repeat): at for at, (i, repeat) in enumerate(a.keys)}
    rows_b = {(b.samples[i].id, repeat): at for at, (i, repeat) in enumerate(b.keys)}
    both = list(rows_a)
    groups = statistics.group_codes([a.samples[a.keys[rows_a[key]][0]].group for key in both])
    read = np.array(
        [{a.readings[rows_a[key]].status, b.readings[rows_b[key]].status} <= READ for key in both]
    )
    differences = {}
    for metric in a.protocol.metrics:
        of_a = np.array([a.columns[metric.name][rows_a[key]] for key in both])
        of_b = np.array([b.columns[metric.name][rows_b[key]] for key in both])
        if metric.over == "total":
            differences[metric.name] = _difference(of_a, of_b, groups, metric)
        elif read.any():
            # an error is known only where both said something
            differences[metric.name] = _difference(of_a[read], of_b[read], groups[read], metric)
    return Comparison(
        a=first.name,
        b=second.name,
        benchmark=first.run.spec.benchmark_name,
        protocol=a.protocol.name,
        version=a.protocol.version,
        primary=a.protocol.primary,
        n=len(both),
        groups=len(np.unique(groups)),
        metrics=differences,
        warnings=[*_unanswered(first), *_unanswered(second), *_asked_apart(first, second)],
    )


def _unanswered(side: Side) -> list[str]:
    readings = side.scored.readings
    missing = sum(reading.status == "error" for reading in readings)
    if not missing:
        return []
    return [
        f"{side.name} has no reply to {missing:,} of {len(readings):,} requests; they count as wrong "
        "here. The run's own command asks for them again."
    ]


def _asked_apart(first: Side, second: Side) -> list[str]:
    one, other = first.run.spec, second.run.spec
    kind = one.model.get("kind")
    # each baseline needs what it needs
    same_kind = kind == other.model.get("kind") and kind != "baseline"
    apart = [
        what
        for what, a, b in (
            ("prompt", one.template.user, other.template.user),
            ("system prompt", one.template.system, other.template.system),
            ("generation settings", one.generation, other.generation),
            ("dialect", first.run.reading.dialect, second.run.reading.dialect),
            ("use of pictures", one.images, other.images),
        )
        # models of two kinds need not both look at pictures, or write boxes alike
        if a != b and (what not in ("use of pictures", "dialect") or same_kind)
    ]
    return [f"The runs also differ in {', '.join(apart)}."] if apart else []


def _difference(
    of_a: NDArray[np.float64], of_b: NDArray[np.float64], groups: NDArray[np.int64], metric: Metric
) -> Difference:
    # who won is told by the values themselves
    won = paired.paired(of_b, of_a, groups, metric.unit)
    if metric.root:
        of_a, of_b = statistics.rooted(of_a), statistics.rooted(of_b)
    found = paired.paired(of_b, of_a, groups, metric.unit)
    better = metric.higher_is_better
    return Difference(
        a=float(of_a.mean()),
        b=float(of_b.mean()),
        difference=found.difference or 0.0,
        low=found.low,
        high=found.high,
        wins=won.wins if better is not False else won.losses,
        losses=won.losses if better is not False else won.wins,
        ties=won.ties,
        verdict=verdict(found.low, found.high, higher_is_better=better),
        mcnemar_p=found.mcnemar,
        unit=metric.unit,
        higher_is_better=better,
    )


def _refuse_others(first: Side, second: Side) -> None:
    a, b, names = first.scored, second.scored, (first.name, second.name)
    one, other = a.protocol, b.protocol
    if (one.name, one.version) != (other.name, other.version):
        raise SpecMismatch(
            f"{names[0]} is scored by {one.name} v{one.version}, {names[1]} by {other.name} "
            f"v{other.version}: not the same measure. Score both by one (`eyechart score RUN "
            "--protocol NAME`)."
        )
    for what in ("box policy", "filters", "reasoning"):
        of_a, of_b = _read_by(first)[what], _read_by(second)[what]
        if of_a != of_b:
            raise SpecMismatch(
                f"The replies are read in two ways: {what} {of_a or 'none'} in {names[0]}, "
                f"{of_b or 'none'} in {names[1]}. Score both in one (`eyechart score`)."
            )
    of_a = {a.samples[i].id: a.samples[i] for i, _ in a.keys}
    of_b = {b.samples[i].id: b.samples[i] for i, _ in b.keys}
    if of_a.keys() != of_b.keys() or len(a.keys) != len(b.keys):
        only_a, only_b = of_a.keys() - of_b.keys(), of_b.keys() - of_a.keys()
        odd = min(only_a or only_b or {"the number of repeats"})
        raise SpecMismatch(
            f"The runs have other samples: {len(of_a):,} and {len(of_b):,}, {len(only_a):,} only in "
            f"{names[0]}, {len(only_b):,} only in {names[1]} (such as {odd!r}). Run both on the same "
            "ones (--limit takes the same samples for every model)."
        )
    for name, sample in of_a.items():
        if sample.target != of_b[name].target or sample.asked != of_b[name].asked:
            raise SpecMismatch(f"The runs differ in what sample {name!r} asks or holds true.")
        digests = {sample.image.digest, of_b[name].image.digest} - {""}
        if len(digests) > 1:
            raise SpecMismatch(f"The runs differ in the picture of sample {name!r}.")


def _read_by(side: Side) -> dict[str, Any]:
    """What decides how replies are read, with the protocol's own choice where none was made."""
    reading, protocol = side.run.reading, side.scored.protocol
    return {
        "box policy": reading.box_policy or protocol.options.get("policy"),
        "filters": reading.filters,
        "reasoning": reading.reasoning or protocol.reasoning,
        "parser": reading.parser or protocol.parser,
    }
