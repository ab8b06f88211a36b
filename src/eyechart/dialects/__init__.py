"""How models write boxes: pure functions from a reply's text and sizes to a Reading.

A dialect is declared before scoring; nothing here sees the truth or guesses from the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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
