"""A benchmark of one's own in one file: `eyechart run MODEL examples/my_benchmark.py`."""

import csv
from collections.abc import Iterator
from pathlib import Path

from eyechart.benchmarks import benchmark
from eyechart.formats.data import Data
from eyechart.values import Count, Sample, Template

TABLE = Path(__file__).with_name("my_benchmark.csv")


# builtin: the table lies beside this file, so it is run without --data
@benchmark(
    "shelf", task="count", protocol="count_final", template=Template("{question}"), builtin=True
)
def shelf(data: Data, split: str) -> Iterator[Sample]:
    """Counts of things on a shelf."""
    data.look_beside(TABLE)
    with TABLE.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            image, asked = data.image(row["image"]), {"question": row["question"]}
            count = Count(int(row["count"]))
            yield Sample(row["id"], "count", image, asked, count, group=row["image"])
