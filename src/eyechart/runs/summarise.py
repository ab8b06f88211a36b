"""A scored run to its report: figures with their doubt, coverage, slices and effort."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from eyechart import __version__
from eyechart.report import schema
from eyechart.runs import frame_check, published
from eyechart.runs.rescore import READ
from eyechart.scoring import statistics
from eyechart.text import filters as answer_filters
from eyechart.values import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import ReadingSpec, RunFile
    from eyechart.scoring import Metric
    from eyechart.values import Reply

MOST_VALUES_OF_A_TAG = 100
_LEAST_UNREAD = 3


def report(run: RunFile, scored: Scored, name: str, warnings: Sequence[str] = ()) -> schema.Report:
    """The report of a run. The same samples and replies give the same report."""
    reading, spec, protocol = run.reading, run.spec, scored.protocol
    figures = _Figures(scored)
    coverage = _coverage(scored, run)
    checked = frame_check.check(scored, run)
    over_all = figures.over(None)
    return schema.Report(
        schema=1,
        eyechart=__version__,
        run=name,
        fingerprint=run.fingerprint,
        benchmark=schema.BenchmarkFacts(
            name=spec.benchmark,
            split=spec.split,
            version=spec.benchmark_version,
            task=run.task,
            args=spec.benchmark_args,
            citation=run.citation,
            known_size=run.known_size,
        ),
        model=spec.model,
        model_name=spec.model_name,
        protocol=schema.ProtocolFacts(
            name=protocol.name,
            version=protocol.version,
            primary=protocol.primary,
            about=protocol.about,
            source=protocol.source,
            formula=protocol.formula,
            options=dict(protocol.options),
        ),
        reading=schema.ReadingFacts(
            dialect=reading.dialect,
            reasoning=reading.reasoning or protocol.reasoning,
            filters=[answer_filters.spelled(one) for one in reading.filters],
            box_policy=reading.box_policy,
            parser=(reading.parser or protocol.parser) if reading.dialect is not None else None,
            seen=reading.seen,
        ),
        asked=schema.AskedFacts(
            system=spec.template.system,
            prompt=spec.template.user,
            prompt_source=spec.template.source,
            generation=spec.generation,
            images=spec.images,
            repeats=1 + max((repeat for _, repeat in scored.keys), default=0),
        ),
        coverage=coverage,
        complete=coverage.answered == coverage.n,
        metrics=over_all,
        official=_official(scored),
        slices=_slices(scored, figures),
        effort=effort(scored.replies, reading),
        warnings=[*warnings, *_warnings(run, scored, coverage, checked)],
        yardsticks=figures.yardsticks(),
        frame_check=checked,
        preset=published.facts(run, scored, over_all),
    )


class _Figures:
    """Figures over any subset of the keys."""

    def __init__(self, scored: Scored) -> None:
        self._scored = scored
        self._columns = {name: np.asarray(column) for name, column in scored.columns.items()}
        statuses = np.array([reading.status for reading in scored.readings], dtype=object)
        self._answered = statuses != "error"
        self._read = (statuses == "ok") | (statuses == "none")
        self._groups = statistics.group_codes([scored.samples[i].group for i, _ in scored.keys])

    def over(self, rows: np.ndarray[Any, Any] | None) -> dict[str, schema.Figure]:
        """One figure per metric; `rows` are indices of keys, None for all."""
        at = np.arange(len(self._groups)) if rows is None else rows
        found = {m.name: self._figure(m, at) for m in self._scored.protocol.metrics}
        return {name: figure for name, figure in found.items() if figure is not None}

    def yardsticks(self) -> list[schema.Yardstick]:
        """What people or a blind guess would be worth on the same samples."""
        protocol = self._scored.protocol
        if protocol.yardsticks is None:
            return []
        by_name = {metric.name: metric for metric in protocol.metrics}
        groups = statistics.group_codes([one.group for one in self._scored.samples])
        return [
            schema.Yardstick(
                one.name,
                one.metric,
                one.about,
                _figure(by_name[one.metric], np.asarray(one.column, np.float64), groups),
            )
            for one in protocol.yardsticks(self._scored.samples)
        ]

    def _figure(self, metric: Metric, at: np.ndarray[Any, Any]) -> schema.Figure | None:
        if metric.over == "read":
            at = at[self._read[at]]
        if not len(at):
            return None
        values = self._columns[metric.name][at]
        return msgspec.structs.replace(
            _figure(metric, values, self._groups[at]),
            over_answered=_mean(metric, values[self._answered[at]]),
            over_read=_mean(metric, values[self._read[at]]),
        )


def _figure(
    metric: Metric, values: np.ndarray[Any, Any], groups: np.ndarray[Any, Any]
) -> schema.Figure:
    made = statistics.rooted(values) if metric.root else values
    found = statistics.interval(made, groups, metric.unit)
    value, low = found.value, found.low
    if value is not None and metric.root:
        value = float(values.mean()) ** 0.5
    if low is not None and metric.higher_is_better is not None:
        # only a measure that is best at 0 may lie below it
        low = max(low, 0.0)
    return schema.Figure(
        value=value if value is not None else 0.0,
        low=low,
        high=found.high,
        n=found.n,
        unit=metric.unit,
        higher_is_better=metric.higher_is_better,
    )


def _mean(metric: Metric, values: np.ndarray[Any, Any]) -> float | None:
    if not len(values):
        return None
    mean = float(values.mean())
    return mean**0.5 if metric.root else mean


def _coverage(scored: Scored, run: RunFile) -> schema.Coverage:
    # equal replies share their reading: each is looked at once
    shared = Counter(map(id, scored.readings))
    readings = {id(reading): reading for reading in scored.readings}
    counted = [(readings[key], count) for key, count in shared.items()]
    statuses = _counted((r.status, n) for r, n in counted)
    read = sum(n for r, n in counted if r.status in READ)
    return schema.Coverage(
        n=len(scored.keys),
        answered=len(scored.keys) - statuses.get("error", 0),
        read=read,
        groups=len({scored.samples[i].group for i, _ in scored.keys}),
        statuses={status: statuses.get(status, 0) for status in STATUSES},
        truncated=sum(n for r, n in counted if r.truncated),
        several_boxes=sum(n for r, n in counted if len(r.boxes) > 1),
        errors=_counted((r.reason, n) for r, n in counted if r.status == "error"),
        unread=_counted((r.reason or "unknown", n) for r, n in counted if r.status == "malformed"),
        flags=_counted((flag, n) for r, n in counted for flag in r.flags),
        left_out=run.left_out,
        matching=run.matching,
    )


def _counted(names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """How often each name is counted, the commonest first."""
    counts: Counter[str] = Counter()
    for name, count in names:
        counts[name] += count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _official(scored: Scored) -> dict[str, Any]:
    if scored.protocol.official is None:
        return {}
    samples = [scored.samples[i] for i, _ in scored.keys]
    return dict(scored.protocol.official(samples, {**scored.columns, **scored.beside}))


def _slices(scored: Scored, figures: _Figures) -> list[schema.Slice]:
    found = []
    for tag, values in _rows_by_tag(scored).items():
        # a tag that is different almost everywhere is a name, not a slice
        if len(values) < 2 or len(values) > max(20, len(scored.keys) // 2):
            continue
        most = sorted(values, key=lambda value: (-len(values[value]), value))
        for value in most[:MOST_VALUES_OF_A_TAG]:
            at = values[value]
            found.append(schema.Slice(tag, value, len(at), figures.over(at)))
    return found


def _rows_by_tag(scored: Scored) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    """The rows of each value of each tag, in order."""
    # samples share their tags where they are alike, so that few have to be looked at
    seen: dict[int, int] = {}
    every: list[dict[str, str]] = []
    codes = np.zeros(len(scored.keys), np.int64)
    for row, (index, _) in enumerate(scored.keys):
        tags = scored.samples[index].tags
        code = seen.setdefault(id(tags), len(seen))
        if code == len(every):
            every.append(tags)
        codes[row] = code
    found = {}
    for tag in dict.fromkeys(tag for tags in every for tag in tags):
        values: dict[str, int] = {}
        # 0 is for samples without the tag
        of_code = [values.setdefault(tags[tag], 1 + len(values)) if tag in tags else 0
                   for tags in every]  # fmt: skip
        of_row = np.array(of_code)[codes]
        order = np.argsort(of_row, kind="stable")
        ends = np.cumsum(np.bincount(of_row, minlength=1 + len(values)))
        found[tag] = {value: order[ends[code - 1] : ends[code]] for value, code in values.items()}
    return found


def effort(replies: Sequence[Reply | None], reading: ReadingSpec) -> schema.Effort:
    """What asking took, by the replies' own record of it."""
    measured = [
        reply
        for reply in replies
        if reply is not None and (reply.latency_s is not None or reply.usage is not None)
    ]
    times = np.array([reply.latency_s for reply in measured if reply.latency_s is not None])
    latency = None
    if len(times):
        marks = np.percentile(times, [50, 90, 99])
        names = ("p50", "p90", "p99")
        latency = {name: round(float(mark), 4) for name, mark in zip(names, marks, strict=True)}
        latency |= {"mean": round(float(times.mean()), 4), "max": round(float(times.max()), 4)}
    usages = [reply.usage for reply in measured if reply.usage is not None]
    into = sum(usage.input_tokens or 0 for usage in usages) if usages else None
    out = sum(usage.output_tokens or 0 for usage in usages) if usages else None
    cost = None
    if reading.prices is not None and into is not None and out is not None:
        cost = round((into * reading.prices[0] + out * reading.prices[1]) / 1e6, 6)
    return schema.Effort(latency_s=latency, input_tokens=into, output_tokens=out, cost=cost)


def _warnings(
    run: RunFile, scored: Scored, coverage: schema.Coverage, checked: schema.FrameCheck | None
) -> list[str]:
    found = []
    size, n = run.known_size, len(scored.samples)
    if size is not None and n != size:
        found.append(
            f"{run.spec.benchmark_name} has {size:,} samples, and {n:,} were scored: this figure is "
            "not the benchmark's."
        )
    missing = coverage.n - coverage.answered
    if missing:
        found.append(
            f"{missing:,} of {coverage.n:,} requests have no reply; they score 0 in every figure "
            "over n. The same command asks for them again."
        )
        found += _failures(scored)
    found += _mostly_unread(run, scored, coverage)
    pointed = sum(bool(one.points) and not one.boxes for one in scored.readings)
    if pointed > coverage.answered / 2:
        found.append(
            f"{pointed:,} of {coverage.answered:,} replies gave points and no box: what is measured by "
            "IoU is 0 for them; `centre` says whether a point lies in the true box."
        )
    if scored.protocol.warns is not None:
        found += scored.protocol.warns(scored.samples)
    if coverage.left_out:
        found.append(
            f"{coverage.left_out:,} of {coverage.left_out + n:,} samples have no reply in the file "
            "and are in no figure."
        )
    if coverage.truncated:
        found.append(
            f"Of the replies {coverage.truncated:,} broke off (a token limit, or thinking that never "
            "ended). Where the model is asked, --gen max_tokens=N raises the limit."
        )
    found += _notes(scored.replies)
    if checked is not None and checked.warning:
        found.append(checked.warning)
    return found


def _mostly_unread(run: RunFile, scored: Scored, coverage: schema.Coverage) -> list[str]:
    """Where most replies cannot be read as boxes, another way of writing may have been declared."""
    unread, dialect = coverage.statuses["malformed"], run.reading.dialect
    if dialect is None or unread < max(_LEAST_UNREAD, coverage.answered / 2):
        return []
    reason = next(iter(coverage.unread), "unknown")
    parser = run.reading.parser or scored.protocol.parser
    other = " --parser tolerant reads more forms." if parser == "authors" else ""
    return [
        f"{unread:,} of {coverage.answered:,} replies could not be read as {dialect} ({reason}): is "
        f"that how the model writes boxes? `eyechart probe MODEL` finds out.{other}"
    ]


def _failures(scored: Scored) -> list[str]:
    """One line a kind of failure, with the first message of it."""
    first: dict[str, str] = {}
    for reply in scored.replies:
        if reply is not None and reply.error is not None:
            first.setdefault(reply.error.kind, " ".join(reply.error.message.split())[:200])
    return [f"The first failure of kind {kind}: {message}" for kind, message in first.items()]


def _notes(replies: Sequence[Reply | None]) -> list[str]:
    noted = [reply for reply in replies if reply is not None and reply.notes]
    counted = _counted((note, 1) for reply in noted for note in reply.notes)
    return [
        f"{count:,} {'picture' if count == 1 else 'pictures'}: {note}."
        for note, count in counted.items()
    ]


def summary(made: schema.Report) -> dict[str, Any]:
    """The few numbers kept beside the scores of a protocol."""
    return {
        "protocol": made.protocol,
        "n": made.coverage.n,
        "statuses": made.coverage.statuses,
        "metrics": made.metrics,
        "official": made.official,
        "reading": made.reading,
    }
