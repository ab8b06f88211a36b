"""Totals and printed lines that MDETR's evaluator and Kosmos-2's, which follows it, share.

Source: ashkamath/mdetr `datasets/refexp.py` (ea09acc44ca0) and microsoft/unilm
`kosmos-2/evaluation/refcoco/refexp_evaluate.py` (768a3c873f59).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from eyechart.values import Sample

DATA_SETS = ("refcoco", "refcoco+", "refcocog")


def by_data_set(
    names: Sequence[str],
    columns: NDArray[np.float64],
    criteria: Sequence[str],
    rows: Sequence[str] = DATA_SETS,
) -> dict[str, dict[str, float]]:
    """For each data set of `rows` the share of hits by criterion, 0.0 where it has no expression.

    `names` is the data set of each expression, `columns` `(n, len(criteria))` of 0 and 1.
    """
    kinds = np.array(names, dtype=object)
    scores = {}
    for row in rows:
        of_this = columns[kinds == row] if len(names) else columns
        count = len(of_this)
        scores[row] = {
            criterion: float(of_this[:, k].sum()) / count if count else 0.0
            for k, criterion in enumerate(criteria)
        }
    return scores


def printed(scores: Mapping[str, Mapping[str, float]], label: str) -> list[str]:
    """The programs' result lines, each followed by an empty one; the numbers in a line are sorted.

    Their places therefore do not mean what the label (`1, mean, all`) says.
    """
    return [
        line
        for name, row in scores.items()
        for line in (f" Dataset: {name} - Precision @ {label}: {sorted(row.values())} ", "")
    ]


def official(
    samples: Sequence[Sample],
    columns: Mapping[str, Sequence[float]],
    criteria: Sequence[str],
    label: str,
) -> dict[str, Any]:
    """Scores by `tags["dataset"]`, and the program's lines; samples without that tag are left out.

    All samples are in the denominator, also those that have no prediction.
    """
    tagged = [(k, s.tags["dataset"]) for k, s in enumerate(samples) if "dataset" in s.tags]
    if not tagged:
        return {}
    names = [name for _, name in tagged]
    table = np.array([np.asarray(columns[c], np.float64) for c in criteria]).T
    rows = (*DATA_SETS, *(n for n in dict.fromkeys(names) if n not in DATA_SETS))
    scores = by_data_set(names, table[[k for k, _ in tagged]], criteria, rows)
    return {**{row: scores[row] for row in rows if row in names}, "printed": printed(scores, label)}
