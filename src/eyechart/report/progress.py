"""Progress on stderr: rate, time left and errors on a terminal, one closing line elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichProgress
from rich.text import Text

from eyechart.report.escape import shortened, visible
from eyechart.report.paper import console as make_console
from eyechart.report.paper import encodable

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console


class Progress:
    """Counts replies as they come in; a context manager.

    On a terminal it draws a bar; otherwise it prints one line when it ends. `done` replies of
    `total` are at hand at the start and do not enter the rate. Disabled, it prints nothing.
    """

    def __init__(
        self,
        total: int,
        label: str,
        enabled: bool = True,
        *,
        done: int = 0,
        console: Console | None = None,
    ) -> None:
        self.total = total
        self.done = done
        self.errors = 0
        self._enabled = enabled
        self._console = console or make_console(stderr=True)
        self._label = encodable(self._console, visible(shortened(label, 28)))
        self._at_start = done
        self._bar: RichProgress | None = None
        self._started = 0.0

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        if self._enabled and self._console.is_terminal:
            self._bar = RichProgress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=None),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}", markup=False),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.fields[failed]}", markup=False),
                console=self._console,
                transient=True,
                expand=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(
                self._label, total=self.total, completed=self.done, rate="", failed=""
            )
        return self

    def advance(self, error: bool = False) -> None:
        """One more reply; `error` where the request failed."""
        self.done += 1
        self.errors += error
        if self._bar is not None:
            failed = self._failed() if self.errors else ""
            self._bar.update(self._task, advance=1, rate=self._rate(), failed=failed)

    def _rate(self) -> str:
        seconds = time.monotonic() - self._started
        count = self.done - self._at_start
        return f"{count / seconds:.1f}/s" if seconds > 0 and count else ""

    def _failed(self) -> str:
        return "1 error" if self.errors == 1 else f"{self.errors:,} errors"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if not self._enabled:
            return
        seconds = time.monotonic() - self._started
        asked = self.done - self._at_start
        rate = f" ({rate})" if (rate := self._rate()) else ""
        line = (
            f"{self._label}: {self.done:,} of {self.total:,} done, "
            f"{asked:,} now in {seconds:.0f} s{rate}, {self._failed()}"
        )
        self._console.print(Text(line), soft_wrap=True)
