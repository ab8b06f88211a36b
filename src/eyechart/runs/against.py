"""Scores of now beside scores of before: the samples on which the verdict is another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError, UsageError
from eyechart.io.files import read_bytes, read_jsonl
from eyechart.report.changes import Change, Changes, Verdict
from eyechart.values import Score

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.runs.rescore import Scored


@dataclass(frozen=True, slots=True)
class Before:
    """Scores that were kept: by sample and repeat, and the metric that they are known by."""

    path: Path
    scores: dict[tuple[str, int], Score]
    metric: str | None


def read(path: Path) -> Before:
    """The scores of a `scores/<protocol>.jsonl` file of a run folder.

    Raises:
        DataError: there is no such file, or it holds something else; names the line.
        UsageError: a folder.
    """
    if path.is_dir():
        held = sorted(one.name for one in path.glob("scores/*.jsonl"))
        names = f" (such as {path / 'scores' / held[0]})" if held else ""
        raise UsageError(f"{path}: --against names a file of scores{names}, not a folder.")
    try:
        scores = {(one.sample_id, one.repeat): one for _, one in read_jsonl(path, Score)}
    except DataError as error:
        raise DataError(
            f"{error} --against names scores as a run folder keeps them (scores/<protocol>.jsonl)."
        ) from None
    return Before(path, scores, _primary(path))


def _primary(path: Path) -> str | None:
    summary = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.jsonl')}.summary.json")
    if not summary.is_file():
        return None
    try:
        held = msgspec.json.decode(read_bytes(summary), type=_Summary)
    except msgspec.MsgspecError:
        return None
    return held.protocol.primary


class _Protocol(msgspec.Struct):
    primary: str


class _Summary(msgspec.Struct):
    protocol: _Protocol


def changes(before: Before, scored: Scored) -> Changes:
    """The samples whose status or value by the primary metric is not what it was.

    The former value is by the same metric where the scores have it, else by their own primary one.

    Raises:
        UsageError: the scores have no sample in common with these, or no metric.
    """
    now_by = scored.protocol.primary
    held = {name for score in before.scores.values() for name in score.values}
    was_by = now_by if now_by in held else (before.metric or min(held, default=None))
    if was_by is None:
        raise UsageError(f"{before.path}: holds no scores.")
    found, common = [], 0
    seen = set()
    for at, (index, repeat) in enumerate(scored.keys):
        key = (scored.samples[index].id, repeat)
        then = before.scores.get(key)
        if then is None:
            continue
        common += 1
        seen.add(key)
        was = Verdict(then.status, then.values.get(was_by, 0.0))
        now = Verdict(scored.readings[at].status, scored.values_of(at).get(now_by, 0.0))
        if was != now:
            found.append(Change(*key, was, now, scored.readings[at].reason))
    if not common:
        raise UsageError(f"{before.path}: its scores are of other samples; none is in common.")
    return Changes(
        against=str(before.path),
        before=was_by,
        now=now_by,
        n=common,
        only_before=len(before.scores) - len(seen),
        only_now=len(scored.keys) - common,
        changed=found,
    )
