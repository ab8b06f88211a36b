"""A run folder: the spec, the samples, the journal of replies, and what is derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import RunError, SpecMismatch
from eyechart.io import journal
from eyechart.io.files import read_bytes, write_whole
from eyechart.io.images import file_digest
from eyechart.runs.spec import SCHEMA, RunFile
from eyechart.values import Reply, Sample, Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


class RunFolder:
    """Where a run is kept. Opening one writes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / "spec.json").is_file()

    def run_file(self) -> RunFile:
        """What was asked of whom, and how it is read.

        Raises:
            RunError: not a run folder, or one of a newer eyechart.
        """
        path = self.path / "spec.json"
        if not path.is_file():
            raise RunError(f"{self.path}: not a run folder (it has no spec.json).")
        try:
            found = msgspec.json.decode(read_bytes(path), type=RunFile)
        except msgspec.MsgspecError as error:
            raise RunError(
                f"{path}: cannot be read ({error}). Move it away and run the same command again: "
                "samples and replies are kept."
            ) from None
        if found.spec.schema > SCHEMA:
            raise RunError(f"{path}: made by a newer eyechart (schema {found.spec.schema}).")
        return found

    def write_run_file(self, value: RunFile) -> None:
        """Writes `spec.json`."""
        write_whole(self.path / "spec.json", pretty(value))

    def samples(self) -> Iterator[Sample]:
        """The frozen samples, in the benchmark's order."""
        return journal.read(self.path / "samples.jsonl", Sample, whole=True)

    def samples_digest(self) -> str:
        """The SHA-256 of `samples.jsonl`; empty where there is none."""
        path = self.path / "samples.jsonl"
        return file_digest(path.read_bytes()) if path.is_file() else ""

    def freeze(self, samples: Sequence[Sample]) -> tuple[bytes, list[str] | None]:
        """What `samples.jsonl` is to hold, once it is sure that these are the run's samples.

        A sample once kept stays, also when fewer are chosen later. A file that is lost or not as
        the run left it is made anew: the replies themselves tell which questions they answer (see
        `ask.pending`). Gives the bytes, and the ids that are chosen now, or None where that is all
        there are.

        Raises:
            SpecMismatch: a sample differs from the one kept under its id; names the first.
        """
        kept = {sample.id: sample for sample in self.samples()} if self.intact() else {}
        for sample in samples:
            before = kept.get(sample.id)
            if before is not None:
                self._refuse_change(before, sample)
        chosen = {sample.id: _with_digest(sample, kept.get(sample.id)) for sample in samples}
        every = chosen if kept.keys() <= chosen.keys() else {**kept, **chosen}
        return _lines(every.values()), None if len(every) == len(chosen) else list(chosen)

    def intact(self) -> bool:
        """Whether `samples.jsonl` is as the run left it, as far as `spec.json` can tell."""
        known = self.run_file().samples_digests if self.exists else []
        return not known or self.samples_digest() in known

    def write_samples(self, lines: bytes) -> None:
        """Writes `samples.jsonl`."""
        write_whole(self.path / "samples.jsonl", lines)

    def _refuse_change(self, before: Sample, now: Sample) -> None:
        changed = [name for name in ("asked", "target", "group", "task")
                   if getattr(before, name) != getattr(now, name)]  # fmt: skip
        old, new = before.image, now.image
        if (old.name, old.width, old.height) != (new.name, new.width, new.height):
            changed.append("image")
        if old.digest and new.digest and old.digest != new.digest:
            changed.append("the picture's bytes")
        if changed:
            raise SpecMismatch(
                f"The data changed since this run began: sample {now.id!r} differs from the one in "
                f"{self.path / 'samples.jsonl'} in {', '.join(changed)}. Put the old data back, or "
                "use another --out for a run on the new ones."
            )

    @property
    def replies_path(self) -> Path:
        """The journal of replies."""
        return self.path / "replies.jsonl"

    def replies(self) -> Iterator[Reply]:
        """All replies in the order they came, failures included."""
        return journal.read(self.replies_path, Reply)

    def latest(self) -> dict[tuple[str, int], Reply]:
        """By sample and repeat the last good reply, or the last failure where there is none."""
        best: dict[tuple[str, int], Reply] = {}
        for reply in self.replies():
            key = (reply.sample_id, reply.repeat)
            if reply.state != "error" or key not in best or best[key].state == "error":
                best[key] = reply
        return best

    def write_scores(self, protocol: str, scores: Sequence[Score], summary: object) -> None:
        """Writes what the replies are worth under one protocol."""
        encoder = msgspec.json.Encoder()
        lines = b"".join(encoder.encode(score) + b"\n" for score in scores)
        folder = self.path / "scores"
        write_whole(folder / f"{protocol}.jsonl", lines)
        write_whole(folder / f"{protocol}.summary.json", pretty(summary))

    def write_derived(self, name: str, data: bytes) -> Path:
        """Writes a derived file such as `report.json`; gives its path."""
        write_whole(self.path / name, data)
        return self.path / name


def _lines(samples: Iterable[Sample]) -> bytes:
    encoder = msgspec.json.Encoder()
    return b"".join(encoder.encode(sample) + b"\n" for sample in samples)


def _with_digest(sample: Sample, kept: Sample | None) -> Sample:
    """A picture that cannot be read now is still the one that it was."""
    if kept is None or sample.image.digest or not kept.image.digest:
        return sample
    image = msgspec.structs.replace(sample.image, digest=kept.image.digest)
    return msgspec.structs.replace(sample, image=image)


def pretty(value: object) -> bytes:
    """JSON for people: two spaces, a last newline; the same value gives the same bytes."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
