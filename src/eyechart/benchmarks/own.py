"""The user's own JSON lines as a benchmark: the fields of the first line say which task it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import Benchmark
from eyechart.errors import UsageError
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
}
# leaving one of fewer out can never give the full mark, however right a reply is
_LEAST_ANSWERS = 4


def from_jsonl(path: Path) -> Benchmark:
    """The benchmark of a JSON lines file; its form stands in `eyechart.formats.own`.

    Pictures are looked for beside the file and where the user says. With fewer than four answers
    in its first row a question is scored by `vqa_exact`, else by `vqa_v2`.

    Raises:
        DataError: the file is missing or empty, or its first line is of no task.
        UsageError: its task is not scored.
    """
    task, answers = own.task_of(path)
    if task not in _ASKED:
        raise UsageError(
            f"{path}: no protocol here scores captions; boxes, phrases, answers and counts are."
        )
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
