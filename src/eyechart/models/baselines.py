"""What an answer costs without looking: baselines that see a picture's size or the question only."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError, PictureError, UsageError
from eyechart.formats import own, vqa
from eyechart.formats.data import Data
from eyechart.io.files import read_bytes, read_json
from eyechart.models import About, Keep
from eyechart.values import Answers, Count, Failure, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from eyechart.values import Request

_LONGEST_OPENING = 5
_LEAST_SEEN = 3
_COUNTING = ("how many", "what number of", "what is the number of", "count ")
# what is answered where nothing was learnt
_YES, _FEW = "yes", "2"


class Prior:
    """Answers the commonest answer to questions that open alike; it never sees the picture.

    Without annotations: `yes`, and `2` where something is to be counted. With them: the commonest
    answer of the longest opening that was learnt (ties: the alphabetically first); for an opening
    that was not, the median of all learnt counts where something is to be counted, else the
    commonest answer of all.
    """

    def __init__(self, annotations: Path | None = None, questions: Path | None = None) -> None:
        """Learns from files of another split.

        Args:
            annotations: official VQA annotations (the openings are their question types), or own
                data as JSON lines.
            questions: the questions file that belongs to VQA annotations; then openings of up to
                five words are learnt from the questions themselves.

        Raises:
            UsageError: questions without annotations.
            DataError: a file that cannot be read.
        """
        if annotations is None and questions is not None:
            raise UsageError("baseline:prior: `questions` needs `annotations` beside it.")
        self._ids: frozenset[str] = frozenset()
        self._openings: dict[str, str] = {}
        self._median, self._default = _FEW, _YES
        self._digests: dict[str, str] = {}
        if annotations is not None:
            paths = [annotations, *([questions] if questions is not None else [])]
            self._learn(paths)
            names = ("annotations_sha256", "questions_sha256")
            for name, path in zip(names, paths, strict=False):
                self._digests[name] = hashlib.sha256(read_bytes(path)).hexdigest()

    @property
    def about(self) -> About:
        """Its name and the sha256 of what it learnt from."""
        return About(
            identity={"kind": "baseline", "name": "prior", **self._digests}, needs_images=False
        )

    def refuse_if_same(self, sample_ids: Iterable[str], source: Path | None = None) -> None:
        """Refuses to answer questions that it learnt the answers of.

        Args:
            sample_ids: the ids of the samples that are to be answered.
            source: the file they come from, where they come from one.

        Raises:
            UsageError: one of these ids, or this very file, is what it learnt from.
        """
        if source is not None and self._digests:
            digest = hashlib.sha256(read_bytes(source)).hexdigest()
            if digest in self._digests.values():
                raise UsageError(
                    f"baseline:prior learnt from {source}, which it is to answer: name the "
                    "annotations of another split."
                )
        same = sorted(self._ids.intersection(sample_ids))
        if same:
            raise UsageError(
                f"baseline:prior learnt from {len(same):,} of the questions it is to answer "
                f"({', '.join(same[:3])} ...): name the annotations of another split."
            )

    def prepare(self, sample_ids: Iterable[str], source: Path | None = None) -> list[str]:
        """As `refuse_if_same`; there is nothing to warn of."""
        self.refuse_if_same(sample_ids, source)
        return []

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Answers every request by the opening of its question."""
        for request in requests:
            keep(Reply(request.sample_id, request.repeat, text=self.text_for(request.prompt)))

    def text_for(self, prompt: str) -> str:
        """The answer to a prompt that begins with the question."""
        words = prompt.partition("\n")[0].lower().split()
        question = " ".join(words)
        for length in range(min(len(words), _LONGEST_OPENING), 0, -1):
            learnt = self._openings.get(" ".join(words[:length]))
            if learnt is not None:
                return learnt
        if question.startswith(_COUNTING):
            return self._median
        return self._default

    def _learn(self, paths: list[Path]) -> None:
        seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
        answers_seen: Counter[str] = Counter()
        counts: list[int] = []
        ids = []
        for sample_id, openings, answer in _lessons(paths):
            ids.append(sample_id)
            answers_seen[answer] += 1
            for opening in openings:
                seen[opening][answer] += 1
            if answer.isascii() and answer.isdigit() and len(answer) < 10:
                counts.append(int(answer))
        # rows without ids are numbered, and numbers say nothing of whether two files are the same
        numbered = ids == [str(number) for number in range(1, len(ids) + 1)]
        self._ids = frozenset() if numbered else frozenset(ids)
        self._openings = {
            opening: min(answers, key=lambda answer: (-answers[answer], answer))
            for opening, answers in seen.items()
            if answers.total() >= _LEAST_SEEN
        }
        if answers_seen:
            self._default = _commonest(answers_seen)
        if counts:
            self._median = str(sorted(counts)[(len(counts) - 1) // 2])


def _lessons(paths: list[Path]) -> Iterator[tuple[str, list[str], str]]:
    """Id, openings and commonest answer of every question in the files."""
    if len(paths) == 2:
        for question in vqa.read(paths[1], paths[0]):
            given = Counter(one.answer for one in question.answers)
            yield question.id, _openings(question.question), _commonest(given)
    elif paths[0].name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        for sample in own.read(paths[0], Data(None, need_images=False)):
            if isinstance(sample.target, Answers):
                answer = _commonest(Counter(one.answer for one in sample.target.answers))
            elif isinstance(sample.target, Count):
                answer = str(sample.target.value)
            else:
                raise DataError(f"{paths[0]}: holds no answers to learn from.")
            yield sample.id, _openings(sample.asked["question"]), answer
    else:
        yield from _types(paths[0])


def _types(path: Path) -> Iterator[tuple[str, list[str], str]]:
    """VQA annotations alone: the question type is the opening."""
    document: Any = read_json(path)
    try:
        for one in document["annotations"]:
            given = Counter(str(answer["answer"]) for answer in one["answers"])
            yield str(one["question_id"]), [str(one["question_type"]).lower()], _commonest(given)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{path}: not VQA annotations (an object with `annotations`, each with `question_id`, "
            f"`question_type` and `answers`): {error!r}."
        ) from None


def _openings(question: str) -> list[str]:
    words = question.lower().split()
    return [" ".join(words[:length]) for length in range(1, min(len(words), _LONGEST_OPENING) + 1)]


def _commonest(answers: Counter[str]) -> str:
    if not answers:
        raise DataError("baseline:prior: a question of the annotations has no answers.")
    return min(answers, key=lambda answer: (-answers[answer], answer))


class FixedBox:
    """Points at the same part of every picture; to a question it gives the prior's answer."""

    def __init__(self, name: str, corners: tuple[float, float, float, float]) -> None:
        self._name = name
        self._corners = corners
        self._prior = Prior()

    @property
    def about(self) -> About:
        """Its name; it needs the pictures' sizes, not the pictures."""
        return About(
            identity={"kind": "baseline", "name": self._name}, gives_boxes=True, needs_images=False
        )

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """One box in pixels, and a text for benchmarks that want words."""
        for request in requests:
            keep(self._reply(request))

    def _reply(self, request: Request) -> Reply:
        text = self._prior.text_for(request.prompt)
        if request.image is None:
            return Reply(request.sample_id, request.repeat, text=text)
        try:
            width, height = _size(request)
        except PictureError as error:
            failure = Failure("picture", f"its size is not known: {error}")
            return Reply(request.sample_id, request.repeat, state="error", error=failure)
        x1, y1, x2, y2 = self._corners
        box = (x1 * width, y1 * height, x2 * width, y2 * height)
        raw = RawBoxes((box,), "xyxy-pixels")
        return Reply(request.sample_id, request.repeat, text=text, boxes=raw)


def _size(request: Request) -> tuple[int, int]:
    image = request.image
    if image is None:
        raise PictureError("there is no picture.")
    if image.width and image.height:
        return image.width, image.height
    from eyechart.io.images import header

    found = header(image.read())
    return (found.height, found.width) if found.turned else (found.width, found.height)


class CentreBox(FixedBox):
    """A box around the picture's centre, half as wide and half as high."""

    def __init__(self) -> None:
        super().__init__("centre-box", (0.25, 0.25, 0.75, 0.75))


class WholeImage(FixedBox):
    """The whole picture as the box."""

    def __init__(self) -> None:
        super().__init__("whole-image", (0.0, 0.0, 1.0, 1.0))
