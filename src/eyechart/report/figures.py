"""Numbers in words: how figures, shares and settings are written, the same in every format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError, meant
from eyechart.report.escape import visible
from eyechart.values import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eyechart.report.schema import Coverage, Figure, ProtocolFacts, Report, Slice
    from eyechart.values import Matching

_DEPTH = 4
_UNITS = {"pixels": "px"}


def amount(value: float, unit: str) -> str:
    """`74.3 %` for a ratio, `12.40 px` for pixels, `1.250` for anything else."""
    if unit == "ratio":
        return f"{_no_minus_zero(100 * value, 1)} %"
    if unit in _UNITS:
        return f"{_no_minus_zero(value, 2)} {_UNITS[unit]}"
    return _no_minus_zero(value, 3)


def change(value: float, unit: str) -> str:
    """A difference with its sign: `+1.30 points` (percentage points) for a ratio."""
    if unit == "ratio":
        return f"{_no_minus_zero(100 * value, 2, sign='+')} points"
    if unit in _UNITS:
        return f"{_no_minus_zero(value, 2, sign='+')} {_UNITS[unit]}"
    return _no_minus_zero(value, 3, sign="+")


def span(low: float | None, high: float | None, unit: str, *, signed: bool = False) -> str:
    """An interval without its unit: `73.4 to 75.2`; of a difference, signed and finer."""
    if low is None or high is None:
        return "not known"
    sign = "+" if signed else ""
    scale, digits = {"ratio": (100.0, 1 + signed), "pixels": (1.0, 2)}.get(unit, (1.0, 3))
    ends = (_no_minus_zero(scale * end, digits, sign=sign) for end in (low, high))
    return " to ".join(ends)


def _no_minus_zero(value: float, digits: int, sign: str = "") -> str:
    rounded = round(value, digits)
    # -0.0 == 0.0, and a plus before nothing would claim a direction
    return f"{0.0:.{digits}f}" if rounded == 0 else f"{rounded:{sign},.{digits}f}"


def share(part: int, whole: int) -> str:
    """`1.2 %`; a share that is not nothing is never written as 0, nor one that is not all as 100."""
    if whole <= 0 or part == 0:
        return "0 %"
    if part == whole:
        return "100 %"
    ratio = 100 * part / whole
    if ratio < 0.1:
        return "<0.1 %"
    if ratio > 99.9:
        return ">99.9 %"
    return f"{ratio:.1f} %"


def counted(number: int, name: str) -> str:
    """`1 picture`, `1,500 pictures`."""
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def probability(p: float) -> str:
    """A p-value: `p 0.012`, or `p <0.001`."""
    return "p <0.001" if p < 0.001 else f"p {p:.3f}"


def protocol_name(protocol: ProtocolFacts) -> str:
    """`rec version 1`."""
    return f"{protocol.name} version {protocol.version}"


def yardsticks(report: Report) -> list[tuple[str, Figure, str]]:
    """Rows for people and blind guesses: `accuracy of people`, the figure, and what it means."""
    return [(f"{one.metric}: {one.name}", one.figure, one.about) for one in report.yardsticks]


def benchmark_name(report: Report) -> str:
    """`refcoco/val`, or the name alone where there are no splits."""
    facts = report.benchmark
    return f"{facts.name}/{facts.split}" if facts.split else facts.name


def figures(report: Report) -> list[tuple[str, Figure]]:
    """All figures by metric, the protocol's primary one first."""
    primary = report.protocol.primary
    return sorted(report.metrics.items(), key=lambda pair: pair[0] != primary)


def denominators_differ(figure: Figure) -> bool:
    """Whether the figure over answered or over read samples is not the one over all."""
    return figure.over_answered != figure.value or figure.over_read != figure.value


def part(value: float | None, unit: str) -> str:
    """A figure over part of the samples; says so where no sample is left."""
    return "no sample" if value is None else amount(value, unit)


def statuses(coverage: Coverage) -> list[tuple[str, int]]:
    """How many samples have each status, in the order of the values, zeros included."""
    others = [name for name in coverage.statuses if name not in STATUSES]
    return [(name, coverage.statuses.get(name, 0)) for name in (*STATUSES, *others)]


def coverage_rows(coverage: Coverage) -> list[tuple[str, int]]:
    """How many samples got how far, without what did not occur; ok and error always stand."""
    always = ("ok", "error")
    return [
        ("answered", coverage.answered),
        ("read", coverage.read),
        *((f"status {name}", n) for name, n in statuses(coverage) if n or name in always),
        *(
            (name, n)
            for name, n in (
                ("truncated", coverage.truncated),
                ("several boxes", coverage.several_boxes),
            )
            if n
        ),
    ]


def most_frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts in falling order, equal ones by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def size_line(report: Report) -> str:
    """How many samples were scored, of how many the split is known to have."""
    coverage, known = report.coverage, report.benchmark.known_size
    repeats = report.asked.repeats
    text = f"{coverage.n:,} scored"
    if repeats > 1:
        text += f" ({repeats} repeats of each sample)"
    if known is not None and known * repeats != coverage.n:
        text += f"; the split has {counted(known, 'sample')}"
    return f"{text}; intervals clustered by {counted(coverage.groups, 'picture')}"


def matching_line(matching: Matching) -> str:
    """How a file of replies went with the samples, and why some of its rows did not."""
    text = f"{matching.form}: {matching.rows:,}, of which {matching.matched:,} matched"
    if not matching.unmatched:
        return text
    others = ", ".join(f"{count:,} {reason}" for reason, count in matching.unmatched.items())
    return f"{text}; not matched: {others}"


@dataclass(frozen=True, slots=True)
class SliceTable:
    """One tag's slices, the most frequent first.

    Besides `rows`, `left_out` more values exist, of `left_n` samples, and `small` more whose
    samples are fewer than was asked for.
    """

    tag: str
    rows: list[tuple[Slice, Figure]]
    left_out: int
    left_n: int
    small: int = 0


def slice_tables(
    report: Report, by: Sequence[str] | None, rows: int | None, *, least: int = 1
) -> list[SliceTable]:
    """The primary metric by slice: the tags in `by` (None: all, in the report's order).

    At most `rows` values of a tag are given (None: every one), of those with `least` samples.

    Raises:
        UsageError: `by` names a tag that the report does not have.
    """
    found: dict[str, list[tuple[Slice, Figure]]] = {}
    for one in report.slices:
        figure = one.metrics.get(report.protocol.primary)
        if figure is not None:
            found.setdefault(one.tag, []).append((one, figure))
    for tag in by or ():
        if tag not in found:
            raise UsageError(
                f"This report has no slices by {tag!r}.{meant(tag, found)} "
                f"Its tags: {', '.join(found) or 'none'}."
            )
    tables = []
    for tag in dict.fromkeys(found if by is None else by):
        ordered = sorted(found[tag], key=lambda pair: (-pair[0].n, pair[0].value))
        large = [pair for pair in ordered if pair[0].n >= least]
        shown = large[:rows]
        rest = large[len(shown) :]
        rest_n = sum(one.n for one, _ in rest)
        tables.append(SliceTable(tag, shown, len(rest), rest_n, len(ordered) - len(large)))
    return tables


def official_lines(report: Report) -> list[str]:
    """The lines that the protocol's own program prints, inert; none where they are not kept."""
    lines = report.official.get("printed")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return []
    return [visible(line) for line in lines]


def official_title(report: Report) -> str:
    """What the protocol's own block is: what its program prints, or its totals alone."""
    if official_lines(report):
        return "As the protocol's own program prints it"
    return "The protocol's own totals"


def official_rows(report: Report) -> list[tuple[str, str]]:
    """The protocol's own block as rows, without its printed lines and what is empty."""
    lines = official_lines(report)
    block = {k: v for k, v in report.official.items() if not (lines and k == "printed")}
    return [row for row in settings(block) if row[1] not in ("{}", "[]")]


def settings(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Nested settings as rows: `a.b` and the value, strings bare and everything else as JSON."""
    return list(_rows(values, "", _DEPTH))


def _rows(values: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and value and depth > 0:
            yield from _rows(value, f"{name}.", depth - 1)
        elif isinstance(value, str):
            yield name, value
        else:
            yield name, json.dumps(value, ensure_ascii=False, default=str)


def effort(report: Report) -> list[tuple[str, str]]:
    """Latency, tokens and cost as rows; only what was measured."""
    facts = report.effort
    rows = []
    if facts.latency_s:
        rows.append(("latency", ", ".join(f"{k} {v:.3g} s" for k, v in facts.latency_s.items())))
    tokens = [
        f"{count:,} {name}"
        for name, count in (("in", facts.input_tokens), ("out", facts.output_tokens))
        if count is not None
    ]
    if tokens:
        rows.append(("tokens", ", ".join(tokens)))
    if facts.cost is not None:
        rows.append(("cost", f"{facts.cost:,.4f} {facts.currency or ''}".rstrip()))
    return rows


def how(report: Report) -> list[tuple[str, str]]:
    """How replies were asked for and read, as rows; nothing guessed, all of it declared."""
    reading, asked = report.reading, report.asked
    generation = ", ".join(f"{k}={v}" for k, v in settings(asked.generation))
    rows = [
        ("dialect", reading.dialect or "none (boxes as numbers, or words)"),
        ("parser", reading.parser or ""),
        ("size seen", reading.seen or ""),
        ("reasoning", reading.reasoning),
        ("filters", ", ".join(reading.filters) or "none"),
        ("several boxes", reading.box_policy or ""),
        ("protocol options", ", ".join(f"{k}={v}" for k, v in settings(report.protocol.options))),
        ("generation", generation or "the model's defaults"),
        ("pictures", "as they are" if asked.images == "original" else asked.images),
        ("repeats", str(asked.repeats)),
        ("prompt from", asked.prompt_source),
    ]
    return [(name, value) for name, value in rows if value]
