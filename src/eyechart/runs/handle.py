"""A run folder, opened: its samples, replies, scores and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError
from eyechart.runs import execute
from eyechart.runs.folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.report.sample import SampleView
    from eyechart.report.schema import Report
    from eyechart.runs.rescore import Scored
    from eyechart.values import Reply, Sample, Score


class Run:
    """A run folder, opened: `report`, `samples()`, `replies()`, `scores()`, `to_pandas()`.

    Opening one scores it as its own `spec.json` declares; nothing is asked and nothing written.
    """

    def __init__(self, path: str | Path) -> None:
        self.folder = RunFolder(Path(path))
        self._scored: Scored | None = None
        self._report: Report | None = None

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.folder.path

    @property
    def scored(self) -> Scored:
        """Readings and one column per metric."""
        if self._scored is None:
            _, self._scored = execute.scored_folder(self.folder)
        return self._scored

    @property
    def report(self) -> Report:
        """The report, derived from the record."""
        if self._report is None:
            from eyechart.runs import summarise

            run = self.folder.run_file()
            self._report = summarise.report(run, self.scored, self.path.name, run.notes)
        return self._report

    def samples(self) -> list[Sample]:
        """The samples, with their targets."""
        return list(self.scored.samples)

    def replies(self) -> Iterator[Reply]:
        """All replies as they were kept, failures and earlier ones included."""
        return self.folder.replies()

    def scores(self) -> list[Score]:
        """What each reply is worth, with its reading."""
        return self.scored.scores()

    def to_pandas(self) -> Any:
        """A row per sample and repeat: id, group, tags, status, metrics, prediction and reply.

        Raises:
            UsageError: pandas is not installed.
        """
        from eyechart.runs import table

        return table.to_pandas(self.scored)

    def derive(self) -> Report:
        """Writes scores, `report.json` and `report.html` anew; gives the report."""
        from eyechart.runs import page

        self._scored, self._report = execute.derive(self.folder)
        page.write(self.folder, self._scored, self._report)
        return self._report

    def view(self, sample_id: str) -> SampleView:
        """One sample whole: what was asked, what was said, how it was read, what it is worth.

        Raises:
            UsageError: the run has no such sample; names the nearest.
        """
        from eyechart.errors import meant
        from eyechart.runs import page, rescore

        execute.refuse_damage(self.folder)
        run, every = self.folder.run_file(), list(self.folder.samples())
        found = [sample for sample in every if sample.id == sample_id]
        if not found:
            ids = [sample.id for sample in every]
            raise UsageError(
                f"The run has no sample {sample_id!r}.{meant(sample_id, ids)} It has {len(ids):,}, "
                f"such as {', '.join(map(repr, ids[:1]))}."
            )
        scored = rescore.score(found, self.folder.latest(), run.reading, run.repeats)
        return page.view(run.spec, scored)
