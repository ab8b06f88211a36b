"""The boxes of a run's replies as they would lie, were their numbers in other frames: for diagnosis.

All boxes of a frame are made at once: a frame's arithmetic is linear in the numbers, and its slopes
and offsets are taken from `dialects.frames.Frame.to_pixels` itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from eyechart import dialects
from eyechart.dialects import Sizes
from eyechart.dialects.frames import ORDERS, Frame
from eyechart.dialects.tensors import FORMATS
from eyechart.errors import EyechartError, UsageError
from eyechart.io.resizing import Resize
from eyechart.runs.rescore import Reader
from eyechart.scoring import statistics
from eyechart.scoring.boxes import iou
from eyechart.text import filters as answer_filters
from eyechart.text import thinking
from eyechart.values import Boxes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from eyechart.dialects import Dialect
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import ReadingSpec
    from eyechart.scoring import Protocol
    from eyechart.values import Box, Reading, Reply

    Floats = NDArray[np.float64]
    Hits = NDArray[np.bool_]

MOST = 20_000
IOU = 0.5
# what else the numbers of a text may be measured in
SCALES = ("pixels", "sent", "seen", "0-1", "0-100", "0-999", "0-1000", "0-1023", "square")
# what a model's preprocessing commonly makes of a picture
RULES = {f"seen[max={most}]": f"smart:factor=28,max={most}" for most in (1_003_520, 12_845_056)}
# of a reply's boxes, where the policy looks at all of them
_MOST_BOXES = 100


@dataclass(frozen=True, slots=True)
class Source:
    """Where the model's own numbers come from, and what is done with boxes made of them.

    `orders` puts corners in order, `clips` clips to the picture, as it is done in the declared frame.
    """

    dialect: Dialect | None
    strip: bool
    filtered: Callable[[str], str]
    orders: bool
    clips: bool

    @classmethod
    def of(cls, spec: ReadingSpec, protocol: Protocol) -> Source:
        """The source that a reading and a protocol declare."""
        dialect = None
        authors = (spec.parser or protocol.parser) == "authors"
        if spec.dialect is not None:
            dialect = dialects.find(spec.dialect, "authors" if authors else "tolerant")
        kept = authors or protocol.keeps_boxes
        return cls(
            dialect=dialect,
            strip=(spec.reasoning or protocol.reasoning) == "strip",
            filtered=answer_filters.build(spec.filters),
            orders=not kept or (dialect is not None and dialect.orders_corners),
            clips=not kept,
        )

    def takes_numbers(self, reply: Reply) -> bool:
        """Whether a reply's boxes are those beside its text."""
        beside = self.dialect is not None and self.dialect.beside is not None
        return reply.boxes is not None and (not beside or reply.text is None)

    def text(self, reply: Reply) -> str:
        """What is read of a reply."""
        text = reply.text or ""
        return self.filtered(thinking.strip(text)[0] if self.strip else text)

    def numbers(self, reply: Reply) -> list[tuple[float, ...]]:
        """The numbers of each box, in the order in which the reading has them."""
        if reply.boxes is not None and self.takes_numbers(reply):
            raw = reply.boxes
            if not raw.scores:
                return list(raw.boxes)
            places = sorted(range(len(raw.boxes)), key=lambda place: -raw.scores[place])
            return [raw.boxes[place] for place in places]
        if self.dialect is None:
            return []
        return self.dialect.found(self.text(reply), reply.boxes).boxes


@dataclass(frozen=True, slots=True)
class Looked:
    """The replies that are looked at, n of them, and the B boxes of theirs that may count.

    `numbers` are the model's own and `boxes` what was made of them, both `(B, 4)`; `owners` `(B,)`
    says whose they are. `truths` are true boxes; `sizes`, `groups` and `outside` (whether a box left
    the picture) have one for each reply. `sampled` says that they are spread over more.
    """

    source: Source
    policy: str
    replies: Sequence[Reply]
    numbers: Floats
    boxes: Floats
    owners: NDArray[np.int64]
    truths: Sequence[Sequence[Box]]
    sizes: Sequence[Sizes]
    groups: NDArray[np.int64]
    outside: Hits
    sampled: bool

    @property
    def forms(self) -> set[str]:
        """The forms of the boxes that came as numbers, where all did; else empty."""
        forms = {r.boxes.format for r in self.replies if r.boxes and self.source.takes_numbers(r)}
        text = any(not self.source.takes_numbers(reply) for reply in self.replies)
        return set() if text else forms


def look(scored: Scored, spec: ReadingSpec) -> Looked | None:
    """The replies with a box where there is one to find, at most 20,000 of them, spread evenly.

    None where there is none, where the protocol reads replies itself, or a box is not four numbers.
    """
    protocol = scored.protocol
    if protocol.read_text is not None:
        return None
    source, policy = Source.of(spec, protocol), str(protocol.options.get("policy", "first"))
    if source.dialect is not None and source.dialect.frame.cells:
        return None
    able = [at for at, reading in enumerate(scored.readings) if reading.boxes and _true(scored, at)]
    sampled = len(able) > MOST
    if sampled:
        able = [able[place] for place in np.linspace(0, len(able) - 1, MOST).round().astype(int)]
    picked: list[tuple[int, Reply, list[tuple[float, ...]]]] = []
    for at in able:
        reply = scored.replies[at]
        said = source.numbers(reply) if reply is not None else []
        # anything else was not read in this way
        same = len(said) == len(scored.readings[at].boxes) and all(len(one) == 4 for one in said)
        if reply is not None and same:
            picked.append((at, reply, said))
    if not picked:
        return None
    rows = [
        (owner, said[place], scored.readings[at].boxes[place])
        for owner, (at, _, said) in enumerate(picked)
        for place in _counting(scored.readings[at], policy)
    ]
    reader = Reader(spec, protocol)
    samples = [scored.samples[scored.keys[at][0]] for at, _, _ in picked]
    return Looked(
        source=source,
        policy=policy,
        replies=[reply for _, reply, _ in picked],
        numbers=np.array([numbers for _, numbers, _ in rows], np.float64),
        boxes=np.array([box for _, _, box in rows], np.float64),
        owners=np.array([owner for owner, _, _ in rows], np.int64),
        truths=[_true(scored, at) for at, _, _ in picked],
        sizes=[reader.sizes(sample, one[1]) for sample, one in zip(samples, picked, strict=True)],
        groups=statistics.group_codes([sample.group for sample in samples]),
        outside=np.array(["outside" in scored.readings[at].flags for at, _, _ in picked], bool),
        sampled=sampled,
    )


def _true(scored: Scored, at: int) -> tuple[Box, ...]:
    target = scored.samples[scored.keys[at][0]].target
    return target.boxes if isinstance(target, Boxes) else ()


def _counting(reading: Reading, policy: str) -> Sequence[int]:
    """The places of the boxes that a policy may look at."""
    count = len(reading.boxes)
    if policy in ("any", "union", "mean"):
        return range(min(count, _MOST_BOXES))
    if policy == "last":
        return (count - 1,)
    if policy == "highest" and len(reading.scores) == count:
        return (max(range(count), key=reading.scores.__getitem__),)
    return (0,)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A frame that the numbers may be in; `rule` is what the picture becomes, if that is tried."""

    name: str
    frame: Frame
    rule: str | None = None


def candidates(source_frame: Frame | None, forms: set[str]) -> list[Candidate]:
    """The frames to try beside the declared one (`source_frame`, if any), xyxy first.

    For boxes in text all scales in all orders; for boxes as numbers, which have one of `forms`, all
    rows of `dialects.tensors.FORMATS`.
    """
    if forms:
        rows = [(name, frame) for name, frame in FORMATS.items() if forms != {name}]
    else:
        frames = [Frame(scale, order) for order in ORDERS for scale in SCALES]
        rows = [(_spelled(one.scale, one.order), one) for one in frames if one != source_frame]
    found = [Candidate(name, frame) for name, frame in rows]
    for order in ORDERS:
        for name, rule in RULES.items():
            spelled = f"{order}-{name}" if forms else _spelled(name, order)
            found.append(Candidate(spelled, Frame("seen", order), rule))
    return found


def _spelled(scale: str, order: str) -> str:
    return scale if order == "xyxy" else f"{scale},{order}"


class Frames:
    """Boxes of all replies in any frame, by the frames' own arithmetic, which is linear."""

    def __init__(self, looked: Looked) -> None:
        self._looked = looked
        places: dict[Sizes, int] = {}
        self._codes = np.array([places.setdefault(one, len(places)) for one in looked.sizes])
        self._sizes = list(places)
        self._axes: dict[tuple[str, str | None], tuple[Floats, Floats] | None] = {}
        originals = np.array([one.original for one in self._sizes], np.float64)
        self._limits = np.tile(originals, 2)[self._codes[looked.owners]]
        pairs = [
            (place, truth)
            for place, owner in enumerate(self._folded_owners().tolist())
            for truth in looked.truths[owner]
        ]
        self._faced = np.array([place for place, _ in pairs], np.int64)
        self._true = np.array([truth for _, truth in pairs], np.float64)

    def boxes(self, one: Candidate) -> Floats | None:
        """The boxes `(B, 4)` (xyxy, pixels) as written, or None where a size is not known."""
        key = (one.frame.scale, one.rule)
        if key not in self._axes:
            self._axes[key] = self._lines(*key)
        lines = self._axes[key]
        if lines is None:
            return None
        slope, offset = lines
        of_box = self._codes[self._looked.owners]
        with np.errstate(all="ignore"):
            corners = self._looked.numbers @ _corners(one.frame.order)
            placed: Floats = corners * slope[of_box] + offset[of_box]
        return placed

    def tidied(self, boxes: Floats) -> Floats:
        """The boxes in order and clipped, as far as those of the declared frame were."""
        if self._looked.source.orders:
            first, second = boxes[:, :2], boxes[:, 2:]
            boxes = np.hstack([np.minimum(first, second), np.maximum(first, second)])
        if self._looked.source.clips:
            boxes = np.clip(boxes, 0.0, self._limits)
        return boxes

    def hits(self, boxes: Floats) -> Hits:
        """Which replies `(n,)` hit a true box with the boxes `(B, 4)` that the policy picks."""
        with np.errstate(all="ignore"):
            overlap = iou(self._folded(boxes)[self._faced], self._true)
        hit = np.zeros(len(self._looked.replies), bool)
        hit[self._folded_owners()[self._faced[overlap >= IOU]]] = True
        return hit

    def _lines(self, scale: str, rule: str | None) -> tuple[Floats, Floats] | None:
        """Slope and offset `(sizes, 4)` of each corner; None where a size is not known."""
        frame, resize = Frame(scale), Resize.parse(rule) if rule is not None else None
        ends = []
        for sizes in self._sizes:
            seen = sizes if resize is None else _resized(sizes, resize)
            try:
                # of both axes where 0 and where 1 lies
                ends.append(frame.to_pixels((0.0, 0.0, 1.0, 1.0), seen) if seen else (np.nan,) * 4)
            except UsageError:
                return None
        both = np.array(ends, np.float64)
        return np.tile(both[:, 2:] - both[:, :2], 2), np.tile(both[:, :2], 2)

    def _folded_owners(self) -> NDArray[np.int64]:
        """Whose the boxes are once those of a reply have become one, where the policy does so."""
        owners = self._looked.owners
        return np.unique(owners) if self._looked.policy in ("union", "mean") else owners

    def _folded(self, boxes: Floats) -> Floats:
        policy, owners = self._looked.policy, self._looked.owners
        if policy not in ("union", "mean"):
            return boxes
        _, starts, counts = np.unique(owners, return_index=True, return_counts=True)
        if policy == "mean":
            mean: Floats = np.add.reduceat(boxes, starts) / counts[:, None]
            return mean
        low = np.minimum.reduceat(boxes[:, :2], starts)
        return np.hstack([low, np.maximum.reduceat(boxes[:, 2:], starts)])


def _corners(order: str) -> Floats:
    """The matrix `(4, 4)` that makes corners of four numbers in this order."""
    frame, sizes = Frame("pixels", order), Sizes((1, 1))
    return np.array([frame.to_pixels(row, sizes) for row in np.eye(4).tolist()])


def _resized(sizes: Sizes, resize: Resize) -> Sizes | None:
    try:
        return replace(sizes, seen=resize.apply(sizes.sent or sizes.original))
    except EyechartError:
        # a picture of this shape is one that such a model refuses
        return None
