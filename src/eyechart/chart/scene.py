"""Scenes: what lies where in a picture of the chart, from its seed, index and kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from eyechart.chart.generator import Stream
from eyechart.chart.layout import SMALLEST, Cell, Placed, alone, cut, pair, visible
from eyechart.chart.shapes import SHAPES, extent

VERSION = 1
KINDS = ("locate", "absent", "phrases", "count", "answer")
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (220, 30, 35),
    "orange": (250, 135, 10),
    "yellow": (245, 220, 25),
    "green": (35, 160, 60),
    "cyan": (30, 200, 220),
    "blue": (35, 75, 215),
    "purple": (120, 45, 175),
    "magenta": (225, 40, 190),
}
GROUNDS = ("plain", "noise", "stripes", "checks", "gradient")
CONTRASTS = {
    "high": 100,
    "medium": 60,
    "low": 36,
    "faint": 22,
}  # per cent of the way from ground to colour

# odd sizes, both ways up: a wrong scale or swapped axes cannot land on the right place
_SIDES = (
    ((333, 517), 3), ((517, 333), 3), ((1280, 413), 2), ((413, 1280), 2), ((97, 640), 2),
    ((640, 97), 2), ((611, 407), 3), ((407, 611), 3), ((229, 227), 2), ((853, 719), 1),
    ((719, 853), 1),
)  # fmt: skip
_LEVELS = (
    (238, 236, 232),
    (206, 210, 208),
    (168, 168, 172),
    (96, 94, 98),
    (56, 60, 58),
    (20, 20, 24),
)
_NUMBERS: dict[str, tuple[tuple[tuple[int, int], int], ...]] = {
    "locate": (((1, 3), 3), ((4, 9), 4), ((10, 24), 3), ((25, 60), 2)),
    "absent": (((1, 3), 4), ((4, 9), 6), ((10, 24), 4), ((25, 60), 3)),
    "phrases": (((1, 3), 3), ((4, 9), 5), ((10, 24), 4)),
    "count": (((0, 0), 1), ((1, 3), 4), ((4, 9), 5), ((10, 24), 4), ((25, 60), 3)),
    "answer": (((1, 3), 3), ((4, 9), 5), ((10, 24), 3), ((25, 60), 1)),
}
_OCCLUSIONS = (("none", 3), ("some", 2), ("much", 1))

Look = tuple[str, str]  # colour, shape


@dataclass(frozen=True, slots=True)
class Thing:
    """A shape of one colour. `box` is the extent of the whole shape, hidden parts included.

    Boxes are xyxy in pixels; the right and bottom edges are not included: the box covers the
    pixels x1..x2-1 and y1..y2-1. `visible` is the part not hidden, in thousandths.
    """

    colour: str
    shape: str
    size: int
    x: int
    y: int
    box: tuple[int, int, int, int]
    visible: int = 1000


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies behind: a pattern about a grey level. `period` in pixels, `swing` in levels."""

    pattern: str
    level: tuple[int, int, int]
    swing: int
    period: int
    slope: tuple[int, int]
    grain: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture's content; later things hide earlier ones."""

    width: int
    height: int
    ground: Ground
    contrast: str
    occlusion: str
    things: tuple[Thing, ...]


def stream_of(seed: int, index: int, kind: str, purpose: int) -> Stream:
    """The draws for one purpose of one scene, independent of every other purpose's."""
    return Stream(VERSION, seed, index, KINDS.index(kind), purpose)


def name_of(seed: int, index: int, kind: str) -> str:
    """The picture's file name, which tells nothing."""
    return f"{stream_of(seed, index, kind, 99).bits():016x}.png"


def compose(seed: int, index: int, kind: str) -> Scene:
    """The scene of that seed, index (from 0) and kind (one of KINDS)."""
    stream = stream_of(seed, index, kind, 0)
    width, height = stream.weighted(_SIDES)
    ground = _ground(stream)
    contrast = stream.weighted((("high", 5), ("medium", 4), ("low", 2), ("faint", 1)))
    occlusion = stream.weighted(_OCCLUSIONS)
    number = stream.between(*stream.weighted(_NUMBERS[kind]))
    looks = _looks(stream, kind, number)
    things = _lay_out(stream, width, height, looks, occlusion)
    return Scene(width, height, ground, contrast, occlusion, tuple(things))


def _ground(stream: Stream) -> Ground:
    pattern = stream.weighted(tuple((name, 3 if name == "plain" else 2) for name in GROUNDS))
    return Ground(
        pattern=pattern,
        level=stream.choice(_LEVELS),
        swing=stream.between(12, 64) if pattern == "noise" else stream.between(8, 18),
        period=stream.between(5, 40),
        slope=stream.choice(((1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, -2))),
        grain=stream.below(1 << 32),
    )


def _looks(stream: Stream, kind: str, number: int) -> list[Look]:
    """Colours and shapes of the scene's things, from a small palette so that they repeat.

    Except in counting scenes, one or two looks of the palette occur once, so that there is
    something to name among things that share its colour or its shape.
    """
    colours = stream.shuffled(tuple(COLOURS))
    shapes = stream.shuffled(SHAPES)
    if kind == "count":
        many, sorts = stream.between(1, 4), stream.between(1, 3)
        once = 0
    else:
        many, sorts = stream.between(2, 5), stream.between(2, 4)
        once = min(number, stream.between(1, 2))
    palette = stream.shuffled([(c, s) for c in colours[:many] for s in shapes[:sorts]])
    rest = palette[once:]
    favourite = rest[0]
    looks = palette[:once]
    while len(looks) < number:
        looks.append(favourite if stream.chance(1, 4) else stream.choice(rest))
    return stream.shuffled(looks)


def _lay_out(
    stream: Stream, width: int, height: int, looks: list[Look], occlusion: str
) -> list[Thing]:
    """Puts the looks into cells; where cells are too small, the commonest looks are left out."""
    longer = max(width, height)
    low, high = max(SMALLEST, -(-longer // 100)), longer * 2 // 5
    pairs = {"none": 0, "some": (len(looks) + 2) // 5, "much": len(looks) // 2}[occlusion]
    cells = cut(stream, Cell(0, 0, width, height), len(looks) - pairs)
    cells = [cell for cell in cells if cell.room >= low]
    cells.sort(key=lambda cell: (-cell.room, cell.y, cell.x))
    waiting, things = _in_turn(stream, looks, len(cells)), []
    for place, cell in enumerate(cells):
        look = waiting.pop()
        cover = next((other for other in reversed(waiting) if other[0] != look[0]), None)
        if place < pairs and cover is not None:
            both = pair(stream, cell, (look[1], cover[1]), low, high)
            if both is not None:
                waiting.remove(cover)
                things += [_thing(look, both[0], visible(*both)), _thing(cover, both[1])]
                if not waiting:
                    break
                continue
        things.append(_thing(look, alone(stream, cell, look[1], low, high)))
    return things


def _in_turn(stream: Stream, looks: list[Look], sure: int) -> list[Look]:
    """The looks in the order of their places, the last first; `sure` of them will find one.

    Those that occur once come among these.
    """
    times = Counter(looks)
    rare = [look for look in looks if times[look] == 1]
    common = [look for look in looks if times[look] > 1]
    placed, over = (rare + common)[:sure], (rare + common)[sure:]
    return over + stream.shuffled(placed)


def _thing(look: Look, placed: Placed, seen: int = 1000) -> Thing:
    x1, y1, x2, y2 = extent(placed.shape, placed.size)
    box = (placed.x + x1, placed.y + y1, placed.x + x2, placed.y + y2)
    return Thing(look[0], look[1], placed.size, placed.x, placed.y, box, seen)
