"""Human answers of many questions as integers: each distinct text is processed once.

Questions whose answers are equally many stand together as an array of people by questions, so that
a protocol is a few comparisons of whole arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import is_
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eyechart.errors import DataError
from eyechart.values import Answer, Answers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyechart.values import Sample

Integers = np.ndarray[Any, np.dtype[np.int32]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


class _Numbers(dict[str, int]):
    """Numbers texts in the order in which they are first met."""

    def __missing__(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is not text")
        number = self[text] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Block:
    """Questions with equally many answers: their places, and each person's answer to each.

    `rows` has shape (questions,), `codes` (people, questions).
    """

    rows: np.ndarray[Any, np.dtype[np.intp]]
    codes: Integers


class Coded:
    """The human answers of questions, coded. `answers` holds one sequence a question.

    Raises:
        TypeError, AttributeError: an answer that is not text, or that is no `Answer`.
        ValueError: a question without answers.
    """

    def __init__(self, answers: Sequence[Sequence[Answer]]) -> None:
        self.answers = answers
        self._raw = _Numbers()
        self._keys = _Numbers()
        self._forms: dict[Callable[[str], str], Integers] = {}
        counts = np.fromiter(map(len, answers), np.intp, len(answers))
        if not counts.all():
            raise ValueError("a question without human answers")
        texts = [one.answer for records in answers for one in records]
        flat = np.fromiter(map(self._raw.__getitem__, texts), np.int32, len(texts))
        del texts
        self.blocks = _blocks(flat, counts)
        self.odd = _odd(answers, counts)

    def __len__(self) -> int:
        return len(self.answers)

    def is_of(self, answers: Sequence[Sequence[Answer]]) -> bool:
        """Whether these are the very answers that were coded."""
        return len(answers) == len(self.answers) and all(map(is_, answers, self.answers))

    def code(self, texts: Sequence[object]) -> Integers:
        """The codes of replies; None, which is no reply, is -1, and a number its text."""
        raw = self._raw
        if set(map(type, texts)) == {str}:
            plain = cast("Sequence[str]", texts)
            return np.fromiter(map(raw.__getitem__, plain), np.int32, len(plain))
        found = [
            raw[text] if isinstance(text, str) else -1 if text is None else raw[str(text)]
            for text in texts
        ]
        return np.array(found, np.int32)

    def texts(self) -> list[str]:
        """All texts by their codes."""
        return list(self._raw)

    def keys(self, form: Callable[[str], str]) -> Integers:
        """What a form makes of each text: by code, a number that equal results share.

        The numbers are shared by all forms.
        """
        known = self._forms.get(form)
        start = 0 if known is None else len(known)
        if known is None or start < len(self._raw):
            fresh = map(form, self.texts()[start:])
            more = np.fromiter(map(self._keys.__getitem__, fresh), np.int32)
            known = more if known is None else np.concatenate([known, more])
            self._forms[form] = known
        return known

    def key_texts(self) -> list[str]:
        """The texts that keys stand for."""
        return list(self._keys)


def _blocks(flat: Integers, counts: np.ndarray[Any, np.dtype[np.intp]]) -> list[Block]:
    sizes = np.unique(counts)
    if len(sizes) == 1:
        codes = np.ascontiguousarray(flat.reshape(len(counts), -1).T)
        return [Block(np.arange(len(counts)), codes)]
    starts = np.cumsum(counts) - counts
    blocks = []
    for size in sizes:
        rows = np.flatnonzero(counts == size)
        blocks.append(Block(rows, flat[starts[rows] + np.arange(size)[:, None]]))
    return blocks


def _odd(
    answers: Sequence[Sequence[Answer]], counts: np.ndarray[Any, np.dtype[np.intp]]
) -> list[int]:
    """The questions whose records are not told apart by their ids."""
    ids = [one.answer_id for records in answers for one in records]
    if ids == _positions(counts):
        return []
    return [
        place
        for place, records in enumerate(answers)
        if len({one.answer_id for one in records} - {None}) < len(records)
    ]


def _positions(counts: np.ndarray[Any, np.dtype[np.intp]]) -> list[int]:
    """Ids as they nearly always are, 1, 2 ... in each question, for all questions in one list."""
    if len(counts) and (counts == counts[0]).all():
        return list(range(1, int(counts[0]) + 1)) * len(counts)
    return list(chain.from_iterable(range(1, count + 1) for count in counts.tolist()))


# The answers coded last: a protocol's scores and its yardsticks need the same. Whoever works with
# them takes them out meanwhile.
_kept: list[Coded] = []


def take(samples: Sequence[Sample], protocol: str) -> Coded:
    """The samples' human answers, coded now or, where they are the very same, a moment ago.

    Raises:
        DataError: a sample without human answers, or one that is not text; the message names it.
    """
    try:
        answers = [sample.target.answers for sample in samples]  # type: ignore[union-attr]
        kept = _kept.pop() if _kept else None
        if kept is not None and kept.is_of(answers):
            return kept
        return Coded(answers)
    except (AttributeError, TypeError, ValueError):
        _refuse(samples, protocol)
        raise


def keep(coded: Coded) -> None:
    """Leaves the coded answers for whoever needs those of the same samples next."""
    _kept[:] = [coded]


def _refuse(samples: Sequence[Sample], protocol: str) -> None:
    for sample in samples:
        if not isinstance(sample.target, Answers):
            raise DataError(f"sample {sample.id}: {protocol} needs human answers as its target.")
        if not sample.target.answers:
            raise DataError(f"sample {sample.id}: there are no human answers.")
        for one in sample.target.answers:
            if not isinstance(one, Answer) or not isinstance(one.answer, str):
                raise DataError(f"sample {sample.id}: a human answer must be text, it is {one!r}.")
