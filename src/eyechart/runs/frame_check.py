"""The frame check: do the boxes of a grounding run seem to be read in the frame they are written in?

It says what the replies would be worth, were their numbers read in other frames. It is a diagnosis alone: it looks at the truth, and so no score and no reading depends on it. A
frame is warned for when the replies that were looked at hit in it (IoU of 0.5 with a true box) by
more than 10 points more often than as declared, and when that is beyond chance: by an exact sign
test over pictures (a picture counts for the frame in which more of its replies hit), two-sided,
times the number of frames tried, below 0.01. Failing that, it is asked what was declared where more
than 5 % of the replies have a box outside the picture and hit nothing (where the truth is not looked
at: have one at all). At most 20,000 replies are looked at, spread evenly.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from eyechart import dialects
from eyechart.report.schema import FrameCheck, FrameHits
from eyechart.runs.other_frames import Frames, candidates, look
from eyechart.runs.reading import GROUNDING
from eyechart.scoring.distributions import sign_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.runs.other_frames import Candidate, Hits, Looked
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import ReadingSpec, RunFile
    from eyechart.values import Reading

_MARGIN = 0.10
_CHANCE = 0.01
# above this chance two frames are not told apart
_SAME = 0.05
# two frames are alike when at most this share of what either hits is missed by the other, and when
# that is at least this share of all replies
_ALIKE = 0.02
_ALIKE_FROM = 0.05
# frames with less than this share of the best one's hits are not worth a line
_SHOWN_FROM = 0.05
_OUTSIDE = 0.05
_SHOWN = 8
_NAMED = 3
_TEXTS = 50


def check(scored: Scored, run: RunFile) -> FrameCheck | None:
    """What the boxes of a run look like, and in which frames they would hit.

    None where no boxes were asked for, or no reply came. Where the protocol reads replies itself, or
    a box is not four numbers, nothing is said of other frames.
    """
    readings = [reading for reading in scored.readings if reading.status != "error"]
    if not readings or scored.samples[0].task not in GROUNDING:
        return None
    flags = Counter(flag for reading in readings for flag in reading.flags)
    found = FrameCheck(
        declared=_declared(scored, run.reading),
        answered=len(readings),
        with_boxes=sum(bool(reading.boxes) for reading in readings),
        outside=flags["outside"],
        swapped=flags["swapped"],
        flat=flags["flat"],
        unread=_unread(readings),
    )
    looked = look(scored, run.reading)
    if looked is not None:
        return _compared(found, looked)
    if found.outside <= _OUTSIDE * found.with_boxes:
        return found
    warning = _outside(found.declared, found.outside, found.with_boxes)
    return msgspec.structs.replace(found, warning=warning)


def _outside(declared: str, count: int, n: int, hit: str = "") -> str:
    return (
        f"{count:,} of {n:,} replies with a box have one outside the picture{hit}: is {declared} "
        "the model's own way of writing them? `eyechart probe MODEL` finds it out."
    )


def _unread(readings: Sequence[Reading]) -> dict[str, int]:
    counts = Counter(
        reading.status if reading.status == "refused" else reading.fault or reading.reason
        for reading in readings
        if reading.status in ("malformed", "refused")
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _declared(scored: Scored, spec: ReadingSpec) -> str:
    """The dialect; without one the forms of boxes that came as numbers, or the protocol."""
    if spec.dialect is not None:
        return spec.dialect
    forms = {reply.boxes.format for reply in scored.replies if reply and reply.boxes is not None}
    return " and ".join(sorted(forms)) or scored.protocol.name


def _compared(found: FrameCheck, looked: Looked) -> FrameCheck:
    """The check with what other frames would hit, and a warning where one does far better."""
    frames, dialect = Frames(looked), looked.source.dialect
    own = dialect.frame if dialect is not None and dialect.to_box is None else None
    hits: list[tuple[Candidate | None, Hits]] = [(None, frames.hits(looked.boxes))]
    for one in candidates(own, looked.forms):
        boxes = frames.boxes(one)
        if boxes is not None:
            hits.append((one, frames.hits(frames.tidied(boxes))))
    declared = " and ".join(sorted(looked.forms)) or found.declared
    rows = _rows(hits, declared, looked)
    ranked = sorted(rows, key=lambda pair: -pair[0].hits)
    tried, n = len(hits) - 1, len(looked.replies)
    least = max(1, ranked[0][0].hits * _SHOWN_FROM)
    others = [row for row, _ in ranked if row.hits >= least and not row.declared]
    warning = _warning(ranked, looked, tried)
    lost = int((looked.outside & ~hits[0][1]).sum())
    if not warning and lost > _OUTSIDE * n:
        warning = _outside(declared, lost, n, " and hit nothing")
    return msgspec.structs.replace(
        found,
        declared=declared,
        policy=looked.policy,
        looked_at=n,
        pictures=len(np.unique(looked.groups)),
        tried=tried,
        sampled=looked.sampled,
        frames=[row for row, _ in ranked if row.declared or row in others[:_SHOWN]],
        warning=warning,
    )


def _rows(
    hits: Sequence[tuple[Candidate | None, Hits]], declared: str, looked: Looked
) -> list[tuple[FrameHits, Hits]]:
    """One row a frame, those with nearly the same hits in one; the declared frame's own comes first."""
    best = sorted(hits[1:], key=lambda pair: -int(pair[1].sum()))
    led: list[tuple[Candidate | None, Hits, list[str]]] = [(*hits[0], [])]
    for one, hit in best:
        group = next((names for _, other, names in led if _are_alike(hit, other)), None)
        if group is None:
            led.append((one, hit, []))
        elif one is not None:
            group.append(one.name)
    as_json = _json_reads(looked)
    found = []
    for one, hit, names in led:
        count = int(hit.sum())
        row = FrameHits(
            frame=declared if one is None else one.name,
            hits=count,
            accuracy=count / len(hit),
            declared=one is None,
            alike=names,
            flag="" if one is None or not count else _flag(one, looked, as_json=as_json),
        )
        found.append((row, hit))
    return found


def _are_alike(one: Hits, other: Hits) -> bool:
    either = int((one | other).sum())
    # a few hits in common say nothing
    return either >= _ALIKE_FROM * len(one) and int((one ^ other).sum()) <= _ALIKE * either


def _json_reads(looked: Looked) -> bool:
    """Whether the dialect json finds the same numbers, so that it could declare another frame."""
    own = looked.source.dialect
    if own is None:
        return False
    plain = dialects.find("json:pixels", own.parser).found
    texts = [looked.source.text(reply) for reply in looked.replies[:_TEXTS]]
    found = [own.found(text).boxes for text in texts]
    same = sum(boxes == plain(text).boxes != [] for boxes, text in zip(found, texts, strict=True))
    return same > 0.9 * len(texts)


def _flag(one: Candidate, looked: Looked, *, as_json: bool) -> str:
    """The option that declares a frame for boxes in text, or nothing."""
    own, frame = looked.source.dialect, one.frame
    if looked.forms or own is None:
        return ""
    if own.frame.needs_seen and own.frame.order == frame.order and own.to_box is None:
        # the same dialect, told what the model sees
        rule = "sent" if frame.scale == "sent" else one.rule
        if rule is not None:
            return f"--seen {rule}"
    if not as_json:
        return ""
    spelled = frame.scale if frame.order == "xyxy" else f"{frame.scale},{frame.order}"
    return f"--dialect json:{spelled}" + (f" --seen {one.rule}" if one.rule else "")


def _warning(ranked: Sequence[tuple[FrameHits, Hits]], looked: Looked, tried: int) -> str:
    """What is said where another frame does far better; else nothing."""
    own, had = next(pair for pair in ranked if pair[0].declared)
    others = [(row, hit) for row, hit in ranked if not row.declared and row.hits]
    if not others:
        return ""
    best, won = others[0]
    if best.accuracy - own.accuracy <= _MARGIN or _chance(won, had, looked) * tried >= _CHANCE:
        return ""
    near = [row.frame for row, hit in others[1:] if _chance(won, hit, looked) > _SAME]
    alike = [*best.alike, *near]
    named = ", ".join(alike[:_NAMED])
    more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
    untold = f" (or {named}{more}: these replies do not tell them apart)" if alike else ""
    return (
        f"Frame check: as declared, {own.frame}, {_per_cent(own)} of {len(looked.replies):,} replies "
        f"with a box hit a true one (IoU 0.5); read as {best.frame}{untold} {_per_cent(best)} would. "
        f"{_remedy(best, own, looked)} This is a diagnosis: no score was changed."
    )


def _per_cent(row: FrameHits) -> str:
    return f"{100 * row.accuracy:.1f} %"


def _remedy(best: FrameHits, own: FrameHits, looked: Looked) -> str:
    probe = "`eyechart probe MODEL` finds out how it writes"
    if best.flag:
        return f"If the model writes so, declare it: {best.flag}; {probe}."
    if looked.forms:
        return f"If the model writes so, {best.frame} is the form to give with its boxes; {probe}."
    return f"No option reads {own.frame} in that frame; {probe}."


def _chance(one: Hits, other: Hits, looked: Looked) -> float:
    """The two-sided probability of an exact sign test over pictures that two frames hit alike."""
    net = np.bincount(looked.groups, one.astype(np.float64) - other)
    return sign_test(int((net > 0).sum()), int((net < 0).sum()))
