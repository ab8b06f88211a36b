"""An order made definite: samples, model, spec and reading, everything checked before asking."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError, UsageError
from eyechart.formats.data import Data
from eyechart.models import find as models
from eyechart.runs import named, pictures, prompts, reading, select
from eyechart.runs.spec import ReadingSpec, RunSpec
from eyechart.text.secrets import is_secret_name

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    called: str
    warnings: list[str] = field(default_factory=list)
    left_out: int = 0


def plan(order: Order) -> Plan:
    """Makes an order definite. Nothing is asked yet.

    Raises:
        UsageError, DataError, ModelError: whatever would fail, before the first request.
    """
    benchmark, split = named.named(order.benchmark)
    args = named.typed_args(benchmark, order.benchmark_args)
    _check_numbers(order)
    model = (
        models.make(order.model, order.model_args, order.connection)
        if isinstance(order.model, str)
        else order.model
    )
    read_by = reading.of_order(order, benchmark, model)
    wording = prompts.template(order, benchmark, read_by)
    warnings: list[str] = []
    samples, left_out = _samples(order, benchmark, split, args, model, warnings)
    prompts.check(wording, samples)
    spec = RunSpec(
        benchmark=benchmark.name,
        split=split,
        benchmark_version=benchmark.version,
        benchmark_args=args,
        model=dict(model.about.identity),
        template=wording,
        generation=_generation(model, order),
        images="original" if _with_pictures(model, order) else "none",
    )
    return Plan(
        benchmark=benchmark,
        split=split,
        samples=samples,
        model=model,
        spec=spec,
        reading=read_by,
        repeats=order.repeats,
        called=_called(order.benchmark),
        warnings=warnings,
        left_out=left_out,
    )


def _with_pictures(model: Model, order: Order) -> bool:
    return model.about.needs_images and not order.no_images


def _samples(
    order: Order,
    benchmark: Benchmark,
    split: str,
    args: Mapping[str, Any],
    model: Model,
    warnings: list[str],
) -> tuple[list[Sample], int]:
    """The chosen samples, their pictures found and identified, and how many were left out."""
    if not benchmark.builtin and order.data is None and not named.is_own(order.benchmark):
        raise UsageError(
            f"{benchmark.name} needs --data PATH, a folder or a file. It reads {benchmark.data}."
        )
    data = Data(order.data, order.images, need_images=not order.no_images)
    every = named.rows(benchmark, data, split, args)
    if hasattr(model, "prepare"):
        # all samples, also those that are not asked now: replies without ids go by their order
        asked = [(one.image.name, one.asked.get("question", "")) for one in every]
        warnings += model.prepare([one.id for one in every], _source(order), asked)
    every, left_out = _covered(every, model, order)
    samples = select.select(every, order.limit, order.ids)
    if _with_pictures(model, order):
        data.check_images({sample.image.name for sample in samples})
        samples = pictures.identified(samples, warnings)
    if benchmark.task in reading.GROUNDING:
        _check_sizes(samples, data, order)
    return samples, left_out


def _covered(every: list[Sample], model: Model, order: Order) -> tuple[list[Sample], int]:
    """With --subset the samples that a file of replies answers, and how many it does not."""
    covered = getattr(model, "covered", None)
    if covered is None or not order.connection.subset:
        return every, 0
    there = [sample for sample in every if sample.id in covered]
    if not there:
        raise DataError("The file has no reply to any sample: is it of another benchmark or split?")
    return there, len(every) - len(there)


def _check_sizes(samples: list[Sample], data: Data, order: Order) -> None:
    """A box cannot be placed in a picture of unknown size."""
    unknown = [one for one in samples if not one.image.width or not one.image.height]
    if not unknown:
        return
    if not order.no_images:
        data.check_images({one.image.name for one in unknown})
    raise DataError(
        f"Sample {unknown[0].id!r}: the size of {unknown[0].image.name} is not known"
        f"{f' (nor of {len(unknown) - 1:,} more)' if len(unknown) > 1 else ''}, so a box cannot be "
        "placed in it. Put `width` and `height` into the data, or mend the picture."
    )


def _source(order: Order) -> Path | None:
    """The one file that the samples come from, where there is one."""
    for path in (Path(order.benchmark), order.data):
        if path is not None and path.is_file():
            return path
    return None


def _called(benchmark: str) -> str:
    """The benchmark as it was named, without the folders of a user's own file."""
    return Path(benchmark).name if named.is_own(benchmark) else benchmark


def _generation(model: Model, order: Order) -> dict[str, Any]:
    for name in order.generation:
        if is_secret_name(name):
            raise UsageError(
                f"--gen {name}: the settings of a run are written down, and this looks like a "
                "secret. Send it with --header, or as OPENAI_API_KEY."
            )
    return {**model.about.generation, **order.generation}


def _check_numbers(order: Order) -> None:
    if order.repeats < 1:
        raise UsageError(f"repeats must be 1 or more, not {order.repeats}.")
    for option, values in (
        ("--gen", order.generation),
        ("--model-arg", order.model_args),
        ("--benchmark-arg", order.benchmark_args),
        ("--price", {"": order.prices}),
    ):
        for name, value in values.items():
            if not _finite(value):
                raise UsageError(f"{option} {name}: {value} is no finite number.")
    if order.prices is not None and min(order.prices) < 0:
        raise UsageError(f"--price {order.prices}: a price is not below 0.")


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list | tuple):
        return all(map(_finite, value))
    return all(map(_finite, value.values())) if isinstance(value, dict) else True
