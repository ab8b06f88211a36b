"""Captions and referring expressions against several references: protocol `captions`.

BLEU, ROUGE-L and CIDEr (CIDEr-D) as pycocoevalcap computes them, on the tokens of its own
tokenizer; METEOR where it is asked for. CIDEr and ROUGE-L are means over samples; BLEU and METEOR
are values of the whole set and stand among the official totals.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.text.ptb import has_line_break, tokenise
from eyechart.values import Captions, Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# columns that are no metrics: what the values of the whole set are made from
_SIZE, _CLOSEST = "bleu.length", "bleu.reference_length"
_MATCHES = tuple(f"bleu.matches_{order}" for order in (1, 2, 3, 4))
_METEOR_OF_SET = "meteor.of_set"


def columns(
    captions: Sequence[str], references: Sequence[Sequence[str]], meteor: str | bool = False
) -> dict[str, list[float]]:
    """All columns of tokenised captions, one value for each, aligned.

    `cider` (0 to 10), `rouge_l` and, if asked for, `meteor` (ratios); `bleu.*` hold the integers
    that BLEU sums and `meteor.of_set` the set's METEOR, the same in every row.

    Raises:
        DataError: a sample without references; UsageError and DataError as `meteor.score`.
    """
    import numpy as np

    from eyechart.scoring.captions import bleu, cider, ngrams
    from eyechart.scoring.captions.rouge import rouge_l

    for place, texts in enumerate(references, start=1):
        if not texts:
            raise DataError(f"sample number {place} has no reference captions.")
    said = [caption.split() for caption in captions]
    true = [text.split() for texts in references for text in texts]
    owner = np.repeat(np.arange(len(captions)), [len(texts) for texts in references])
    counts = ngrams.counted([*said, *true])
    size, closest, matches = bleu.statistics(said, true, owner, counts)
    found: dict[str, list[float]] = {
        "cider": cider.cider_d(counts, len(captions), owner).tolist(),
        "rouge_l": [
            rouge_l(caption, texts) for caption, texts in zip(captions, references, strict=True)
        ],
        _SIZE: size.tolist(),
        _CLOSEST: closest.tolist(),
        **{name: one.tolist() for name, one in zip(_MATCHES, matches, strict=True)},
    }
    if meteor:
        from eyechart.scoring.captions import meteor as program

        whole, found["meteor"] = program.score(program.jar(meteor), captions, references)
        found[_METEOR_OF_SET] = [whole] * len(captions)
    return found


def totals(given: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The set's values by the official program's names and in its order, from `columns`.

    Without the columns that BLEU and METEOR are made from, these are left out.
    """
    import numpy as np

    from eyechart.scoring.captions import bleu

    found: dict[str, float] = {}
    if _SIZE in given:
        counts = [[int(value) for value in given[name]] for name in (_SIZE, _CLOSEST, *_MATCHES)]
        values = bleu.score(counts[0], counts[1], counts[2:])
        found = {f"Bleu_{order}": value for order, value in enumerate(values, start=1)}
    if _METEOR_OF_SET in given:
        found["METEOR"] = float(np.mean(given[_METEOR_OF_SET]))
    found["ROUGE_L"] = float(np.mean(given["rouge_l"]))
    found["CIDEr"] = float(np.mean(given["cider"]))
    return found


def _official(_samples: Sequence[Sample], given: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    if not len(given["cider"]):
        return {}
    found = totals(given)
    return {**found, "printed": [f"{name}: {value:.3f}" for name, value in found.items()]}


# below this many the logarithm of the number of documents is far from that of a benchmark
_FEW = 100


def _read(_sample: Sample, text: str) -> Reading:
    """The reply is the caption, without white space at its ends."""
    caption = text.strip()
    if not caption:
        return Reading(status="malformed", reason="no words in the reply")
    flags = ("line_break",) if has_line_break(caption) else ()
    return Reading(status="ok", value=caption, flags=flags)


def captions(meteor: bool | str = False) -> Protocol:
    """The protocol `captions`; `meteor` True adds METEOR by an installed pycocoevalcap's program.

    A path names the program (`meteor-1.5.jar`, its folder `data` beside it) where it lies elsewhere.
    `ready` says whether it is there.
    """
    names = ("cider", "rouge_l", *(("meteor",) if meteor else ()))

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {name: [] for name in names}
        for rows in _sets(samples):
            made = _scored([samples[at] for at in rows], [readings[at] for at in rows], meteor)
            for name, column in made.items():
                into = found.setdefault(name, [])
                into += [0.0] * (len(samples) - len(into))
                for at, value in zip(rows, column, strict=True):
                    into[at] = value
        return found

    return Protocol(
        name="captions",
        version=1,
        tasks=frozenset({"caption", "refer"}),
        metrics=tuple(_METRICS[name] for name in names),
        primary="cider",
        about="CIDEr-D and ROUGE-L of captions, with BLEU among the totals, as pycocoevalcap has them",
        source="salaniz/pycocoevalcap 1.2, ad63453cfab5; Stanford's tokenizer 3.4.1 made anew",
        score=score,
        read_text=_read,
        official=_official,
        options={"meteor": meteor} if meteor else {},
        formula="cider = 10 x mean over n = 1..4 and references of exp(-d^2 / 72) x clipped cosine of "
        "tf-idf; rouge_l = 2.44 P R / (R + 1.44 P)",
        text_alone=True,
        whole=True,
        reasoning="keep",
        ready=(lambda: _program(meteor)) if meteor else None,
        warns=_warns,
    )


def _warns(samples: Sequence[Sample]) -> list[str]:
    """CIDEr's weights come from the samples themselves, so a few of them have none worth the name."""
    number = len({sample.id for sample in samples})
    if number == 1:
        return ["cider: document frequency undefined for one image; it is 0 whatever was said."]
    if number < _FEW:
        return [
            f"cider: its document frequencies come from these {number:,} samples alone, so that it "
            "cannot be held against figures on a whole split."
        ]
    return []


def _program(meteor: bool | str) -> object:
    from eyechart.scoring.captions.meteor import jar

    return jar(meteor)


def _sets(samples: Sequence[Sample]) -> list[list[int]]:
    """The rows of each repeat: a sample's k-th occurrence belongs to the k-th set."""
    seen: Counter[str] = Counter()
    sets: list[list[int]] = []
    for at, sample in enumerate(samples):
        repeat = seen[sample.id]
        seen[sample.id] += 1
        if repeat == len(sets):
            sets.append([])
        sets[repeat].append(at)
    return sets


def _scored(
    samples: Sequence[Sample], readings: Sequence[Reading], meteor: bool | str
) -> dict[str, list[float]]:
    read = [one.status in ("ok", "none") and one.value is not None for one in readings]
    said = [
        tokenise(str(reading.value)) if there else ""
        for reading, there in zip(readings, read, strict=True)
    ]
    found = columns(said, [_references(sample) for sample in samples], meteor)
    # an empty caption is worth something beside an empty reference; a failure is not
    for name in _METRICS.keys() & found.keys():
        found[name] = [
            value if there else 0.0 for value, there in zip(found[name], read, strict=True)
        ]
    return found


def _references(sample: Sample) -> list[str]:
    if not isinstance(sample.target, Captions) or not sample.target.captions:
        raise DataError(f"sample {sample.id}: captions needs reference captions as its target.")
    return [tokenise(text) for text in sample.target.captions]


_METRICS = {
    "cider": Metric("cider", "CIDEr-D over the set's own document frequencies, 0 to 10", "points"),
    "rouge_l": Metric("rouge_l", "ROUGE-L, best precision and best recall over the references"),
    "meteor": Metric("meteor", "METEOR 1.5 of each caption alone; the set's stands in the totals"),
}

CAPTIONS = captions()
