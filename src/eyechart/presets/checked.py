"""A user's own preset file, read and checked: what it names must be there."""

from __future__ import annotations

import math
import string
from typing import TYPE_CHECKING, Any

from eyechart import dialects
from eyechart.errors import DataError, UsageError, meant
from eyechart.presets.preset import Preset

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eyechart.io.yaml_text import Document

# what each task fills; a reference to a region also has its size in some benchmarks
SLOTS: dict[str, tuple[str, ...]] = {
    "ground": ("expression",),
    "ground_phrases": ("phrase", "caption"),
    "answer": ("question",),
    "count": ("question",),
    "caption": (),
    "refer": ("box", "size"),
}
# a prompt without one of these would ask the same of every sample
_NEEDED = {task: slots[0] for task, slots in SLOTS.items() if slots}
# fields of a request that are no settings: what is asked, of whom, and how often
_NO_SETTINGS = frozenset({"messages", "model", "n", "stream"})


def read(path: Path) -> Preset:
    """The preset in a file, checked.

    Raises:
        DataError: the file cannot be read or is no preset, or it names a dialect, a size, a policy or
            a slot that is not known; the message names file, line and key.
    """
    from eyechart.io.yaml_text import read as read_yaml

    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path}: no file that can be read to its end.")
    document = read_yaml(path, Preset)
    check(document)
    return document.value


def check(document: Document[Preset]) -> None:
    """Refuses a preset that could not be used.

    Raises:
        DataError: as `read`.
    """
    preset = document.value
    for name in ("name", "about"):
        if not str(getattr(preset, name)).strip():
            raise document.fault("must not be empty.", name)
    try:
        dialects.find(preset.dialect, preset.parser or "tolerant")
    except UsageError as error:
        raise document.fault(str(error), "dialect") from None
    _check_sizes(document)
    _check_settings(document, preset.generation)
    for task, prompt in preset.prompts.items():
        _check_settings(document, prompt.generation, "prompts", task)
        for part in ("user", "system"):
            text = getattr(prompt, part)
            if text is not None:
                _check_slots(document, task, part, text)
    _check_published(document)


def _check_sizes(document: Document[Preset]) -> None:
    from eyechart.io.resizing import ImagePolicy, Resize

    preset = document.value
    for name, text, parse in (
        ("seen", preset.seen, Resize.parse),
        ("image_policy", preset.image_policy, ImagePolicy.parse),
    ):
        try:
            if text is not None:
                parse(text)
        except (UsageError, DataError) as error:
            raise document.fault(str(error), name) from None


def _check_settings(document: Document[Preset], settings: Mapping[str, Any], *where: str) -> None:
    for name in settings:
        if name in _NO_SETTINGS:
            raise document.fault("is no setting of generation.", *where, "generation", name)


def _check_slots(document: Document[Preset], task: str, part: str, text: str) -> None:
    where = ("prompts", task, part)
    # a system prompt is sent as it stands
    if part == "system":
        if not text.strip():
            raise document.fault("must not be empty; leave the key out for none.", *where)
        return
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise document.fault(
            f"a brace too many or too few ({error}); a brace itself is doubled.", *where
        ) from None
    known = SLOTS[task]
    said = ", ".join("{" + slot + "}" for slot in known) or "none"
    slots = [(name, form or conversion) for _, name, form, conversion in parts if name is not None]
    for name, form in slots:
        if name not in known:
            raise document.fault(
                f"unknown slot {{{name}}}.{meant(name, known)} The task {task} fills: {said}.",
                *where,
            )
        if form:
            raise document.fault(f"a slot with a format; write {{{name}}} alone.", *where)
    if task in _NEEDED and _NEEDED[task] not in {name for name, _ in slots}:
        raise document.fault(
            f"without {{{_NEEDED[task]}}} every sample would be asked the same.", *where
        )


def _check_published(document: Document[Preset]) -> None:
    for place, one in enumerate(document.value.published):
        for benchmark, value in one.values.items():
            highest = {"percent": 100.0, "ratio": 1.0, "CIDEr": 1000.0}[one.unit]
            if not (math.isfinite(value) and 0 <= value <= highest):
                raise document.fault(
                    f"{value:g} lies outside 0 to {highest:g} ({one.unit}).",
                    "published",
                    place,
                    "values",
                    benchmark,
                )
