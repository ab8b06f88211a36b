"""A plan carried out: into a run folder, or in memory for replies that exist already."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import msgspec

from eyechart import __version__
from eyechart.errors import SpecMismatch, UsageError
from eyechart.io.images import file_digest
from eyechart.runs import ask, rescore, summarise
from eyechart.runs.folder import RunFolder, pretty
from eyechart.runs.spec import RunFile, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from eyechart.report.schema import Report
    from eyechart.runs.plan import Plan
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import ReadingSpec
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
        lines, selected = folder.freeze(plan.samples)
        keys = ask.pending(plan.samples, plan.repeats, folder)
        before = _write_samples(folder, lines)
        made = [*before, session()] if keys or not before else before
        digests = [folder.samples_digest()]
        run = _run_file(plan, made, selected)
        folder.write_run_file(msgspec.structs.replace(run, samples_digests=digests))
        if keys:
            with watch(len(keys), plan.spec.folder_name) as watcher:
                ask.ask(folder, plan.samples, plan.spec, plan.model, keys, watcher)
    finally:
        held.release()
    return folder


def _write_samples(folder: RunFolder, lines: bytes) -> list[Session]:
    """Keeps the samples; gives the sittings before."""
    digest = file_digest(lines)
    before = folder.run_file() if folder.exists else None
    if folder.samples_digest() != digest:
        if before is not None:
            # announced first, so that a kill between the two writes leaves nothing unexplained
            known = [*before.samples_digests, digest]
            folder.write_run_file(msgspec.structs.replace(before, samples_digests=known))
        folder.write_samples(lines)
    return before.made if before is not None else []


def in_memory(plan: Plan) -> tuple[RunFile, Scored, Report]:
    """Asks and scores without writing anything; for replies that exist already."""
    replies = _replies(plan)
    run = _run_file(plan, [], None)
    scored = rescore.score(plan.samples, replies, plan.reading, plan.repeats)
    return run, scored, summarise.report(run, scored, plan.spec.folder_name, run.notes)


def _replies(plan: Plan) -> Mapping[tuple[str, int], Reply]:
    kept = getattr(plan.model, "kept", None)
    if kept is not None:
        # they exist already: no question need be worded
        there: Mapping[tuple[str, int], Reply] = kept(
            [sample.id for sample in plan.samples], plan.repeats
        )
        return there
    replies: dict[tuple[str, int], Reply] = {}

    def keep(reply: Reply) -> None:
        replies[reply.sample_id, reply.repeat] = reply

    keys = [(i, repeat) for repeat in range(plan.repeats) for i in range(len(plan.samples))]
    plan.model.answer(ask.requests(plan.samples, plan.spec, keys), keep)
    return replies


def refuse_damage(folder: RunFolder) -> None:
    """Refuses samples that are lost, cut or edited.

    Raises:
        SpecMismatch: they are not as the run left them.
    """
    if not folder.intact():
        raise SpecMismatch(
            f"{folder.path / 'samples.jsonl'} is not as the run left it. Run the same command "
            "again: it makes the file anew, and nothing is asked that has its reply."
        )


def scored_folder(folder: RunFolder, reading: ReadingSpec | None = None) -> tuple[RunFile, Scored]:
    """The samples and replies of a run, scored as its `spec.json` declares, or by `reading`.

    Raises:
        SpecMismatch: the samples are not those that the run was made with.
    """
    run = folder.run_file()
    refuse_damage(folder)
    if reading is not None:
        run = msgspec.structs.replace(run, reading=reading)
    samples = list(folder.samples())
    if run.selected is not None:
        chosen = set(run.selected)
        samples = [sample for sample in samples if sample.id in chosen]
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
    import platform
    from importlib import metadata

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
        host=platform.node(),
        git=_commit(),
    )


def _commit() -> str:
    found = _git("rev-parse", "--short=12", "HEAD")
    return f"{found}+" if found and _git("status", "--porcelain", "--untracked-files=no") else found


def _git(*words: str) -> str:
    import subprocess

    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, timeout=2, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _run_file(plan: Plan, made: list[Session], selected: list[str] | None) -> RunFile:
    notes = list(plan.warnings)
    if selected is not None:
        notes.append(
            f"This run has been asked more samples than the {len(selected):,} that were chosen now "
            "and are reported; none is lost."
        )
    return RunFile(
        fingerprint=plan.spec.fingerprint,
        spec=plan.spec,
        reading=plan.reading,
        made=made,
        repeats=plan.repeats,
        known_size=plan.benchmark.splits.get(plan.split),
        citation=plan.benchmark.citation,
        task=plan.samples[0].task,
        notes=notes,
        selected=selected,
        left_out=plan.left_out,
        called=plan.called,
        matching=plan.matching,
        preset=plan.preset,
    )
