"""Hypotheses: what replies say, syntax by syntax, placed in the pictures by every frame and rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from eyechart import dialects
from eyechart.dialects import Sizes
from eyechart.dialects.frames import ORDERS, Frame
from eyechart.errors import EyechartError
from eyechart.runs.probe import rules
from eyechart.runs.probe.kinship import is_marked, kinship
from eyechart.runs.probe.readings import syntaxes
from eyechart.scoring.boxes import iou

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from eyechart.runs.probe.readings import Item
    from eyechart.runs.probe.result import Kind
    from eyechart.runs.probe.rules import Rule

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

# in this order, where two explain the answers alike; `seen` comes last
SCALES = (
    "0-1000", "0-999", "0-1", "0-100", "pixels", "square", "0-1023", "centres-1000",
    "centres-1024", "transvg", "seen",
)  # fmt: skip
TOLD = "told"
_SAME = 0.95
_LOOKED_AT = 12
# TransVG's square is no other than `square` but for a pixel, and tried for TransVG alone
_FOR_ALL = tuple(scale for scale in SCALES if scale not in ("transvg", "seen"))
# the scales that the generic dialect has words for
_JSON = ("0-1000", "0-999", "0-1", "0-100", "pixels", "square", "0-1023", "seen")
_GENERIC = frozenset(f"json,{order}" for order in ORDERS)
_POINT_ORDERS = ("xyxy", "yxyx")


@dataclass(frozen=True, slots=True)
class Arena:
    """The replies that are judged, n of them, all readable by some syntax, with their truth.

    `truths` `(n, 4)` and `limits` `(n, 4)` (width, height, twice) are in pixels; `scenes` `(n,)` are
    places in `sizes`.
    """

    items: Sequence[Item]
    sizes: Sequence[Sizes]
    scenes: NDArray[np.int64]
    truths: Floats
    limits: Floats

    @classmethod
    def of(cls, items: Sequence[Item]) -> Arena:
        """The arena of readable replies."""
        places: dict[Sizes, int] = {}
        scenes = np.array([places.setdefault(one.sizes, len(places)) for one in items], np.int64)
        truths = np.array([one.scene.box for one in items], np.float64).reshape(-1, 4)
        originals = np.array([one.sizes.original * 2 for one in items], np.float64)
        return cls(items, list(places), scenes, truths, originals.reshape(-1, 4))


@dataclass(frozen=True, slots=True)
class Syntax:
    """Syntaxes that read every reply alike, and what they read: `(n, 4)` or less, NaN for nothing.

    First come those that the replies were written for, as far as that can be told: json for texts
    without marks, families by `kinship`. `native` are those that are likely so.
    """

    kind: Kind
    names: tuple[str, ...]
    numbers: Floats
    native: frozenset[str]

    @property
    def read(self) -> Mask:
        """Which replies they read, `(n,)`."""
        found: Mask = ~np.isnan(self.numbers[:, 0])
        return found


@dataclass(frozen=True, slots=True)
class Candidate:
    """One hypothesis with the boxes `(n, 4)` (or points `(n, 2)`) that it makes, and their worth.

    `credits` `(n,)` is the IoU with the true box (for points 1 within it), 0 for what is not read;
    `limits` are the arena's.
    `dialects` are those that read and place the replies so, the one to name first.
    """

    syntax: Syntax
    scale: str
    order: str
    rule: Rule | None
    told: bool
    dialects: tuple[str, ...]
    shapes: Floats
    credits: Floats
    limits: Floats

    @property
    def seen(self) -> str | None:
        """The rule as `--seen` takes it; None where the replies themselves tell the size."""
        return self.rule.spelled if self.rule is not None else None

    @property
    def is_native(self) -> bool:
        """Whether the replies were written for one of its dialects, as far as that can be told."""
        native = self.syntax.native
        return any(name in native or name.startswith("json:") for name in self.dialects)

    @property
    def plainness(self) -> tuple[object, ...]:
        """Sorts what is to be named first before what explains the answers alike."""
        return (
            not self.dialects,
            not self.is_native,
            SCALES.index(self.scale) if self.scale in SCALES else -1,
            ORDERS.index(self.order),
            "" if self.rule is None else self.rule.kind != "smart28",
            self.syntax.names,
        )


def syntaxes_in(items: Sequence[Item]) -> list[Syntax]:
    """What each syntax reads in the replies, those that read alike together."""
    found = []
    kinds: tuple[Kind, ...] = ("box", "point")
    for kind in kinds:
        alike: dict[tuple[tuple[float, ...] | None, ...], list[str]] = {}
        for name in syntaxes():
            column = tuple((one.boxes if kind == "box" else one.points).get(name) for one in items)
            if any(column):
                alike.setdefault(column, []).append(name)
        for column, names in alike.items():
            width = max(len(numbers) for numbers in column if numbers)
            rows = [numbers or (np.nan,) * width for numbers in column]
            if all(len(row) == width for row in rows):
                own = [one for one, numbers in zip(items, column, strict=True) if numbers]
                ranked, native = _by_nativeness(names, own[:_LOOKED_AT])
                found.append(Syntax(kind, ranked, np.array(rows, np.float64), native))
    return found


def _by_nativeness(
    names: Sequence[str], items: Sequence[Item]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names, the one that the replies were most likely written for first, and all likely ones."""
    families = [name for name in names if name not in _GENERIC]
    kin: dict[str, float] = dict.fromkeys(names, 0.0)
    for one in items:
        for name, value in kinship(one.text, families).items():
            kin[name] += value
    most = max(kin.values())
    if 2 * sum(is_marked(one.text) for one in items) < len(items):
        kin |= {name: 3.0 * len(items) for name in names if name in _GENERIC}
    ranked = tuple(sorted(names, key=lambda name: -kin[name]))
    return ranked, frozenset(name for name in names if kin[name] and kin[name] >= 0.6 * most)


def candidates(arena: Arena, parts: Sequence[NDArray[np.int64]]) -> list[Candidate]:
    """Every hypothesis: all frames, and of each kind of resizing rule the best.

    The best rule is chosen anew for each of `parts`, the places of some of the replies.
    """
    able, seen = rules.seen(rules.coarse(), [one.original for one in arena.sizes])
    found = []
    for syntax in syntaxes_in(arena.items):
        for scale, order in _frames(syntax):
            made = placed(arena, syntax, scale, order)
            if made is not None:
                found.append(made)
        if syntax.numbers.shape[1] in (2, 4) and not _cells(syntax):
            for order in ORDERS if syntax.kind == "box" else _POINT_ORDERS:
                worth = _worth_of(arena, syntax, order, seen)
                for place in _best_of_kinds(able, worth, parts):
                    found.append(resized(arena, syntax, order, able[place], seen[place]))
    return found


def _frames(syntax: Syntax) -> Iterable[tuple[str, str]]:
    """The scales and orders to try without a rule: all, and what its families declare."""
    orders = ORDERS if syntax.kind == "box" else _POINT_ORDERS
    frames = [] if _cells(syntax) else [(s, o) for o in orders for s in (*_FOR_ALL, TOLD)]
    for name in syntax.names:
        frame = syntaxes()[name].frame
        if not name.startswith("json,") and frame.scale != "seen":
            frames.append((frame.scale, frame.order))
    return dict.fromkeys(frames)


def _cells(syntax: Syntax) -> bool:
    return any(syntaxes()[name].frame.cells for name in syntax.names)


def placed(arena: Arena, syntax: Syntax, scale: str, order: str) -> Candidate | None:
    """A hypothesis without a rule; None where its frame needs a size that no one told."""
    frame = Frame("seen" if scale == TOLD else scale, order)
    if scale == TOLD and any(one.sizes.seen is None for one in arena.items):
        return None
    if frame.cells or scale == "transvg":
        shapes = _one_by_one(arena, syntax, frame)
    else:
        slopes, offsets = _lines(arena.sizes, frame.scale)
        numbers = _corners(syntax, order)
        width = numbers.shape[1]
        shapes = numbers * slopes[arena.scenes, :width] + offsets[arena.scenes, :width]
    named = _dialects(syntax, frame.scale, order)
    shapes = _tidied(shapes, arena.limits)
    worth = _credits(shapes, arena.truths)
    told = scale == TOLD
    return Candidate(syntax, frame.scale, order, None, told, named, shapes, worth, arena.limits)


def resized(arena: Arena, syntax: Syntax, order: str, rule: Rule, seen: Floats) -> Candidate:
    """A hypothesis with a rule, which makes of the arena's sizes what `seen` `(sizes, 2)` says."""
    shapes = _resized(arena, _corners(syntax, order), seen[None])[0]
    named = _dialects(syntax, "seen", order)
    worth = _credits(shapes, arena.truths)
    return Candidate(syntax, "seen", order, rule, False, named, shapes, worth, arena.limits)


def refined(
    arena: Arena, one: Candidate, tried: Sequence[Rule]
) -> tuple[list[Rule], Floats, Floats]:
    """Other rules for a hypothesis: the rules, what they make of the sizes, credits `(rules, n)`."""
    able, seen = rules.seen(tried, [sizes.original for sizes in arena.sizes])
    return able, seen, _worth_of(arena, one.syntax, one.order, seen)


def _worth_of(arena: Arena, syntax: Syntax, order: str, seen: Floats) -> Floats:
    """The credits `(rules, n)` of what rules make of the sizes, `(rules, sizes, 2)`."""
    # many rules make the same of all pictures
    distinct, back = np.unique(seen.reshape(len(seen), -1), axis=0, return_inverse=True)
    numbers, parts = _corners(syntax, order), []
    for begin in range(0, len(distinct), 256):
        some = distinct[begin : begin + 256].reshape(-1, len(arena.sizes), 2)
        parts.append(_credits(_resized(arena, numbers, some), arena.truths))
    return np.concatenate(parts)[back.reshape(-1)]


def _resized(arena: Arena, numbers: Floats, seen: Floats) -> Floats:
    """Boxes or points `(rules, n, 4 or 2)` of numbers that are pixels of the seen pictures."""
    width = numbers.shape[1]
    originals = np.array([one.original for one in arena.sizes], np.float64)
    slopes = np.tile(originals / seen, width // 2)
    return _tidied(numbers * slopes[:, arena.scenes], arena.limits)


def _best_of_kinds(
    able: Sequence[Rule], worth: Floats, parts: Sequence[NDArray[np.int64]]
) -> list[int]:
    """The place of the best rule of each kind for each part."""
    kinds = np.array([one.kind for one in able])
    best: dict[int, None] = {}
    for part in parts:
        scores = worth[:, part].mean(axis=1)
        for kind in dict.fromkeys(kinds.tolist()):
            own = np.flatnonzero(kinds == kind)
            best[int(own[scores[own].argmax()])] = None
    return list(best)


def _one_by_one(arena: Arena, syntax: Syntax, frame: Frame) -> Floats:
    """The boxes of a frame whose arithmetic is no straight line; NaN for what it cannot place."""
    rows = []
    for row, one in zip(syntax.numbers.tolist(), arena.items, strict=True):
        try:
            if np.isnan(row[0]):
                rows.append((np.nan,) * (4 if syntax.kind == "box" else 2))
            elif syntax.kind == "box":
                rows.append(frame.to_pixels(row, one.sizes))
            else:
                rows.append(frame.point(row, one.sizes))
        except EyechartError:
            rows.append((np.nan,) * (4 if syntax.kind == "box" else 2))
    return np.array(rows, np.float64)


def _lines(sizes: Sequence[Sizes], scale: str) -> tuple[Floats, Floats]:
    """Slope and offset `(sizes, 4)` of each corner, as the frame itself has them."""
    frame = Frame(scale)
    zeros = np.array([frame.to_pixels((0.0,) * 4, one) for one in sizes], np.float64)
    ones = np.array([frame.to_pixels((1.0,) * 4, one) for one in sizes], np.float64)
    return ones - zeros, zeros


def _corners(syntax: Syntax, order: str) -> Floats:
    """The numbers as x1, y1, x2, y2, or as x, y."""
    if syntax.kind == "box":
        corners: Floats = np.matmul(syntax.numbers, _matrix(order))
        return corners
    return syntax.numbers if order == "xyxy" else syntax.numbers[:, ::-1]


@cache
def _matrix(order: str) -> Floats:
    """The matrix `(4, 4)` that makes corners of four numbers in this order."""
    frame, sizes = Frame("pixels", order), Sizes((1, 1))
    return np.array([frame.to_pixels(row, sizes) for row in np.eye(4).tolist()])


def _tidied(shapes: Floats, limits: Floats) -> Floats:
    """Boxes in order and clipped to their picture, as the tolerant reader has them; points as is."""
    if shapes.shape[-1] != 4:
        return shapes
    first, second = shapes[..., :2], shapes[..., 2:]
    ordered = np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)
    clipped: Floats = np.minimum(np.maximum(ordered, 0.0), limits)
    return clipped


def _credits(shapes: Floats, truths: Floats) -> Floats:
    """IoU with the true box, or 1 for a point within it; 0 where nothing is read."""
    if shapes.shape[-1] == 4:
        return iou(shapes, truths)
    with np.errstate(invalid="ignore"):
        inside = (shapes >= truths[:, :2]) & (shapes <= truths[:, 2:])
    return np.asarray(inside.all(axis=-1), np.float64)


def agreement(one: Candidate, other: Candidate) -> float:
    """The mean IoU between what two hypotheses make of the replies that both read.

    For points the share that lies within 1 % of the picture's sides. 0 where they share no reply.
    """
    both = one.syntax.read & other.syntax.read
    if one.shapes.shape != other.shapes.shape or not both.any():
        return 0.0
    return float(_overlap(one, other)[both].mean())


def differ(one: Candidate, other: Candidate) -> Mask:
    """On which replies `(n,)` two hypotheses differ: IoU below 0.95, or only one reads it."""
    there, other_there = one.syntax.read, other.syntax.read
    if one.shapes.shape != other.shapes.shape:
        return there | other_there
    apart: Mask = (there != other_there) | (there & (_overlap(one, other) < _SAME))
    return apart


def _overlap(one: Candidate, other: Candidate) -> Floats:
    if one.syntax.kind == "box":
        return iou(one.shapes, other.shapes)
    near = np.abs(one.shapes - other.shapes) <= 0.01 * one.limits[:, :2]
    return np.asarray(near.all(axis=1), np.float64)


def _dialects(syntax: Syntax, scale: str, order: str) -> tuple[str, ...]:
    """The dialects that read as this syntax does and place boxes in this frame.

    The one to name first comes first. Families for which the replies were not written are left
    out, where there are any for which they were.
    """
    found = {}
    for name in syntax.names:
        frame = syntaxes()[name].frame
        if name.startswith("json,"):
            if frame.order == order and scale in _JSON:
                found[name] = dialects.find(f"json:{scale},{order}").name
        elif frame.scale == scale and _same_order(frame.order, order, syntax.kind):
            found[name] = name
    if syntax.native:
        found = {name: said for name, said in found.items() if name in syntax.native | _GENERIC}
    return tuple(found.values())


def _same_order(one: str, other: str, kind: Kind) -> bool:
    return one == other or (kind == "point" and (one == "yxyx") == (other == "yxyx"))
