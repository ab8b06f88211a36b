"""Protocols: what a reply is worth. Pure functions over samples and readings.

A protocol's full name is its name, its version and the metric: a number without them is no number.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from eyechart.errors import UsageError, meant
from eyechart.registry import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.values import Reading, Sample


Unit = Literal["ratio", "count", "pixels", "points"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of scores. `ratio` lies in 0..1; other units are unbounded above.

    A figure is the column's mean over all samples, those that could not be read being worth 0.
    `over` "read" is for measures of error, where 0 would be the best: those samples are left out of
    it, and the figure's n says how many are in. `root` says that the figure is the square root of
    the column's mean (the column holds squares). `higher_is_better` None is for a measure that is
    best at 0, whatever its sign.
    """

    name: str
    about: str
    unit: Unit = "ratio"
    higher_is_better: bool | None = True
    over: Literal["total", "read"] = "total"
    root: bool = False


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What a metric would be for somebody else on the same samples: people, or a blind guess.

    `column` holds one value for each sample given, in the metric's unit.
    """

    name: str
    metric: str
    about: str
    column: Sequence[float]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of reading and scoring, with its version.

    `read_text` turns a reply's text into a Reading without seeing the truth (it may use
    `sample.asked`); None where the model's declared dialect reads it. `score` gives one column of
    floats per metric, aligned with the samples; it is called only with readings of status ok or
    none: every other status scores 0 by law, outside. `official` prints totals exactly as the
    protocol's own program does (its units, its rounding) from all samples' unrounded columns.
    `reasoning` says whether a model's thinking is cut from the text before it is read. `formula` is
    the arithmetic in one line. `text_alone` says that `read_text` looks at nothing but the text, so
    that equal replies need to be read once; `read_texts` then reads many at once, to the same
    readings. `score` may give more columns than there are metrics: what `official` makes the values of
    a whole set from. `whole` is for measures of a whole set (inverse document
    frequencies): `score` is then called with all samples, whatever became of their replies.
    `yardsticks` gives what people or a blind guess would be worth. `ready` raises `UsageError`
    where something that is needed (a dictionary, a program) is not installed; it is called before
    anything is asked. `warns` says what must be known of figures over just these samples. `parser` says in whose manner a dialect reads a reply where the user does not:
    the authors' in protocols that are a family's own. `keeps_boxes` says that boxes are scored as
    they are written, with swapped corners and beyond the picture, as the program does.
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
    parser: Literal["tolerant", "authors"] = "tolerant"
    keeps_boxes: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    formula: str = ""
    text_alone: bool = False
    read_texts: Callable[[Sequence[str]], Sequence[Reading]] | None = None
    whole: bool = False
    yardsticks: Callable[[Sequence[Sample]], Sequence[Yardstick]] | None = None
    ready: Callable[[], object] | None = None
    warns: Callable[[Sequence[Sample]], Sequence[str]] | None = None


# Name to `module:attribute`; a protocol is imported when it is asked for.
PROTOCOLS: dict[str, str] = {
    "captions": "eyechart.scoring.captions:CAPTIONS",
    "count_final": "eyechart.scoring.counting:COUNT_FINAL",
    "countqa": "eyechart.scoring.counting:COUNTQA",
    "flickr_any": "eyechart.scoring.flickr:FLICKR_ANY",
    "flickr_merged": "eyechart.scoring.flickr:FLICKR_MERGED",
    "grec": "eyechart.scoring.grec:GREC",
    "kosmos2": "eyechart.scoring.kosmos2:KOSMOS2",
    "kosmos2_flickr": "eyechart.scoring.flickr:KOSMOS2_FLICKR",
    "mdetr": "eyechart.scoring.mdetr:MDETR",
    "minigpt_v2": "eyechart.scoring.minigpt_v2:MINIGPT_V2",
    "ofa_rec": "eyechart.scoring.ofa:OFA_REC",
    "rec": "eyechart.scoring.grounding:REC",
    "rec_strict": "eyechart.scoring.grounding:REC_STRICT",
    "textvqa": "eyechart.scoring.vqa:TEXTVQA",
    "vqa_exact": "eyechart.scoring.vqa:VQA_EXACT",
    "vqa_lavis": "eyechart.scoring.vqa:VQA_LAVIS",
    "vqa_normalised": "eyechart.scoring.vqa:VQA_NORMALISED",
    "vqa_simple": "eyechart.scoring.vqa:VQA_SIMPLE",
    "vqa_soft": "eyechart.scoring.vqa:VQA_SOFT",
    "vqa_v2": "eyechart.scoring.vqa:VQA_V2",
    "vqa_votes": "eyechart.scoring.vqa:VQA_VOTES",
}
# Those that take options: the function that makes the protocol of them.
_MAKERS: dict[str, str] = {
    "captions": "eyechart.scoring.captions:captions",
    "countqa": "eyechart.scoring.counting:countqa",
    "grec": "eyechart.scoring.grec:grec",
    "kosmos2": "eyechart.scoring.kosmos2:kosmos2",
    "kosmos2_flickr": "eyechart.scoring.flickr:kosmos2_flickr",
    "minigpt_v2": "eyechart.scoring.minigpt_v2:minigpt_v2",
    "ofa_rec": "eyechart.scoring.ofa:ofa_rec",
    "rec": "eyechart.scoring.grounding:rec",
    "rec_strict": "eyechart.scoring.grounding:rec_strict",
    "vqa_soft": "eyechart.scoring.vqa:soft",
}


def options_of(name: str) -> tuple[str, ...]:
    """The names of the options that a protocol takes; none for most."""
    return tuple(inspect.signature(load(_MAKERS[name])).parameters) if name in _MAKERS else ()


def known() -> tuple[str, ...]:
    """The names of all protocols, sorted; loads none of them."""
    return tuple(sorted(PROTOCOLS))


def find(name: str, options: Mapping[str, Any] | None = None) -> Protocol:
    """The protocol of that name, made with its options if there are any.

    Options are those of the function that makes it, such as `policy` of rec (which of several boxes
    counts) or `grid` of kosmos2.

    Raises:
        UsageError: no such protocol (the nearest is named), or an option that it does not take.
    """
    if name not in PROTOCOLS:
        raise UsageError(
            f"No protocol is named {name!r}.{meant(name, PROTOCOLS)} Known: {', '.join(known())}."
        )
    if not options:
        protocol: Protocol = load(PROTOCOLS[name])
        return protocol
    if name not in _MAKERS:
        raise UsageError(f"Protocol {name} takes no options, not {', '.join(options)}.")
    make = load(_MAKERS[name])
    takes = inspect.signature(make).parameters
    for option in options:
        if option not in takes:
            raise UsageError(
                f"Protocol {name} has no option {option!r}.{meant(option, takes)} "
                f"It takes: {', '.join(takes)}."
            )
    made: Protocol = make(**options)
    return made
