"""Presets: how each model family is asked and read, one YAML file a family.

A preset holds the dialect, the prompts as the family's authors use them, the settings of
generation, and what was published, each with its source. It is named by the user and never applied
unasked.
"""

from __future__ import annotations

from eyechart.presets.found import dump, find, json_schema, known, names, of_model
from eyechart.presets.preset import Preset, Prompt, Published

__all__ = [
    "Preset",
    "Prompt",
    "Published",
    "dump",
    "find",
    "json_schema",
    "known",
    "names",
    "of_model",
]
