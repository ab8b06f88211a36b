"""Which of a benchmark's samples are asked: all, a fixed pseudo-random part, or a list of ids."""

from __future__ import annotations

import hashlib
import heapq
from typing import TYPE_CHECKING

from eyechart.errors import DataError, UsageError, meant
from eyechart.io.files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from eyechart.values import Sample


def select(samples: Iterable[Sample], limit: str | None, ids: Path | None) -> list[Sample]:
    """The chosen samples, in the benchmark's order.

    `limit` N takes the N samples whose ids have the smallest SHA-256: the same for every model and
    machine, a fair choice, and part of any larger one. `first:N` takes file order.

    Raises:
        DataError: no samples, the same id twice, or an id in `ids` that is not there.
        UsageError: a limit that is no number.
    """
    unique = _unique(samples)
    if ids is not None:
        unique = list(_listed(unique, ids))
    if limit is None:
        chosen = unique
    elif limit.startswith("first:"):
        chosen = unique[: _number(limit.removeprefix("first:"), limit)]
    else:
        ranked = heapq.nsmallest(_number(limit, limit), enumerate(unique), key=_rank)
        chosen = [sample for _, sample in sorted(ranked, key=lambda pair: pair[0])]
    if not chosen:
        raise DataError("There is no sample to ask: the data are empty.")
    return chosen


def _rank(pair: tuple[int, Sample]) -> bytes:
    return hashlib.sha256(pair[1].id.encode()).digest()


def _number(text: str, limit: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:20]) < 10**18:
        raise UsageError(f"--limit {limit}: write a number above 0, or first:N for file order.")
    return int(text)


def _unique(samples: Iterable[Sample]) -> list[Sample]:
    every = list(samples)
    if len({sample.id for sample in every}) < len(every):
        _refuse_twice(every)
    return every


def _refuse_twice(samples: Iterable[Sample]) -> None:
    seen: set[str] = set()
    for position, sample in enumerate(samples, start=1):
        if sample.id in seen:
            raise DataError(
                f"The id {sample.id!r} stands twice in the data (the second time at sample "
                f"{position}); ids must be unique, or two samples would share one reply."
            )
        seen.add(sample.id)


def _listed(samples: list[Sample], path: Path) -> Iterator[Sample]:
    wanted = {line.strip() for line in read_text(path).splitlines() if line.strip()}
    known = {sample.id for sample in samples}
    for name in sorted(wanted - known):
        raise UsageError(
            f"{path}: no sample has the id {name!r}.{meant(name, known)} "
            f"({len(wanted - known):,} of {len(wanted):,} ids are unknown.)"
        )
    return (sample for sample in samples if sample.id in wanted)
