"""Reports on a terminal, in 80 columns, with nothing told by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyechart.report import figures as fig
from eyechart.report.paper import Paper
from eyechart.report.sample import (
    boxes_text,
    failure_text,
    reading_text,
    reply_facts,
    target_text,
    values_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from eyechart.report.comparison import Comparison
    from eyechart.report.paper import Column
    from eyechart.report.sample import SampleView
    from eyechart.report.schema import Coverage, Report
    from eyechart.values import Reply, Score

_WARNING = "bold yellow"


def summary(
    report: Report, console: Console, *, by: Sequence[str] | None = None, rows: int = 8
) -> None:
    """Prints a report: figures with their doubt, coverage, slices, settings, warnings.

    `by` names the tags whose slices are shown (None: all), `rows` limits the rows of each.

    Raises:
        UsageError: `by` names a tag that the report does not have.
    """
    tables = fig.slice_tables(report, by, rows)
    paper = Paper(console)
    paper.line(f"{fig.benchmark_name(report)}   {report.model_name}", "bold")
    paper.line(f"run {report.run}")
    _headline(paper, report)
    _coverage(paper, report)
    for table in tables:
        _slices(paper, report.protocol.primary, table)
    _official(paper, report)
    _settings(paper, report)
    _warnings(paper, report)


def _headline(paper: Paper, report: Report) -> None:
    ordered = fig.figures(report)
    paper.heading(f"Protocol {fig.protocol_name(report.protocol)}")
    paper.line(report.protocol.about)
    paper.table(
        [("metric", "left"), ("value", "right"), ("95 % interval", "right"), ("n", "right")],
        [
            (
                name if f.higher_is_better else f"{name} (lower is better)",
                fig.amount(f.value, f.unit),
                fig.span(f.low, f.high, f.unit),
                f"{f.n:,}",
            )
            for name, f in ordered
        ],
        strong_first=True,
    )
    if not fig.denominators_differ(report):
        return
    paper.heading("Over other denominators")
    paper.line(
        "Above, a failed or unreadable reply scores 0. Answered: without failed requests. "
        "Read: without unreadable replies as well."
    )
    paper.table(
        [("metric", "left"), ("all", "right"), ("answered", "right"), ("read", "right")],
        [
            (
                name,
                fig.amount(f.value, f.unit),
                fig.part(f.over_answered, f.unit),
                fig.part(f.over_read, f.unit),
            )
            for name, f in ordered
        ],
    )


def _coverage(paper: Paper, report: Report) -> None:
    coverage = report.coverage
    paper.heading("Coverage")
    paper.line(fig.size_line(report))
    if not report.complete:
        paper.line("INCOMPLETE: some samples have no answer yet", _WARNING)
    counted = [
        ("answered", coverage.answered),
        ("read", coverage.read),
        *((f"status {name}", count) for name, count in fig.statuses(coverage)),
        ("truncated", coverage.truncated),
        ("several boxes", coverage.several_boxes),
    ]
    _counts(paper, "replies", counted, coverage)
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


def _slices(paper: Paper, metric: str, table: fig.SliceTable) -> None:
    paper.heading(f"{metric} by {table.tag}")
    paper.table(
        [(table.tag, "left"), ("n", "right"), ("value", "right"), ("95 % interval", "right")],
        [
            (one.value, f"{one.n:,}", fig.amount(f.value, f.unit), fig.span(f.low, f.high, f.unit))
            for one, f in table.rows
        ],
    )
    if table.left_out:
        paper.line(f"and {table.left_out:,} more values ({table.left_n:,} samples)", "dim")


def _official(paper: Paper, report: Report) -> None:
    if report.official:
        paper.heading("As the protocol's own program prints it")
        paper.pairs(fig.settings(report.official))


def _settings(paper: Paper, report: Report) -> None:
    paper.heading("Asked and read")
    paper.pairs([*fig.how(report), *fig.effort(report)])
    for role, text in (("system", report.asked.system), ("prompt", report.asked.prompt)):
        if text is not None:
            paper.line(role, "dim")
            paper.quote(text)


def _warnings(paper: Paper, report: Report) -> None:
    for warning in report.warnings:
        paper.heading(f"WARNING: {warning}", _WARNING)


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
        paper.line(f"* incomplete: {unfinished} of {len(reports)} runs lack answers", _WARNING)


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
    """Prints what there is to choose from: each name with its facts below it."""
    paper = Paper(console)
    for row in rows:
        facts = {key: value for key, value in row.items() if key not in ("name", "about")}
        paper.line(str(row["name"]), "bold")
        paper.pairs([("  ", str(row["about"]))])
        paper.pairs([(f"  {key}", _listed(value)) for key, value in facts.items() if value])


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={default}" for key, default in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def comparison(compared: Comparison, console: Console) -> None:
    """Prints a paired comparison: B minus A for each metric, and the verdict in words."""
    paper = Paper(console)
    paper.line(f"{compared.benchmark}, protocol {compared.protocol} version {compared.version}")
    paper.pairs([("A", compared.a), ("B", compared.b)])
    paper.line(
        f"{compared.n:,} samples in both, paired; "
        f"intervals clustered by {compared.groups:,} pictures"
    )
    ordered = sorted(compared.metrics.items(), key=lambda pair: pair[0] != compared.primary)
    for name, d in ordered:
        paper.heading(f"{name}: {d.verdict}")
        change = fig.change(d.difference, d.unit)
        direction = "" if d.higher_is_better else " (lower is better)"
        rows = [
            ("A, B", f"{fig.amount(d.a, d.unit)}, {fig.amount(d.b, d.unit)}{direction}"),
            (
                "B minus A",
                f"{change}, 95 % interval {fig.span(d.low, d.high, d.unit, signed=True)}",
            ),
            ("by sample", f"B wins {d.wins:,}, loses {d.losses:,}, ties {d.ties:,}"),
        ]
        if d.mcnemar_p is not None:
            rows.append(("McNemar test", fig.probability(d.mcnemar_p)))
        paper.pairs(rows)
    for warning in compared.warnings:
        paper.heading(f"WARNING: {warning}", _WARNING)


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
    paper.pairs([("status", score.status), ("worth", values_text(score))])
