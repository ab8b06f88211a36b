"""Times eyechart's arithmetic beside the plain way of doing the same on data in memory.

    python -m benchmarks.arithmetic iou DIR/boxes | counting DIR/counting

DIR holds generated files (`python -m benchmarks.full_size`). Prints the medians in milliseconds,
eyechart's first, each way in turns; both must come to the same figures.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from benchmarks.full_size import boxes as box_files
from benchmarks.full_size import counting as counting_files

from eyechart.scoring.boxes import iou
from eyechart.scoring.counting import columns, read_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Ways = tuple[Callable[[], float], Callable[[], float]]

_DIGITS = re.compile(r"\d+")
_WRAPPING = "*`_\"'.,:; \n"


def plain_iou(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The textbook's IoU of boxes `(n, 4)`, a NumPy operation at a time."""
    corner = np.maximum(first[:, :2], second[:, :2])
    sides = np.maximum(np.minimum(first[:, 2:], second[:, 2:]) - corner, 0)
    shared = sides[:, 0] * sides[:, 1]
    area = (first[:, 2] - first[:, 0]) * (first[:, 3] - first[:, 1])
    other = (second[:, 2] - second[:, 0]) * (second[:, 3] - second[:, 1])
    result: NDArray[np.float64] = shared / (area + other - shared)
    return result


def plain_count(reply: str) -> int | None:
    """The number of a reply by CountQA's rule: the whole of it, or the first run of digits."""
    bare = reply.strip().strip(_WRAPPING)
    found = _DIGITS.fullmatch(bare) or _DIGITS.search(reply)
    return int(found.group()) if found else None


def ious(folder: Path) -> Ways:
    """Boxes of both files to the mean of their IoUs."""
    first, second = (
        np.load(folder / name) for name in (box_files.FIRST_FILE, box_files.SECOND_FILE)
    )
    return lambda: float(iou(first, second).mean()), lambda: float(plain_iou(first, second).mean())


def counting(folder: Path) -> Ways:
    """Replies and true counts to accuracy and relaxed accuracy (their sum)."""
    data, replies = (
        [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        for name in (counting_files.DATA_FILE, counting_files.REPLIES_FILE)
    )
    texts, truths = [reply["reply"] for reply in replies], [row["count"] for row in data]

    def ours() -> float:
        scored = columns([reading.value for reading in read_texts(texts)], truths)
        return float(scored["accuracy"].mean() + scored["relaxed_accuracy"].mean())

    def plain() -> float:
        hits = near = 0
        for text, true in zip(texts, truths, strict=True):
            count = plain_count(text)
            if count is not None:
                hits += count == true
                near += abs(count - true) <= 0.05 * true
        return (hits + near) / len(texts)

    return ours, plain


def measure(ways: Ways, rounds: int) -> tuple[float, float]:
    """Median milliseconds of both ways.

    Raises:
        SystemExit: they do not come to the same.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        results = []
        for way, spent in zip(ways, times, strict=True):
            begun = time.perf_counter()
            results.append(way())
            spent.append(1000 * (time.perf_counter() - begun))
        if abs(results[0] - results[1]) > 1e-12:
            raise SystemExit(f"eyechart finds {results[0]}, the plain way {results[1]}")
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", choices=("iou", "counting"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    ways = {"iou": ious, "counting": counting}[options.work](options.folder)
    print(*measure(ways, options.rounds))


if __name__ == "__main__":
    main()
