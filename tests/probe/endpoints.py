"""Simulated endpoints that see chart pictures and write the truth in a form of their own.

Nothing here is eyechart's: the truth comes as plain numbers by the digest of a picture's bytes, the
arithmetic of frames and of resizing is written anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fault_server import Act, Asked, Behaviour, say

Box = tuple[float, float, float, float]
Size = tuple[int, int]
# box in pixels, size of the picture, the words asked for
Writer = Callable[[Box, Size, str], str]


@dataclass(frozen=True)
class Seen:
    """What is known of a picture: its size, the true box in pixels, what the object is called."""

    size: Size
    box: Box
    name: str


def digest(picture: bytes) -> str:
    return hashlib.sha256(picture).hexdigest()


def endpoint(
    truths: Mapping[str, Seen],
    write: Writer,
    *,
    jitter: float = 0.02,
    refusals: float = 0.12,
    wrong: float = 0.2,
    only: str = "",
    otherwise: str = "I see a picture with some shapes.",
) -> Behaviour:
    """Answers as `write` has it, with noise that depends on picture and question alone.

    Edges move by a normal draw of `jitter` of the box's side; a part of the answers are refusals,
    a part boxes that lie anywhere. With `only`, questions without these words get `otherwise`.
    """

    def behave(asked: Asked) -> Act:
        if only not in asked.text:
            return say(otherwise)
        header, _, data = asked.data_url.partition(",")
        assert header.startswith("data:image/")
        seen = truths[digest(base64.b64decode(data))]
        chance = random.Random(f"{seen.size}{seen.box}{asked.text}")
        if chance.random() < refusals:
            return say("I'm sorry, I can't help with that.")
        box = anywhere(chance) if chance.random() < wrong else None
        if box is None:
            box = moved(chance, seen.box, seen.size, jitter)
        else:
            width, height = seen.size
            box = (box[0] * width, box[1] * height, box[2] * width, box[3] * height)
        return say(write(box, seen.size, seen.name))

    return behave


def anywhere(chance: random.Random) -> Box:
    x1, y1 = chance.uniform(0, 0.7), chance.uniform(0, 0.7)
    return x1, y1, x1 + chance.uniform(0.05, 0.3), y1 + chance.uniform(0.05, 0.3)


def moved(chance: random.Random, box: Box, size: Size, jitter: float) -> Box:
    across, down = (box[2] - box[0]) * jitter, (box[3] - box[1]) * jitter
    x1, x2 = box[0] + chance.gauss(0, across), box[2] + chance.gauss(0, across)
    y1, y2 = box[1] + chance.gauss(0, down), box[3] + chance.gauss(0, down)
    width, height = size
    return max(0.0, x1), max(0.0, y1), min(float(width), x2), min(float(height), y2)


# ---- what servers make of a picture


def smart(size: Size, factor: int, most: int, least: int = 3136) -> Size:
    width, height = size
    w, h = max(factor, round(width / factor) * factor), max(factor, round(height / factor) * factor)
    if w * h > most:
        beta = math.sqrt(width * height / most)
        w, h = (max(factor, int(side / beta / factor) * factor) for side in size)
    elif w * h < least:
        beta = math.sqrt(least / (width * height))
        w, h = (math.ceil(side * beta / factor) * factor for side in size)
    return w, h


def longest(size: Size, most: int) -> Size:
    scale = min(1.0, most / max(size))
    return round(size[0] * scale), round(size[1] * scale)


# ---- how models write


def parts(box: Box, size: Size, unit: float = 1.0) -> Box:
    width, height = size
    x1, y1, x2, y2 = box
    return x1 / width * unit, y1 / height * unit, x2 / width * unit, y2 / height * unit


def whole(numbers: Box) -> list[int]:
    return [round(number) for number in numbers]


def as_json(key: str, numbers: list[int] | list[float], name: str) -> str:
    return "```json\n" + json.dumps([{key: numbers, "label": name}]) + "\n```"


def pixels(box: Box, size: Size, name: str) -> str:
    return as_json("bbox_2d", whole(box), name)


def of_resized(resize: Callable[[Size], Size]) -> Writer:
    def write(box: Box, size: Size, name: str) -> str:
        wide, high = resize(size)
        x1, y1, x2, y2 = parts(box, size)
        return as_json("bbox_2d", whole((x1 * wide, y1 * high, x2 * wide, y2 * high)), name)

    return write


def of_unit(unit: int) -> Writer:
    return lambda box, size, name: as_json("bbox_2d", whole(parts(box, size, unit)), name)


def gemini(box: Box, size: Size, name: str) -> str:
    x1, y1, x2, y2 = whole(parts(box, size, 1000))
    return as_json("box_2d", [y1, x1, y2, x2], name)


def xywh(box: Box, _size: Size, name: str) -> str:
    x1, y1, x2, y2 = whole(box)
    return as_json("bbox", [x1, y1, x2 - x1, y2 - y1], name)


def centre(box: Box, size: Size, _name: str) -> str:
    x1, y1, x2, y2 = parts(box, size)
    numbers = ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1)
    return "[" + ", ".join(f"{number:.3f}" for number in numbers) + "]"


def padded_square(box: Box, size: Size, _name: str) -> str:
    width, height = size
    side = max(size)
    left, top = (side - width) // 2, (side - height) // 2
    x1, y1, x2, y2 = box
    numbers = ((x1 + left) / side, (y1 + top) / side, (x2 + left) / side, (y2 + top) / side)
    return "[" + ", ".join(f"{number:.2f}" for number in numbers) + "]"


def kosmos2(box: Box, size: Size, name: str) -> str:
    x1, y1, x2, y2 = parts(box, size, 32)
    first = min(int(y1), 31) * 32 + min(int(x1), 31)
    last = min(math.ceil(y2) - 1, 31) * 32 + min(math.ceil(x2) - 1, 31)
    pair = f"<patch_index_{first:04}><patch_index_{last:04}>"
    return f"<grounding><phrase>{name}</phrase><object>{pair}</object>"


def ofa(box: Box, size: Size, _name: str) -> str:
    return " ".join(f"<bin_{number}>" for number in whole(parts(box, size, 999)))


def paligemma(box: Box, size: Size, name: str) -> str:
    x1, y1, x2, y2 = whole(parts(box, size, 1023))
    return f"<loc{y1:04}><loc{x1:04}><loc{y2:04}><loc{x2:04}> {name.removeprefix('the ')}"


def florence2(box: Box, size: Size, name: str) -> str:
    bins = [min(999, int(number)) for number in parts(box, size, 1000)]
    return name + "".join(f"<loc_{number}>" for number in bins)


def internvl(box: Box, size: Size, name: str) -> str:
    return f"<ref>{name}</ref><box>[{whole(parts(box, size, 1000))}]</box>"


def qwen2_vl(box: Box, size: Size, name: str) -> str:
    x1, y1, x2, y2 = whole(parts(box, size, 1000))
    return (
        f"<|object_ref_start|>{name}<|object_ref_end|>"
        f"<|box_start|>({x1},{y1}),({x2},{y2})<|box_end|>"
    )


def molmo(box: Box, size: Size, name: str) -> str:
    x1, y1, x2, y2 = parts(box, size, 100)
    return f' <point x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2:.1f}" alt="{name}">{name}</point>'


def minigpt(box: Box, size: Size, name: str) -> str:
    numbers = "".join(f"<{int(number)}>" for number in parts(box, size, 100))
    return f"<p>{name}</p> {{{numbers}}}"


def thinking(write: Writer) -> Writer:
    def aloud(box: Box, size: Size, name: str) -> str:
        return (
            f"<think>Where is {name}? Perhaps at [10, 20, 300, 400], or "
            f'{{"bbox_2d": [5, 6, 70, 80]}}.</think>\nHere it is:\n{write(box, size, name)}'
        )

    return aloud


def nonsense(box: Box, size: Size, name: str) -> str:
    chance = random.Random(f"{box}{size}")
    return as_json("bbox_2d", [chance.randrange(1000) for _ in range(4)], name)


def always_the_same(_box: Box, _size: Size, name: str) -> str:
    return as_json("bbox_2d", [120, 60, 410, 470], name)
