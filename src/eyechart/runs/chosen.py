"""What a preset decides in an order: all that the user did not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart import presets
from eyechart.errors import UsageError
from eyechart.runs.reading import GROUNDING
from eyechart.values import Template

if TYPE_CHECKING:
    from eyechart.benchmarks import Benchmark
    from eyechart.models import Model
    from eyechart.presets import Preset
    from eyechart.runs.order import Order
    from eyechart.runs.spec import ReadingSpec

_OF_BOXES = ("dialect", "parser", "seen", "box_policy")


def with_preset(order: Order, benchmark: Benchmark, model: Model) -> tuple[Order, Preset | None]:
    """The order with its preset's settings where it says nothing itself, and the preset.

    What is about boxes holds where boxes are asked for; a preset's dialect where the model does not
    give boxes as numbers. Settings of generation are laid over the preset's one by one.

    Raises:
        UsageError, DataError: no such preset, or a file that is none.
    """
    if order.preset is None:
        return order, None
    if not isinstance(order.preset, str):
        raise UsageError(f"preset is a name or the path of a YAML file, not {order.preset!r}.")
    preset = presets.find(order.preset)
    filled: dict[str, Any] = {}
    if benchmark.task in GROUNDING and not model.about.gives_boxes:
        filled = {name: getattr(preset, name) for name in _OF_BOXES}
        if order.dialect is not None and order.dialect != preset.dialect:
            # what the model sees belongs to how the preset says that it writes
            filled.pop("seen")
    if model.about.needs_images and not model.about.gives_boxes and not order.no_images:
        filled["image_policy"] = preset.image_policy
    filled["reasoning"] = preset.reasoning
    chosen = {
        name: value
        for name, value in filled.items()
        if value is not None and getattr(order, name) is None
    }
    generation = {**preset.settings(benchmark.task), **order.generation}
    return replace(order, generation=generation, **chosen), preset


def prompt(preset: Preset | None, benchmark: Benchmark, reading: ReadingSpec) -> Template | None:
    """A family's own wording of the task: the preset's, or for boxes that of the dialect's family."""
    if preset is None:
        family = (reading.dialect or "").partition(":")[0]
        if benchmark.task not in GROUNDING or family not in presets.names():
            return None
        preset = presets.find(family)
    wording = preset.prompts.get(benchmark.task)
    if wording is None and benchmark.task == "ground_phrases" and "ground" in preset.prompts:
        # a phrase is asked for as an expression is
        wording = preset.prompts["ground"]
        wording = msgspec.structs.replace(
            wording, user=wording.user.replace("{expression}", "{phrase}")
        )
    if wording is None:
        return None
    source = f"preset {preset.name}" + (f": {wording.source}" if wording.source else "")
    return Template(wording.user, wording.system, source)


def recorded(preset: Preset | None) -> dict[str, Any] | None:
    """The preset as it is kept in the run folder."""
    if preset is None:
        return None
    kept: dict[str, Any] = msgspec.to_builtins(preset)
    return kept


def of_record(kept: dict[str, Any] | None) -> Preset | None:
    """The preset that a run folder holds; None where there is none, or it is of another version."""
    if kept is None:
        return None
    try:
        return msgspec.convert(kept, presets.Preset)
    except msgspec.ValidationError:
        return None


def refuse_as_model(name: str) -> None:
    """Says how a preset is used, where a model was meant.

    Raises:
        UsageError: `name` is that of a preset.
    """
    if name in presets.names():
        raise UsageError(
            f"{name} is a preset: how a family of models is asked and read. Put it beside the "
            f"model, such as: openai:NAME --base-url URL --preset {name}"
        )
