"""Replies read by every syntax that is known: raw numbers, not yet placed in a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from eyechart import dialects
from eyechart.dialects import Dialect, Sizes
from eyechart.dialects.around import says_none
from eyechart.dialects.frames import ORDERS
from eyechart.text import thinking
from eyechart.text.refusals import is_refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyechart.dialects.found import Found
    from eyechart.runs.probe.questions import Form
    from eyechart.runs.probe.scenes import Shown
    from eyechart.values import Reply

Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One reply: whose question it answers, what became of it, and its numbers by syntax.

    `text` is what was said, without reasoning. `boxes` and `points` have the first box, or the first point of a reply without a box, for each
    syntax (a key of `syntaxes()`) that finds one.
    """

    form: Form
    scene: Shown
    sizes: Sizes
    state: str
    cut: bool = False
    given: bool = False
    text: str = ""
    boxes: Mapping[str, Numbers] = field(default_factory=dict)
    points: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether any syntax finds a box or a point."""
        return bool(self.boxes or self.points)

    @property
    def signature(self) -> tuple[str, ...]:
        """Which syntaxes find what: replies that are written alike have the same."""
        return (*sorted(self.boxes), "|", *sorted(self.points))


@cache
def syntaxes() -> Mapping[str, Dialect]:
    """Every syntax that reads text alone: the families by name, json by `json,<order>`.

    An object whose numbers have names is a box in its own order only, so json is there four times.
    """
    found = {f"json,{order}": dialects.find(f"json:pixels,{order}") for order in ORDERS}
    for name in dialects.FAMILIES:
        if name != "json":
            dialect = dialects.find(name)
            if dialect.beside is None:
                found[name] = dialect
    return found


def item(form: Form, scene: Shown, reply: Reply | None) -> Item:
    """What became of one question."""
    if reply is None:
        return Item(form, scene, Sizes(scene.size), "error: missing")
    sizes = Sizes(scene.size, reply.sent_size or scene.size, reply.seen_size)
    if reply.state == "error":
        kind = reply.error.kind if reply.error is not None else "protocol"
        return Item(form, scene, sizes, f"error: {kind}")
    text = reply.text or ""
    if reply.boxes is not None:
        return Item(form, scene, sizes, "numbers", given=True, text=text)
    cut = reply.finish_reason == "length"
    if reply.state == "refused":
        return Item(form, scene, sizes, "refused", cut, text=text)
    return _read(form, scene, sizes, text, cut)


def _read(form: Form, scene: Shown, sizes: Sizes, text: str, cut: bool) -> Item:
    said, open_end = thinking.strip(text)
    cut |= open_end
    boxes: dict[str, Numbers] = {}
    points: dict[str, Numbers] = {}
    none = False
    for name, dialect in syntaxes().items():
        found = dialect.found(said)
        cut |= found.truncated and not (found.boxes or found.points)
        none |= found.none
        _keep(name, found, boxes, points)
    if boxes or points:
        state = "box" if boxes else "point"
    elif none or says_none(said):
        state = "none"
    elif not said.strip():
        state = "empty"
    else:
        state = "refused" if is_refusal(said) else "unread"
    return Item(form, scene, sizes, state, cut, False, said or text, boxes, points)


def _keep(name: str, found: Found, boxes: dict[str, Numbers], points: dict[str, Numbers]) -> None:
    shapes, kept = (found.boxes, boxes) if found.boxes else (found.points, points)
    if shapes and all(math.isfinite(number) and abs(number) < 1e9 for number in shapes[0]):
        kept[name] = tuple(shapes[0])
