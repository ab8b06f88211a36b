"""Referring expressions and their proof: what an expression fits in a scene, with a margin.

Every judgement has three values. A thing that fits, or fails, only by a hair is *unclear*, and an
expression about which anything is unclear is never asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from eyechart.chart.shapes import PLURALS, area

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.chart.scene import Scene, Thing


class Fit(Enum):
    """Whether a thing is meant."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


SIZES = ("small", "large")
ENDS = ("leftmost", "rightmost", "topmost", "bottommost")
RELATIONS = ("to the left of", "to the right of", "above", "below")
SIZE_RATIO = (8, 5)  # "small" or "larger": at least 8/5 between the sides
_END_MARGIN = 3  # "leftmost": by 3 % of the picture's side, at least 6 pixels


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing: a colour, a shape or both; neither means any shape."""

    colour: str = ""
    shape: str = ""

    @property
    def noun(self) -> str:
        """`red circle`, `circle`, `red shape` or `shape`."""
        return f"{self.colour} {self.shape or 'shape'}".strip()

    @property
    def plural(self) -> str:
        """The same for several."""
        return f"{self.colour} {PLURALS[self.shape] if self.shape else 'shapes'}".strip()

    def has(self, thing: Thing) -> bool:
        """Whether the thing is of this kind."""
        return self.colour in ("", thing.colour) and self.shape in ("", thing.shape)


@dataclass(frozen=True, slots=True)
class Expression:
    """`the [rank] kind [relation the anchor]`; a rank and a relation are not combined."""

    kind: Kind
    rank: str = ""
    relation: str = ""
    anchor: Kind | None = None

    @property
    def text(self) -> str:
        """The expression in words, beginning with `the`."""
        words = ["the", self.rank, self.kind.noun]
        if self.anchor is not None:
            words += [self.relation, "the", self.anchor.noun]
        return " ".join(word for word in words if word)

    @property
    def sort(self) -> str:
        """What it needs: `look`, `size`, `position` or `relation`."""
        if self.anchor is not None:
            return "relation"
        return "size" if self.rank in SIZES else "position" if self.rank else "look"


def sole(expression: Expression, scene: Scene) -> Thing | None:
    """The one thing that the expression means; None where it is not exactly one, beyond doubt."""
    fits = judged(expression, scene)
    meant = [thing for thing, fit in zip(scene.things, fits, strict=True) if fit is Fit.YES]
    return meant[0] if len(meant) == 1 and Fit.UNCLEAR not in fits else None


def nothing(expression: Expression, scene: Scene) -> bool:
    """Whether the expression fits nothing in the scene, beyond doubt.

    An anchor that is not there, or there twice, leaves it in doubt.
    """
    return all(fit is Fit.NO for fit in judged(expression, scene))


def judged(expression: Expression, scene: Scene) -> list[Fit]:
    """Whether each thing of the scene, in its order, is meant."""
    kind = expression.kind
    fits = [Fit.YES if kind.has(thing) else Fit.NO for thing in scene.things]
    if expression.anchor is not None:
        return _related(expression, scene, fits)
    if expression.rank:
        return _ranked(expression.rank, scene, fits)
    return fits


def side(relation: str, thing: Thing, anchor: Thing, margin: int) -> Fit:
    """Whether `thing` lies on that side of `anchor`.

    YES: its box ends before the anchor's begins and it lies further along than across. NO: its
    centre is on the other side by `margin` pixels.
    """
    (x1, y1, x2, y2), (a1, b1, a2, b2) = thing.box, anchor.box
    across, down = (x1 + x2) - (a1 + a2), (y1 + y2) - (b1 + b2)
    apart, ahead, aside = {
        "to the left of": (x2 <= a1, -across, down),
        "to the right of": (x1 >= a2, across, down),
        "above": (y2 <= b1, -down, across),
        "below": (y1 >= b2, down, across),
    }[relation]
    if apart and ahead >= abs(aside):
        return Fit.YES
    return Fit.NO if ahead <= -2 * margin else Fit.UNCLEAR


def larger(first: Thing, second: Thing) -> Fit:
    """Whether the first is the larger, by its side and by its area; UNCLEAR where they are near."""
    for one, other, fit in ((first, second, Fit.YES), (second, first, Fit.NO)):
        by_side = one.size * SIZE_RATIO[1] >= other.size * SIZE_RATIO[0]
        if by_side and area(one.shape, one.size) * 2 >= area(other.shape, other.size) * 3:
            return fit
    return Fit.UNCLEAR


def margin_of(scene: Scene) -> int:
    """The pixels that decide a position in this scene."""
    return max(6, min(scene.width, scene.height) * _END_MARGIN // 100)


def _related(expression: Expression, scene: Scene, fits: list[Fit]) -> list[Fit]:
    anchors = [
        thing for thing in scene.things if expression.anchor and expression.anchor.has(thing)
    ]
    if len(anchors) != 1:
        return [Fit.UNCLEAR] * len(fits) or [Fit.UNCLEAR]
    margin = margin_of(scene)
    return [
        Fit.NO
        if fit is Fit.NO or thing is anchors[0]
        else side(expression.relation, thing, anchors[0], margin)
        for thing, fit in zip(scene.things, fits, strict=True)
    ]


def _ranked(rank: str, scene: Scene, fits: list[Fit]) -> list[Fit]:
    """The first of the candidates by rank is meant where it leads by a clear gap."""
    keys = [_rank_key(rank, thing) for thing in scene.things]
    places = [place for place, fit in enumerate(fits) if fit is Fit.YES]
    if len(places) < 2:
        # "the small circle" of one circle begs the question, but where there is none it is absent
        return [Fit.UNCLEAR if fit is Fit.YES else fit for fit in fits]
    places.sort(key=lambda place: keys[place])
    lead, runner_up = places[:2]
    if rank in SIZES:
        small, large = sorted((scene.things[lead].size, scene.things[runner_up].size))
        clear = small * SIZE_RATIO[0] <= large * SIZE_RATIO[1]
    else:
        across = rank in ("leftmost", "rightmost")
        length = scene.width if across else scene.height
        clear = keys[runner_up] - keys[lead] >= 2 * max(6, length * _END_MARGIN // 100)
    settled = [Fit.NO] * len(fits)
    for place in places:
        settled[place] = Fit.NO if clear else Fit.UNCLEAR
    if clear:
        settled[lead] = Fit.YES
    return settled


def _rank_key(rank: str, thing: Thing) -> int:
    """Smallest for the thing that the rank means; positions are twice the box's centre."""
    x1, y1, x2, y2 = thing.box
    return {
        "small": thing.size,
        "large": -thing.size,
        "leftmost": x1 + x2,
        "rightmost": -x1 - x2,
        "topmost": y1 + y2,
        "bottommost": -y1 - y2,
    }[rank]


def kinds_in(things: Sequence[Thing]) -> list[Kind]:
    """The full kinds (colour and shape) in the order of their first thing."""
    return list(dict.fromkeys(Kind(thing.colour, thing.shape) for thing in things))
