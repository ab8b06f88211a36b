"""Scenes: the same everywhere, exact in their boxes, and as varied as they are meant to be."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from eyechart.chart import pictures
from eyechart.chart.layout import GAP, MIN_VISIBLE, SMALLEST
from eyechart.chart.scene import (
    COLOURS,
    CONTRASTS,
    GROUNDS,
    KINDS,
    Ground,
    Scene,
    Thing,
    compose,
    name_of,
)
from eyechart.errors import PictureError

PLAIN = Ground("plain", (128, 128, 128), 0, 10, (1, 0), 0)
# SHA-256 over the digests of pictures 0..7 of seed 11; another value means another chart, which
# needs another VERSION
PIXELS = {
    "locate": "0c4320d8c12d4f1c337e5d72649b4516",
    "absent": "7cd6d0fd121488e25b88aca465816ddf",
    "phrases": "17f0863f58399f62fc86acd5af3bb5c0",
    "count": "7a3f73913e8ff562c9f94d4556a60120",
    "answer": "6fdaecd598d2cec34f589ebf764d8e03",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_pixels_are_the_same_on_every_machine(kind: str) -> None:
    digests = "".join(pictures.digest(f"chart:v1:11:{index}:{kind}") for index in range(8))
    assert hashlib.sha256(digests.encode()).hexdigest()[:32] == PIXELS[kind]


def covered(
    scene: Scene, things: tuple[Thing, ...]
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """The pixels that these things change on a plain ground."""
    plain = replace(scene, ground=PLAIN, contrast="high")
    drawn = pictures.draw(replace(plain, things=things))
    changed: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = (drawn != 128).any(axis=2)
    return changed


@settings(max_examples=20, deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(0, 10**6), st.sampled_from(KINDS))
def test_boxes_and_visible_parts_are_those_of_the_drawn_pixels(
    seed: int, index: int, kind: str
) -> None:
    scene = compose(seed, index, kind)
    order = np.zeros((scene.height, scene.width), dtype=np.int32)
    whole = []
    for number, thing in enumerate(scene.things, 1):
        mask = covered(scene, (thing,))
        ys, xs = np.nonzero(mask)
        assert thing.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
        order[mask] = number
        whole.append(int(mask.sum()))
    for number, (thing, all_pixels) in enumerate(zip(scene.things, whole, strict=True), 1):
        assert thing.visible == int((order == number).sum()) * 1000 // all_pixels
        assert thing.visible >= MIN_VISIBLE


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**6), st.sampled_from(KINDS))
def test_only_pairs_of_two_colours_overlap_and_all_lies_inside(
    seed: int, index: int, kind: str
) -> None:
    scene = compose(seed, index, kind)
    overlapping: Counter[int] = Counter()
    for one, other in combinations(range(len(scene.things)), 2):
        a, b = scene.things[one], scene.things[other]
        apart_x = max(a.x, b.x) - min(a.x + a.size, b.x + b.size)
        apart_y = max(a.y, b.y) - min(a.y + a.size, b.y + b.size)
        if max(apart_x, apart_y) < GAP:
            assert a.colour != b.colour
            overlapping.update((one, other))
    assert all(times == 1 for times in overlapping.values())
    for thing in scene.things:
        x1, y1, x2, y2 = thing.box
        assert 0 <= x1 < x2 <= scene.width
        assert 0 <= y1 < y2 <= scene.height
        assert thing.size >= SMALLEST


def test_the_mixture_reaches_all_that_it_promises() -> None:
    scenes = [compose(0, index, kind) for kind in KINDS for index in range(150)]
    numbers = [len(scene.things) for scene in scenes]
    assert min(numbers) == 0
    assert max(numbers) > 55
    shares = [
        thing.size / max(scene.width, scene.height) for scene in scenes for thing in scene.things
    ]
    assert 0.01 <= min(shares) < 0.013
    assert 0.37 < max(shares) <= 0.4
    assert {scene.ground.pattern for scene in scenes} == set(GROUNDS)
    assert {scene.contrast for scene in scenes} == set(CONTRASTS)
    assert {thing.colour for scene in scenes for thing in scene.things} == set(COLOURS)
    sides = {(scene.width, scene.height) for scene in scenes}
    assert {(333, 517), (517, 333), (1280, 413), (97, 640)} <= sides
    portrait = sum(scene.height > scene.width for scene in scenes) / len(scenes)
    assert 0.4 < portrait < 0.6
    hidden = [thing.visible for scene in scenes for thing in scene.things if thing.visible < 1000]
    assert MIN_VISIBLE <= min(hidden) < MIN_VISIBLE + 30
    assert max(hidden) > 900


def test_every_ink_differs_from_its_ground_and_from_every_other() -> None:
    levels = {compose(0, index, "locate").ground.level for index in range(200)}
    assert len(levels) == 6
    for level in levels:
        for contrast in CONTRASTS:
            inks = [pictures.paint(colour, level, contrast) for colour in COLOURS]
            for one, other in combinations([*inks, level], 2):
                assert max(abs(a - b) for a, b in zip(one, other, strict=True)) >= 14


def test_names_are_opaque_and_differ() -> None:
    names = {
        name_of(seed, index, kind) for seed in range(5) for index in range(50) for kind in KINDS
    }
    assert len(names) == 5 * 50 * len(KINDS)
    assert all(len(name) == 20 and name.endswith(".png") for name in names)


def test_a_picture_is_a_png_without_metadata() -> None:
    source = "chart:v1:3:4:locate"
    opened = Image.open(io.BytesIO(pictures.read(source)))
    assert opened.format == "PNG"
    assert opened.mode == "RGB"
    assert opened.info == {}
    assert np.array_equal(np.asarray(opened), pictures.pixels(source))


def test_the_digest_is_that_of_the_pixels() -> None:
    picture = np.array([[[1, 2, 3], [4, 5, 6]]], dtype=np.uint8)
    content = bytes([0, 0, 0, 2, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
    assert pictures.digest_of(picture) == "pixels:" + hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "source",
    ["", "chart", "chart:v2:0:0:locate", "chart:v1:0:0:nothing", "chart:v1:a:0:locate",
     "chart:v1:0:0", "chart:v1: 1:0:locate", "chart:v1:0:0:locate:more", "x" * 10_000],
)  # fmt: skip
def test_other_sources_are_refused_in_one_short_line(source: str) -> None:
    with pytest.raises(PictureError, match="no picture of this eye chart") as caught:
        pictures.read(source)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("pattern", GROUNDS)
def test_grounds_vary_as_they_are_named(pattern: str) -> None:
    ground = Ground(pattern, (100, 100, 104), 12, 10, (1, 0), 77)
    drawn = pictures.draw(Scene(200, 100, ground, "high", "none", ())).astype(np.int64)
    spread = int(np.abs(drawn - np.array(ground.level)).max())
    assert spread == {"plain": 0, "noise": 12, "stripes": 12, "checks": 12, "gradient": 24}[pattern]
    assert abs(drawn.mean() - np.mean(ground.level)) < 1.5
