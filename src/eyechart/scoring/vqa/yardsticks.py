"""Yardsticks of a VQA score: what people are worth under the same protocol, and a blind guess.

The human ceiling is the mean, over the people who answered a question, of each one's answer judged
by the others' answers. The blind floor gives every question the commonest human answer to the
questions of its type about other pictures, and never sees the picture.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eyechart.scoring import Yardstick
from eyechart.text.vqa import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eyechart.scoring.vqa.coded import Coded, Integers
    from eyechart.values import Sample

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Numbers = np.ndarray[Any, Any]

_TAG = "question_type"


class Judge(Protocol):
    """A way of judging replies by coded human answers."""

    def judge(self, coded: Coded, replies: Integers) -> Floats:
        """One value a question; `replies` are codes, -1 where there is none."""

    def ceiling(self, coded: Coded) -> Floats | None:
        """What the people themselves are worth; None where that is not defined."""


def of(judge: Judge, samples: Sequence[Sample], coded: Coded) -> list[Yardstick]:
    """Human ceiling and blind floor, each where the annotations allow it, of metric `accuracy`.

    There is no ceiling where any question has fewer than two answers, and no floor where any sample
    has no tag `question_type`, all have the same, or all are about one picture. Where nobody else's
    picture has a question of a type, the guess is no answer and worth 0.
    """
    found = []
    if samples:
        people = judge.ceiling(coded)
        if people is not None:
            about = "each person's answer judged by the others' answers to the question, the mean"
            found.append(Yardstick("human ceiling", "accuracy", about, people.tolist()))
        guesses = blind_guesses(samples, coded)
        if guesses is not None:
            about = "the commonest answer to questions of the same type about other pictures"
            floor = judge.judge(coded, guesses)
            found.append(Yardstick("blind floor", "accuracy", about, floor.tolist()))
    return found


def blind_guesses(samples: Sequence[Sample], coded: Coded) -> Integers | None:
    """The code of each question's blind guess, -1 where there is none; None without annotations.

    Human answers are counted as they were cleaned, before any other rule. Of equally common ones
    the first by its characters is taken, so that the order of the samples does not matter.
    """
    kinds, kind_names = _numbered([sample.tags.get(_TAG) for sample in samples])
    pictures, picture_names = _numbered([sample.group for sample in samples])
    if None in kind_names or len(kind_names) < 2 or len(picture_names) < 2:
        return None
    keys, texts = coded.keys(clean), coded.key_texts()
    guesses = np.full(len(coded), -1)
    for questions, codes, of in _by_kind(coded, kinds):
        guesses[questions] = _elsewhere(keys[codes], of, pictures[questions], texts)
    different, where = np.unique(guesses, return_inverse=True)
    return coded.code([texts[key] if key >= 0 else None for key in different.tolist()])[where]


def _numbered(names: Sequence[str | None]) -> tuple[Numbers, dict[str | None, int]]:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.fromiter(map(numbers.__getitem__, names), np.int64, len(names)), numbers


def _by_kind(coded: Coded, kinds: Numbers) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """For each type its questions, and its answers' codes with their question's place in those."""
    parts: dict[int, list[tuple[Numbers, Integers]]] = {}
    for block in coded.blocks:
        order = np.argsort(kinds[block.rows], kind="stable")
        ends = np.flatnonzero(np.diff(kinds[block.rows[order]])) + 1
        for columns in np.split(order, ends):
            rows = block.rows[columns]
            parts.setdefault(int(kinds[rows[0]]), []).append((rows, block.codes[:, columns]))
    for found in parts.values():
        questions = np.concatenate([rows for rows, _ in found])
        codes = np.concatenate([codes.ravel() for _, codes in found])
        start, of = 0, []
        for rows, some in found:
            of.append(np.tile(np.arange(start, start + len(rows)), len(some)))
            start += len(rows)
        yield questions, codes, np.concatenate(of)


def _elsewhere(answers: Numbers, of: Numbers, pictures: Numbers, texts: Sequence[str]) -> Numbers:
    """For each question of a type, the commonest answer to those about other pictures, or -1.

    `answers` are keys of `texts`, `of` their questions' places in `pictures`.
    """
    names, at = np.unique(pictures, return_inverse=True)
    every = np.bincount(answers)
    keys = np.flatnonzero(every)
    keys = keys[np.argsort(-every[keys], kind="stable")]
    counts = every[keys]
    # of equally common ones the first by its characters
    for place in range(min(2, len(keys))):
        alike = keys[place : np.searchsorted(-counts, -counts[place], side="right")]
        words = [texts[key] for key in alike.tolist()]
        least = words.index(min(words))
        alike[[0, least]] = alike[[least, 0]]
    here = at[of]
    left = counts[0] - np.bincount(here[answers == keys[0]], minlength=len(names))
    guess = np.full(len(names), keys[0])
    second = counts[1] if len(counts) > 1 else 0
    # where a picture takes none of the first away, or too few to matter, it stays the first
    doubtful = (left < counts[0]) & (left <= second)
    if doubtful.any() and len(keys) > 1:
        untouched = np.bincount(here[answers == keys[1]], minlength=len(names)) == 0
        prefer = (left < second) | (texts[keys[1]] < texts[keys[0]])
        guess[doubtful & untouched & prefer] = keys[1]
        doubtful &= ~untouched
    if doubtful.any():
        by_picture = np.argsort(here, kind="stable")
        starts = np.searchsorted(here[by_picture], np.arange(len(names) + 1))
        ranked = list(zip(keys.tolist(), counts.tolist(), strict=True))
        for place in np.flatnonzero(doubtful).tolist():
            own = answers[by_picture[starts[place] : starts[place + 1]]]
            guess[place] = _first(ranked, Counter(own.tolist()), texts)
    return guess[at]


def _first(ranked: Sequence[tuple[int, int]], own: Mapping[int, int], texts: Sequence[str]) -> int:
    """The commonest key once one picture's `own` counts are taken away; -1 if nothing is left.

    `ranked` holds keys and counts, the commonest first.
    """
    best, most = -1, 0
    for key, count in ranked:
        if count < most:
            break
        left = count - own.get(key, 0)
        if left > most or (left == most > 0 and texts[key] < texts[best]):
            best, most = key, left
    return best
