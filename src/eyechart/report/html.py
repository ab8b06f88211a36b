"""A report as one HTML file that needs nothing else: no network, no script, no font."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from eyechart.report import figures as fig
from eyechart.report import frame_check as frames
from eyechart.report import published, sample
from eyechart.report.escape import shortened, visible_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.report.sample import SampleView
    from eyechart.report.schema import Coverage, Figure, Report

_SLICE_ROWS = 50
_TEXT_LIMIT = 6000


def _inert(value: Any) -> Any:
    """Every string on its way into the page: hidden characters written out, then escaped."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible_block(value)
    return value


@cache
def _template(name: str) -> str:
    return resources.files("eyechart.report").joinpath("templates", name).read_text("utf-8")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        fig=fig, frames=frames, sample=sample, published=published, bar=_bar, stack=_stack
    )
    environment.filters["short"] = lambda text: shortened(text, _TEXT_LIMIT)
    return environment


def _bar(figure: Figure) -> dict[str, str] | None:
    """Where the interval and the point lie on a bar of 0..100; None for what is no ratio."""
    if figure.unit != "ratio" or figure.low is None or figure.high is None:
        return None
    low, value, high = (
        100 * min(max(x, 0.0), 1.0) for x in (figure.low, figure.value, figure.high)
    )
    return {
        "low": f"{low:.2f}",
        "width": f"{max(high - low, 0.0):.2f}",
        "mark": f"{min(max(value - 0.3, 0.0), 99.4):.2f}",
        "words": f"{fig.amount(figure.value, figure.unit)}, "
        f"95 % interval {fig.span(figure.low, figure.high, figure.unit)}",
    }


def _stack(coverage: Coverage) -> list[dict[str, str]]:
    """The statuses side by side: where each begins and how wide it is, in per cent of all."""
    pieces = []
    start = 0.0
    whole = max(coverage.n, 1)
    for index, (name, count) in enumerate(fig.statuses(coverage)):
        width = 100 * count / whole
        if count:
            pieces.append(
                {
                    "name": name,
                    "start": f"{start:.3f}",
                    "width": f"{width:.3f}",
                    "kind": f"s{min(index, 5)}",
                    "share": fig.share(count, coverage.n),
                }
            )
        start += width
    return pieces


def page(report: Report, samples: Sequence[SampleView], command: str) -> str:
    """The report as an HTML page; the same values give the same bytes.

    Args:
        report: what to show.
        samples: samples worth a look, in the order shown (the worst dozen, say).
        command: the command line that makes this report again.
    """
    style = _template("report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            samples=samples,
            command=command,
            # our own file, hashed into the page's policy: nothing else can style or run anything
            style=Markup(style),
            style_hash=f"sha256-{digest}",
            slices=fig.slice_tables(report, None, _SLICE_ROWS),
        )
    )
