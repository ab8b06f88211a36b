"""run, score, report, compare, probe, load: all that the command line can do, as functions.

Nothing here prints. Each function gives a value back; the command line shows it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from eyechart.errors import EyechartError, MissingPictures, RunError, UsageError
from eyechart.models import find as models
from eyechart.models.find import Connection
from eyechart.runs import ask, collector, execute, reading
from eyechart.runs.handle import Run
from eyechart.runs.order import Order
from eyechart.runs.plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from eyechart.models import Model, Own
    from eyechart.report.changes import Changes
    from eyechart.report.comparison import Comparison
    from eyechart.report.schema import Report
    from eyechart.runs.probe.result import Probe
    from eyechart.runs.rescore import Scored
    from eyechart.values import Request

    AnyModel = str | Model | Own | Callable[[Request], Any]

_CONNECTION = frozenset(Connection.__dataclass_fields__)
_READING = (
    "protocol",
    "protocol_args",
    "dialect",
    "reasoning",
    "parser",
    "seen",
    "filters",
    "box_policy",
    "prices",
)


def order(model: AnyModel, benchmark: str, **options: Any) -> Order:
    """An `Order` from keyword options; those of the connection may be given among them.

    Raises:
        UsageError: an option that does not exist; names the nearest.
    """
    from eyechart.errors import meant

    connection = {name: options.pop(name) for name in list(options) if name in _CONNECTION}
    known = set(Order.__dataclass_fields__) - {"model", "benchmark", "connection"}
    for name in options:
        if name not in known:
            raise UsageError(f"No option is named {name!r}.{meant(name, known | _CONNECTION)}")
    for name in ("data", "images", "ids"):
        if options.get(name) is not None:
            options[name] = Path(options[name])
    if options.get("limit") is not None:
        options["limit"] = str(options["limit"])
    return Order(_behind_the_seam(model), benchmark, connection=Connection(**connection), **options)


def run(
    model: AnyModel,
    benchmark: str,
    *,
    out: str | Path = "runs",
    watch: Callable[[int, str], ask.Watching] | None = None,
    **options: Any,
) -> Run:
    """Asks a model a benchmark, keeps every reply, scores and reports. The same call resumes.

    Args:
        model: `kind:name`, such as `baseline:pixels` or `openai:NAME`; a model of your own, with
            `answer(request)`; or one of the seam (`eyechart.models.Model`).
        benchmark: `name[/split]`, FILE.jsonl or FILE.py.
        out: where run folders are made.
        watch: makes the watcher of the asking from the number of requests and a label.
        options: the fields of `Order` and `Connection`: data, images, limit, ids, prompt, system,
            dialect, protocol, filters, generation, base_url, api_key, concurrency, ...

    Raises:
        EyechartError: in one line, what is wrong and what to do.
    """
    asked = order(model, benchmark, **options)
    try:
        made = plan(asked)
    except MissingPictures as error:
        error.list_in(Path(out) / "missing-pictures.txt")
        raise
    folder = execute.into_folder(made, Path(out), watch or _silently)
    found = Run(folder.path)
    found.derive()
    return found


def _behind_the_seam(model: AnyModel) -> str | Model:
    if isinstance(model, str) or hasattr(model, "about"):
        return cast("str | Model", model)
    from eyechart.models import custom

    return custom.of_object(model)


def score(
    target: str | Path | None = None,
    *,
    replies: str | Path | None = None,
    benchmark: str | None = None,
    out: str | Path | None = None,
    **options: Any,
) -> Report:
    """Scores a run again, or a file of replies made elsewhere; nobody is asked.

    Args:
        target: a run folder. Given options (protocol, dialect, filters ...) become the run's own.
        replies: a file of replies or another run, with `benchmark` and `data`.
        benchmark: `name[/split]`, FILE.jsonl or FILE.py.
        out: where to keep a run folder of it; without, nothing is written.
        options: as for `run`.

    Raises:
        EyechartError: in one line, what is wrong and what to do.
    """
    return scored(target, replies=replies, benchmark=benchmark, out=out, **options)[1]


def score_against(
    against: str | Path,
    target: str | Path | None = None,
    *,
    replies: str | Path | None = None,
    benchmark: str | None = None,
    out: str | Path | None = None,
    **options: Any,
) -> tuple[Report, Changes]:
    """As `score`, and which verdicts differ from those in the file of scores `against`.

    The file is read first, so it may be the one that this scoring writes anew.

    Raises:
        EyechartError: in one line, what is wrong and what to do.
    """
    from eyechart.runs import against as former

    before = former.read(Path(against))
    found, report = scored(target, replies=replies, benchmark=benchmark, out=out, **options)
    return report, former.changes(before, found)


def scored(
    target: str | Path | None = None,
    *,
    replies: str | Path | None = None,
    benchmark: str | None = None,
    out: str | Path | None = None,
    **options: Any,
) -> tuple[Scored, Report]:
    """As `score`, with the samples, readings and values of each metric that the report is made of.

    Raises:
        EyechartError: in one line, what is wrong and what to do.
    """
    if (target is None) == (replies is None):
        raise UsageError("Name either a run folder, or --replies FILE with --benchmark.")
    if target is not None:
        found = Run(target)
        _rescore(found, options)
        return found.scored, found.report
    if benchmark is None:
        raise UsageError("--replies needs --benchmark NAME (and --data PATH).")
    if out is not None:
        found = run(f"replay:{replies}", benchmark, out=out, **options)
        return found.scored, found.report
    with collector.paused():
        made = plan(order(f"replay:{replies}", benchmark, **options))
        return execute.in_memory(made)[1:]


def _rescore(found: Run, options: dict[str, Any]) -> None:
    wrong = [name for name, value in options.items() if name not in _READING and value is not None]
    if wrong:
        raise UsageError(
            f"A run is scored again as it was asked: {', '.join(sorted(wrong))} cannot change. "
            f"These can: {', '.join(_READING)}."
        )
    changes = {name: value for name, value in options.items() if value is not None}
    if changes:
        held = ask.lock(found.folder)
        try:
            before = found.folder.run_file()
            changed = reading.changed(before.reading, changes)
            reading.check(changed, before.task)
            # only a reading that works is written down
            execute.scored_folder(found.folder, changed)
            found.folder.write_run_file(msgspec.structs.replace(before, reading=changed))
        finally:
            held.release()
    found.derive()


def report(target: str | Path) -> Report:
    """The report of a run folder, derived anew; nothing is written."""
    return Run(target).report


def load(target: str | Path) -> Run:
    """Opens a run folder.

    Raises:
        RunError: it is none.
    """
    found = Run(target)
    if not found.folder.exists:
        raise RunError(f"{target}: not a run folder (it has no spec.json).")
    return found


def compare(a: str | Path, b: str | Path) -> Comparison:
    """The paired differences B - A of two runs on the same samples.

    Raises:
        SpecMismatch: other samples, another protocol or version, or replies read in another way.
    """
    from eyechart.runs import compare as pairs

    first, second = load(a), load(b)
    sides = [
        pairs.Side(name, run.folder.run_file(), run.scored)
        for name, run in zip(_names(first, second), (first, second), strict=True)
    ]
    return pairs.compare(*sides)


def _names(first: Run, second: Run) -> tuple[str, str]:
    one, other = first.report.model_name, second.report.model_name
    if one != other:
        return one, other
    if first.path.name != second.path.name:
        return first.path.name, second.path.name
    return str(first.path), str(second.path)


def probe(
    model: AnyModel,
    *,
    scenes: int = 16,
    seed: int = 0,
    generation: Mapping[str, Any] | None = None,
    model_args: Mapping[str, Any] | None = None,
    watch: Callable[[int, str], ask.Watching] | None = None,
    **options: Any,
) -> Probe:
    """Finds out how a model writes boxes, from its answers about drawn scenes alone.

    Args:
        model: as for `run`; one that answers in text.
        scenes: how many scenes it is asked about, 12 to 24.
        seed: of the scenes' content.
        generation: settings laid over the model's own.
        model_args: arguments of the model, where it is named.
        watch: makes the watcher of each round from the number of requests and a label.
        options: the fields of `Connection`: base_url, api_key, concurrency, ...

    Raises:
        EyechartError: in one line, what is wrong and what to do.
    """
    from eyechart.runs import chosen
    from eyechart.runs.probe import asking

    asked = order(model, "chart/locate", model_args=dict(model_args or {}), **options)
    found = asked.model
    if isinstance(found, str):
        chosen.refuse_as_model(found)
        found = models.make(found, asked.model_args, asked.connection)
    return asking.probe(found, scenes=scenes, seed=seed, watch=watch, generation=generation)


def write_preset(found: Probe, path: str | Path) -> None:
    """Writes the preset that a probe found as a YAML file, for `--preset PATH`.

    Raises:
        UsageError: it found none.
        RunError: the file cannot be written.
    """
    from eyechart import presets
    from eyechart.io.files import write_whole

    if found.preset is None:
        raise UsageError("The probe could not tell how the model writes boxes: there is no preset.")
    preset = msgspec.convert(found.preset, presets.Preset)
    comment = f"found by eyechart probe: {found.scenes} scenes, seed {found.seed}"
    write_whole(Path(path), presets.dump(preset, comment).encode())


def run_all(
    orders: Sequence[Order],
    *,
    out: str | Path = "runs",
    watch: Callable[[int, str], ask.Watching] | None = None,
    failed: Callable[[EyechartError], None] | None = None,
    where: str = "",
) -> Iterator[Run]:
    """Carries out several orders, one run folder each; each run comes as soon as it is done.

    Everything is checked before the first request, so that a mistake in the last order does not
    wait until the first ones are done. A model of the user's own (FILE.py) is made when its turn
    comes and let go after it. `failed` is told of an order that then fails, and the others are
    still made; without it the first failure ends all.

    Raises:
        EyechartError: in one line, which order is wrong and what to do.
    """
    from eyechart.runs import several

    several.check(orders, Path(out), where)
    for folder in several.carry_out(orders, Path(out), watch or _silently, failed, where):
        found = Run(folder.path)
        try:
            found.derive()
        except EyechartError as error:
            if failed is None:
                raise
            failed(error)
            continue
        yield found


def read_suite(
    path: str | Path, out: str | Path | None = None, limit: str | None = None
) -> tuple[Path, list[Order]]:
    """Where a suite's run folders go, and one order for each of its models and benchmarks.

    `out` and `limit` stand for what the file says of them.

    Raises:
        EyechartError: in one line, with the file's line and key.
    """
    from eyechart.runs import suite

    stated, orders = suite.read(Path(path))
    if limit is not None:
        orders = [replace(one, limit=limit) for one in orders]
    return Path(out) if out is not None else stated or Path("runs"), orders


def run_suite(
    path: str | Path,
    *,
    out: str | Path | None = None,
    limit: str | None = None,
    watch: Callable[[int, str], ask.Watching] | None = None,
) -> list[Run]:
    """Runs each model of a suite file on each of its benchmarks, as `run_all` does.

    Raises:
        EyechartError: in one line, which entry is wrong and what to do.
    """
    target, orders = read_suite(path, out, limit)
    return list(run_all(orders, out=target, watch=watch, where=str(path)))


def _silently(_total: int, _label: str) -> ask.Watching:
    return ask.Silent()
