"""The shapes' pixels, against figures drawn by hand and against their own geometry."""

from __future__ import annotations

from itertools import combinations

import pytest

from eyechart.chart.layout import SMALLEST
from eyechart.chart.shapes import PLURALS, SHAPES, area, extent, rows


def grid(shape: str, size: int) -> list[str]:
    lines = []
    for row in rows(shape, size):
        line = ["."] * size
        for first, end in row:
            line[first:end] = "#" * (end - first)
        lines.append("".join(line))
    return lines


@pytest.mark.parametrize(
    ("shape", "size", "drawing"),
    [
        ("circle", 7, "..###.. .#####. ####### ####### ####### .#####. ..###.."),
        ("diamond", 5, "..#.. .###. ##### .###. ..#.."),
        ("square", 3, "### ### ###"),
        ("cross", 9, "...###... ...###... ...###... ######### ######### ######### "
         "...###... ...###... ...###..."),
        ("ring", 9, "..#####.. .#######. ####.#### ###...### ##.....## ###...### ####.#### "
         ".#######. ..#####.."),
    ],
)  # fmt: skip
def test_shapes_are_as_drawn_by_hand(shape: str, size: int, drawing: str) -> None:
    assert grid(shape, size) == drawing.split()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [9, 10, 17, 40, 111])
def test_extent_and_area_are_those_of_the_pixels(shape: str, size: int) -> None:
    lines = grid(shape, size)
    ys = [y for y, line in enumerate(lines) if "#" in line]
    xs = [x for line in lines for x, mark in enumerate(line) if mark == "#"]
    assert extent(shape, size) == (min(xs), ys[0], max(xs) + 1, ys[-1] + 1)
    assert area(shape, size) == len(xs)
    assert ys == list(range(ys[0], ys[-1] + 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_as_wide_as_their_size_and_no_larger(shape: str) -> None:
    for size in range(SMALLEST, 300):
        x1, y1, x2, y2 = extent(shape, size)
        assert 0 <= x1 < x2 <= size
        assert 0 <= y1 < y2 <= size
        assert x2 - x1 >= size - 2


@pytest.mark.parametrize(("one", "other"), list(combinations(SHAPES, 2)))
def test_even_the_smallest_shapes_differ_in_many_pixels(one: str, other: str) -> None:
    pixels = zip("".join(grid(one, SMALLEST)), "".join(grid(other, SMALLEST)), strict=True)
    assert sum(a != b for a, b in pixels) >= 11


def test_plurals() -> None:
    assert PLURALS["cross"] == "crosses"
    assert PLURALS["star"] == "stars"
