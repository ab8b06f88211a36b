"""How models write boxes: pure functions from a reply's text and sizes to a Reading.

A dialect is declared before scoring; nothing here sees the truth or guesses from the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyechart.errors import UsageError, meant
from eyechart.registry import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eyechart.values import Reading


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths and heights in pixels: the original's, what was sent, what the model made of it."""

    original: tuple[int, int]
    sent: tuple[int, int] | None = None
    seen: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way of writing boxes.

    `read` is linear in the text's length. `template` is the wording that asks for this form, used
    where neither the user nor a preset gives one. `needs_seen` says that the size which the model's
    own preprocessing made must be known.
    """

    name: str
    read: Callable[[str, Sizes], Reading]
    about: str
    template: str | None = None
    needs_seen: bool = False
    source: str = ""


_FAMILIES = {
    "json": "eyechart.dialects:_json",
    "kosmos-2": "eyechart.dialects:_kosmos2",
}


def known() -> Mapping[str, str]:
    """Every dialect that needs no further word, with a line about it; loads no heavy package."""
    from eyechart.dialects.frames import SCALES

    specs = [f"json:{scale}" for scale in SCALES]
    specs += [name for name in _FAMILIES if name != "json"]
    return {spec: find(spec).about for spec in specs}


def find(spec: str) -> Dialect:
    """The dialect that a name means: `json:<scale>[,<order>]`, `kosmos-2[:<grid>]`.

    Raises:
        UsageError: no such dialect, scale or order; the message names the nearest.
    """
    family, _, argument = spec.partition(":")
    if family in _FAMILIES:
        made: Dialect = load(_FAMILIES[family])(argument)
        return made
    names = [*known(), *_FAMILIES]
    raise UsageError(
        f"No dialect is named {spec!r}.{meant(spec, names)} "
        "`eyechart list dialects` shows them; `json:pixels` and `json:0-1000` fit most models."
    )


def _json(argument: str) -> Dialect:
    from eyechart.dialects.boxes_json import json_boxes
    from eyechart.dialects.frames import SCALES

    if not argument:
        raise UsageError(
            f"The dialect json needs a scale: {', '.join(f'json:{scale}' for scale in SCALES)}; "
            "after a comma the order, if it is not xyxy: json:0-1000,yxyx."
        )
    scale, _, order = argument.partition(",")
    return json_boxes(scale.strip(), order.strip() or "xyxy")


def _kosmos2(argument: str) -> Dialect:
    from eyechart.dialects.kosmos2 import kosmos2

    if not argument:
        return kosmos2()
    if not (argument.isascii() and argument.isdigit() and 0 < int(argument[:6]) <= 1024):
        raise UsageError(f"kosmos-2:{argument}: the grid is a whole number from 1 to 1024.")
    return kosmos2(int(argument))
