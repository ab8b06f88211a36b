"""Samples with boxes on pictures of odd sizes, and replies that write them in frames by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.runs import frame_check, other_frames, rescore
from eyechart.runs.spec import ReadingSpec, RunFile, RunSpec
from eyechart.values import Boxes, Image, Reply, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eyechart.report.schema import FrameCheck
    from eyechart.values import Box

    Write = Callable[[Box, int, int], Sequence[float]]

SMALL, LARGE = other_frames.RULES.values()


def pictures(n: int, seed: int = 7, least: int = 300, most: int = 900) -> list[Sample]:
    """Samples with one true box each, on pictures of odd sizes."""
    draw = np.random.default_rng(seed)
    found = []
    for k in range(n):
        width, height = (int(side) for side in draw.integers(least, most, 2))
        x1, y1 = draw.uniform(0, 0.6, 2) * (width, height)
        x2, y2 = (x1, y1) + draw.uniform(0.15, 0.4, 2) * (width, height)
        image = Image(f"p{k}.png", width, height)
        target = Boxes(((float(x1), float(y1), float(x2), float(y2)),))
        found.append(Sample(f"s{k}", "ground", image, {"expression": "it"}, target, f"p{k}.png"))
    return found


def said(samples: Sequence[Sample], write: Write) -> dict[tuple[str, int], Reply]:
    """Replies in JSON that are right in the numbers that `write` makes of a true box."""
    return {
        (one.id, 0): Reply(one.id, text=json.dumps([{"bbox_2d": list(write(*facts(one)))}]))
        for one in samples
    }


def facts(sample: Sample) -> tuple[Box, int, int]:
    assert isinstance(sample.target, Boxes)
    assert sample.image.width is not None
    assert sample.image.height is not None
    return sample.target.boxes[0], sample.image.width, sample.image.height


def run_of(reading: ReadingSpec) -> RunFile:
    spec = RunSpec("mine", "", 1, {}, {"kind": "test", "name": "m"}, Template("x"), {}, "original")
    return RunFile(spec.fingerprint, spec, reading, [], task="ground")


def checked(
    samples: Sequence[Sample], replies: Mapping[tuple[str, int], Reply], **reading: Any
) -> FrameCheck:
    spec = ReadingSpec(**{"protocol": "rec", **reading})
    found = frame_check.check(rescore.score(samples, replies, spec), run_of(spec))
    assert found is not None
    return found


def pixels(box: Box, _width: int, _height: int) -> Sequence[float]:
    return [round(value) for value in box]


def thousandths(box: Box, width: int, height: int) -> Sequence[float]:
    sides = (width, height, width, height)
    return [round(1000 * value / side) for value, side in zip(box, sides, strict=True)]


def y_first(box: Box, width: int, height: int) -> Sequence[float]:
    x1, y1, x2, y2 = thousandths(box, width, height)
    return [y1, x1, y2, x2]


def ratios(box: Box, width: int, height: int) -> Sequence[float]:
    sides = (width, height, width, height)
    return [round(value / side, 3) for value, side in zip(box, sides, strict=True)]


def sides(box: Box, width: int, height: int) -> Sequence[float]:
    x1, y1, x2, y2 = pixels(box, width, height)
    return [x1, y1, x2 - x1, y2 - y1]


def centred(box: Box, width: int, height: int) -> Sequence[float]:
    x1, y1, x2, y2 = ratios(box, width, height)
    return [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1]


def padded(box: Box, width: int, height: int) -> Sequence[float]:
    side = max(width, height)
    left, top = (side - width) // 2, (side - height) // 2
    shifts = (left, top, left, top)
    return [round((value + by) / side, 4) for value, by in zip(box, shifts, strict=True)]
