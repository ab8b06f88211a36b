"""ROUGE-L of captions, as pycocoevalcap computes it.

Source: salaniz/pycocoevalcap `rouge/rouge.py`: the longest common subsequence in words, the best
precision and the best recall over the references (each by itself), F with beta 1.2. Words are what
stands between single spaces, so that an empty caption has one, the empty word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BETA = 1.2


def rouge_l(hypothesis: str, references: Sequence[str]) -> float:
    """The F value of one tokenised caption against its references, a ratio."""
    words = hypothesis.split(" ")
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << place
    precision = recall = 0.0
    for reference in references:
        others = reference.split(" ")
        common = _longest_common(places, len(words), others)
        precision = max(precision, common / float(len(words)))
        recall = max(recall, common / float(len(others)))
    if precision == 0 or recall == 0:
        return 0.0
    return ((1 + _BETA**2) * precision * recall) / float(recall + _BETA**2 * precision)


def _longest_common(places: dict[str, int], size: int, others: Sequence[str]) -> int:
    """The length of the longest common subsequence, bit-parallel (Hyyrö 2004).

    `places` has a bit for each place of a word among the `size` words of the other text; in `row` a
    bit falls to 0 for each word by which the subsequence grows.
    """
    full = (1 << size) - 1
    row = full
    for word in others:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & full
    return size - row.bit_count()
