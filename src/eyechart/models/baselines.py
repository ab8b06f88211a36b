"""What an answer costs without looking: baselines that see a picture's size or the question only."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError, PictureError, UsageError
from eyechart.formats import own, vqa
from eyechart.formats.data import Data
from eyechart.io.files import read_bytes
from eyechart.models import About, Keep
from eyechart.values import Answers, Count, Failure, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from eyechart.values import Request

# the tasks that are answered with boxes
GROUNDING = frozenset({"ground", "ground_phrases"})
_LONGEST_OPENING = 5
_LEAST_SEEN = 3
_COUNTING = ("how many", "what number of", "what is the number of", "count ")
# what is answered where nothing was learnt
_YES, _FEW = "yes", "2"
_CENTRE = (0.25, 0.25, 0.75, 0.75)


@dataclass(frozen=True, slots=True)
class _Lesson:
    """One question with its commonest answer, and the names that its picture may have."""

    sample_id: str
    openings: list[str]
    answer: str
    question: str = ""
    pictures: tuple[str, ...] = ()


class Prior:
    """Answers the commonest answer to questions that open alike; it never sees the picture.

    Where a box is wanted it gives one around the picture's centre, half as wide and half as high.

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
        self._contents: frozenset[tuple[str, str]] = frozenset()
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
        identity = {"kind": "baseline", "name": "prior", **self._digests}
        return About(identity=identity, gives_boxes=True, needs_images=False)

    def refuse_if_same(
        self,
        sample_ids: Iterable[str],
        source: Path | None = None,
        questions: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Refuses to answer questions that it learnt the answers of.

        Questions are the same where picture and wording are, white space aside, whatever file they
        come from and whatever their ids. Ids are compared where it learnt from VQA annotations
        alone, which hold no wording, or where `questions` are not given.

        Args:
            sample_ids: the ids of the samples that are to be answered.
            source: the file they come from, where they come from one.
            questions: their pictures' names and their questions.

        Raises:
            UsageError: one of these questions, or this very file, is what it learnt from.
        """
        if source is not None and self._digests:
            digest = hashlib.sha256(read_bytes(source)).hexdigest()
            if digest in self._digests.values():
                raise UsageError(
                    f"baseline:prior learnt from {source}, which it is to answer: name the "
                    "annotations of another split."
                )
        if questions and self._contents:
            asked = {(picture, _plain(text)): text for picture, text in questions}
            shown = [repr(text[:60]) for each, text in asked.items() if each in self._contents]
        else:
            shown = sorted(self._ids.intersection(sample_ids))
        if shown:
            raise UsageError(
                f"baseline:prior learnt from {len(shown):,} of the questions it is to answer "
                f"({', '.join(shown[:3])}{' ...' if len(shown) > 3 else ''}): name the annotations "
                "of another split, whose pictures have other names."
            )

    def prepare(
        self,
        sample_ids: Iterable[str],
        source: Path | None = None,
        questions: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """As `refuse_if_same`; there is nothing to warn of."""
        self.refuse_if_same(sample_ids, source, questions)
        return []

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Answers every request by the opening of its question, or with a box."""
        for request in requests:
            if request.task in GROUNDING:
                keep(_boxed(request, _CENTRE))
            else:
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
        lessons = list(_lessons(paths))
        for lesson in lessons:
            answer = lesson.answer
            answers_seen[answer] += 1
            for opening in lesson.openings:
                seen[opening][answer] += 1
            if answer.isascii() and answer.isdigit() and len(answer) < 10:
                counts.append(int(answer))
        # rows without ids are numbered, and numbers say nothing of whether two files are the same
        ids = [lesson.sample_id for lesson in lessons]
        numbered = ids == [str(number) for number in range(1, len(ids) + 1)]
        self._ids = frozenset() if numbered else frozenset(ids)
        self._contents = frozenset(
            (picture, _plain(lesson.question))
            for lesson in lessons
            if lesson.question
            for picture in lesson.pictures
        )
        self._openings = {
            opening: min(answers, key=lambda answer: (-answers[answer], answer))
            for opening, answers in seen.items()
            if answers.total() >= _LEAST_SEEN
        }
        if answers_seen:
            self._default = _commonest(answers_seen)
        if counts:
            self._median = str(sorted(counts)[(len(counts) - 1) // 2])


def _lessons(paths: list[Path]) -> Iterator[_Lesson]:
    """What the files teach, in their order."""
    if len(paths) == 2:
        for one in vqa.read(paths[1], paths[0]):
            answer = _commonest(Counter(given.answer for given in one.answers))
            openings = _openings(one.question)
            yield _Lesson(one.id, openings, answer, one.question, one.image_names)
    elif paths[0].name.removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        for sample in own.read(paths[0], Data(None, need_images=False)):
            if isinstance(sample.target, Answers):
                answer = _commonest(Counter(one.answer for one in sample.target.answers))
            elif isinstance(sample.target, Count):
                answer = str(sample.target.value)
            else:
                raise DataError(f"{paths[0]}: holds no answers to learn from.")
            question = sample.asked["question"]
            names = (sample.image.name,)
            yield _Lesson(sample.id, _openings(question), answer, question, names)
    else:
        try:
            rows = list(vqa.read_annotations(paths[0]))
        except DataError as error:
            raise DataError(
                f"{error} baseline:prior learns from VQA annotations, or from own data (.jsonl)."
            ) from None
        for row in rows:
            if not row.question_type.strip():
                raise DataError(
                    f"{paths[0]}: annotation {row.id} has no `question_type`, so how the questions "
                    "open is not known; give the questions file too: --model-arg questions=FILE."
                )
            answer = _commonest(Counter(given.answer for given in row.answers))
            yield _Lesson(row.id, [row.question_type.lower()], answer)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _openings(question: str) -> list[str]:
    words = question.lower().split()
    return [" ".join(words[:length]) for length in range(1, min(len(words), _LONGEST_OPENING) + 1)]


def _commonest(answers: Counter[str]) -> str:
    if not answers:
        raise DataError("baseline:prior: a question of the annotations has no answers.")
    return min(answers, key=lambda answer: (-answers[answer], answer))


class FixedBox:
    """Points at the same part of every picture; where words are wanted it gives the prior's."""

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
        """One box in pixels, or a text; both where the request does not say what is wanted."""
        for request in requests:
            keep(self._reply(request))

    def _reply(self, request: Request) -> Reply:
        if request.task in GROUNDING:
            return _boxed(request, self._corners)
        text = self._prior.text_for(request.prompt)
        if request.task is None and request.image is not None:
            boxed = _boxed(request, self._corners)
            return boxed if boxed.state == "error" else msgspec.structs.replace(boxed, text=text)
        return Reply(request.sample_id, request.repeat, text=text)


def _boxed(request: Request, corners: tuple[float, float, float, float]) -> Reply:
    """The part of the picture with these corners (x1, y1, x2, y2, ratios) as a box in pixels."""
    try:
        width, height = _size(request)
    except PictureError:
        failure = Failure(
            "picture",
            "the size of its picture is not known: state `width` and `height` in the data.",
        )
        return Reply(request.sample_id, request.repeat, state="error", error=failure)
    x1, y1, x2, y2 = corners
    raw = RawBoxes(((x1 * width, y1 * height, x2 * width, y2 * height),), "xyxy-pixels")
    return Reply(request.sample_id, request.repeat, boxes=raw)


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
        super().__init__("centre-box", _CENTRE)


class WholeImage(FixedBox):
    """The whole picture as the box."""

    def __init__(self) -> None:
        super().__init__("whole-image", (0.0, 0.0, 1.0, 1.0))
