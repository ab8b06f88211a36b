"""The three-level soft match of `vqa_soft`: exact, synonym, partial. It is no official score.

Reply and human answer are normalised by the VQA text rules. Each human answer adds the tenths of
its best level, and the sum is capped at ten:

    3 exact    the answer equals the reply, or its words stand in the reply one after the other
    3 synonym  both, each as a whole, stand in one WordNet synset, themselves or a base form
    1 partial  they share a content word: one that is not in `STOP_WORDS`, in the same form

So "folded umbrella" gets 0.3 for "umbrella", which stands in it, and 0.1 for "closed umbrella",
which does not, is no synonym, and shares a word with it: 0.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.text.vqa import process

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.scoring.vqa.coded import Coded, Integers
    from eyechart.text.wordnet import WordNet

EXACT, SYNONYM, PARTIAL, MOST = 3, 3, 1, 10

# articles never get here: normalisation drops them
_STOP = """
    about above across after against along among and around as at away back because before behind
    below beneath beside besides between beyond but by down during except for from if in inside into
    like near nor of off on onto or out outside over past per so than that then through to toward
    towards under until up upon via when where while with within without
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
    this these those who whom whose which what how why there here some any each every all both other
    another such own same
    am is are was were be been being do does did doing done have has had having can could may might
    must shall should will would
    it's that's there's he's she's they're isn't aren't wasn't weren't don't doesn't didn't can't
    won't
    yes no not very just only also too
"""
STOP_WORDS = frozenset(_STOP.split())

_CHUNK = 1 << 14  # questions whose pairs of people are held at once


class Soft:
    """Judges by the three levels, with the dictionary that `wordnet` gives when it is needed."""

    def __init__(self, wordnet: Callable[[], WordNet]) -> None:
        self._wordnet = wordnet

    def judge(self, coded: Coded, replies: Integers) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Each question's soft match in 0..1; `replies` are codes, -1 where there is none.

        Raises:
            UsageError: no WordNet dictionary is installed.
        """
        column = np.zeros(len(coded))
        if not len(coded):
            return column
        levels = _Levels(coded, self._wordnet())
        for block in coded.blocks:
            said = replies[block.rows]
            tenths = levels.of(np.broadcast_to(said, block.codes.shape), block.codes)
            column[block.rows] = np.where(said < 0, 0, np.minimum(tenths.sum(axis=0), MOST)) / 10
        return column

    def ceiling(self, coded: Coded) -> np.ndarray[Any, np.dtype[np.float64]] | None:
        """What people are worth: each one's answer judged by the others', the mean over them.

        None where a question has one answer only.

        Raises:
            UsageError: no WordNet dictionary is installed.
        """
        column = np.zeros(len(coded))
        if not len(coded):
            return column
        levels = _Levels(coded, self._wordnet())
        for block in coded.blocks:
            count = len(block.codes)
            if count < 2:
                return None
            for start in range(0, len(block.rows), _CHUNK):
                codes = block.codes[:, start : start + _CHUNK]
                total = np.zeros(codes.shape[1], np.int64)
                for place, own in enumerate(codes):
                    others = np.delete(codes, place, axis=0)
                    tenths = levels.of(np.broadcast_to(own, others.shape), others).sum(axis=0)
                    total += np.minimum(tenths, MOST)
                column[block.rows[start : start + _CHUNK]] = total / (10 * count)
        return column


class _Levels:
    """Levels of pairs of texts, many at once."""

    def __init__(self, coded: Coded, dictionary: WordNet) -> None:
        self._keys = coded.keys(process)
        self._texts = coded.key_texts()
        self._dictionary = dictionary
        self._marks: dict[int, frozenset[object]] = {}

    def of(self, said: Integers, human: Integers) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Tenths of each pair of codes, in the arrays' shape."""
        replies, humans = self._keys[said], self._keys[human]
        tenths = np.full(human.shape, EXACT, np.int64)
        unlike = replies != humans
        size = len(self._texts)
        pairs = replies[unlike].astype(np.int64) * size + humans[unlike]
        different, where = np.unique(pairs, return_inverse=True)
        found = map(self._level, (different // size).tolist(), (different % size).tolist())
        tenths[unlike] = np.fromiter(found, np.int64, len(different))[where]
        return tenths

    def _level(self, reply: int, human: int) -> int:
        # most pairs have nothing in common, neither a word nor a synset: no need to look closer
        if self._marks_of(reply).isdisjoint(self._marks_of(human)):
            return 0
        return level(self._texts[reply], self._texts[human], self._dictionary)

    def _marks_of(self, key: int) -> frozenset[object]:
        marks = self._marks.get(key)
        if marks is None:
            text = self._texts[key]
            marks = self._dictionary.synsets(text).union(text.split())
            self._marks[key] = marks
        return marks


def level(reply: str, human: str, dictionary: WordNet) -> int:
    """The best level, in tenths, of one human answer, both texts normalised."""
    if reply == human or _stands_in(human, reply):
        return EXACT
    if dictionary.synsets(reply) & dictionary.synsets(human):
        return SYNONYM
    return PARTIAL if content_words(reply) & content_words(human) else 0


def content_words(text: str) -> frozenset[str]:
    """The words of a normalised text that are not stop words."""
    return frozenset(text.split()) - STOP_WORDS


def _stands_in(human: str, reply: str) -> bool:
    """Whether all words of the answer stand in the reply, one after the other; "" never does."""
    return bool(human) and f" {human} " in f" {reply} "
