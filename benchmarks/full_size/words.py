"""The words that generated questions, captions and answers are made of, and draws from them."""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

T = TypeVar("T")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _words(
    "man woman dog cat bus train umbrella pizza kite horse laptop table chair window tree street "
    "hat shirt zebra giraffe bench truck clock bowl plate knife surfboard wave snow skateboard "
    "ball racket bat glove helmet fence sign bird boat beach sandwich cake banana orange carrot "
    "bottle glass phone keyboard mouse sofa bed lamp door wall floor sheep cow elephant bear"
)
ADJECTIVES = _words(
    "white black red blue green brown gray yellow orange pink purple tan silver small large tall "
    "short old young wooden metal plastic striped plaid wet dry open closed left right"
)
RELATIONS = ("on", "near", "behind", "under", "with", "beside")
KIN = _words("person boy girl child lady guy player rider skier surfer")


class Zipf(Generic[T]):
    """Draws from a sequence: the item at place r (from 1) with weight 1 / r ** slope."""

    def __init__(self, items: Sequence[T], slope: float = 1.0) -> None:
        self._items = items
        self._upto = list(accumulate(1 / place**slope for place in range(1, len(items) + 1)))

    def draw(self, chance: random.Random) -> T:
        return self._items[bisect(self._upto, chance.random() * self._upto[-1])]


def expression(chance: random.Random) -> str:
    """A referring expression of one to nine words."""
    words = [chance.choice(NOUNS + KIN)]
    if chance.random() < 0.7:
        words.insert(0, chance.choice(ADJECTIVES))
    if chance.random() < 0.4:
        words += [chance.choice(RELATIONS), chance.choice(("the", "a", "")), chance.choice(NOUNS)]
    if chance.random() < 0.15:
        words += ["in", chance.choice(ADJECTIVES), chance.choice(("shirt", "hat", "coat"))]
    return " ".join(word for word in words if word)


def box(chance: random.Random, width: int, height: int) -> tuple[float, float, float, float]:
    """A box of x, y, width and height inside a picture, pixels with two decimals."""
    wide = max(8.0, width * chance.betavariate(1.6, 3))
    high = max(8.0, height * chance.betavariate(1.9, 2.4))
    x, y = chance.uniform(0, width - wide), chance.uniform(0, height - high)
    return round(x, 2), round(y, 2), round(wide, 2), round(high, 2)


def nearby(
    chance: random.Random, xywh: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    """A guess at a box of x, y, width and height as a fair model makes it, xyxy, unclipped."""
    x, y, wide, high = xywh
    spread = 0.12 if chance.random() < 0.75 else 0.6
    x1, x2 = chance.gauss(x, wide * spread), chance.gauss(x + wide, wide * spread)
    y1, y2 = chance.gauss(y, high * spread), chance.gauss(y + high, high * spread)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def patches(box: tuple[float, float, float, float], width: int, height: int, grid: int = 32) -> str:
    """A box (xyxy, pixels) as the two patch tokens of Kosmos-2 on a grid of so many cells a side."""
    tokens = []
    for x, y in (box[:2], box[2:]):
        column = min(max(int(x / width * grid), 0), grid - 1)
        row = min(max(int(y / height * grid), 0), grid - 1)
        tokens.append(f"<patch_index_{row * grid + column:04}>")
    return "".join(tokens)


def located(phrase: str, guesses: Sequence[str]) -> str:
    """A phrase with the patch tokens of its boxes; no object where there are none."""
    if not guesses:
        return f"<phrase>{phrase}</phrase>"
    return f"<phrase>{phrase}</phrase><object>{'</delimiter_of_multi_objects/>'.join(guesses)}</object>"
