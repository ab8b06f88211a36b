"""How long parts of scoring take, beside merely reading the same data from JSON with msgspec.

    python benchmarks/scoring_speed.py [--rounds 5]

All data are generated from a fixed seed. Each line times one piece of work (samples and replies in
memory to columns, or a file to samples) and its yardstick, the decoding of the same data into typed
values, in turns; CPU milliseconds, medians of the rounds, and how many yardsticks the work takes.
Whole processes are timed by `benchmarks.official_scorers`.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from eyechart import benchmarks, dialects, scoring
from eyechart.formats.data import Data
from eyechart.scoring.statistics import group_codes, interval
from eyechart.values import Box, Boxes, Image, Reading, Reply, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXPRESSIONS = 10_834  # as many as RefCOCO val has
PICTURES = 1_500
METRICS, SLICES = 13, 20
WIDTH, HEIGHT = 640, 480
NOUNS = ("cup", "man", "dog", "bus", "zebra", "umbrella", "pizza", "kite", "horse", "laptop")
ADJECTIVES = ("left", "right", "red", "white", "small", "tall", "striped", "wooden", "blurry")


@dataclass(frozen=True)
class Work:
    """A piece of work over `n` items, and the decoding of its data."""

    name: str
    n: int
    call: Callable[[], object]
    yardstick: Callable[[], object]


class Asked(msgspec.Struct):
    """What a protocol is given, as one JSON document."""

    samples: list[Sample]
    replies: list[Reply]


class Scored(msgspec.Struct):
    """What intervals are made of, as one JSON document."""

    columns: list[list[float]]
    groups: list[str]
    slices: list[int]


class Row(msgspec.Struct):
    """A row of a flat RefCOCO file."""

    img_id: str
    sents: str
    bbox: tuple[float, float, float, float]
    height: int
    width: int


def decoding(document: Asked | Scored) -> Callable[[], object]:
    """The yardstick of a document."""
    data = msgspec.json.encode(document)
    decoder = msgspec.json.Decoder(type(document))
    return lambda: decoder.decode(data)


def rows(chance: random.Random) -> Iterator[Row]:
    """Expressions with boxes inside pictures of 640 x 480."""
    for k in range(EXPRESSIONS):
        x, y = chance.uniform(0, WIDTH - 60), chance.uniform(0, HEIGHT - 60)
        size = chance.uniform(20, WIDTH - x), chance.uniform(20, HEIGHT - y)
        yield Row(
            f"COCO_train2014_{k % PICTURES:012}_{chance.randrange(90)}",
            f"{chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} {chance.randrange(100)}",
            (round(x, 2), round(y, 2), round(size[0], 2), round(size[1], 2)),
            HEIGHT,
            WIDTH,
        )


def expressions(chance: random.Random) -> list[Sample]:
    """The samples that a benchmark would make of such rows."""
    samples = []
    for k, row in enumerate(rows(chance)):
        x, y, width, height = row.bbox
        name = row.img_id.rpartition("_")[0] + ".jpg"
        samples.append(
            Sample(
                id=f"{row.img_id}#{k}",
                task="ground",
                image=Image(name, WIDTH, HEIGHT),
                asked={"expression": row.sents},
                target=Boxes(((x, y, x + width, y + height),)),
                group=name,
                tags={"split": "val", "dataset": "refcoco"},
            )
        )
    return samples


def near(sample: Sample, chance: random.Random) -> Box:
    """A box that about half overlaps the true one."""
    assert isinstance(sample.target, Boxes)
    x1, y1, x2, y2 = sample.target.boxes[0]
    dx, dy = chance.gauss(0, (x2 - x1) / 4), chance.gauss(0, (y2 - y1) / 4)
    return (
        min(max(x1 + dx, 0), WIDTH - 2),
        min(max(y1 + dy, 0), HEIGHT - 2),
        min(max(x2 + dx, 1), WIDTH - 1),
        min(max(y2 + dy, 1), HEIGHT - 1),
    )


def said_in_json(sample: Sample, chance: random.Random) -> str:
    box = ", ".join(f"{side:.0f}" for side in near(sample, chance))
    return f'```json\n[{{"bbox_2d": [{box}], "label": "{sample.asked["expression"]}"}}]\n```'


def replied(samples: list[Sample], said: Callable[[Sample], str]) -> Asked:
    return Asked(samples, [Reply(sample.id, text=said(sample)) for sample in samples])


def texts(asked: Asked) -> list[str]:
    return [reply.text or "" for reply in asked.replies]


def whole(readings: list[Reading]) -> list[Reading]:
    """The readings, all of which must have boxes: otherwise less than everything is timed."""
    unread = sum(reading.status != "ok" for reading in readings)
    if unread:
        raise SystemExit(f"{unread} of {len(readings)} generated replies were not read")
    return readings


def rec(chance: random.Random) -> Iterator[Work]:
    """JSON boxes read by their dialect, and the protocol rec."""
    asked = replied(expressions(chance), lambda sample: said_in_json(sample, chance))
    dialect, protocol = dialects.find("json:pixels"), scoring.find("rec")
    sizes = dialects.Sizes((WIDTH, HEIGHT))

    def read() -> list[Reading]:
        return [dialect.read(text, sizes) for text in texts(asked)]

    readings, yardstick = whole(read()), decoding(asked)
    yield Work("rec: reading replies", len(readings), read, yardstick)
    yield Work(
        "rec: scoring", len(readings), lambda: protocol.score(asked.samples, readings), yardstick
    )


def intervals(chance: random.Random) -> Iterator[Work]:
    """A report's figures: every metric over every slice, in clusters of pictures."""
    scored = Scored(
        [[float(chance.random() < 0.7) for _ in range(EXPRESSIONS)] for _ in range(METRICS)],
        [f"COCO_train2014_{chance.randrange(PICTURES):012}.jpg" for _ in range(EXPRESSIONS)],
        [chance.randrange(SLICES) for _ in range(EXPRESSIONS)],
    )

    def figures() -> None:
        codes, slices = group_codes(scored.groups), np.array(scored.slices)
        columns = [np.array(column) for column in scored.columns]
        for part in range(SLICES):
            at = np.flatnonzero(slices == part)
            for column in columns:
                interval(column[at], codes[at])

    yield Work(f"intervals: {METRICS} x {SLICES}", EXPRESSIONS, figures, decoding(scored))


def flat_file(chance: random.Random, folder: Path) -> Iterator[Work]:
    """A flat RefCOCO file to samples."""
    path = folder / "refcoco_val.json"
    path.write_bytes(msgspec.json.encode(list(rows(chance))))
    benchmark, split = benchmarks.find("refcoco/val")
    decoder = msgspec.json.Decoder(list[Row])
    yield Work(
        "flat RefCOCO file: reading",
        EXPRESSIONS,
        lambda: list(benchmark.rows(Data(path, need_images=False), split)),
        lambda: decoder.decode(path.read_bytes()),
    )


def seconds(call: Callable[[], object]) -> float:
    """CPU seconds: other work on the machine disturbs them less than the clock on the wall."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def measure(work: Work, rounds: int) -> None:
    """One line of the table."""
    yardsticks, times = [], []
    for _ in range(rounds):
        yardsticks.append(seconds(work.yardstick))
        times.append(seconds(work.call))
    yardstick, own = statistics.median(yardsticks), statistics.median(times)
    print(
        f"{work.name:<28} {work.n:>7,} {1000 * yardstick:>9.1f} {1000 * own:>9.1f}"
        f" {own / yardstick:>6.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is a whole number from 1 on")
    chance = random.Random(0)
    print(f"{'work':<28} {'items':>7} {'JSON ms':>9} {'work ms':>9} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for works in (
            rec(chance),
            intervals(chance),
            flat_file(chance, Path(folder)),
        ):
            for work in works:
                measure(work, options.rounds)


if __name__ == "__main__":
    main()
