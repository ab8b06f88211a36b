"""A run beside its preset: what was published of the model, and which settings are others here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.presets import published
from eyechart.report import schema
from eyechart.runs import chosen
from eyechart.text import filters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyechart.presets import Preset
    from eyechart.runs.rescore import Scored
    from eyechart.runs.spec import RunFile
    from eyechart.scoring import Protocol


def facts(
    run: RunFile, scored: Scored, figures: Mapping[str, schema.Figure]
) -> schema.PresetFacts | None:
    """What the run's preset says of it; None where it was made without one.

    The preset is the one that the run was made with, as the run folder keeps it.
    """
    preset = chosen.of_record(run.preset)
    if preset is None:
        return None
    return schema.PresetFacts(
        name=preset.name,
        differs=_differs(preset, run, scored.protocol),
        published=list(_rows(preset, run, scored.protocol, figures)),
        notes=list(preset.notes),
    )


def _differs(preset: Preset, run: RunFile, protocol: Protocol) -> list[str]:
    spec, reading = run.spec, run.reading
    used = {
        "prompt": spec.template.user,
        "system": spec.template.system,
        "generation": spec.generation,
        "reasoning": reading.reasoning or protocol.reasoning,
    }
    if reading.dialect is not None:
        used |= {
            "dialect": reading.dialect,
            "parser": reading.parser or protocol.parser,
            "seen": reading.seen,
            "box_policy": reading.box_policy or protocol.options.get("policy"),
        }
    if spec.images != "none":
        used["image_policy"] = spec.images
    return [*published.differs(preset, run.task, used), *_beyond(preset, run)]


def _beyond(preset: Preset, run: RunFile) -> list[str]:
    """What was chosen where the preset says nothing, and changes the number."""
    reading, images = run.reading, run.spec.images
    chosen_here = {
        "parser": (preset.parser, reading.parser),
        # what was sent is what was seen: that follows from the image policy
        "seen": (preset.seen, None if reading.seen == "sent" else reading.seen),
        "image policy": (preset.image_policy, None if images in ("original", "none") else images),
        "reasoning": (preset.reasoning, reading.reasoning),
        "box policy": (preset.box_policy, reading.box_policy),
        "filters": (None, ", ".join(map(filters.spelled, reading.filters)) or None),
    }
    return [
        f"{name}: {here} here, not set in the preset"
        for name, (told, here) in chosen_here.items()
        if told is None and here is not None
    ]


def _rows(
    preset: Preset, run: RunFile, protocol: Protocol, figures: Mapping[str, schema.Figure]
) -> Iterator[schema.Published]:
    spec = run.spec
    others = {table.metric for table in preset.published} - {protocol.primary}
    for metric in (protocol.primary, *sorted(others)):
        figure = figures.get(metric)
        if figure is None:
            continue
        measured = published.Measured(
            benchmark=spec.benchmark_name,
            protocol=protocol.name,
            metric=metric,
            value=figure.value,
            low=figure.low,
            high=figure.high,
            n=figure.n,
            known_size=run.known_size,
        )
        for found in published.verdicts(preset, str(spec.model.get("name", "")), measured):
            if found.word == "not comparable" and metric != protocol.primary:
                continue
            yield schema.Published(
                model=found.model,
                benchmark=found.benchmark,
                metric=found.metric,
                said=found.said,
                published=found.published,
                measured=figure,
                verdict=found.word,
                reason=found.reason,
                mark=found.mark,
                source=found.source,
                note=found.note,
            )
