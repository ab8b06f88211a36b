"""How models write boxes: pure functions from a reply's text and sizes to a Reading.

A dialect is a syntax (where in a text the numbers of a box stand) and a frame (what the numbers
mean). It is declared before scoring; nothing here sees the truth or guesses from the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eyechart.dialects.found import PARSERS, Found, Parser
from eyechart.errors import UsageError, meant
from eyechart.registry import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.dialects.frames import Frame
    from eyechart.values import Box, RawBoxes, Reading


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths and heights in pixels: the original's, what was sent, what the model made of it."""

    original: tuple[int, int]
    sent: tuple[int, int] | None = None
    seen: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way of writing boxes: a syntax and a frame.

    `syntax(text, parser)` finds the numbers; it is linear in the text's length, never raises, and
    looks at nothing but the text. `write(named boxes, sizes)` is the text in which the family
    itself would give these boxes (label or None, xyxy in pixels of the original). `parser` says in
    whose manner a reply is read: the authors' own, or eyechart's tolerant one, which also puts
    boxes in order and clips them unless `keeps_boxes`. `orders_corners` says that the authors put swapped corners in order. `to_box` is for families whose authors'
    code departs from their frame (`frame.box` otherwise). `beside` reads a text that points to boxes
    given as numbers beside it, from both. `template` is the wording that asks for this form, where
    no preset has one.
    """

    name: str
    about: str
    frame: Frame
    syntax: Callable[[str, Parser], Found]
    write: Callable[[Sequence[tuple[str | None, Box]], Sizes], str]
    source: str = ""
    template: str | None = None
    orders_corners: bool = False
    to_box: Callable[[Sequence[float], Sizes, Parser], Box] | None = None
    beside: Callable[[str, RawBoxes | None, Parser], Found] | None = None
    parser: Parser = "tolerant"
    keeps_boxes: bool = False

    @property
    def needs_seen(self) -> bool:
        """Whether the size that the model's own preprocessing made must be known."""
        return self.frame.needs_seen

    def read(self, text: str, sizes: Sizes, given: RawBoxes | None = None) -> Reading:
        """The boxes and points of a reply, in pixels of the original picture, in their order.

        The model's reasoning is expected to be cut off (`text.thinking.strip`). `given` are the
        boxes that came as numbers beside the text, for dialects whose text points to them.

        Raises:
            UsageError: the frame needs a size that `sizes` does not have.
        """
        from eyechart.dialects.placing import placed

        return placed(self, self.found(text, given), text, sizes)

    def found(self, text: str, given: RawBoxes | None = None) -> Found:
        """What the syntax finds in a reply, in the model's own numbers."""
        from eyechart.dialects.around import core

        said = core(text) if self.parser == "tolerant" else text
        if self.beside is not None:
            return self.beside(said, given, self.parser)
        return self.syntax(said, self.parser)

    def box(self, numbers: Sequence[float], sizes: Sizes) -> Box:
        """The numbers of one box as xyxy in pixels of the original, neither ordered nor clipped."""
        if self.to_box is not None:
            return self.to_box(numbers, sizes, self.parser)
        return self.frame.to_pixels(numbers, sizes)


# Family to `module:maker`; a maker takes what stands after the colon, or "".
FAMILIES: dict[str, str] = {
    "claude": "eyechart.dialects.json_families:claude",
    "cogvlm-grounding": "eyechart.dialects.brackets:cogvlm",
    "deepseek-vl2": "eyechart.dialects.brackets:deepseek_vl2",
    "ferret": "eyechart.dialects.decimals:ferret",
    "florence-2": "eyechart.dialects.location_tokens:florence2",
    "gemini": "eyechart.dialects.json_families:gemini",
    "glm-4.1v": "eyechart.dialects.brackets:glm",
    "gpt": "eyechart.dialects.json_families:gpt",
    "griffon": "eyechart.dialects.decimals:griffon",
    "groma": "eyechart.dialects.pointing:groma",
    "grounding-dino": "eyechart.dialects.number_replies:grounding_dino",
    "internvl": "eyechart.dialects.brackets:internvl",
    "json": "eyechart.dialects.boxes_json:generic",
    "kimi-vl": "eyechart.dialects.json_families:kimi_vl",
    "kosmos-2": "eyechart.dialects.kosmos2:kosmos2",
    "llava-1.5": "eyechart.dialects.decimals:llava",
    "llava-grounding": "eyechart.dialects.pointing:llava_grounding",
    "mdetr": "eyechart.dialects.number_replies:mdetr",
    "mimo-vl": "eyechart.dialects.json_families:mimo_vl",
    "minigpt-v2": "eyechart.dialects.braces:minigpt_v2",
    "molmo": "eyechart.dialects.molmo:molmo",
    "moondream": "eyechart.dialects.json_families:moondream",
    "ofa": "eyechart.dialects.location_tokens:ofa",
    "paligemma": "eyechart.dialects.location_tokens:paligemma",
    "qwen-vl": "eyechart.dialects.pairs:qwen_vl",
    "qwen2-vl": "eyechart.dialects.pairs:qwen2_vl",
    "qwen2.5-vl": "eyechart.dialects.json_families:qwen2_5_vl",
    "qwen3-vl": "eyechart.dialects.json_families:qwen3_vl",
    "rex-omni": "eyechart.dialects.braces:rex_omni",
    "shikra": "eyechart.dialects.decimals:shikra",
    "transvg": "eyechart.dialects.number_replies:transvg",
}


def known() -> Mapping[str, str]:
    """Every dialect that needs no further word, with a line about it; loads no heavy package."""
    from eyechart.dialects.frames import SCALES

    specs = [f"json:{scale}" for scale in SCALES]
    specs += [name for name in FAMILIES if name != "json"]
    return {spec: find(spec).about for spec in specs}


def find(spec: str, parser: Parser = "tolerant", *, keeps_boxes: bool = False) -> Dialect:
    """The dialect that a name means: a family's, or `json:<scale>[,<order>]`.

    `parser` says in whose manner replies are read; `keeps_boxes` that boxes stay as they are
    written, as most official programs score them.

    Raises:
        UsageError: no such dialect, scale, order or parser; the message names the nearest.
    """
    if parser not in PARSERS:
        raise UsageError(
            f"No parser is named {parser!r}.{meant(parser, PARSERS)} There are: "
            f"{', '.join(PARSERS)}."
        )
    family, _, argument = spec.partition(":")
    if family in FAMILIES:
        made: Dialect = load(FAMILIES[family])(argument)
        return replace(made, parser=parser, keeps_boxes=keeps_boxes)
    names = [*FAMILIES, *known()]
    raise UsageError(
        f"No dialect is named {spec!r}.{meant(spec, names)} "
        "`eyechart list dialects` shows them; for a model that is not listed there is json with "
        "its scale, such as json:pixels or json:0-1000."
    )


def bare(family: str, argument: str) -> None:
    """Refuses a word after the colon of a family that takes none.

    Raises:
        UsageError: there is one.
    """
    if argument:
        raise UsageError(f"The dialect {family} takes nothing after a colon, not {argument!r}.")
