"""The chart's pictures: scenes drawn in integers, as pixels and as PNG bytes without metadata."""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.chart.scene import COLOURS, CONTRASTS, KINDS, VERSION, Ground, Scene, compose
from eyechart.chart.shapes import rows
from eyechart.errors import PictureError

Pixels = npt.NDArray[np.uint8]
Levels = npt.NDArray[np.int32]


def scene_of(source: str) -> Scene:
    """The scene that `chart:v1:<seed>:<index>:<kind>` names.

    Raises:
        PictureError: not such a name, or one of another version of the chart.
    """
    try:
        _, _, seed, index, kind = source.split(":")
        numbers = int(seed), int(index)
    except ValueError:
        kind, numbers = "", (0, 0)
    if kind not in KINDS or source != f"chart:v{VERSION}:{numbers[0]}:{numbers[1]}:{kind}":
        raise PictureError(
            f"{source[:80]!r} is no picture of this eye chart; "
            f"one is named chart:v{VERSION}:SEED:INDEX:KIND with a kind of {', '.join(KINDS)}."
        )
    return compose(*numbers, kind)


def pixels(source: str) -> Pixels:
    """The picture as height x width x 3 bytes, RGB. Raises `PictureError` as `scene_of` does."""
    return draw(scene_of(source))


def read(source: str) -> bytes:
    """The picture as PNG bytes. Raises `PictureError` as `scene_of` does."""
    return _encoded(source)


@lru_cache(maxsize=8)
def _encoded(source: str) -> bytes:
    """The last few are kept: the phrases of a caption ask for one picture again and again."""
    encoded = io.BytesIO()
    Image.fromarray(pixels(source)).save(encoded, "PNG", compress_level=1, compress_type=3)
    return encoded.getvalue()


def digest(source: str) -> str:
    """`pixels:<sha256>` of the picture: see `digest_of`."""
    return digest_of(pixels(source))


def digest_of(picture: Pixels) -> str:
    """`pixels:` and the SHA-256 of width and height (4 bytes each, big end first) and RGB bytes.

    It does not depend on how a picture is encoded.
    """
    height, width = picture.shape[:2]
    content = hashlib.sha256(width.to_bytes(4, "big") + height.to_bytes(4, "big"))
    content.update(np.ascontiguousarray(picture).tobytes())
    return f"pixels:{content.hexdigest()}"


def draw(scene: Scene) -> Pixels:
    """The scene's pixels, height x width x 3, RGB; integers alone decide them."""
    levels = _pattern(scene.ground, scene.width, scene.height)
    base = np.array(scene.ground.level, dtype=np.int32)
    picture: Pixels = np.clip(levels[:, :, None] + base, 0, 255).astype(np.uint8)
    for thing in scene.things:
        ink = paint(thing.colour, scene.ground.level, scene.contrast)
        for y, row in enumerate(rows(thing.shape, thing.size), thing.y):
            for first, end in row:
                picture[y, thing.x + first : thing.x + end] = ink
    if scene.ground.pattern == "noise":
        return _grained(picture, scene.ground)
    return picture


def paint(colour: str, ground: tuple[int, int, int], contrast: str) -> tuple[int, ...]:
    """The colour mixed with the ground as far as the contrast says."""
    share = CONTRASTS[contrast]
    return tuple(g + (c - g) * share // 100 for c, g in zip(COLOURS[colour], ground, strict=True))


def _pattern(ground: Ground, width: int, height: int) -> Levels:
    """What the ground adds to its level at each pixel, height x width."""
    x = np.arange(width, dtype=np.int32)[None, :]
    y = np.arange(height, dtype=np.int32)[:, None]
    along, down = ground.slope
    if ground.pattern == "stripes":
        return _bands((x * along + y * down) // ground.period, ground.swing)
    if ground.pattern == "checks":
        return _bands(x // ground.period + y // ground.period, ground.swing)
    if ground.pattern == "gradient":
        ramp = x * along + y * down
        low, high = int(ramp.min()), int(ramp.max())
        swing = 2 * ground.swing
        levels: Levels = (ramp - low) * (2 * swing) // max(1, high - low) - swing
        return levels
    return np.zeros((height, width), dtype=np.int32)


def _bands(number: Levels, swing: int) -> Levels:
    """`swing` in every second band, `-swing` in the others."""
    levels: Levels = (number % 2) * (2 * swing) - swing
    return levels


def _grained(picture: Pixels, ground: Ground) -> Pixels:
    """The picture with coloured grain of up to `swing` levels either way on every pixel."""
    height, width = picture.shape[:2]
    x = np.arange(width, dtype=np.uint32)[None, :] * np.uint32(0x9E3779B1)
    y = np.arange(height, dtype=np.uint32)[:, None] * np.uint32(0x85EBCA77)
    stirred = (x ^ y) + np.uint32(ground.grain)
    stirred ^= stirred >> np.uint32(15)
    stirred *= np.uint32(0x2C1B3C6D)
    stirred ^= stirred >> np.uint32(12)
    stirred *= np.uint32(0x297A2D39)
    stirred ^= stirred >> np.uint32(15)
    grained = np.empty_like(picture)
    for channel in range(3):
        # seven bits a channel; their spread about nothing is -63..63
        draws = ((stirred >> np.uint32(8 * channel)) & np.uint32(127)).astype(np.int16) - 63
        shift = draws * ground.swing // 63
        grained[:, :, channel] = np.clip(picture[:, :, channel].astype(np.int16) + shift, 0, 255)
    return grained
