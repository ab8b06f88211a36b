"""What a server may make of a picture before the model sees it: rules to try, and the plainest one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from eyechart.errors import EyechartError
from eyechart.io.resizing import Resize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Size = tuple[int, int]
RuleKind = Literal["smart28", "smart32", "longest", "square"]
MEASURES = {
    "smart28": "max_pixels",
    "smart32": "max_pixels",
    "longest": "longest side",
    "square": "side",
}
_LEAST_MAX, _MOST_MAX = 50_000, 16_500_000
_SIDES = {"longest": (224, 4096), "square": (224, 2600)}
# a square of about this side is no other hypothesis than the scale of that name
_SCALES = (1000, 1023)
_NEAR = 0.025
_STEP = 1.012
_MOST_FINE = 1000
_CHECKPOINT = 16384
_FINE = {"smart28": 1.1, "smart32": 1.1, "longest": 1.05, "square": 1.05}


@dataclass(frozen=True, slots=True)
class Rule:
    """A way of scaling pictures: its kind, and its number of pixels or its side."""

    kind: RuleKind
    value: int
    least: int | None = None

    @property
    def spelled(self) -> str:
        """As `--seen` takes it."""
        if self.factor is None:
            return f"{self.kind}:{self.value}"
        least = f"min={self.least}," if self.least is not None else ""
        return f"smart:factor={self.factor},{least}max={self.value}"

    @property
    def factor(self) -> int | None:
        """The number that both sides become multiples of, for the smart kinds."""
        return {"smart28": 28, "smart32": 32}.get(self.kind)


@cache
def coarse() -> Sequence[Rule]:
    """Rules on geometric grids, each about 1 % from the next."""
    kinds: tuple[RuleKind, ...] = ("smart28", "smart32")
    rules = [Rule(kind, value) for kind in kinds for value in _grid(_LEAST_MAX, _MOST_MAX, _STEP)]
    rules += [Rule("longest", value) for value in _grid(*_SIDES["longest"], 1.006)]
    rules += [Rule("square", value) for value in _grid(*_SIDES["square"], 1.006)]
    return [rule for rule in rules if not _is_a_scale(rule)]


def fine(rule: Rule) -> list[Rule]:
    """Rules of the same kind: near one multiples of the squared factor, or whole sides.

    Farther away the coarse grid, and the checkpoints' own bound.
    """
    unit = (rule.factor or 1) ** 2
    low = max(1, round(rule.value / _FINE[rule.kind] / unit))
    high = round(rule.value * _FINE[rule.kind] / unit)
    # a power of two, so that no plain number is stepped over
    step = 1 << max(0, ((high - low) // _MOST_FINE).bit_length())
    numbers = range(-(-low // step) * step, high + 1, step)
    near = (replace(rule, value=number * unit) for number in numbers)
    far = [one for one in coarse() if one.kind == rule.kind]
    if rule.factor is not None:
        far.append(replace(rule, value=_CHECKPOINT * unit))
    found = {one.value: one for one in (rule, *near, *far) if not _is_a_scale(one)}
    return [replace(found[value], least=rule.least) for value in sorted(found)]


def _is_a_scale(rule: Rule) -> bool:
    """Whether pixels of the square differ from a scale's numbers by less than can be told."""
    return rule.kind == "square" and any(abs(rule.value / one - 1) <= _NEAR for one in _SCALES)


def unlimited(rule: Rule, sizes: Sequence[Size]) -> Rule | None:
    """The rule with the model's own bound, where it makes none of these sizes smaller.

    16,384 patches are the bound of the Qwen2-VL, Qwen2.5-VL and Qwen3-VL checkpoints.
    """
    if rule.factor is None:
        return None
    free = replace(rule, value=max(rule.value, _CHECKPOINT * rule.factor**2))
    before, after = Resize.parse(rule.spelled), Resize.parse(free.spelled)
    return free if all(before.apply(one) == after.apply(one) for one in sizes) else None


def with_least(rule: Rule) -> list[Rule]:
    """The same smart rule with other numbers of pixels to which small pictures are scaled up.

    A grid where the rule has none yet, else all numbers near its own.
    """
    if rule.factor is None:
        return []
    unit = rule.factor**2
    most = min(rule.value, 2_000_000) // unit
    if rule.least is None:
        counts = _grid(16, max(16, most), 1.06)
    else:
        middle = rule.least / unit
        counts = list(range(round(middle / 1.08), min(most, round(middle * 1.08)) + 1))
    return [replace(rule, least=count * unit) for count in counts]


def plainest(rules: Sequence[Rule]) -> Rule:
    """Of rules that explain the answers alike, the one with the roundest number.

    Sides, and pixels in squares of the factor, are chosen by people: as powers of two times a
    small number, or as tens and hundreds.
    """
    middle = rules[len(rules) // 2].value
    return max(rules, key=lambda rule: (_roundness(rule), -abs(rule.value - middle)))


def _roundness(rule: Rule) -> float:
    number = (rule.least if rule.least is not None else rule.value) // (rule.factor or 1) ** 2
    twos = (number & -number).bit_length() - 1
    tens = len(str(number)) - len(str(number).rstrip("0"))
    # a factor of ten is as plain as 3.3 of two
    return max(float(twos), 3.3 * tens)


def seen(rules: Iterable[Rule], sizes: Sequence[Size]) -> tuple[list[Rule], Floats]:
    """The rules that take all these sizes, and what they make of them, `(rules, sizes, 2)`.

    A rule that changes none of them is left out: it is no other hypothesis than `pixels`.
    """
    own = tuple(sizes)
    able, made = [], []
    for rule in rules:
        after = _after(rule, own)
        if after is not None and after != own:
            able.append(rule)
            made.append(after)
    return able, np.array(made, np.float64).reshape(len(able), len(sizes), 2)


@lru_cache(maxsize=32_768)
def _after(rule: Rule, sizes: tuple[Size, ...]) -> tuple[Size, ...] | None:
    """What a rule makes of sizes; None where a model refuses a picture of such a shape."""
    resize = Resize.parse(rule.spelled)
    try:
        return tuple(resize.apply(size) for size in sizes)
    except EyechartError:
        return None


def _grid(low: float, high: float, step: float) -> list[int]:
    count = int(np.log(high / low) / np.log(step)) + 1
    return sorted({min(round(low * step**place), round(high)) for place in range(count + 1)})
