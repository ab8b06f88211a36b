"""Finds the first run of digits in each of many texts at once."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_DIGITS = re.compile(r"\d+")
_ZERO = ord("0")
# characters looked at in one go: enough for the overhead to vanish, few enough for the cache
_BATCH = 1 << 20
# the most digits that always fit a signed integer of 64 bits
_FITS = 18


def first_runs(texts: Sequence[str]) -> list[int | str | None]:
    r"""The first run of digits of each text, as `re.search(r"\d+", text)` finds it.

    An int where it has at most 18 ASCII digits, the digits themselves where they are more or of
    another script, None where there are none. Linear in the texts' length, and for ASCII several
    times faster than a search in each.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    batches = np.cumsum(lengths) // _BATCH
    bounds = [0, *(np.flatnonzero(np.diff(batches)) + 1).tolist(), len(texts)]
    found: list[int | str | None] = []
    for begin, end in pairwise(bounds):
        part = texts[begin:end]
        joined = "\n".join(part)
        if joined.isascii():
            found += _of_ascii(part, joined, lengths[begin:end])
        else:
            found += map(_of_one, part)
    return found


def _of_one(text: str) -> int | str | None:
    run = _DIGITS.search(text)
    if run is None:
        return None
    digits = run.group()
    return int(digits) if len(digits) <= _FITS and digits.isascii() else digits


def _of_ascii(
    texts: Sequence[str], joined: str, lengths: NDArray[np.int64]
) -> list[int | str | None]:
    if not texts:
        return []
    # at the end as many characters that are no digits as the longest number has
    raw = np.frombuffer((joined + "\n" * (_FITS + 2)).encode("ascii"), np.uint8)
    digits = np.flatnonzero((raw - np.uint8(_ZERO)) < 10)
    ends = np.cumsum(lengths + 1) - 1
    # a text without digits is given its own end, which has none
    first = np.minimum(np.append(digits, raw.size)[np.searchsorted(digits, ends - lengths)], ends)
    values, longer = _values(raw, first)
    found: list[int | str | None] = values.tolist()
    for at in np.flatnonzero(first == ends).tolist():
        found[at] = None
    for at in longer.tolist():
        found[at] = _of_one(texts[at])
    return found


def _values(
    raw: NDArray[np.uint8], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers that begin at `starts`, and which of them have more than 18 digits."""
    values = np.zeros(len(starts), np.int64)
    going = np.arange(len(starts))
    for step in range(_FITS + 1):
        digit = raw[starts[going] + step] - np.uint8(_ZERO)
        more = digit < 10
        going = going[more]
        if step == _FITS or not len(going):
            break
        values[going] = values[going] * 10 + digit[more]
    return values, going
