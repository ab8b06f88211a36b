"""The IoU curve in one line: metrics that are one accuracy at rising thresholds."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_AT = re.compile(r"acc@0\.[0-9]{1,4}")
_SHORTEST = 3


def steps(names: Iterable[str]) -> list[str]:
    """The metrics `acc@T` after the first of them; none where so few are no curve."""
    found = [name for name in names if _AT.fullmatch(name)][1:]
    return found if len(found) >= _SHORTEST else []


def spanned(names: Sequence[str]) -> str:
    """Steps from the first to the last: `acc@0.55 to 0.95`; one alone is its own name."""
    first, last = names[0], names[-1]
    return first if first == last else f"{first} to {last.removeprefix('acc@')}"


def folded(names: Sequence[str]) -> list[str]:
    """The names in their order, the steps of a curve as one."""
    curve = steps(names)
    if not curve:
        return list(names)
    first = names.index(curve[0])
    rest = [name for name in names[first:] if name not in curve]
    return [*names[:first], spanned(curve), *rest]


def text(values: Mapping[str, float]) -> str:
    """The curve's values to four decimals, neighbours that are the same written once.

    A single sample's curve has one fall: `acc@0.55 to 0.7 1.0000, acc@0.75 to 0.95 0.0000`. Empty
    where there is no curve.
    """
    runs = groupby(((f"{values[name]:.4f}", name) for name in steps(values)), lambda pair: pair[0])
    return ", ".join(f"{spanned([name for _, name in run])} {value}" for value, run in runs)
