"""The eye chart: five benchmarks on drawn scenes that need no data and cannot be contaminated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.chart.questions import samples
from eyechart.values import Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data
    from eyechart.values import Sample

_ARGS = {"seed": 0, "n": 100}
_DATA = "none: the pictures are drawn from the seed; n is the number of pictures"
_SOURCE = "eyechart"


@benchmark(
    "chart/locate",
    task="ground",
    protocol="rec",
    template=Template("Locate {expression}.", source=_SOURCE),
    args=_ARGS,
    data=_DATA,
    builtin=True,
)
def locate(data: Data, split: str, *, seed: int = 0, n: int = 100) -> Iterator[Sample]:
    """Where is the one thing that an expression means?"""
    return samples("locate", "ground", seed, n)


@benchmark(
    "chart/absent",
    task="ground",
    protocol="rec",
    template=Template(
        "Locate {expression}. If there is no such thing, answer none.", source=_SOURCE
    ),
    args=_ARGS,
    data=_DATA,
    builtin=True,
)
def absent(data: Data, split: str, *, seed: int = 0, n: int = 100) -> Iterator[Sample]:
    """Half of the expressions mean nothing that is there; the tag `match` says which."""
    return samples("absent", "ground", seed, n)


@benchmark(
    "chart/phrases",
    task="ground_phrases",
    protocol="rec",
    template=Template(
        'A description of the picture: "{caption}" Locate all that this phrase of it means: "{phrase}".',
        source=_SOURCE,
    ),
    args=_ARGS,
    data=_DATA,
    builtin=True,
)
def phrases(data: Data, split: str, *, seed: int = 0, n: int = 100) -> Iterator[Sample]:
    """Where are all the things that each phrase of a caption means? One sample a phrase."""
    return samples("phrases", "ground_phrases", seed, n)


@benchmark(
    "chart/count",
    task="count",
    protocol="count_final",
    template=Template("{question} Answer with a number.", source=_SOURCE),
    args=_ARGS,
    data=_DATA,
    builtin=True,
)
def count(data: Data, split: str, *, seed: int = 0, n: int = 100) -> Iterator[Sample]:
    """How many are there, from none to sixty?"""
    return samples("count", "count", seed, n)


@benchmark(
    "chart/answer",
    task="answer",
    protocol="vqa_v2",
    # the unanimous answers are compared letter by letter
    template=Template("{question} Answer with one word or number in lower case.", source=_SOURCE),
    args=_ARGS,
    data=_DATA,
    builtin=True,
)
def answer(data: Data, split: str, *, seed: int = 0, n: int = 100) -> Iterator[Sample]:
    """Is it there, which colour, which shape, where, which is larger, which are more?"""
    return samples("answer", "answer", seed, n)
