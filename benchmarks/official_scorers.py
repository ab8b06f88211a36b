"""How long official scoring takes as a whole process, as ratios to yardsticks of the same run.

    python -m benchmarks.full_size --out DIR
    python -m benchmarks.official_scorers --data DIR [--official CODE] [--rounds 3]

Each line: what was done, eyechart's cost, the yardstick's cost, their ratio, the bar, and whether
it is met. Costs are medians of rounds taken in turns, after one round that is not counted (it compiles
modules). A process runs from its start to its end: interpreter, imports, files, scoring, printing. CODE holds checkouts of the official programs
(GT-Vision-Lab/VQA, microsoft/unilm); without it their lines are left out. They run under
`--official-python`, which must have what they import (torch, torchvision, prettytable, tqdm).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.full_size import counting, flickr30k, refcoco, vqav2

from benchmarks import official_code, processes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.official_code import Command, Placed

PARTS = ("vqa", "refcoco", "flickr", "iou", "counting")
_ORJSON = (
    "import sys, orjson, pathlib\n"
    "kept = [orjson.loads(pathlib.Path(name).read_bytes()) for name in sys.argv[1:]]\n"
)
_MIB = 700


@dataclass(frozen=True)
class Options:
    """Where things are, and how often each is done."""

    data: Path
    official: Path | None
    python: str
    rounds: int
    scratch: Path


@dataclass(frozen=True)
class Line:
    """A bar: ours / theirs must be at most (`most`) so much, or theirs / ours at least."""

    what: str
    ours: processes.Cost
    theirs: processes.Cost
    bar: float
    most: bool = False

    def __str__(self) -> str:
        wall, cpu = self._ratio("wall"), self._ratio("cpu")
        met = wall <= self.bar if self.most else wall >= self.bar
        ratio = f"{wall:.2f}x" + (f" (CPU {cpu:.2f}x)" if cpu else "")
        side = "<=" if self.most else ">="
        return (
            f"{self.what} | {self.ours} | {self.theirs} | {ratio} | {side} {self.bar:g}x"
            f" | {_met(met)}"
        )

    def _ratio(self, figure: str) -> float:
        ours, theirs = getattr(self.ours, figure), getattr(self.theirs, figure)
        above, below = (ours, theirs) if self.most else (theirs, ours)
        return float(above / below) if below else 0.0


def _met(met: bool) -> str:
    return "met" if met else "NOT MET"


def score(benchmark: str, data: Path, replies: Path, protocol: str) -> Placed:
    """The command that scores a file of replies, and where it is run."""
    command: Command = [sys.executable, "-m", "eyechart", "score", "--benchmark", benchmark]
    if not Path(benchmark).is_file():
        command += ["--data", data]
    return [*command, "--replies", replies, "--protocol", protocol, "--json"], processes.ROOT


def in_turns(commands: Sequence[Placed], options: Options) -> list[processes.Cost]:
    """The median cost of each command, all of them run once a round, after one that is not counted."""
    costs: list[list[processes.Cost]] = [[] for _ in commands]
    for number in range(options.rounds + 1):
        for (command, folder), spent in zip(commands, costs, strict=True):
            cost = processes.run(command, folder, options.scratch / "bytecode")
            if number > 0:
                spent.append(cost)
    return [processes.median(spent) for spent in costs]


def vqa_lines(options: Options) -> Iterator[Line]:
    """VQAv2: beside decoding the files, in memory, and beside the official evaluation."""
    folder = options.data / "vqav2"
    files = (vqav2.ANNOTATIONS_FILE, vqav2.QUESTIONS_FILE, vqav2.RESULTS_FILE)
    own = score("vqav2/val", folder, folder / vqav2.RESULTS_FILE, "vqa_v2")
    decode: Command = [sys.executable, "-c", _ORJSON, *(folder / name for name in files)]
    ours, loads = in_turns([own, (decode, processes.ROOT)], options)
    yield Line("VQAv2 val, time / orjson.loads", ours, loads, 1.25, most=True)
    print(f"VQAv2 val, memory | {ours.rss:,.0f} MiB | {loads.rss:,.0f} MiB | <= {_MIB} MiB | "
          f"{_met(ours.rss <= _MIB)}", flush=True)  # fmt: skip
    if options.official is not None:
        what = "VQAv2 val, official / time"
        theirs = official_code.vqa(options.official, options.python, folder, options.scratch)
        if theirs is None:
            print(f"{what} | the official program is not in the folder", flush=True)
        else:  # once: it takes long enough
            yield Line(what, ours, processes.run(*theirs), 20)


def refcoco_lines(options: Options) -> Iterator[Line]:
    """RefCOCO val beside the official program."""
    folder = options.data / "refcoco"
    own = score("refcoco/val", folder, folder / refcoco.REPLIES_FILE, "kosmos2")
    theirs = options.official and official_code.kosmos2_refcoco(
        options.official, options.python, folder
    )
    yield from _beside("RefCOCO val, official / time", own, theirs or None, 20, options)


def flickr_lines(options: Options) -> Iterator[Line]:
    """Flickr30k Entities test beside the official program."""
    folder = options.data / "flickr30k"
    own = score("flickr30k/test", folder, folder / flickr30k.REPLIES_FILE, "kosmos2_flickr")
    theirs = options.official and official_code.kosmos2_flickr(
        options.official, options.python, folder
    )
    yield from _beside("Flickr30k test, official / time", own, theirs or None, 5, options)


def iou_lines(options: Options) -> Iterator[Line]:
    """A million IoUs beside NumPy's plain arithmetic on the same arrays."""
    ours, plain = _arithmetic("iou", options.data / "boxes")
    yield Line("IoUs in memory, time / NumPy", ours, plain, 1.5, most=True)


def counting_lines(options: Options) -> Iterator[Line]:
    """Counting replies beside a plain loop, in memory; and as a whole process, without a bar."""
    folder = options.data / "counting"
    ours, plain = _arithmetic("counting", folder)
    yield Line("counting in memory, plain loop / time", ours, plain, 3)
    replies = folder / counting.REPLIES_FILE
    own = score(str(folder / counting.DATA_FILE), folder, replies, "countqa")
    (cost,) = in_turns([own], options)
    print(f"counting, whole process | {cost}", flush=True)


def _arithmetic(work: str, folder: Path) -> tuple[processes.Cost, processes.Cost]:
    """The costs of eyechart's way and of the plain one."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.arithmetic", work, folder],
        cwd=processes.ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    ours, plain = (processes.Cost(float(ms) / 1000) for ms in done.stdout.split())
    return ours, plain


def _beside(
    what: str, own: Placed, theirs: Placed | None, bar: float, options: Options
) -> Iterator[Line]:
    """A line beside an official program, in turns; eyechart's cost alone without it."""
    if theirs is None:
        (ours,) = in_turns([own], options)
        print(f"{what} | {ours} | without the official program", flush=True)
    else:
        ours, cost = in_turns([own, theirs], options)
        yield Line(what, ours, cost, bar)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of generated files")
    parser.add_argument("--official", type=Path, help="folder with checkouts of official code")
    parser.add_argument("--official-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds is a whole number from 1 on")
    official = given.official.resolve() if given.official else None
    lines = {
        "vqa": vqa_lines,
        "refcoco": refcoco_lines,
        "flickr": flickr_lines,
        "iou": iou_lines,
        "counting": counting_lines,
    }
    with tempfile.TemporaryDirectory() as scratch:
        options = Options(
            given.data.resolve(), official, given.official_python, given.rounds, Path(scratch)
        )
        for part in given.only:
            try:
                for line in lines[part](options):
                    print(line, flush=True)
            except processes.Failed as failed:
                print(f"{part} | FAILED | {failed}", flush=True)


if __name__ == "__main__":
    main()
