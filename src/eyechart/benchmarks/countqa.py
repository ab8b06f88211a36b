"""CountQA: how many of a thing are there, in photographs of everyday scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats import countqa as format_
from eyechart.formats.records import count_band
from eyechart.values import Count, Image, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data

_SYSTEM = (
    "You are a helpful assistant that counts the number of items in an image. "
    "The user will provide an image and ask a question about the number of a certain type of item "
    "in the image. If the user question is referring to multiple objects, it means that you need "
    "to provide a sum of the number of items. You will count the number of items and return the "
    "number as an integer. Your output should STRICTLY be a single integer and nothing else."
)


@benchmark(
    "countqa",
    task="count",
    protocol="countqa",
    template=Template("{question}", _SYSTEM, "the prompt of CountQA's authors"),
    splits={"test": 1528},
    aliases={"count_qa": None, "CountQA": None},
    data="test*.parquet, or countqa.jsonl of the same rows with pictures beside it",
    citation="Tamarapalli et al., CountQA: How Well Do MLLMs Count in the Wild?, 2025",
)
def countqa(data: Data, split: str) -> Iterator[Sample]:
    """Counting questions; a picture may have several."""
    number = 0
    for path in data.files(f"{split}*.parquet", f"countqa_{split}*.parquet", "countqa*.jsonl"):
        for row in format_.read(path):
            name = row.image or f"{number:05d}"
            image = Image(name, source=row.source) if row.source else data.image(name)
            tags = {"split": split}
            if row.is_focused is not None:
                tags["is_focused"] = str(row.is_focused).lower()
            if row.categories:
                tags["category"] = " / ".join(row.categories)
            for place, (question, count) in enumerate(zip(row.questions, row.counts, strict=True)):
                yield Sample(
                    f"{number}#{place}",
                    "count",
                    image,
                    {"question": question},
                    Count(count),
                    group=f"row {number}" if row.source else name,
                    tags={**tags, "count": count_band(count)},
                )
            number += 1
