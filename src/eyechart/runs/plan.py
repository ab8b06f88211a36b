"""An order made definite: samples, model, spec and reading, everything checked before asking."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart import benchmarks, dialects, scoring
from eyechart.errors import UsageError, meant
from eyechart.formats.data import Data
from eyechart.models import find as models
from eyechart.registry import load_file
from eyechart.runs import ask, pictures, select
from eyechart.runs.rescore import GROUNDING, protocol_of
from eyechart.runs.spec import ReadingSpec, RunSpec
from eyechart.text import filters as answer_filters
from eyechart.values import Template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eyechart.benchmarks import Benchmark
    from eyechart.models import Model
    from eyechart.runs.order import Order
    from eyechart.values import Sample


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be asked of whom, and how it will be read."""

    benchmark: Benchmark
    split: str
    samples: list[Sample]
    model: Model
    spec: RunSpec
    reading: ReadingSpec
    repeats: int
    warnings: list[str] = field(default_factory=list)


def plan(order: Order) -> Plan:
    """Makes an order definite. Nothing is asked yet.

    Raises:
        UsageError, DataError, ModelError: whatever would fail, before the first request.
    """
    benchmark, split = named(order.benchmark)
    args = _typed_args(benchmark, order.benchmark_args)
    model = (
        models.make(order.model, order.model_args, order.connection)
        if isinstance(order.model, str)
        else order.model
    )
    reading = _reading(order, benchmark, model)
    template = _template(order, benchmark, reading)
    with_pictures = model.about.needs_images and not order.no_images
    warnings: list[str] = []
    data = _data(order, benchmark)
    every = list(benchmark.rows(data, split, **args))
    if hasattr(model, "prepare"):
        # all samples, also those that are not asked now: replies without ids go by their order
        warnings += model.prepare([sample.id for sample in every], _source(order))
    samples = select.select(every, order.limit, order.ids)
    if with_pictures:
        data.check_images({sample.image.name for sample in samples})
        samples = list(pictures.identified(samples, warnings))
    ask.check_template(template, samples[0])
    spec = RunSpec(
        benchmark=benchmark.name,
        split=split,
        benchmark_version=benchmark.version,
        benchmark_args=args,
        model=dict(model.about.identity),
        template=template,
        generation=dict(order.generation),
        images="original" if with_pictures else "none",
    )
    return Plan(benchmark, split, samples, model, spec, reading, order.repeats, warnings)


def named(name: str) -> tuple[Benchmark, str]:
    """The benchmark and split of `name[/split]`, FILE.jsonl or FILE.py[:name].

    Raises:
        UsageError: there is none.
    """
    if ".jsonl" in Path(name).suffixes:
        from eyechart.benchmarks.own import from_jsonl

        return from_jsonl(Path(name)), ""
    path, _, attribute = name.rpartition(":") if ".py:" in name else (name, "", "")
    if not path.endswith(".py"):
        return benchmarks.find(name)
    attribute, _, split = attribute.partition("/")
    module = load_file(Path(path))
    own = {one.name: one for one in vars(module).values() if isinstance(one, benchmarks.Benchmark)}
    if not own:
        raise UsageError(
            f"{path}: defines no benchmark; put @eyechart.benchmark(...) on a function."
        )
    if attribute and attribute not in own:
        raise UsageError(f"{path}: has no benchmark {attribute!r}; it has {', '.join(own)}.")
    found = own[attribute] if attribute else next(iter(own.values()))
    return found, split or found.default_split


def _data(order: Order, benchmark: Benchmark) -> Data:
    if not benchmark.builtin and order.data is None and not _is_own(order.benchmark):
        raise UsageError(
            f"{benchmark.name} needs --data PATH, a folder or a file. It reads {benchmark.data}."
        )
    return Data(order.data, order.images, need_images=not order.no_images)


def _is_own(name: str) -> bool:
    return ".jsonl" in Path(name).suffixes or ".py" in name


def _source(order: Order) -> Path | None:
    """The one file that the samples come from, where there is one."""
    for path in (Path(order.benchmark), order.data):
        if path is not None and path.is_file():
            return path
    return None


def _typed_args(benchmark: Benchmark, given: Any) -> dict[str, Any]:
    args = dict(benchmark.args)
    for name, value in given.items():
        if name not in args:
            raise UsageError(
                f"{benchmark.name} has no --benchmark-arg {name!r}.{meant(name, args)} "
                f"It takes: {', '.join(args) or 'none'}."
            )
        kind = type(args[name])
        try:
            args[name] = value if isinstance(value, kind) else kind(value)
        except ValueError:
            raise UsageError(f"--benchmark-arg {name}={value}: not a {kind.__name__}.") from None
    return args


def _reading(order: Order, benchmark: Benchmark, model: Model) -> ReadingSpec:
    dialect = order.dialect or model.about.dialect
    protocol_name = order.protocol or benchmark.protocol
    if order.protocol is None and protocol_name == "rec" and (dialect or "").startswith("kosmos-2"):
        # replies in Kosmos-2's own tokens are scored as its authors score them
        protocol_name = "kosmos2"
    reading = ReadingSpec(
        protocol=protocol_name,
        dialect=dialect,
        reasoning=order.reasoning,
        filters=filter_steps(order.filters or ()),
        box_policy=order.box_policy,
        prices=order.prices,
    )
    check_reading(reading, benchmark.task, gives_boxes=model.about.gives_boxes)
    if model.about.tells_seen_size is False and dialect and dialects.find(dialect).needs_seen:
        raise UsageError(
            f"--dialect {dialect} needs the size that the model's own preprocessing makes of a "
            "picture, and this model does not tell it. Declare a dialect in pixels of the original "
            "picture, or in ratios, if that is how it writes."
        )
    return reading


def filter_steps(filters: Sequence[str | Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Filters as mappings, from `NAME=VALUE` texts or the mappings of a suite file.

    Raises:
        UsageError: an unknown filter or option.
    """
    return tuple(
        answer_filters.parse(one) if isinstance(one, str) else dict(one) for one in filters
    )


def check_reading(reading: ReadingSpec, task: str, gives_boxes: bool) -> None:
    """Refuses what could not be read or scored, before anything is asked.

    Raises:
        UsageError: an unknown protocol, dialect, policy or filter; or a grounding task and a model
            whose way of writing boxes is not declared.
    """
    protocol = protocol_of(reading)
    if task not in protocol.tasks:
        fitting = [name for name in scoring.known() if task in scoring.find(name).tasks]
        raise UsageError(
            f"Protocol {protocol.name} does not score the task {task!r}. For it there "
            f"are: {', '.join(fitting) or 'none'}."
        )
    answer_filters.build(reading.filters)
    if reading.dialect is not None:
        dialects.find(reading.dialect)
    if task in GROUNDING and not gives_boxes and not reading.dialect and protocol.read_text is None:
        raise UsageError(
            "This benchmark needs boxes, and how the model writes them is not declared. Say it "
            "with --dialect, such as --dialect json:0-1000 or --dialect json:pixels; "
            "`eyechart list dialects` shows them all. It is never guessed from the replies."
        )


def _template(order: Order, benchmark: Benchmark, reading: ReadingSpec) -> Template:
    base, source = benchmark.template, benchmark.template.source or f"benchmark {benchmark.name}"
    if benchmark.task in GROUNDING and reading.dialect is not None:
        wording = dialects.find(reading.dialect).template
        if wording is not None and benchmark.task == "ground":
            base, source = Template(wording, base.system), f"dialect {reading.dialect}"
    if order.prompt is not None or order.system is not None:
        user = base.user if order.prompt is None else order.prompt
        # an empty --system means: none, where the benchmark has one
        system = base.system if order.system is None else (order.system or None)
        return Template(user, system, "the user")
    return Template(base.user, base.system, source)
