"""A plan carried out: into a run folder, or in memory for replies that exist already."""

from __future__ import annotations

import platform
import sys
import time
from importlib import metadata
from typing import TYPE_CHECKING

from eyechart import __version__
from eyechart.errors import UsageError
from eyechart.runs import ask, rescore, summarise
from eyechart.runs.folder import RunFolder, pretty
from eyechart.runs.spec import RunFile, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyechart.report.schema import Report
    from eyechart.runs.plan import Plan
    from eyechart.runs.rescore import Scored
    from eyechart.values import Reply

_PACKAGES = ("msgspec", "numpy", "pillow", "aiohttp")


def into_folder(plan: Plan, out: Path, watch: Callable[[int, str], ask.Watching]) -> RunFolder:
    """Asks what is missing or failed and keeps it under `out`.

    Raises:
        RunBusy, SpecMismatch, CorruptRun: the folder cannot be written to; nothing is asked.
        ModelError: the model cannot be asked at all.
    """
    folder = RunFolder(out / plan.spec.folder_name)
    held = ask.lock(folder)
    try:
        folder.freeze(plan.samples)
        before = folder.run_file().made if folder.exists else []
        keys = ask.pending(plan.samples, plan.repeats, folder)
        made = [*before, session()] if keys or not before else before
        folder.write_run_file(_run_file(plan, made))
        if keys:
            with watch(len(keys), plan.spec.folder_name) as watcher:
                ask.ask(folder, plan.samples, plan.spec, plan.model, keys, watcher)
    finally:
        held.release()
    return folder


def in_memory(plan: Plan) -> tuple[RunFile, Scored, Report]:
    """Asks and scores without writing anything; for replies that exist already."""
    replies: dict[tuple[str, int], Reply] = {}

    def keep(reply: Reply) -> None:
        replies[reply.sample_id, reply.repeat] = reply

    keys = [(i, repeat) for repeat in range(plan.repeats) for i in range(len(plan.samples))]
    plan.model.answer(ask.requests(plan.samples, plan.spec, keys), keep)
    run = _run_file(plan, [])
    scored = rescore.score(plan.samples, replies, plan.reading, plan.repeats)
    return run, scored, summarise.report(run, scored, plan.spec.folder_name, plan.warnings)


def scored_folder(folder: RunFolder) -> tuple[RunFile, Scored]:
    """The samples and replies of a run, scored as its `spec.json` declares."""
    run = folder.run_file()
    samples = list(folder.samples())
    if not samples:
        raise UsageError(f"{folder.path}: the run holds no samples.")
    return run, rescore.score(samples, folder.latest(), run.reading, run.repeats)


def derive(folder: RunFolder) -> tuple[Scored, Report]:
    """Makes scores and report.json anew from the record; the same record gives the same bytes."""
    run, scored = scored_folder(folder)
    report = summarise.report(run, scored, folder.path.name, run.notes)
    protocol = scored.protocol.name
    folder.write_scores(protocol, scored.scores(), summarise.summary(report))
    folder.write_derived("report.json", pretty(report))
    return scored, report


def session() -> Session:
    """This sitting: time, versions and system, without the command's secrets or paths."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return Session(
        at=time.time(),
        eyechart=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        packages=versions,
        implementation=sys.implementation.name,
    )


def _run_file(plan: Plan, made: list[Session]) -> RunFile:
    return RunFile(
        fingerprint=plan.spec.fingerprint,
        spec=plan.spec,
        reading=plan.reading,
        made=made,
        repeats=plan.repeats,
        known_size=plan.benchmark.splits.get(plan.split),
        citation=plan.benchmark.citation,
        task=plan.samples[0].task,
        notes=plan.warnings,
    )
