"""What replies are worth: read by the declared dialect, scored by the named protocol."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart import dialects
from eyechart.dialects import Dialect, Sizes, tensors
from eyechart.errors import DataError
from eyechart.runs.reading import GROUNDING, protocol_of
from eyechart.text import filters as answer_filters
from eyechart.text import thinking
from eyechart.values import Captions, Reading, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.runs.spec import ReadingSpec
    from eyechart.scoring import Protocol
    from eyechart.values import Reply, Sample


@dataclass(frozen=True, slots=True)
class Scored:
    """One column per metric, aligned with `keys`: (sample index, repeat)."""

    protocol: Protocol
    samples: Sequence[Sample]
    keys: Sequence[tuple[int, int]]
    replies: Sequence[Reply | None]
    readings: Sequence[Reading]
    columns: Mapping[str, Sequence[float]]

    def scores(self) -> list[Score]:
        """The same, a value for each sample and repeat."""
        names = list(self.columns)
        rows = zip(*self.columns.values(), strict=True)
        return [
            Score(
                self.samples[i].id,
                repeat,
                reading.status,
                dict(zip(names, row, strict=True)),
                reading,
            )
            for (i, repeat), reading, row in zip(self.keys, self.readings, rows, strict=True)
        ]


class Reader:
    """Turns replies into readings by what was declared; it never sees a target."""

    def __init__(self, spec: ReadingSpec, protocol: Protocol) -> None:
        self._protocol = protocol
        self._dialect: Dialect | None = dialects.find(spec.dialect) if spec.dialect else None
        self._strip = (spec.reasoning or protocol.reasoning) == "strip"
        self._filter: Callable[[str], str] = answer_filters.build(spec.filters)

    def read(self, sample: Sample, reply: Reply | None) -> Reading:
        """The reading of one reply; None is a reply that never came."""
        if reply is None:
            return Reading("error", reason="missing")
        cut = reply.finish_reason == "length"
        if reply.state == "error":
            return Reading("error", reason=reply.error.kind if reply.error else "unknown")
        if reply.state == "refused":
            return Reading("refused", truncated=cut)
        if reply.state == "empty":
            return Reading("malformed", truncated=cut, reason="empty reply")
        reading = self._read(sample, reply)
        return msgspec.structs.replace(reading, truncated=True) if cut else reading

    def _read(self, sample: Sample, reply: Reply) -> Reading:
        grounding = sample.task in GROUNDING
        if grounding and reply.boxes is not None:
            return tensors.read_boxes(reply.boxes, _sizes(sample, reply))
        if reply.text is None:
            return Reading("malformed", reason="boxes where text was asked for")
        text, unclosed = thinking.strip(reply.text) if self._strip else (reply.text, False)
        if unclosed:
            return Reading("malformed", truncated=True, reason="thinking never ended")
        text = self._filter(text)
        # the sample goes in for what was asked: truth and slices are hidden from whoever reads
        asked = msgspec.structs.replace(sample, target=_HIDDEN, tags={})
        if self._protocol.read_text is not None:
            return self._protocol.read_text(asked, text)
        if self._dialect is None:
            # a model that gives boxes as numbers said something in words this time
            return Reading("malformed", reason="words, and no dialect is declared")
        return self._dialect.read(text, _sizes(sample, reply))


_HIDDEN = Captions(())


def _sizes(sample: Sample, reply: Reply) -> Sizes:
    width, height = sample.image.width, sample.image.height
    if width is None or height is None:
        raise DataError(f"Sample {sample.id!r}: the picture's size is not known.")
    return Sizes((width, height), reply.sent_size, reply.seen_size)


def score(
    samples: Sequence[Sample],
    replies: Mapping[tuple[str, int], Reply],
    spec: ReadingSpec,
    repeats: int = 1,
) -> Scored:
    """Reads and scores all samples under one protocol.

    Whatever is not of status ok or none scores 0: the scorer never sees it.

    Raises:
        UsageError: an unknown protocol, dialect or filter, or a protocol for another task.
    """
    protocol = protocol_of(spec)
    reader = Reader(spec, protocol)
    keys = [(i, repeat) for repeat in range(repeats) for i in range(len(samples))]
    found = [replies.get((samples[i].id, repeat)) for i, repeat in keys]
    readings = [reader.read(samples[i], reply) for (i, _), reply in zip(keys, found, strict=True)]
    columns = _columns(protocol, samples, keys, readings)
    return Scored(protocol, samples, keys, found, readings, columns)


def _columns(
    protocol: Protocol,
    samples: Sequence[Sample],
    keys: Sequence[tuple[int, int]],
    readings: Sequence[Reading],
) -> dict[str, list[float]]:
    worth = [at for at, reading in enumerate(readings) if reading.status in ("ok", "none")]
    given = protocol.score([samples[keys[at][0]] for at in worth], [readings[at] for at in worth])
    columns: dict[str, list[float]] = {}
    for metric in protocol.metrics:
        column = [0.0] * len(keys)
        for at, value in zip(worth, given[metric.name], strict=True):
            column[at] = float(value) if math.isfinite(value) else 0.0
        columns[metric.name] = column
    return columns
