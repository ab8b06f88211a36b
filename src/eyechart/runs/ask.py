"""The loop that asks: what is missing or failed, each reply kept the moment it comes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

import msgspec

from eyechart.errors import ModelError, PictureError, SpecMismatch
from eyechart.io.images import LazyPicture
from eyechart.io.journal import Journal, Lock
from eyechart.io.resizing import ImagePolicy, ResizedPicture
from eyechart.runs import pictures
from eyechart.runs.prompts import render
from eyechart.values import Failure, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eyechart.models import Model
    from eyechart.runs.folder import RunFolder
    from eyechart.runs.spec import RunSpec
    from eyechart.values import Picture, Sample


class Watcher(Protocol):
    """Told of each reply as it is kept."""

    def advance(self, error: bool = False) -> None:
        """One more reply; `error` if it is a failure."""


class Watching(Protocol):
    """A watcher for the time of the asking."""

    def __enter__(self) -> Watcher:
        """Begins to watch."""

    def __exit__(self, *error: object) -> None:
        """Stops watching."""


class Silent:
    """A watcher that says nothing."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        return

    def advance(self, error: bool = False) -> None:
        """Says nothing."""


def requests(
    samples: Sequence[Sample], spec: RunSpec, keys: Sequence[tuple[int, int]]
) -> Iterator[Request]:
    """Requests for the (sample index, repeat) pairs in `keys`; pictures are read when opened."""
    with_pictures = spec.images != "none"
    policy = ImagePolicy.parse(spec.images if with_pictures else "original")
    for index, repeat in keys:
        sample = samples[index]
        generation = dict(spec.generation)
        if repeat and isinstance(generation.get("seed"), int):
            generation["seed"] += repeat
        # without pictures a model still gets the size that the annotation states
        image: Picture = LazyPicture(sample.image, pictures.read if with_pictures else _withheld)
        if policy.spelled != "original":
            image = ResizedPicture(image, policy)
        messages = render(spec.template, sample, with_pictures)
        yield Request(sample.id, messages, image, generation, repeat, task=sample.task)


def _withheld(_image: object) -> bytes:
    raise PictureError("the run was made without pictures (--no-images).")


def question_digest(sample: Sample) -> str:
    """16 hexadecimal digits of the SHA-256 of what a model is asked: task, picture name, slots."""
    question = msgspec.json.encode([sample.task, sample.image.name, sample.asked], order="sorted")
    return hashlib.sha256(question).hexdigest()[:16]


def pending(samples: Sequence[Sample], repeats: int, folder: RunFolder) -> list[tuple[int, int]]:
    """Which (sample index, repeat) pairs have no good reply yet.

    Raises:
        SpecMismatch: a kept reply was to another question than its sample asks now.
    """
    good = {key: reply for key, reply in folder.latest().items() if reply.state != "error"}
    answered = {sample_id for sample_id, _ in good}
    digests = {one.id: question_digest(one) for one in samples if one.id in answered}
    for (sample_id, _), reply in good.items():
        now = digests.get(sample_id, reply.asked)
        if reply.asked and reply.asked != now:
            raise SpecMismatch(
                f"The data changed since this run began: the reply kept for sample {sample_id!r} was "
                f"to another question or picture (in {folder.replies_path}). Put the old data back, "
                "or use another --out for a run on the new ones."
            )
    return [
        (index, repeat)
        for repeat in range(repeats)
        for index, sample in enumerate(samples)
        if (sample.id, repeat) not in good
    ]


def ask(
    folder: RunFolder,
    samples: Sequence[Sample],
    spec: RunSpec,
    model: Model,
    keys: Sequence[tuple[int, int]],
    watcher: Watcher,
) -> None:
    """Asks the model and keeps each reply. The caller holds the folder's lock.

    Raises:
        ModelError: the model cannot be asked at all.
        RunError: the record cannot be written.
    """
    sent = _sizes_sent(spec)
    asked_of = {samples[index].id: samples[index] for index, _ in keys}
    with Journal(folder.replies_path) as record:

        def keep(reply: Reply) -> None:
            if reply.sample_id not in asked_of:
                raise ModelError(f"the model answered {reply.sample_id!r}, which it was not asked.")
            sample = asked_of[reply.sample_id]
            digest = question_digest(sample)
            reply = msgspec.structs.replace(
                reply, asked=digest, sent_size=reply.sent_size or sent(sample)
            )
            try:
                record.append(reply)
            except (UnicodeEncodeError, TypeError, ValueError, RecursionError) as error:
                # half of a surrogate pair, or a value that JSON has no form for
                failure = Failure("protocol", f"the reply cannot be written as JSON: {error}")
                reply = Reply(
                    reply.sample_id, reply.repeat, state="error", error=failure, asked=digest
                )
                record.append(reply)
            watcher.advance(error=reply.state == "error")

        model.answer(requests(samples, spec, keys), keep)


def _sizes_sent(spec: RunSpec) -> Callable[[Sample], tuple[int, int] | None]:
    """What size a sample's picture was given to the model in, for models that do not say."""
    if spec.images == "none":
        return lambda _sample: None
    policy = ImagePolicy.parse(spec.images)

    def size(sample: Sample) -> tuple[int, int] | None:
        width, height = sample.image.width, sample.image.height
        return policy.size((width, height)) if width and height else None

    return size


def lock(folder: RunFolder) -> Lock:
    """Takes the folder for one writer.

    Raises:
        RunBusy: another process has it.
    """
    return Lock(folder.path / ".lock")
