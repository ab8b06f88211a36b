"""The user's own JSON lines as a benchmark: the fields of the first line say which task it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import Benchmark
from eyechart.formats import own
from eyechart.values import Sample, Task, Template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyechart.formats.data import Data

_ASKED: dict[Task, tuple[str, str]] = {
    "ground": ("rec", "Locate the region that this sentence describes: {expression}"),
    "ground_phrases": ("rec", "Locate the region that this phrase describes: {phrase}"),
    "answer": ("vqa_v2", "{question}\nAnswer the question using a single word or phrase."),
    "count": ("count_final", "{question}\nAnswer with a single whole number."),
    "caption": ("captions", "Describe the image in one sentence."),
    "refer": (
        "captions",
        "Describe the object in the box {box} (x1, y1, x2, y2 in pixels) in a few words, so that it "
        "cannot be taken for another.",
    ),
}
# leaving one of fewer out can never give the full mark, however right a reply is
_LEAST_ANSWERS = 4


def from_jsonl(path: Path) -> Benchmark:
    """The benchmark of a JSON lines file; its form stands in `eyechart.formats.own`.

    Pictures are looked for beside the file and where the user says. With fewer than four answers
    in its first row a question is scored by `vqa_exact`, else by `vqa_v2`.

    Raises:
        DataError: the file is missing or empty, or its first line is of no task.
    """
    task, answers = own.task_of(path)
    protocol, wording = _ASKED[task]
    if task == "answer" and answers < _LEAST_ANSWERS:
        protocol = "vqa_exact"

    def rows(data: Data, split: str = "") -> Iterator[Sample]:
        data.look_beside(path)
        return own.read(path, data)

    return Benchmark(
        name=path.name.removesuffix(".gz").rpartition(".")[0] or path.name,
        task=task,
        protocol=protocol,
        template=Template(wording),
        rows=rows,
        about=f"Own data: {path.name}",
        data=f"{path.name} and pictures",
    )
