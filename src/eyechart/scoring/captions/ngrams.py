"""The n-grams of many captions at once, as numbers: how often each stands in each caption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

ORDERS = (1, 2, 3, 4)

Integers = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Counts:
    """The n-grams of one order, one row for each that stands in a caption, by caption.

    `caption` is the caption's place, `gram` the n-gram's number (below `grams`), `count` how often
    it stands there.
    """

    caption: Integers
    gram: Integers
    count: Integers
    grams: int


def lengths(words: Sequence[Sequence[str]]) -> Integers:
    """How many words each caption has."""
    return np.fromiter(map(len, words), np.int64, len(words))


def counted(words: Sequence[Sequence[str]]) -> list[Counts]:
    """The n-grams of captions that are split into words: one element each for n = 1 to 4."""
    numbers: dict[str, int] = {}
    flat = np.fromiter(
        (numbers.setdefault(word, len(numbers)) for caption in words for word in caption), np.int64
    )
    sizes = lengths(words)
    caption = np.repeat(np.arange(len(words)), sizes)
    left = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(flat))
    found = []
    gram, grams = flat, len(numbers)
    for order in ORDERS:
        if order > 1:
            # a longer n-gram is the shorter one that begins there and the word after it
            here = np.flatnonzero(left >= order)
            both = gram[here] * max(1, len(numbers)) + flat[here + order - 1]
            known, numbered = np.unique(both, return_inverse=True)
            grams = len(known)
            gram = np.zeros(len(flat), np.int64)
            gram[here] = numbered.reshape(-1)
        else:
            here = np.arange(len(flat))
        keys, count = np.unique(caption[here] * max(1, grams) + gram[here], return_counts=True)
        found.append(Counts(*np.divmod(keys, max(1, grams)), count.astype(np.int64), grams))
    return found


def looked_up(keys: Integers, known: Integers, values: Any) -> Any:
    """The value of each key, 0 where it is not among `known` (sorted, aligned with `values`)."""
    if not len(known):
        return np.zeros(len(keys), np.asarray(values).dtype)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[at] == keys, values[at], 0)
