"""What a preset file holds, field by field."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from eyechart.dialects.found import Parser
from eyechart.values import Task

Mark = Literal["A", "R", "S"]
Unit = Literal["percent", "ratio", "CIDEr"]
BoxPolicy = Literal["first", "last", "any", "union", "mean", "highest"]

MARKS = {
    "A": "the authors' own",
    "R": "reprinted by another team",
    "S": "a second-hand copy",
}


class Prompt(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How one task is worded, with `{slots}` as `Sample.asked` fills them.

    `generation` is laid over the preset's own for this task.
    """

    user: str
    system: str | None = None
    source: str = ""
    generation: dict[str, Any] = {}
    note: str = ""


class Published(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What was published of one model by one measure, on one or several benchmarks.

    `values` maps a benchmark as eyechart writes it (`refcoco/val`; without a split where the source
    names none) to the figure in `unit` (`CIDEr`: as papers print it, 100 times the formula's). `metric`
    and `protocol` are eyechart's names where it has that measure. `mark` says who printed it: the
    authors (A), another team that reprints it (R), or a second-hand copy (S). `comparable` is False
    for what no protocol of eyechart measures; `note` says why, and what is doubtful.
    """

    model: str
    metric: str
    mark: Mark
    source: str
    values: dict[str, float]
    protocol: str = ""
    unit: Unit = "percent"
    comparable: bool = True
    note: str = ""


class Preset(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a family of models is asked and read. What is left out is not said, and stays as it is.

    `models` are patterns (`*` stands for anything) of the names under which the family's weights
    are called; `weights` maps a model as `published` names it to its weights, where those are
    called otherwise. `seen` says what the model's own preprocessing makes of a picture
    (`io.resizing.Resize`), `image_policy` what is sent (`io.resizing.ImagePolicy`). `generation` holds the settings for
    every task in the words of an OpenAI-compatible endpoint (`temperature`, `top_p`, `max_tokens`,
    `min_tokens` ...), what such an endpoint has no word for as transformers calls it.
    """

    name: str
    about: str
    dialect: str
    models: tuple[str, ...] = ()
    weights: dict[str, tuple[str, ...]] = {}
    parser: Parser | None = None
    seen: str | None = None
    image_policy: str | None = None
    prompts: dict[Task, Prompt] = {}
    generation: dict[str, Any] = {}
    generation_source: str = ""
    reasoning: Literal["strip", "keep"] | None = None
    box_policy: BoxPolicy | None = None
    published: tuple[Published, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""

    def wording(self, task: str) -> Prompt | None:
        """How a task is worded; None where the preset does not say."""
        return next((prompt for name, prompt in self.prompts.items() if name == task), None)

    def settings(self, task: str) -> dict[str, Any]:
        """The settings of generation for a task: the preset's, with the task's laid over them."""
        own = self.wording(task)
        return {**self.generation, **(own.generation if own is not None else {})}
