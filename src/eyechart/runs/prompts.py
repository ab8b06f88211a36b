"""The wording of what is asked: where it comes from, what it may hold, and how it is filled."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from eyechart import dialects
from eyechart.errors import UsageError, meant
from eyechart.runs import chosen
from eyechart.runs.reading import GROUNDING
from eyechart.values import Message, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.benchmarks import Benchmark
    from eyechart.presets import Preset
    from eyechart.runs.order import Order
    from eyechart.runs.spec import ReadingSpec
    from eyechart.values import Sample


def template(
    order: Order, benchmark: Benchmark, reading: ReadingSpec, preset: Preset | None = None
) -> Template:
    """The user's wording, else the preset's, else the dialect's for boxes, else the benchmark's."""
    base, source = benchmark.template, benchmark.template.source or f"benchmark {benchmark.name}"
    prompt = chosen.prompt(preset, benchmark, reading)
    if prompt is not None:
        base, source = prompt, prompt.source
    elif benchmark.task in GROUNDING and reading.dialect is not None:
        wording = dialects.find(reading.dialect).template
        if wording is not None:
            slot = "{phrase}" if benchmark.task == "ground_phrases" else "{expression}"
            base = Template(wording.replace("{expression}", slot), base.system)
            source = f"dialect {reading.dialect}"
    if order.prompt is not None or order.system is not None:
        user = base.user if order.prompt is None else order.prompt
        # an empty --system means: none, where the benchmark has one
        system = base.system if order.system is None else (order.system or None)
        return Template(user, system, "the user")
    return Template(base.user, base.system, source)


def check(wording: Template, samples: Sequence[Sample]) -> None:
    """Refuses a prompt with slots that a sample does not fill.

    Raises:
        UsageError: an unknown slot, a slot with a format, or braces that do not close.
    """
    known = ", ".join("{" + slot + "}" for slot in samples[0].asked)
    slots = set(_slots(wording.user, known))
    for sample in samples:
        if slots <= sample.asked.keys():
            continue
        for slot in sorted(slots - sample.asked.keys()):
            raise UsageError(
                f"The prompt has a slot {{{slot}}} that sample {sample.id!r} does not fill."
                f"{meant(slot, sample.asked)} It fills {known}."
            )
    if known and not slots:
        raise UsageError(
            f"The prompt has no slot, so every sample would be asked the same. Use {known}."
        )


def _slots(text: str, known: str) -> list[str]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise UsageError(
            f"The prompt {text!r} has a brace too many or too few ({error}). "
            f"Slots are written {known}; a brace itself is doubled."
        ) from None
    slots = []
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if form or conversion:
            raise UsageError(
                f"The prompt has a slot {{{name}}} with a format; write {{{name}}} alone."
            )
        slots.append(name)
    return slots


def render(wording: Template, sample: Sample, with_image: bool = True) -> tuple[Message, ...]:
    """The messages for one sample: the wording around what is asked."""
    turns = []
    if wording.system:
        turns.append(Message("system", wording.system))
    turns.append(Message("user", wording.user.format_map(sample.asked), with_image=with_image))
    return tuple(turns)
