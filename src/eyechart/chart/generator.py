"""A stream of integers that is the same on every machine and in every version.

It is splitmix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014): a counter that grows by the golden ratio of 2**64, and a bit mixer over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")

_MASK = 0xFFFFFFFFFFFFFFFF
_GOLDEN = 0x9E3779B97F4A7C15


def mixed(value: int) -> int:
    """The 64 bits of `value` (taken modulo 2**64), thoroughly stirred; one to one."""
    value &= _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Stream:
    """Draws that depend on the keys alone; negative keys are allowed."""

    __slots__ = ("_state",)

    def __init__(self, *keys: int) -> None:
        self._state = 0
        for key in keys:
            self._state = mixed(mixed(self._state + _GOLDEN) ^ (key & _MASK))

    def bits(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        return mixed(self._state)

    def below(self, bound: int) -> int:
        """An integer of 0..bound-1 (the high half of a product: its bias is below 2**-50)."""
        return (self.bits() * bound) >> 64

    def between(self, low: int, high: int) -> int:
        """An integer of low..high, both included; `low` where high is smaller."""
        return low + self.below(max(1, high - low + 1))

    def chance(self, wins: int, of: int) -> bool:
        """True `wins` times out of `of`."""
        return self.below(of) < wins

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[Item, int]]) -> Item:
        """One of the items, each as likely as its weight says."""
        left = self.below(sum(weight for _, weight in items))
        for item, weight in items:
            left -= weight
            if left < 0:
                return item
        raise AssertionError("the weights sum to more than was drawn")

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order (Fisher and Yates)."""
        mixed_up = list(items)
        for last in range(len(mixed_up) - 1, 0, -1):
            other = self.below(last + 1)
            mixed_up[last], mixed_up[other] = mixed_up[other], mixed_up[last]
        return mixed_up
