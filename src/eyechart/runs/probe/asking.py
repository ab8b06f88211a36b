"""Asks a model about the eye chart in many wordings, and says how it writes boxes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from eyechart.errors import ModelError, UsageError
from eyechart.runs.ask import Silent
from eyechart.runs.probe import readings, scenes, telling
from eyechart.runs.probe.judging import judged
from eyechart.runs.probe.questions import FORMS, PILOT, Form, going_on

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.models import Model
    from eyechart.runs.ask import Watching
    from eyechart.runs.probe.readings import Item
    from eyechart.runs.probe.result import Probe
    from eyechart.runs.probe.scenes import Shown
    from eyechart.values import Reply

    Watch = Callable[[int, str], Watching]

SCENES = 16


def probe(
    model: Model,
    *,
    scenes: int = SCENES,
    seed: int = 0,
    watch: Watch | None = None,
    generation: Mapping[str, Any] | None = None,
) -> Probe:
    """Finds out how a model writes boxes, from its answers about drawn scenes alone.

    Every wording of `questions.FORMS` is tried on two scenes, and on two more where nothing readable
    came of it; three wordings at most go on to all scenes. That makes four requests a scene at most,
    or one wording more where two more scenes had to be tried.

    Args:
        model: one that answers in text; it sees pictures and questions, never the truth.
        scenes: how many, 12 to 24.
        seed: of the scenes' content; their sizes are always the same.
        watch: makes the watcher of each round from the number of requests and a label.
        generation: settings laid over the model's own.

    Raises:
        UsageError: a model that gives boxes as numbers (there is nothing to find out), replies
            that exist already, or a number of scenes out of range.
        ModelError: the model cannot be asked at all.
    """
    _refuse_numbers(model)
    began = time.monotonic()
    asked_about = _scenes(seed, scenes)
    settings = {**model.about.generation, **(generation or {})}
    asking = _Asking(model, settings, watch or _silently)
    items: list[Item] = []
    forms: list[Form] = []
    # a second look where the first brought out nothing at all: that may have been chance
    for first in (0, PILOT):
        tried = asked_about[first : first + PILOT]
        items += asking.ask([(form, one) for form in FORMS for one in tried], "wordings tried")
        _refuse_given(model, items)
        forms = going_on(items, scenes)
        if forms:
            break
    have = {(one.form.name, one.scene.index) for one in items}
    rest = [
        (form, one) for form in forms for one in asked_about if (form.name, one.index) not in have
    ]
    if rest:
        items += asking.ask(rest, "wordings that were answered, on all scenes")
    judgement = judged([one for one in items if one.form in forms])
    return telling.told(model, asked_about, seed, items, judgement, settings, began)


def _scenes(seed: int, number: int) -> list[Shown]:
    return scenes.shown(seed, number)


class _Asking:
    """The rounds of questions to one model."""

    def __init__(self, model: Model, settings: Mapping[str, Any], watch: Watch) -> None:
        self._model = model
        self._settings = settings
        self._watch = watch

    def ask(self, pairs: Sequence[tuple[Form, Shown]], label: str) -> list[Item]:
        """One question for each wording and scene, and what became of it, in this order."""
        replies: dict[str, Reply] = {}
        requests = [scenes.request(form, one, self._settings) for form, one in pairs]
        expected = {request.sample_id for request in requests}
        with self._watch(len(requests), f"probe: {label}") as watcher:

            def keep(reply: Reply) -> None:
                if reply.sample_id not in expected:
                    raise ModelError(
                        f"the model answered {reply.sample_id!r}, which it was not asked."
                    )
                replies[reply.sample_id] = reply
                watcher.advance(error=reply.state == "error")

            self._model.answer(iter(requests), keep)
        return [
            readings.item(form, one, replies.get(scenes.name_of(form, one))) for form, one in pairs
        ]


def _refuse_numbers(model: Model) -> None:
    name = telling.model_name(model)
    if hasattr(model, "kept"):
        raise UsageError(
            f"{name} holds replies that exist already; a probe asks its own questions. Name the "
            "model that gave them, or declare --dialect."
        )
    if model.about.gives_boxes:
        raise UsageError(
            f"{name} gives boxes as numbers and names their form itself: there is no way of writing to "
            "find out, and no --dialect is needed."
        )


def _refuse_given(model: Model, items: Sequence[Item]) -> None:
    if any(one.given for one in items) and not any(one.readable for one in items):
        raise UsageError(
            f"{telling.model_name(model)} answers with boxes as numbers, in a form that its replies name: "
            "there is no way of writing to find out. Let it say gives_boxes = True; no --dialect is "
            "needed."
        )


def _silently(_total: int, _label: str) -> Watching:
    return Silent()
