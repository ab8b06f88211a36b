"""Replies that were made elsewhere, answered from a file as if a model gave them."""

from __future__ import annotations

import itertools
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.dialects.tensors import FORMATS, frame_of
from eyechart.errors import DataError, UsageError
from eyechart.formats.replies import Replies, read
from eyechart.models import About, Keep
from eyechart.values import Failure, Matching, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from eyechart.values import Request

_NAMED = 5
_DIALECTS = {"h_lines": "kosmos-2"}
_FORMS = {
    "rows": "rows of replies",
    "vqa_results": "VQA results",
    "coco_results": "COCO results",
    "refer": "predicted expressions",
    "h_lines": "H- lines",
    "run": "replies of a run",
}


class Replay:
    """A model whose answers stand in a file: JSON lines, VQA results, H- lines or a run folder.

    Attributes:
        warnings: what a reader of the score should know (repeated ids, lines left out ...).
    """

    def __init__(
        self,
        path: Path,
        subset: bool = False,
        box_format: str | None = None,
        allow_short: bool = False,
    ) -> None:
        """Reads the file.

        Args:
            path: the file, or a run folder.
            subset: whether samples without a reply, and replies without a sample, are accepted.
            allow_short: whether replies without ids may end before the samples do.
            box_format: the form (`dialects.tensors.FORMATS`) of `boxes` whose row names none.

        Raises:
            DataError: a form that is not known, or a bad line.
            UsageError: boxes whose form neither the file nor `box_format` names.
        """
        if box_format is not None:
            frame_of(box_format)
        self._file = read(path)
        self._subset = subset
        self._allow_short = allow_short
        self._earlier = 0
        self._whole = False
        self._replies = _with_format(self._file, box_format)
        nameless = any(raw is not None and not raw.format for raw in _raw_boxes(self._file))
        self._box_format = box_format if nameless else None
        self._by_id: dict[tuple[str, int], Reply] = {}
        self.matching: Matching | None = None
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

    def match(self, sample_ids: Sequence[str], pictures: Sequence[str] = ()) -> None:
        """Joins the replies with all samples of the benchmark, in file order.

        By id; where the file has none, the n-th reply is the n-th sample's. Surplus H- lines are
        left out with a warning, as the official program ignores them. COCO's `image_id` is a
        sample's id or else that of its picture: `pictures` are the samples' picture names.

        Raises:
            DataError: samples without a reply, or replies without a sample, and not `subset`.
        """
        if self._file.form == "coco_results":
            self._name_by_picture(sample_ids, pictures)
        found = (
            self._match_by_order(sample_ids)
            if self._file.by_order
            else self._match_by_id(sample_ids)
        )
        self.warnings = [*self._of_file, *found]
        self.matching = self._matching(sample_ids)

    @property
    def covered(self) -> frozenset[str]:
        """The ids of the samples that have a reply."""
        return frozenset(sample_id for sample_id, _ in self._by_id)

    def prepare(
        self,
        sample_ids: Sequence[str],
        _source: Path | None = None,
        questions: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """As `match`; gives the warnings."""
        named_by_picture = self._file.form == "coco_results"
        self.match(sample_ids, [name for name, _ in questions] if named_by_picture else ())
        return self.warnings

    def kept(self, sample_ids: Iterable[str], repeats: int = 1) -> Mapping[tuple[str, int], Reply]:
        """The replies by sample and repeat; one that is not in the file is an error, `missing`.

        There may be replies to others among them.

        Raises:
            UsageError: replies without ids that were not matched with the samples.
        """
        self._refuse_unmatched()
        if repeats == 1 and self._whole:
            return self._by_id
        keys = [(name, repeat) for repeat in range(repeats) for name in sample_ids]
        return {key: self._by_id.get(key) or self._missing(*key) for key in keys}

    def _refuse_unmatched(self) -> None:
        if self.matching is None and self._file.by_order:
            raise UsageError("Replies without ids must be matched with the samples first.")

    def _missing(self, sample_id: str, repeat: int) -> Reply:
        failure = Failure("missing", f"{self._file.path.name} has no reply for it")
        return Reply(sample_id, repeat, "error", error=failure)

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Gives each request its reply; one that is not in the file becomes an error, `missing`."""
        self._refuse_unmatched()
        for request in requests:
            key = (request.sample_id, request.repeat)
            keep(self._by_id.get(key) or self._missing(*key))

    def _read_ids(self) -> list[str]:
        """Files replies by id and repeat: the last wins, but no error wins over a reply."""
        if self._file.by_order:
            return []
        self._by_id = {(reply.sample_id, reply.repeat): reply for reply in self._replies}
        if len(self._by_id) == len(self._replies):
            return []
        self._by_id = {}
        repeated: dict[str, None] = {}
        for reply in self._replies:
            key = (reply.sample_id, reply.repeat)
            before = self._by_id.get(key)
            if before is not None:
                self._earlier += 1
                if self._file.form != "run":
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

    def _name_by_picture(self, sample_ids: Sequence[str], pictures: Sequence[str]) -> None:
        """Gives replies that name a picture the id of its one sample.

        Raises:
            DataError: a picture has several samples, so that its id does not tell which is meant.
        """
        ids = {reply.sample_id for reply in self._replies}
        if not pictures or ids <= set(sample_ids):
            return
        by_picture: dict[str, list[str]] = {}
        for sample_id, picture in zip(sample_ids, pictures, strict=True):
            for name in _names_of(picture):
                by_picture.setdefault(name, []).append(sample_id)
        for name in ids:
            if len(by_picture.get(name, ())) > 1:
                raise DataError(
                    f"{self._file.path}: image_id {name} is a picture with "
                    f"{len(by_picture[name]):,} samples; name the sample that each entry answers: "
                    '{"id": ..., "boxes": ...} lines, or its own id as image_id.'
                )
        self._replies = [
            msgspec.structs.replace(one, sample_id=by_picture[one.sample_id][0])
            if one.sample_id in by_picture
            else one
            for one in self._replies
        ]
        self._by_id = {(one.sample_id, 0): one for one in self._replies}

    def _matching(self, sample_ids: Sequence[str]) -> Matching:
        file, wanted = self._file, set() if self._whole else set(sample_ids)
        unmatched = dict(file.passed_over)
        if file.by_order:
            matched = len(self._by_id)
            _note(unmatched, "after the last sample", len(self._replies) - matched)
        else:
            matched = (
                len(self._by_id)
                if self._whole
                else sum(sample_id in wanted for sample_id, _ in self._by_id)
            )
            _note(unmatched, "no sample of its id", len(self._by_id) - matched)
            _note(unmatched, "an earlier reply of the same id", self._earlier)
        if file.form == "coco_results":
            matched = file.rows - sum(unmatched.values())
        return Matching(_FORMS[file.form], file.rows, matched, unmatched)

    def _match_by_id(self, sample_ids: Sequence[str]) -> list[str]:
        found = sum(map(self._by_id.__contains__, zip(sample_ids, itertools.repeat(0))))
        self._whole = found == len(sample_ids) == len(self._by_id)
        if self._whole:
            return []
        wanted, given = dict.fromkeys(sample_ids), {sample_id for sample_id, _ in self._by_id}
        if wanted.keys() == given:
            return []
        missing = [sample_id for sample_id in wanted if sample_id not in given]
        unknown = sorted(given - wanted.keys())
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
        allowed = surplus or self._subset or (self._allow_short and lines < samples)
        if lines != samples and not allowed:
            raise DataError(
                f"{state}; they are matched by order, so the numbers must agree. Check the "
                "benchmark and its split; --allow-short scores the first of them alone."
            )
        self._by_id = {
            (sample_id, 0): msgspec.structs.replace(reply, sample_id=sample_id)
            for sample_id, reply in zip(sample_ids, self._replies, strict=False)
        }
        self._whole = lines >= samples
        if lines == samples:
            return []
        left = lines - samples
        verb = "is" if left == 1 else "are"
        last = "one" if left == 1 else f"{left:,}"
        return [f"{state}{f'; the last {last} {verb} left out' if left > 0 else ''}."]


def _names_of(picture: str) -> set[str]:
    """How COCO results may call a picture: its file name, that without suffix, or its number."""
    stem = PurePath(picture).stem
    digits = re.search(r"\d+\Z", stem)
    return {picture, stem} | ({str(int(digits.group()))} if digits else set())


def _note(counts: dict[str, int], reason: str, number: int) -> None:
    if number > 0:
        counts[reason] = counts.get(reason, 0) + number


def _raw_boxes(file: Replies) -> Iterator[RawBoxes | None]:
    return (reply.boxes for reply in file.replies)


def _with_format(file: Replies, box_format: str | None) -> list[Reply]:
    """The replies with the form of their boxes filled in from `box_format` and checked."""
    made = []
    for number, reply in enumerate(file.replies):
        raw = reply.boxes
        if raw is None:
            made.append(reply)
            continue
        where = file.place[number] if number < len(file.place) else f"line {number + 1}"
        if not raw.format:
            if box_format is None:
                raise UsageError(
                    f"{file.path}, {where}: `boxes` without their form: name it with --box-format "
                    f"(`run`: --model-arg box_format=FORM) or in each row as `format`. Forms: {', '.join(FORMATS)}."
                )
            raw = RawBoxes(raw.boxes, box_format, raw.scores, raw.labels)
            made.append(msgspec.structs.replace(reply, boxes=raw))
            continue
        if raw.format not in FORMATS:
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
