"""Presets found: the built-in ones by name, others by their file, and the one that a model's name means."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import UsageError, meant
from eyechart.presets import modelnames
from eyechart.presets.preset import Preset

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDS = (".yaml", ".yml")


@cache
def names() -> tuple[str, ...]:
    """The names of the built-in presets, sorted; reads none of them."""
    files = resources.files("eyechart.presets").iterdir()
    return tuple(sorted(one.name[:-5] for one in files if one.name.endswith(".yaml")))


def known() -> Mapping[str, str]:
    """The built-in presets with a line about each; reads all of them."""
    return {name: _built_in(name).about for name in names()}


def find(name_or_path: str) -> Preset:
    """The built-in preset of that name, or the one in a file whose name ends in .yaml or .yml.

    Raises:
        UsageError: no built-in preset has that name (the nearest is named).
        DataError: the file is missing or no preset; the message names file, line and key.
    """
    if name_or_path in names():
        return _built_in(name_or_path)
    if name_or_path.lower().endswith(_ENDS):
        from eyechart.presets.checked import read

        return read(Path(name_or_path).expanduser())
    nearest = meant(name_or_path.lower(), names())
    raise UsageError(
        f"No preset is named {name_or_path!r}.{nearest} There are: {', '.join(names())}. Your own "
        "is named by its file, which ends in .yaml."
    )


def of_model(name: str) -> Preset | None:
    """The built-in preset whose patterns a model's name fits, for a hint; None where none does.

    The kind (`openai:`), the organisation, case and punctuation do not count; of several the one
    with the longest pattern is taken.
    """
    spoken = modelnames.pattern(name)
    fits = [
        (len(pattern), preset)
        for preset in map(_built_in, names())
        for pattern in map(modelnames.pattern, preset.models)
        if fnmatchcase(spoken, pattern)
    ]
    return max(fits, key=lambda one: one[0])[1] if fits else None


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a preset file, as the plain values of its YAML."""
    schema: dict[str, Any] = msgspec.json.schema(Preset)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eyechart preset",
    } | schema


def dump(preset: Preset, comment: str = "") -> str:
    """The preset as the text of a YAML file that reads back equal; `comment` becomes its first line."""
    from eyechart.io.yaml_text import write

    return write(msgspec.to_builtins(preset), comment)


@cache
def _built_in(name: str) -> Preset:
    from eyechart.io.yaml_text import load

    file = resources.files("eyechart.presets").joinpath(f"{name}.yaml")
    return load(file.read_text("utf-8"), Preset, name=f"{name}.yaml")
