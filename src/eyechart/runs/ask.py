"""The loop that asks: what is missing or failed, each reply kept the moment it comes."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Protocol

from eyechart.errors import UsageError, meant
from eyechart.io.images import LazyPicture
from eyechart.io.journal import Journal, Lock
from eyechart.runs import pictures
from eyechart.values import Failure, Message, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.models import Model
    from eyechart.runs.folder import RunFolder
    from eyechart.runs.spec import RunSpec
    from eyechart.values import Sample, Template


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


def render(template: Template, sample: Sample) -> tuple[Message, ...]:
    """The messages for one sample: the template's wording around what is asked."""
    turns = []
    if template.system:
        turns.append(Message("system", template.system))
    turns.append(Message("user", template.user.format_map(sample.asked), with_image=True))
    return tuple(turns)


def check_template(template: Template, sample: Sample) -> None:
    """Refuses a prompt with slots that the samples do not have.

    Raises:
        UsageError: an unknown slot, or braces that do not close.
    """
    known = ", ".join("{" + slot + "}" for slot in sample.asked)
    try:
        slots = [name for _, name, _, _ in string.Formatter().parse(template.user)]
    except ValueError as error:
        raise UsageError(
            f"The prompt {template.user!r} has a brace too many or too few ({error}). "
            f"Slots are written {known}; a brace itself is doubled."
        ) from None
    for slot in slots:
        if slot is not None and slot not in sample.asked:
            raise UsageError(
                f"The prompt has a slot {{{slot}}} that these samples do not fill."
                f"{meant(slot, sample.asked)} They fill {known}."
            )
    if sample.asked and not any(slots):
        raise UsageError(
            f"The prompt has no slot, so every sample would be asked the same. Use {known}."
        )


def requests(
    samples: Sequence[Sample], spec: RunSpec, keys: Sequence[tuple[int, int]]
) -> Iterator[Request]:
    """Requests for the (sample index, repeat) pairs in `keys`; pictures are read when opened."""
    with_pictures = spec.images != "none"
    for index, repeat in keys:
        sample = samples[index]
        generation = dict(spec.generation)
        if repeat and isinstance(generation.get("seed"), int):
            generation["seed"] += repeat
        # without pictures a model still gets the size that the annotation states
        image = LazyPicture(sample.image, pictures.read if with_pictures else _withheld)
        yield Request(sample.id, render(spec.template, sample), image, generation, repeat)


def _withheld(_image: object) -> bytes:
    from eyechart.errors import PictureError

    raise PictureError("the run was made without pictures (--no-images).")


def pending(samples: Sequence[Sample], repeats: int, folder: RunFolder) -> list[tuple[int, int]]:
    """Which (sample index, repeat) pairs have no good reply yet."""
    good = {key for key, reply in folder.latest().items() if reply.state != "error"}
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
    with Journal(folder.replies_path) as record:

        def keep(reply: Reply) -> None:
            try:
                record.append(reply)
            except (UnicodeEncodeError, TypeError, ValueError) as error:
                # half of a surrogate pair, or a value that JSON has no form for
                failure = Failure("protocol", f"the reply cannot be written as JSON: {error}")
                reply = Reply(reply.sample_id, reply.repeat, state="error", error=failure)
                record.append(reply)
            watcher.advance(error=reply.state == "error")

        model.answer(requests(samples, spec, keys), keep)


def lock(folder: RunFolder) -> Lock:
    """Takes the folder for one writer.

    Raises:
        RunBusy: another process has it.
    """
    return Lock(folder.path / ".lock")
