"""An order made definite: samples, model, spec and reading, everything checked before asking."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError, UsageError
from eyechart.formats.data import Data
from eyechart.io.resizing import ImagePolicy
from eyechart.models import Questions
from eyechart.models import find as models
from eyechart.runs import checks, chosen, named, pictures, prompts, reading, select
from eyechart.runs.spec import ReadingSpec, RunSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyechart.benchmarks import Benchmark
    from eyechart.models import Model
    from eyechart.runs.order import Order
    from eyechart.values import Matching, Sample


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
    matching: Matching | None = None
    preset: dict[str, Any] | None = None


def plan(order: Order, *, check_only: bool = False) -> Plan:
    """Makes an order definite. Nothing is asked yet.

    With `check_only` the pictures are found but not read.

    Raises:
        UsageError, DataError, ModelError: whatever would fail, before the first request.
    """
    benchmark, split = named.named(order.benchmark)
    args = named.typed_args(benchmark, order.benchmark_args)
    checks.values(order)
    if isinstance(order.model, str):
        chosen.refuse_as_model(order.model)
    model = (
        models.make(order.model, order.model_args, order.connection)
        if isinstance(order.model, str)
        else order.model
    )
    order, preset = chosen.with_preset(order, benchmark, model)
    read_by = reading.of_order(order, benchmark, model)
    wording = prompts.template(order, benchmark, read_by, preset)
    warnings: list[str] = []
    source = _Source(order, benchmark, split, args, model)
    samples, left_out = source.samples(warnings, read_pictures=not check_only)
    prompts.check(wording, samples)
    spec = RunSpec(
        benchmark=benchmark.name,
        split=split,
        benchmark_version=benchmark.version,
        benchmark_args=args,
        model=dict(model.about.identity),
        template=wording,
        generation={**model.about.generation, **order.generation},
        images=_images(order, model, source),
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
        matching=getattr(model, "matching", None),
        preset=chosen.recorded(preset),
    )


def _images(order: Order, model: Model, source: _Source) -> str:
    """What is done to pictures before they are sent: `none` sends none."""
    policy = ImagePolicy.parse(order.image_policy or "original")
    if policy.spelled != "original" and model.about.gives_boxes:
        raise UsageError(
            f"--image-policy {policy.spelled}: this model gives boxes in pixels of the original "
            "picture, which it would not see. Leave the policy away."
        )
    return policy.spelled if source.with_pictures else "none"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the samples of an order come from."""

    order: Order
    benchmark: Benchmark
    split: str
    args: Mapping[str, Any]
    model: Model

    @property
    def with_pictures(self) -> bool:
        return self.model.about.needs_images and not self.order.no_images

    def samples(self, warnings: list[str], *, read_pictures: bool) -> tuple[list[Sample], int]:
        """The chosen samples, their pictures found and identified, and how many were left out."""
        order, benchmark = self.order, self.benchmark
        if not benchmark.builtin and order.data is None and not named.is_own(order.benchmark):
            raise UsageError(
                f"{benchmark.name} needs --data PATH, a folder or a file. It reads {benchmark.data}."
            )
        # where no picture is sent, those of a user's own file still tell their sizes
        looked_up = not order.no_images or named.is_own(order.benchmark)
        data = Data(order.data, order.images, need_images=looked_up)
        every = named.rows(benchmark, data, self.split, self.args)
        if hasattr(self.model, "prepare"):
            # all samples, also those that are not asked now: replies without ids go by order
            ids = [one.id for one in every]
            warnings += self.model.prepare(ids, _file_of(order), Questions(every))
        samples, left_out = _covered(select.select(every, order.limit, order.ids), self)
        if self.with_pictures:
            data.check_images({sample.image.name for sample in samples})
        sized = benchmark.task not in reading.GROUNDING or all(
            one.image.width and one.image.height for one in samples
        )
        if read_pictures and (self.with_pictures or (order.no_images and not sized)):
            samples = pictures.identified(samples, warnings)
        if benchmark.task in reading.GROUNDING and (read_pictures or not self.with_pictures):
            _check_sizes(samples, data, order)
        return samples, left_out


def _covered(samples: list[Sample], source: _Source) -> tuple[list[Sample], int]:
    """With --subset those samples that a file of replies answers, and how many it does not."""
    connection = source.order.connection
    if not connection.subset and not connection.allow_short:
        return samples, 0
    covered = getattr(source.model, "covered", None)
    if covered is None:
        option = "--subset" if connection.subset else "--allow-short"
        raise UsageError(f"{option} is for files of replies (replay:FILE, score --replies FILE).")
    there = [sample for sample in samples if sample.id in covered]
    if not there:
        raise DataError("The file has no reply to any sample: is it of another benchmark or split?")
    return there, len(samples) - len(there)


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


def _file_of(order: Order) -> Path | None:
    """The one file that the samples come from, where there is one."""
    for path in (Path(order.benchmark), order.data):
        if path is not None and path.is_file():
            return path
    return None


def _called(benchmark: str) -> str:
    """The benchmark as it was named, without the folders of a user's own file."""
    return Path(benchmark).name if named.is_own(benchmark) else benchmark
