"""Protocols: what a reply is worth. Pure functions over samples and readings.

A protocol's full name is its name, its version and the metric: a number without them is no number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.values import Reading, Sample


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of scores. `ratio` lies in 0..1; other units are unbounded above."""

    name: str
    about: str
    unit: Literal["ratio", "count", "pixels"] = "ratio"
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of reading and scoring, with its version.

    `read_text` turns a reply's text into a Reading without seeing the truth (it may use
    `sample.asked`); None where the model's declared dialect reads it. `score` gives one column of
    floats per metric, aligned with the samples; it is called only with readings of status ok or
    none: every other status scores 0 by law, outside. `official` prints totals exactly as the
    protocol's own program does (its units, its rounding) from all samples' unrounded columns.
    `reasoning` says whether a model's thinking is cut from the text before it is read.
    """

    name: str
    version: int
    tasks: frozenset[str]
    metrics: tuple[Metric, ...]
    primary: str
    about: str
    source: str
    score: Callable[[Sequence[Sample], Sequence[Reading]], Mapping[str, Sequence[float]]]
    read_text: Callable[[Sample, str], Reading] | None = None
    official: (
        Callable[[Sequence[Sample], Mapping[str, Sequence[float]]], Mapping[str, Any]] | None
    ) = None
    reasoning: Literal["strip", "keep"] = "strip"
    options: Mapping[str, Any] = field(default_factory=dict)
