"""Models: one seam, requests in, replies out, in any order.

A model gets an iterator of Requests, which it draws from as fast as it likes (pictures are opened
only when `request.image.read()` is called), and calls `keep` once for each with a Reply, also when
that one failed. `keep` is cheap and may be called from the thread that called `answer` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, overload

from eyechart.values import Reply, Request, Sample

Keep = Callable[[Reply], None]


@dataclass(frozen=True, slots=True)
class About:
    """What a model declares of itself.

    `identity` is all that decides an answer besides the request (kind, name, revision, address):
    it enters the run's fingerprint and must hold no secret. `dialect` names how it writes boxes in
    text, if that is known; a model that gives boxes as numbers needs none. `tells_seen_size` False
    says that no reply will carry `seen_size`, so that a dialect that needs it is refused at once.
    `generation` are the settings it is given where the user says nothing of them.
    """

    identity: Mapping[str, Any]
    dialect: str | None = None
    gives_boxes: bool = False
    needs_images: bool = True
    tells_seen_size: bool | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)


class Own(Protocol):
    """A model as a user writes one: `models.custom` puts it behind the seam."""

    def answer(self, request: Request) -> Any:
        """Text, a Reply, or a list of boxes (xyxy, pixels of the original picture)."""


class Questions(Sequence[tuple[str, str]]):
    """The picture's name and the question of each sample, made when they are looked at."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    @overload
    def __getitem__(self, at: int) -> tuple[str, str]: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[tuple[str, str]]: ...

    def __getitem__(self, at: int | slice) -> tuple[str, str] | Sequence[tuple[str, str]]:
        if isinstance(at, slice):
            return Questions(self._samples[at])
        sample = self._samples[at]
        return sample.image.name, sample.asked.get("question", "")


class Model(Protocol):
    """The seam.

    A model may also have `prepare(sample_ids, source, questions) -> warnings`: it is told the ids
    of all samples in file order, the one file they come from (or None), and the picture's name and
    question of each, before anything is asked, and may refuse. No truth is among it.

    One whose replies exist already may have `kept(sample_ids, repeats) -> replies`, which gives them by sample and
    repeat without a question, and `matching`, how its file went with the samples.
    """

    @property
    def about(self) -> About:
        """What the model says of itself, known before it is asked anything."""

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Answers each request with one call of `keep`; returns when all are done.

        Raises:
            ModelError: nothing can be asked at all (address, key, model name).
        """
