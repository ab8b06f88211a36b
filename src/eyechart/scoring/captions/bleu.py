"""BLEU-1 to BLEU-4 of a set of captions, as pycocoevalcap computes them.

Source: salaniz/pycocoevalcap `bleu/bleu_scorer.py`: clipped n-gram counts summed over the set,
their precisions' geometric mean, a brevity penalty by the closest reference lengths; small
constants keep every value off 0 and 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from eyechart.scoring.captions.ngrams import ORDERS, Counts, Integers, lengths, looked_up

if TYPE_CHECKING:
    from collections.abc import Sequence

_SMALL = 1e-9
_TINY = 1e-15


def statistics(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    owner: Integers,
    counts: Sequence[Counts],
) -> tuple[Integers, Integers, list[Integers]]:
    """What BLEU sums, an integer a sample: its length, its reference's, its matches by order.

    `hypotheses` has one caption (words) a sample, `references` those of all samples, `owner` says
    whose each is, in order; `counts` are the n-grams of the hypotheses followed by the references.
    The reference length is the closest to the hypothesis's own, the shorter of two as close.
    """
    size = lengths(hypotheses)
    closest = np.zeros(len(hypotheses), np.int64)
    reference_size = lengths(references)
    order = np.lexsort((reference_size, np.abs(reference_size - size[owner]), owner))
    owners, first = np.unique(owner[order], return_index=True)
    closest[owners] = reference_size[order][first]
    return size, closest, [_matches(one, len(hypotheses), owner) for one in counts]


def _matches(counts: Counts, samples: int, owner: Integers) -> Integers:
    said = counts.caption < samples
    keys = counts.caption[said] * max(1, counts.grams) + counts.gram[said]
    whose = owner[counts.caption[~said] - samples]
    true = whose * max(1, counts.grams) + counts.gram[~said]
    order = np.argsort(true, kind="stable")
    known, first = np.unique(true[order], return_index=True)
    most = counts.count[~said][order]
    most = np.maximum.reduceat(most, first) if len(first) else most
    clipped = np.minimum(counts.count[said], looked_up(keys, known, most))
    return np.bincount(counts.caption[said], clipped, samples).astype(np.int64)


def score(
    lengths: Sequence[int], closest: Sequence[int], matches: Sequence[Sequence[int]]
) -> list[float]:
    """BLEU-1 to BLEU-4 from what `statistics` gives, of a set or of one sample alone (ratios)."""
    said, true = sum(lengths), sum(closest)
    values = []
    product = 1.0
    for order, found in zip(ORDERS, matches, strict=True):
        guessed = sum(max(0, length - order + 1) for length in lengths)
        product *= float(sum(found) + _TINY) / (guessed + _SMALL)
        values.append(product ** (1.0 / order))
    ratio = (said + _TINY) / (true + _SMALL)
    if ratio < 1:
        values = [value * math.exp(1 - 1 / ratio) for value in values]
    return values
