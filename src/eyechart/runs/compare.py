"""Two runs on the same samples, compared pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.errors import SpecMismatch
from eyechart.report.comparison import Comparison, Difference
from eyechart.scoring import paired, statistics

if TYPE_CHECKING:
    from eyechart.runs.rescore import Scored


def compare(a: Scored, b: Scored, names: tuple[str, str]) -> Comparison:
    """The paired difference B - A of every metric, with its interval clustered by picture.

    Raises:
        SpecMismatch: other samples, another truth, or another protocol or version.
    """
    _refuse_others(a, b, names)
    rows_a = {(a.samples[i].id, repeat): at for at, (i, repeat) in enumerate(a.keys)}
    rows_b = {(b.samples[i].id, repeat): at for at, (i, repeat) in enumerate(b.keys)}
    both = list(rows_a)
    groups = statistics.group_codes([a.samples[a.keys[rows_a[key]][0]].group for key in both])
    differences = {}
    for metric in a.protocol.metrics:
        found = paired.compare(
            [a.columns[metric.name][rows_a[key]] for key in both],
            [b.columns[metric.name][rows_b[key]] for key in both],
            groups,
        )
        differences[metric.name] = found
    return _comparison(a, names, len(both), int(groups.max()) + 1, differences)


def _refuse_others(a: Scored, b: Scored, names: tuple[str, str]) -> None:
    one, other = a.protocol, b.protocol
    if (one.name, one.version) != (other.name, other.version):
        raise SpecMismatch(
            f"{names[0]} is scored by {one.name} v{one.version}, {names[1]} by {other.name} "
            f"v{other.version}: not the same measure. Score both by one (`eyechart score RUN "
            "--protocol NAME`)."
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


def _comparison(
    a: Scored,
    names: tuple[str, str],
    n: int,
    groups: int,
    found: dict[str, paired.Paired],
) -> Comparison:
    return Comparison(
        a=names[0],
        b=names[1],
        protocol=a.protocol.name,
        version=a.protocol.version,
        primary=a.protocol.primary,
        n=n,
        groups=groups,
        metrics={
            metric.name: Difference.of(found[metric.name], metric.unit, metric.higher_is_better)
            for metric in a.protocol.metrics
        },
    )
