"""CIDEr-D of a set of captions, as pycocoevalcap computes it under the name CIDEr.

Source: salaniz/pycocoevalcap `cider/cider_scorer.py`: n-grams of order 1 to 4 weighted by term
count and inverse document frequency, where a document is the references of one sample; the cosine
with clipped weights, a Gaussian on the difference of lengths (counted in bigrams, sigma 6), the
mean over orders and references, times 10. Nothing is stemmed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eyechart.scoring.captions.ngrams import ORDERS, Counts, Floats, Integers, looked_up

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGMA = 6.0


def cider_d(counts: Sequence[Counts], samples: int, owner: Integers) -> Floats:
    """Each sample's CIDEr-D, 0 to 10; the set's value is their mean. One sample alone has 0.

    `counts` are the n-grams of the samples' hypotheses (one each, first) followed by those of all
    references; `owner` says whose each reference is.
    """
    if not samples:
        return np.zeros(0)
    total = np.zeros(len(owner))
    for one in counts:
        total += _cosines(one, samples, owner)
    bigrams = counts[1]
    size = np.bincount(bigrams.caption, bigrams.count, samples + len(owner))
    delta = size[owner] - size[samples:]
    each = total / len(ORDERS) * np.exp(-(delta**2) / (2 * _SIGMA**2))
    references = np.bincount(owner, minlength=samples)
    summed = np.bincount(owner, each, samples)
    found: Floats = summed / np.maximum(1, references) * 10.0
    return found


def _cosines(counts: Counts, samples: int, owner: Integers) -> Floats:
    """One order's clipped cosine of every reference with its sample's hypothesis."""
    grams = max(1, counts.grams)
    said = counts.caption < samples
    whose = owner[counts.caption[~said] - samples]
    in_documents = np.unique(whose * grams + counts.gram[~said]) % grams
    frequency = np.bincount(in_documents, minlength=grams)
    inverse = np.log(float(samples)) - np.log(np.maximum(1.0, frequency))
    weight = counts.count * inverse[counts.gram]
    norm = np.sqrt(np.bincount(counts.caption, weight**2, samples + len(owner)))
    known = counts.caption[said] * grams + counts.gram[said]
    theirs = weight[~said]
    ours = looked_up(whose * grams + counts.gram[~said], known, weight[said])
    products = np.minimum(ours, theirs) * theirs
    value = np.bincount(counts.caption[~said] - samples, products, len(owner))
    both = norm[owner] * norm[samples:]
    # where a norm is 0 the official code leaves the product, which then is 0 too
    found: Floats = np.where(both != 0, value / np.where(both != 0, both, 1.0), value)
    return found
