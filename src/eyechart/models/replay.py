"""Replies that were made elsewhere, answered from a file as if a model gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.dialects.tensors import FORMATS, frame_of
from eyechart.errors import DataError, UsageError
from eyechart.formats.replies import Replies, read
from eyechart.models import About, Keep
from eyechart.values import Failure, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from eyechart.values import Request

_NAMED = 5
_DIALECTS = {"h_lines": "kosmos-2"}


class Replay:
    """A model whose answers stand in a file: JSON lines, VQA results, H- lines or a run folder.

    Attributes:
        warnings: what a reader of the score should know (repeated ids, lines left out ...).
    """

    def __init__(self, path: Path, subset: bool = False, box_format: str | None = None) -> None:
        """Reads the file.

        Args:
            path: the file, or a run folder.
            subset: whether samples without a reply, and replies without a sample, are accepted.
            box_format: the form (`dialects.tensors.FORMATS`) of `boxes` whose row names none.

        Raises:
            DataError: a form that is not known, or a bad line.
            UsageError: boxes whose form neither the file nor `box_format` names.
        """
        if box_format is not None:
            frame_of(box_format)
        self._file = read(path)
        self._subset = subset
        self._replies = _with_format(self._file, box_format)
        nameless = any(raw is not None and not raw.format for raw in _raw_boxes(self._file))
        self._box_format = box_format if nameless else None
        self._by_id: dict[tuple[str, int], Reply] = {}
        self._matched = False
        self._of_file = [*self._file.warnings, *self._read_ids()]
        self.warnings = list(self._of_file)

    @property
    def about(self) -> About:
        """File name and sha256, and the form of boxes where it decides how any are read.

        A file of H- lines says that its dialect is Kosmos-2's.
        """
        file = self._file
        name = file.path.parent.name if file.form == "run" else file.path.name
        told = {"kind": "replay", "name": name, "sha256": file.sha256}
        return About(
            identity=told | ({"box_format": self._box_format} if self._box_format else {}),
            dialect=_DIALECTS.get(file.form),
            gives_boxes=any(reply.boxes is not None for reply in self._replies),
            needs_images=False,
        )

    def match(self, sample_ids: Sequence[str]) -> None:
        """Joins the replies with all samples of the benchmark, in file order.

        By id; where the file has none, the n-th reply is the n-th sample's. Surplus H- lines are
        left out with a warning, as the official program ignores them.

        Raises:
            DataError: samples without a reply, or replies without a sample, and not `subset`.
        """
        found = (
            self._match_by_order(sample_ids)
            if self._file.by_order
            else self._match_by_id(sample_ids)
        )
        self.warnings = [*self._of_file, *found]
        self._matched = True

    @property
    def covered(self) -> frozenset[str]:
        """The ids of the samples that have a reply."""
        return frozenset(sample_id for sample_id, _ in self._by_id)

    def prepare(
        self,
        sample_ids: Sequence[str],
        _source: Path | None = None,
        _questions: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """As `match`; gives the warnings."""
        self.match(sample_ids)
        return self.warnings

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Gives each request its reply; one that is not in the file becomes an error, `missing`."""
        if not self._matched and self._file.by_order:
            raise UsageError("Replies without ids must be matched with the samples first.")
        for request in requests:
            found = self._by_id.get((request.sample_id, request.repeat))
            if found is None:
                failure = Failure("missing", f"{self._file.path.name} has no reply for it")
                found = Reply("", state="error", error=failure)
            keep(msgspec.structs.replace(found, sample_id=request.sample_id, repeat=request.repeat))

    def _read_ids(self) -> list[str]:
        """Files replies by id and repeat: the last wins, but no error wins over a reply."""
        if self._file.by_order:
            return []
        repeated: dict[str, None] = {}
        for reply in self._replies:
            key = (reply.sample_id, reply.repeat)
            before = self._by_id.get(key)
            if before is not None and self._file.form != "run":
                repeated[reply.sample_id] = None
            if before is not None and reply.state == "error" and before.state != "error":
                continue
            self._by_id[key] = reply
        if not repeated:
            return []
        return [
            f"{self._file.path}: {_number(len(repeated), 'id')} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once, the last reply of "
            f"each counts: {_first(repeated)}."
        ]

    def _match_by_id(self, sample_ids: Sequence[str]) -> list[str]:
        wanted, given = dict.fromkeys(sample_ids), {sample_id for sample_id, _ in self._by_id}
        missing = [sample_id for sample_id in wanted if sample_id not in given]
        unknown = sorted(given - wanted.keys())
        if not missing and not unknown:
            return []
        sides = []
        if missing:
            sides.append(f"{_having(len(missing), 'sample')} no reply ({_first(missing)})")
        if unknown:
            sides.append(f"{_having(len(unknown), 'reply')} no sample ({_first(unknown)})")
        state = (
            f"{self._file.path}: {_number(len(given), 'reply')} for "
            f"{_number(len(wanted), 'sample')}: "
            f"{' and '.join(sides)}."
        )
        if not self._subset:
            raise DataError(
                f"{state} Check the benchmark and its split; --subset scores what is there."
            )
        return [state]

    def _match_by_order(self, sample_ids: Sequence[str]) -> list[str]:
        lines, samples = len(self._replies), len(sample_ids)
        what = _number(lines, "H- line" if self._file.form == "h_lines" else "reply")
        ids = "" if self._file.form == "h_lines" else " without ids"
        state = f"{self._file.path}: {what}{ids} for {_number(samples, 'sample')}"
        surplus = lines > samples and self._file.form == "h_lines"
        if lines != samples and not self._subset and not surplus:
            raise DataError(
                f"{state}; they are matched by order, so the numbers must agree. "
                "Check the benchmark and its split; --subset scores the first of them."
            )
        self._by_id = {
            (sample_id, 0): reply
            for sample_id, reply in zip(sample_ids, self._replies, strict=False)
        }
        if lines == samples:
            return []
        left = lines - samples
        verb = "is" if left == 1 else "are"
        last = "one" if left == 1 else f"{left:,}"
        return [f"{state}{f'; the last {last} {verb} left out' if left > 0 else ''}."]


def _raw_boxes(file: Replies) -> Iterator[RawBoxes | None]:
    return (reply.boxes for reply in file.replies)


def _with_format(file: Replies, box_format: str | None) -> list[Reply]:
    """The replies with the form of their boxes filled in from `box_format` and checked."""
    made = []
    for number, reply in enumerate(file.replies):
        where = file.place[number] if number < len(file.place) else f"line {number + 1}"
        raw = reply.boxes
        if raw is not None and not raw.format:
            if box_format is None:
                raise UsageError(
                    f"{file.path}, {where}: `boxes` without their form: name it with --box-format "
                    f"(`run`: --model-arg box_format=FORM) or in each row as `format`. Forms: {', '.join(FORMATS)}."
                )
            raw = RawBoxes(raw.boxes, box_format, raw.scores, raw.labels)
            made.append(msgspec.structs.replace(reply, boxes=raw))
            continue
        if raw is not None and raw.format not in FORMATS:
            raise DataError(
                f"{file.path}, {where}: no form of boxes is named {raw.format!r}. "
                f"Forms: {', '.join(FORMATS)}."
            )
        made.append(reply)
    return made


def _first(names: Collection[Any]) -> str:
    shown = ", ".join(str(name) for name in list(names)[:_NAMED])
    return shown + (" ..." if len(names) > _NAMED else "")


def _number(count: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def _having(count: int, noun: str) -> str:
    return f"{_number(count, noun)} {'has' if count == 1 else 'have'}"
