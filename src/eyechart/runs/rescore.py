"""What replies are worth: read by the declared dialect, scored by the named protocol."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from eyechart import dialects
from eyechart.dialects import Dialect, Sizes, tensors
from eyechart.errors import DataError
from eyechart.io.resizing import Resize
from eyechart.runs.reading import GROUNDING, protocol_of
from eyechart.text import filters as answer_filters
from eyechart.text import thinking
from eyechart.values import Captions, Image, Reading, Sample, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eyechart.dialects.found import Parser
    from eyechart.runs.spec import ReadingSpec
    from eyechart.scoring import Protocol
    from eyechart.values import Reply


@dataclass(frozen=True, slots=True)
class Scored:
    """One column per metric, aligned with `keys`: (sample index, repeat).

    `beside` are the protocol's further columns, from which its program's totals are made.
    """

    protocol: Protocol
    samples: Sequence[Sample]
    keys: Sequence[tuple[int, int]]
    replies: Sequence[Reply | None]
    readings: Sequence[Reading]
    columns: Mapping[str, Sequence[float]]
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def scores(self) -> list[Score]:
        """The same, a value for each sample and repeat."""
        return [self.score_of(at) for at in range(len(self.keys))]

    def score_of(self, at: int) -> Score:
        """What one reply is worth; `at` is the place of its key."""
        (index, repeat), reading = self.keys[at], self.readings[at]
        return Score(self.samples[index].id, repeat, reading.status, self.values_of(at), reading)

    def values_of(self, at: int) -> dict[str, float]:
        """One reply's value by metric; a measure of error has none where nothing could be read."""
        read = self.readings[at].status in READ
        return {
            metric.name: self.columns[metric.name][at] ** (0.5 if metric.root else 1.0)
            for metric in self.protocol.metrics
            if read or metric.over == "total"
        }


class _UnseenError(Exception):
    """A picture that the model's preprocessing, as declared, does not take."""


class Reader:
    """Turns replies into readings by what was declared; it never sees a target."""

    def __init__(self, spec: ReadingSpec, protocol: Protocol) -> None:
        self._protocol = protocol
        self._parser: Parser = _parser(spec, protocol)
        self._keeps_boxes = protocol.keeps_boxes
        self._dialect: Dialect | None = None
        if spec.dialect is not None:
            self._dialect = dialects.find(
                spec.dialect, self._parser, keeps_boxes=protocol.keeps_boxes
            )
        self._seen = Resize.parse(spec.seen) if spec.seen is not None else None
        self._strip = (spec.reasoning or protocol.reasoning) == "strip"
        self._filter: Callable[[str], str] = answer_filters.build(spec.filters)
        # equal texts have equal readings where nothing else is looked at; answers repeat a lot
        self._known: dict[str, Reading] | None = {} if protocol.text_alone else None

    def read_all(self, samples: Iterable[Sample], replies: Sequence[Reply | None]) -> list[Reading]:
        """The readings of many replies; equal texts are read once where nothing else decides."""
        self._read_ahead(replies)
        known = self._known
        if known is None:
            return [self.read(*one) for one in zip(samples, replies, strict=True)]
        found = []
        for sample, reply in zip(samples, replies, strict=True):
            reading = None
            # most replies are plain words, and most words were said before
            plain = reply is not None and reply.state == "ok" and reply.finish_reason is None
            text = reply.text if plain and reply is not None else None
            if text is not None:
                reading = known.get(text)
            found.append(self.read(sample, reply) if reading is None else reading)
        return found

    def _read_ahead(self, replies: Iterable[Reply | None]) -> None:
        if self._known is None or self._protocol.read_texts is None:
            return
        said = {reply.text: None for reply in replies if reply is not None}
        texts, bare = [], []
        for text in said:
            if text is None:
                continue
            kept, unclosed = thinking.strip(text) if self._strip else (text, False)
            if not unclosed:
                texts.append(text)
                bare.append(self._filter(kept))
        self._known.update(zip(texts, self._protocol.read_texts(bare), strict=True))

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
        if self._known is None or reply.text is None:
            reading = self._read(sample, reply)
        elif (known := self._known.get(reply.text)) is not None:
            reading = known
        else:
            reading = self._known[reply.text] = self._read(sample, reply)
        return msgspec.structs.replace(reading, truncated=True) if cut else reading

    def _read(self, sample: Sample, reply: Reply) -> Reading:
        if reply.boxes is not None and sample.task in GROUNDING and not self._points_beside(reply):
            kept: Parser = "authors" if self._keeps_boxes else self._parser
            return tensors.read_boxes(reply.boxes, self.sizes(sample, reply), kept)
        if reply.text is None:
            return Reading("malformed", reason="boxes where text was asked for")
        text, unclosed = thinking.strip(reply.text) if self._strip else (reply.text, False)
        if unclosed:
            return Reading(
                "malformed", truncated=True, reason="thinking never ended", fault="truncated"
            )
        try:
            return self._said(sample, reply, self._filter(text))
        except _UnseenError as error:
            return Reading("malformed", reason=str(error), fault="invalid_box")

    def _points_beside(self, reply: Reply) -> bool:
        """Whether a text is there that points to the boxes which came as numbers."""
        dialect = self._dialect
        return dialect is not None and dialect.beside is not None and reply.text is not None

    def _said(self, sample: Sample, reply: Reply, text: str) -> Reading:
        if self._protocol.read_text is not None:
            return self._protocol.read_text(self._asked(sample), text)
        if self._dialect is None:
            # a model that gives boxes as numbers said something in words this time
            return Reading("malformed", reason="words, and no dialect is declared")
        return self._dialect.read(text, self.sizes(sample, reply), reply.boxes)

    def sizes(self, sample: Sample, reply: Reply) -> Sizes:
        """The picture's size, what was sent, and what the model saw: told, or else as declared.

        Raises:
            DataError: the picture's own size is not known.
        """
        width, height = sample.image.width, sample.image.height
        if width is None or height is None:
            raise DataError(f"Sample {sample.id!r}: the picture's size is not known.")
        original, sent = (width, height), reply.sent_size
        return Sizes(original, sent, reply.seen_size or self._seen_size(original, sent))

    def _seen_size(
        self, original: tuple[int, int], sent: tuple[int, int] | None
    ) -> tuple[int, int] | None:
        if self._seen is None:
            return None
        if self._seen.kind == "sent":
            return sent
        if self._seen.kind == "original":
            return original
        try:
            # where no one noted what was sent, it is taken to be the picture itself
            return self._seen.apply(sent or original)
        except DataError as error:
            raise _UnseenError(str(error)) from None

    def _asked(self, sample: Sample) -> Sample:
        """The sample with what was asked alone: truth and slices are hidden from whoever reads."""
        if self._known is not None:
            return _NOBODY
        return Sample(sample.id, sample.task, sample.image, sample.asked, _HIDDEN, sample.group)


_HIDDEN = Captions(())
_NOBODY = Sample("", "answer", Image(""), {}, _HIDDEN, "")
# the statuses of a reply that says something which can be judged
READ = frozenset({"ok", "none"})


def _parser(spec: ReadingSpec, protocol: Protocol) -> Parser:
    return "authors" if (spec.parser or protocol.parser) == "authors" else "tolerant"


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
    keys: list[tuple[int, int]] = []
    found: list[Reply | None] = []
    ids = [sample.id for sample in samples]
    for repeat in range(repeats):
        keys += zip(range(len(samples)), itertools.repeat(repeat))
        found += map(replies.get, zip(ids, itertools.repeat(repeat)))
    readings = reader.read_all((samples[i] for i, _ in keys), found)
    columns = _columns(protocol, samples, keys, readings)
    metrics = {metric.name: columns.pop(metric.name) for metric in protocol.metrics}
    return Scored(protocol, samples, keys, found, readings, metrics, columns)


def _columns(
    protocol: Protocol,
    samples: Sequence[Sample],
    keys: Sequence[tuple[int, int]],
    readings: Sequence[Reading],
) -> dict[str, list[float]]:
    read = np.array([reading.status in READ for reading in readings], bool)
    asked = list(range(len(keys))) if protocol.whole else np.flatnonzero(read).tolist()
    if len(asked) == len(keys):
        given = protocol.score([samples[i] for i, _ in keys], readings)
    else:
        given = protocol.score(
            [samples[keys[at][0]] for at in asked], [readings[at] for at in asked]
        )
    metrics = {metric.name for metric in protocol.metrics}
    columns: dict[str, list[float]] = {}
    for name, values in given.items():
        column = np.zeros(len(keys))
        column[asked] = np.asarray(values, np.float64)
        if name in metrics:
            column[~(read & np.isfinite(column))] = 0.0
        columns[name] = column.tolist()
    return columns
