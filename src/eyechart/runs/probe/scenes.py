"""What is asked about: chart scenes with one large object, and the requests about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from eyechart.chart import single
from eyechart.errors import UsageError
from eyechart.io.images import LazyPicture
from eyechart.values import Box, Image, Message, Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyechart.runs.probe.questions import Form

FEWEST, MOST = 12, single.MOST


@dataclass(frozen=True, slots=True)
class Shown:
    """A scene as it is asked about, with the truth: xyxy in pixels of the picture."""

    index: int
    size: tuple[int, int]
    expression: str
    box: Box
    picture: LazyPicture


def shown(seed: int, number: int) -> list[Shown]:
    """The first `number` scenes of a seed; drawn when they are sent.

    Raises:
        UsageError: fewer than 12 or more than 24.
    """
    if not FEWEST <= number <= MOST:
        raise UsageError(f"A probe asks about {FEWEST} to {MOST} scenes, not {number}.")
    return [_shown(seed, index) for index in range(number)]


def _shown(seed: int, index: int) -> Shown:
    scene = single.compose(seed, index)
    image = Image(name=f"scene {index}", width=scene.width, height=scene.height)
    x1, y1, x2, y2 = scene.target.box
    return Shown(
        index=index,
        size=(scene.width, scene.height),
        expression=scene.expression,
        box=(float(x1), float(y1), float(x2), float(y2)),
        picture=LazyPicture(image, partial(_read, seed, index)),
    )


def _read(seed: int, index: int, _image: Image) -> bytes:
    return single.read(seed, index)


def request(form: Form, scene: Shown, generation: Mapping[str, Any]) -> Request:
    """The question in one wording about one scene; its id says which, and nothing of the truth."""
    messages = [Message("user", form.words(scene.expression), with_image=True)]
    if form.system is not None:
        messages.insert(0, Message("system", form.system))
    return Request(
        name_of(form, scene), tuple(messages), scene.picture, dict(generation), task="ground"
    )


def name_of(form: Form, scene: Shown) -> str:
    """The id of a request."""
    return f"{form.name}#{scene.index}"
