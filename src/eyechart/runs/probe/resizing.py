"""Whether pictures seem to be scaled before the model sees them, as far as a judgement tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.runs.probe.result import Resizing
from eyechart.runs.probe.rules import MEASURES, unlimited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.runs.probe.judging import Judgement
    from eyechart.runs.probe.rules import Rule

Size = tuple[int, int]


def found(judgement: Judgement, sizes: Sequence[Size]) -> Resizing:
    """What the judgement says about scaling; `sizes` are those of the pictures that were sent."""
    best = judgement.best
    if best is None:
        return Resizing("cannot tell", why="nothing explains the answers")
    if judgement.verdict == "undecided":
        scales = {one.scale for one in (best, *(one for one, _ in judgement.rivals))}
        if scales == {"seen"}:
            return Resizing("yes", why="all that explains the answers says so, by different rules")
        return Resizing("cannot tell", why="what explains the answers differs in it")
    if best.rule is not None:
        return _scaled(best.rule, judgement.bounds, sizes)
    if best.told:
        return Resizing("yes", why="its replies tell the size that the model saw")
    return _unscaled(best.scale, *max(sizes, key=lambda size: size[0] * size[1]))


def _unscaled(scale: str, width: int, height: int) -> Resizing:
    if scale == "pixels":
        return Resizing("no", why=f"boxes are in the pixels of pictures of up to {width}x{height}")
    return Resizing(
        "cannot tell", why="its numbers are parts of the picture, which scaling leaves as they are"
    )


def _scaled(rule: Rule, bounds: Sequence[Rule], sizes: Sequence[Size]) -> Resizing:
    measure = MEASURES[rule.kind]
    values = [one.value for one in bounds] or [rule.value]
    low, high = min(values), max(values)
    bounded = all(unlimited(one, sizes) is None for one in bounds)
    if unlimited(rule, sizes) is None:
        return Resizing("yes", rule.spelled, measure, rule.value, low, high if bounded else None)
    return Resizing(
        "yes",
        rule.spelled,
        measure,
        low=low,
        why=f"both sides to multiples of {rule.factor}; no picture here exceeded max_pixels",
    )


# the largest min_pixels in use but for those of video
_SMALL = 262_144


def notes(judgement: Judgement, sizes: Sequence[Size]) -> list[str]:
    """What is to be known about the size that was found for pictures of these sizes."""
    best = judgement.best
    if best is None or best.rule is None or judgement.verdict != "found":
        return []
    said = _bounds(judgement, sizes)
    if best.rule.factor is not None and best.rule.least is None:
        small = sum(width * height < _SMALL for width, height in sizes)
        said.append(
            f"Only {small} of the scenes have fewer than {_SMALL:,} pixels: a server that scales small "
            "pictures up (min_pixels) may have gone unnoticed. More --scenes tell more."
        )
    return said


def _bounds(judgement: Judgement, sizes: Sequence[Size]) -> list[str]:
    """Within which bounds the number of the rule that was found may lie."""
    best, bounds = judgement.best, judgement.bounds
    if best is None or best.rule is None or not bounds:
        return []
    low, high = min(one.value for one in bounds), max(one.value for one in bounds)
    if low == high:
        return []
    if unlimited(best.rule, sizes) is not None:
        return [
            f"The answers agree with any max_pixels from {low:,} upwards; {best.rule.value:,} is "
            "that of the checkpoints with such preprocessing."
        ]
    said = [
        f"The answers agree with any {MEASURES[best.rule.kind]} from {low:,} to {high:,}; "
        f"{best.rule.value:,} is the plainest number among those that agree best."
    ]
    if best.rule.factor is not None:
        unit = best.rule.factor**2
        said.append(
            f"Pictures sent with --image-policy multiple-of={best.rule.factor},"
            f"max-pixels={low // unit * unit} are not scaled down, and leave no doubt about that."
        )
    return said


def way_out(judgement: Judgement) -> list[str]:
    """How to ask so that the doubt does not matter."""
    if judgement.best is None:
        return []
    rules = [one.rule for one in (judgement.best, *(one for one, _ in judgement.rivals))]
    if any(rule is not None for rule in rules):
        factor = next((rule.factor for rule in rules if rule is not None and rule.factor), 28)
        return [
            f"Pictures sent with --image-policy multiple-of={factor},max-pixels=501760 are scaled "
            "by few servers: what is doubtful here is then one and the same."
        ]
    return []
