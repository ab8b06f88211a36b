"""Phrase grounding as Flickr30k Entities is scored: recall at 1, 5, 10 boxes, and of all of them.

Sources: ashkamath/mdetr, `datasets/flickr_eval.py`, ea09acc44ca0; microsoft/unilm,
`kosmos-2/evaluation/flickr_entities/flickr_entities_evaluate.py`, 768a3c873f59. Float64.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.scoring.boxes import raw_iou
from eyechart.scoring.kosmos2_text import reader
from eyechart.values import Boxes, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.values import Box, Sample

TOP = (1, 5, 10, -1)
METRICS = ("recall@1", "recall@5", "recall@10", "upper_bound")
ROWS = ("Recall@1", "Recall@5", "Recall@10", "Upper_bound")
_THRESHOLD = 0.5
_NOTHING: tuple[Box, ...] = ((0.0, 0.0, 0.0, 0.0),)
_SOURCE = "ashkamath/mdetr datasets/flickr_eval.py, ea09acc44ca0"
_KOSMOS = (
    "microsoft/unilm kosmos-2/evaluation/flickr_entities/flickr_entities_evaluate.py, 768a3c873f59"
)


def recalls(
    predicted: Sequence[Sequence[Box]], true: Sequence[Sequence[Box]], *, merged: bool = False
) -> NDArray[np.float64]:
    """Which phrases are hit, `(n, 4)` of 0 and 1: by the first 1, 5, 10 boxes, and by any.

    Both hold the boxes of each phrase, xyxy in pixels; no predicted box stands for 0, 0, 0, 0. A hit
    is an IoU of at least 0.5 between one of those boxes and one of the true ones or, with `merged`,
    with the box that encloses the true ones. A pair whose IoU is 0/0 makes the phrase a miss
    wherever it is looked at, as NumPy's `max` spreads NaN.

    Raises:
        DataError: a phrase without a true box.
    """
    counts = np.fromiter(map(len, true), np.int64, len(true))
    if not counts.all():
        raise DataError(f"phrase {int(np.argmin(counts)) + 1} has no true box.")
    given = [boxes or _NOTHING for boxes in predicted]
    given_counts = np.fromiter(map(len, given), np.int64, len(given))
    truth, told = _flat(true, counts), _flat(given, given_counts)
    begins = np.cumsum(counts) - counts
    if merged and len(true):
        lower = np.minimum.reduceat(truth[:, :2], begins)
        truth = np.hstack([lower, np.maximum.reduceat(truth[:, 2:], begins)])
        counts = np.ones_like(counts)
        begins = np.arange(len(true))
    # one row a pair of boxes: its phrase, the place of the predicted one, and the two boxes
    pairs = counts * given_counts
    phrase = np.repeat(np.arange(len(true)), pairs)
    within = np.arange(len(phrase)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    place, other = np.divmod(within, counts[phrase])
    first = (np.cumsum(given_counts) - given_counts)[phrase]
    overlap = raw_iou(told[first + place], truth[begins[phrase] + other])
    hit, unknown = overlap >= _THRESHOLD, np.isnan(overlap)
    columns = [
        _any(phrase[seen & hit], len(true)) & ~_any(phrase[seen & unknown], len(true))
        for seen in (place < top if top > 0 else np.ones_like(hit) for top in TOP)
    ]
    return np.column_stack(columns).astype(np.float64)


def _flat(boxes: Sequence[Sequence[Box]], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    numbers = chain.from_iterable(chain.from_iterable(boxes))
    return np.fromiter(numbers, np.float64, 4 * int(counts.sum())).reshape(-1, 4)


def _any(phrases: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    found = np.zeros(count, bool)
    found[phrases] = True
    return found


def by_category(
    categories: Sequence[Sequence[str]], columns: NDArray[np.float64]
) -> dict[str, list[float]]:
    """Recall (ratio) of `all` and of each category at `METRICS`; `columns` as `recalls` gives them.

    A phrase counts once in `all`, and once for each time that a category is named for it.
    """
    hits: dict[str, NDArray[np.float64]] = {}
    totals: dict[str, int] = {}
    rows: dict[tuple[str, ...], list[int]] = {}
    for place, names in enumerate(categories):
        rows.setdefault(tuple(names), []).append(place)
    for names, places in rows.items():
        sums = columns[places].sum(axis=0)
        for name in ("all", *names):
            hits[name] = hits.get(name, 0.0) + sums
            totals[name] = totals.get(name, 0) + len(places)
    return {name: [float(hit) / totals[name] for hit in hits[name]] for name in hits}


def table(scores: Mapping[str, Sequence[float]]) -> list[str]:
    """The lines that the official programs print: recalls by category, framed and centred."""
    names = sorted(scores)
    cells = [["Recall@k", *names]]
    for place, title in enumerate(ROWS[: 0 if not names else None]):
        cells.append([title, *(str(scores[name][place]) for name in names)])
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    rule = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = [
        "|".join(["", *(_centred(cell, w) for cell, w in zip(row, widths, strict=True)), ""])
        for row in cells
    ]
    return [rule, lines[0], rule, *lines[1:], rule]


def _centred(cell: str, width: int) -> str:
    """An odd blank goes to the right of text of odd length, to the left of any other."""
    spare = width - len(cell)
    left = (spare + (len(cell) + 1) % 2) // 2
    return f" {' ' * left}{cell}{' ' * (spare - left)} "


def _score(
    samples: Sequence[Sample], readings: Sequence[Reading], merged: bool
) -> dict[str, list[float]]:
    columns = recalls([_ranked(one) for one in readings], _truth(samples), merged=merged)
    return dict(zip(METRICS, columns.T.tolist(), strict=True))


def _ranked(reading: Reading) -> tuple[Box, ...]:
    """Boxes in falling order of their scores where each has one, else as they are written."""
    boxes, scores = reading.boxes, reading.scores
    if len(boxes) < 2 or len(scores) != len(boxes):
        return boxes
    order = sorted(range(len(boxes)), key=lambda place: -scores[place])
    return tuple(boxes[place] for place in order)


def _truth(samples: Sequence[Sample]) -> list[tuple[Box, ...]]:
    true = []
    for sample in samples:
        target = sample.target
        if not isinstance(target, Boxes) or not target.boxes:
            raise DataError(
                f"sample {sample.id}: recall of phrases needs at least one true box of each."
            )
        true.append(target.boxes)
    return true


def _score_any(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    return _score(samples, readings, merged=False)


def _score_merged(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    return _score(samples, readings, merged=True)


def _score_first(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, list[float]]:
    return _score(_judged(samples), readings, merged=False)


def _judged(samples: Sequence[Sample]) -> list[Sample]:
    """For each sample the one whose truth it is judged by: the first phrase of the same text.

    That is the sample at the position that `tags["repeats"]` names, of the same sentence; a phrase
    is its own where it is not among these samples.
    """
    if not any("repeats" in sample.tags for sample in samples):
        return list(samples)
    by_id = {sample.id: sample for sample in samples}
    return [
        by_id.get(f"{sample.id.rpartition('#')[0]}#{sample.tags['repeats']}", sample)
        if "repeats" in sample.tags
        else sample
        for sample in samples
    ]


def _official(samples: Iterable[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Recalls by category (ratios), and the programs' own table in `printed`."""
    tags = (sample.tags.get("categories") for sample in samples)
    categories = [() if tag is None else tuple(tag.split("/")) for tag in tags]
    if not categories:
        return {}
    scores = by_category(categories, np.column_stack([columns[name] for name in METRICS]))
    made: dict[str, Any] = {
        metric: {name: scores[name][place] for name in sorted(scores)}
        for place, metric in enumerate(METRICS)
    }
    return made | {"printed": table(scores)}


def _official_first(
    samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]
) -> dict[str, Any]:
    return _official(_judged(samples), columns)


def _metrics(truth: str) -> tuple[Metric, ...]:
    said = {"recall@1": "the first box", "upper_bound": "any box"}
    return tuple(
        Metric(name, f"{said.get(name, f'any of the first {name[7:]} boxes')} {truth}")
        for name in METRICS
    )


_TASKS = frozenset({"ground_phrases"})
FLICKR_ANY = Protocol(
    name="flickr_any",
    version=1,
    tasks=_TASKS,
    metrics=_metrics("has IoU of at least 0.5 with any true box"),
    primary="recall@1",
    about="Flickr30k Entities, any box: a phrase is found by any of its true boxes",
    source=_SOURCE,
    score=_score_any,
    keeps_boxes=True,
    official=_official,
    formula="mean over phrases of [max IoU(first k boxes, true boxes) >= 0.5], float64",
)
FLICKR_MERGED = Protocol(
    name="flickr_merged",
    version=1,
    tasks=_TASKS,
    metrics=_metrics("has IoU of at least 0.5 with the box around all true ones"),
    primary="recall@1",
    about="Flickr30k Entities, merged boxes: the true boxes of a phrase are one enclosing box",
    source=f"{_SOURCE} (merge_boxes=True)",
    score=_score_merged,
    keeps_boxes=True,
    official=_official,
    formula="mean over phrases of [max IoU(first k boxes, enclosing true box) >= 0.5], float64",
)


def kosmos2_flickr(grid: int = 32) -> Protocol:
    """The protocol `kosmos2_flickr` for replies on a `grid` x `grid` grid.

    Raises:
        UsageError: a grid below 1.
    """
    return Protocol(
        name="kosmos2_flickr",
        version=1,
        tasks=_TASKS,
        metrics=_metrics("has IoU of at least 0.5 with any true box of the first such phrase"),
        primary="recall@1",
        about="Kosmos-2's own Flickr30k scorer: phrase matched exactly, a repeated phrase judged by "
        "the first one's boxes",
        source=_KOSMOS,
        score=_score_first,
        parser="authors",
        keeps_boxes=True,
        read_text=reader("kosmos2_flickr", "phrase", grid, str),
        official=_official_first,
        reasoning="keep",
        options={"grid": grid},
        formula="mean over phrases of [max IoU(first k boxes of that phrase, true boxes of the "
        "sentence's first phrase of that text) >= 0.5], float64",
        whole=True,
    )


KOSMOS2_FLICKR = kosmos2_flickr()
