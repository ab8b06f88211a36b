"""Reports on a terminal, in 80 columns, with nothing told by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyechart.report import comparison as compare
from eyechart.report import curve, frame_check, published
from eyechart.report import figures as fig
from eyechart.report.escape import shortened
from eyechart.report.paper import Paper
from eyechart.report.sample import (
    boxes_text,
    failure_text,
    reading_text,
    reply_facts,
    target_text,
    worth,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from eyechart.report.comparison import Comparison, Difference
    from eyechart.report.paper import Column
    from eyechart.report.sample import SampleView
    from eyechart.report.schema import Coverage, Report
    from eyechart.values import Reply, Score

_WARNING = "bold yellow"
_TAGS = 5
_ROWS = 8
_LEAST = 5
_TAG = 60
_LINES = 12
_LINE = 300
_FACT = 50


def summary(
    report: Report, console: Console, *, by: Sequence[str] | None = None, rows: int | None = None
) -> None:
    """Prints a report: figures with their doubt, warnings, coverage, slices, settings.

    `by` names the tags whose slices are shown, with every value. None shows the first five tags
    with eight values each, of five samples or more; what that leaves out is named. `rows` is the
    number of values shown instead.

    Raises:
        UsageError: `by` names a tag that the report does not have.
    """
    if by is None:
        tables = fig.slice_tables(report, None, _ROWS if rows is None else rows, least=_LEAST)
    else:
        tables = fig.slice_tables(report, by, rows)
    paper = Paper(console)
    paper.line(f"{fig.benchmark_name(report)}   {report.model_name}", "bold")
    paper.line(f"run {report.run}")
    _headline(paper, report)
    _warnings(paper, report)
    if report.frame_check is not None:
        frame_check.show(report.frame_check, paper)
    _coverage(paper, report)
    if report.preset is not None:
        published.section(paper, report.preset)
    _slices(paper, report.protocol.primary, tables, _TAGS if by is None else len(tables))
    _settings(paper, report)
    _official(paper, report)
    _effort(paper, report)


def _headline(paper: Paper, report: Report) -> None:
    ordered = fig.figures(report)
    paper.heading(f"Protocol {fig.protocol_name(report.protocol)}")
    paper.line(report.protocol.about)
    if report.protocol.formula:
        paper.line(report.protocol.formula, "dim")
    measured = [(_metric(name, higher_is_better=f.higher_is_better), f) for name, f in ordered]
    beside = fig.yardsticks(report)
    paper.table(
        [("metric", "left"), ("value", "right"), ("95 % interval", "right"), ("n", "right")],
        [
            (name, fig.amount(f.value, f.unit), fig.span(f.low, f.high, f.unit), f"{f.n:,}")
            for name, f in [*measured, *((name, f) for name, f, _ in beside)]
        ],
        strong_first=True,
    )
    for name, _, about in beside:
        paper.line(f"{name}: {about}", "dim")
    for name, f in ordered[:1]:
        if fig.denominators_differ(f):
            paper.line(
                f"{name} over answered {fig.part(f.over_answered, f.unit)}, "
                f"over read {fig.part(f.over_read, f.unit)}; "
                "above, a failed or unreadable reply scores 0"
            )


def _metric(name: str, *, higher_is_better: bool | None) -> str:
    return f"{name} (lower is better)" if higher_is_better is False else name


def _warnings(paper: Paper, report: Report) -> None:
    warnings = [f"WARNING: {warning}" for warning in report.warnings]
    if not report.complete:
        warnings.insert(0, "INCOMPLETE: some samples have no answer yet")
    if warnings:
        paper.gap()
    for warning in warnings:
        paper.line(warning, _WARNING)


def _coverage(paper: Paper, report: Report) -> None:
    coverage = report.coverage
    paper.heading("Coverage")
    paper.line(fig.size_line(report))
    if coverage.matching is not None:
        paper.line(fig.matching_line(coverage.matching))
    _counts(paper, "replies", fig.coverage_rows(coverage), coverage)
    for title, counts in (
        ("errors by kind", coverage.errors),
        ("unread by reason", coverage.unread),
        ("flags", coverage.flags),
    ):
        if counts:
            paper.gap()
            _counts(paper, title, fig.most_frequent(counts), coverage)


def _counts(
    paper: Paper, title: str, counts: Sequence[tuple[str, int]], coverage: Coverage
) -> None:
    paper.table(
        [(title, "left"), ("number", "right"), ("share of all", "right")],
        [(name, f"{count:,}", fig.share(count, coverage.n)) for name, count in counts],
    )


def _slices(paper: Paper, metric: str, tables: Sequence[fig.SliceTable], most: int) -> None:
    shown = [table for table in tables if table.rows][:most]
    for table in shown:
        _slice(paper, metric, table)
    named = {table.tag for table in shown}
    others = [shortened(table.tag, _TAG) for table in tables if table.tag not in named]
    if others:
        paper.gap()
        paper.line(
            f"{'also by' if shown else f'{metric} by'}: {', '.join(others)} (eyechart report --by TAG)"
        )


def _slice(paper: Paper, metric: str, table: fig.SliceTable) -> None:
    paper.heading(f"{metric} by {table.tag}")
    paper.table(
        [(table.tag, "left"), ("n", "right"), ("value", "right"), ("95 % interval", "right")],
        [
            (one.value, f"{one.n:,}", fig.amount(f.value, f.unit), fig.span(f.low, f.high, f.unit))
            for one, f in table.rows
        ],
    )
    if table.left_out:
        left = fig.counted(table.left_out, "more value")
        paper.line(f"{left}, of {fig.counted(table.left_n, 'sample')}", "dim")
    if table.small:
        small = fig.counted(table.small, "more value")
        paper.line(f"{small} with fewer than {_LEAST} samples", "dim")


def _settings(paper: Paper, report: Report) -> None:
    paper.heading("Asked and read")
    paper.pairs(fig.how(report))
    for role, text in (("system", report.asked.system), ("prompt", report.asked.prompt)):
        if text is not None:
            paper.line(role, "dim")
            paper.quote(text)


def _official(paper: Paper, report: Report) -> None:
    lines, rows = fig.official_lines(report), fig.official_rows(report)
    if not lines and not rows:
        return
    paper.heading(fig.official_title(report))
    if not lines:
        paper.pairs(rows)
        return
    for line in lines[:_LINES]:
        paper.quote(shortened(line, _LINE))
    more = len(lines) - _LINES
    if more > 0:
        paper.line(f"... {fig.counted(more, 'more line')} in report.json", "dim")


def _effort(paper: Paper, report: Report) -> None:
    rows = fig.effort(report)
    if rows:
        paper.heading("What asking took")
        paper.pairs(rows)


def suite(reports: Sequence[Report], console: Console) -> None:
    """Prints one table of several reports: each model on each benchmark, by primary metric."""
    paper = Paper(console)
    columns: list[Column] = [
        ("model", "left"),
        ("benchmark", "left"),
        ("metric", "left"),
        ("value", "right"),
        ("95 % interval", "right"),
        ("n", "right"),
        ("errors", "right"),
    ]
    paper.table(columns, [_suite_row(report) for report in reports])
    by = {fig.benchmark_name(r): f"{r.protocol.name} v{r.protocol.version}" for r in reports}
    paper.line("scored by " + ", ".join(f"{rule} ({name})" for name, rule in by.items()), "dim")
    for report in reports:
        for warning in report.warnings:
            paper.line(
                f"WARNING {report.model_name} {fig.benchmark_name(report)}: {warning}", _WARNING
            )
    unfinished = sum(not report.complete for report in reports)
    if unfinished:
        runs = fig.counted(len(reports), "run")
        lack = "lacks" if unfinished == 1 else "lack"
        paper.line(f"* incomplete: {unfinished:,} of {runs} {lack} answers", _WARNING)


def _suite_row(report: Report) -> Sequence[str]:
    metric, figure = fig.figures(report)[0]
    return (
        report.model_name,
        fig.benchmark_name(report),
        metric,
        fig.amount(figure.value, figure.unit) + ("" if report.complete else "*"),
        fig.span(figure.low, figure.high, figure.unit),
        f"{figure.n:,}",
        f"{report.coverage.statuses.get('error', 0):,}",
    )


def listing(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Prints what there is to choose from: each name, beside it what it is and its facts."""
    Paper(console).entries((str(row["name"]), _paragraphs(row)) for row in rows)


def _paragraphs(row: Mapping[str, Any]) -> list[str]:
    """What it is; then its short facts in one line, and each long one in its own."""
    facts = [
        f"{key}: {_listed(value)}"
        for key, value in row.items()
        if key not in ("name", "about") and value
    ]
    brief = [fact for fact in facts if len(fact) <= _FACT]
    long = [fact for fact in facts if len(fact) > _FACT]
    return [str(row["about"]), *(["; ".join(brief)] if brief else []), *long]


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={default}" for key, default in value.items())
    return ", ".join(curve.folded(value)) if isinstance(value, list) else str(value)


def comparison(compared: Comparison, console: Console) -> None:
    """Prints a paired comparison: B - A for each metric, and the verdict on the primary one."""
    paper = Paper(console)
    paper.line(
        f"{compared.benchmark}, protocol {compared.protocol} version {compared.version}", "bold"
    )
    paper.pairs([("A", compared.a), ("B", compared.b)])
    paper.line(
        f"{fig.counted(compared.n, 'sample')} in both, paired; "
        f"intervals clustered by {fig.counted(compared.groups, 'picture')}"
    )
    paper.gap()
    ordered = compare.ordered(compared)
    columns: list[Column] = [
        ("metric", "left"),
        ("A", "right"),
        ("B", "right"),
        ("B - A", "right"),
        ("95 % interval", "right"),
        ("verdict", "left"),
    ]
    paper.table(columns, [_difference(name, d) for name, d in ordered], strong_first=True)
    if any(compare.short(d) == "unclear" for _, d in ordered):
        paper.line(
            "unclear: the interval holds 0 or is not known, A and B are not distinguishable", "dim"
        )
    for name, d in ordered[:1]:
        paper.gap()
        paper.line(f"{name} by sample: {compare.by_sample(d)}")
        paper.line(compare.sentence(compared, name), "bold")
    for warning in compared.warnings:
        paper.heading(f"WARNING: {warning}", _WARNING)


def _difference(name: str, d: Difference) -> Sequence[str]:
    return (
        _metric(name, higher_is_better=d.higher_is_better),
        fig.amount(d.a, d.unit),
        fig.amount(d.b, d.unit),
        fig.change(d.difference, d.unit),
        fig.span(d.low, d.high, d.unit, signed=True),
        compare.short(d),
    )


def sample(view: SampleView, console: Console) -> None:
    """Prints one sample whole: question, truth, request, every reply and its score."""
    paper = Paper(console)
    shown = view.sample
    size = f"{shown.image.width or '?'} x {shown.image.height or '?'}"
    paper.line(f"sample {shown.id}", "bold")
    rows = [
        ("task", shown.task),
        ("picture", f"{shown.image.name} ({size})"),
        ("picture file", view.picture or shown.image.source or "not at hand"),
        ("digest", shown.image.digest),
        ("group", shown.group),
        *((f"tag {name}", value) for name, value in shown.tags.items()),
    ]
    paper.pairs((name, value) for name, value in rows if value)
    paper.heading("Truth")
    paper.quote(target_text(shown.target))
    paper.heading("Request")
    for message in view.messages:
        paper.line(message.role + (", with the picture" if message.with_image else ""), "dim")
        paper.quote(message.text)
    scores = {score.repeat: score for score in view.scores}
    for reply in view.replies:
        _reply(paper, reply, scores.pop(reply.repeat, None))
    for score in scores.values():
        paper.heading(f"Score of repeat {score.repeat}, without a reply")
        _score(paper, score)


def _reply(paper: Paper, reply: Reply, score: Score | None) -> None:
    paper.heading(f"Reply {reply.repeat}")
    paper.pairs(reply_facts(reply))
    if reply.reasoning:
        paper.line("reasoning", "dim")
        paper.quote(reply.reasoning)
    if reply.text is not None:
        paper.line("text", "dim")
        paper.quote(reply.text)
    if reply.boxes is not None:
        paper.line(f"boxes as numbers, {reply.boxes.format}", "dim")
        paper.quote(boxes_text(reply.boxes.boxes) or "none")
    if reply.error is not None:
        paper.line("no reply", "dim")
        paper.quote(failure_text(reply))
    if score is not None:
        paper.heading(f"Score of reply {reply.repeat}")
        _score(paper, score)


def _score(paper: Paper, score: Score) -> None:
    paper.line("read as", "dim")
    paper.quote(reading_text(score.reading))
    paper.pairs([("status", score.status), *worth(score)])
