"""The reader's parts: connected components against a flood fill, and hostile prompts and pictures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from eyechart.models.pixels.answers import answer
from eyechart.models.pixels.objects import find_objects
from eyechart.models.pixels.questions import Phrase, Question, understood
from eyechart.models.pixels.segments import MOST_BLOBS, labelled, segmented

BLOCK = 5  # every cell of a small map becomes so many pixels a side, so that none is a speck


def flooded(
    words: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> list[frozenset[tuple[int, int]]]:
    """The components by a plain flood fill over the eight neighbours."""
    height, width = words.shape
    left = {(y, x) for y, x in product(range(height), range(width)) if words[y, x]}
    found = []
    while left:
        waiting, own = [left.pop()], set()
        while waiting:
            y, x = waiting.pop()
            own.add((y, x))
            for near in product((y - 1, y, y + 1), (x - 1, x, x + 1)):
                if near in left and words[near] == words[y, x]:
                    left.remove(near)
                    waiting.append(near)
        found.append(frozenset(own))
    return found


@settings(max_examples=80, deadline=None)
@given(
    arrays.arrays(
        np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.integers(0, 2)
    )
)
def test_components_are_those_of_a_flood_fill(
    words: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> None:
    numbers, blobs = labelled(np.kron(words, np.ones((BLOCK, BLOCK), dtype=np.uint8)))
    small = numbers[::BLOCK, ::BLOCK]
    expected = flooded(words)
    assert len(blobs) == len(expected)
    told = {
        frozenset((int(y), int(x)) for y, x in zip(*np.nonzero(small == blob.number), strict=True))
        for blob in blobs
    }
    assert told == set(expected)
    for blob in blobs:
        ys, xs = np.nonzero(numbers == blob.number)
        assert blob.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
        assert blob.area == len(xs)
    assert [blob.area for blob in blobs] == sorted((blob.area for blob in blobs), reverse=True)


def test_a_spiral_is_one_component() -> None:
    words = np.zeros((400, 400), dtype=np.uint8)
    for ring in range(0, 200, 8):
        words[ring, ring : 400 - ring] = words[399 - ring, ring : 400 - ring] = 1
        words[ring : 400 - ring, ring] = words[ring : 400 - ring, 399 - ring] = 1
        if ring:
            words[200, ring - 8 : ring + 1] = 1
    numbers, blobs = labelled(words)
    assert len(blobs) == 1
    assert blobs[0].area == int(words.sum()) == int((numbers == 1).sum())


@settings(max_examples=25, deadline=None)
@given(
    arrays.arrays(
        np.uint8,
        st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3)),
        elements=st.integers(0, 255),
    )
)
def test_any_picture_is_read(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    height, width = pixels.shape[:2]
    for found in find_objects(pixels):
        assert 0 <= found.fit <= 1
        assert found.box[2] > found.box[0]
        assert found.box[3] > found.box[1]
        assert -width <= found.box[0] < 2 * width
        assert -height <= found.box[1] < 2 * height


@pytest.mark.parametrize(("side", "objects"), [(1, 0), (5, MOST_BLOBS)])
def test_a_picture_of_coloured_noise_holds_nothing_or_as_much_as_is_kept(
    side: int, objects: int
) -> None:
    # single pixels are specks; squares of five pixels are thousands of blobs that touch each other
    noise = np.random.default_rng(1).integers(0, 256, (480 // side, 640 // side, 3), dtype=np.uint8)
    found = find_objects(np.kron(noise, np.ones((side, side, 1), dtype=np.uint8)))
    assert len(found) == objects


VOCABULARY = """the a red blue square circles how many is there what colour shape than larger more
are two to left of right above no such thing leftmost ? . cyan smallest count where"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(WORDS, max_size=25).map(" ".join)))
def test_any_prompt_gets_an_answer(prompt: str) -> None:
    pixels = np.full((40, 60, 3), 255, dtype=np.uint8)
    pixels[5:25, 5:25] = (220, 20, 20)
    for found in ([], find_objects(pixels)):
        said = answer(understood(prompt), found)
        assert isinstance(said, str | list)
        assert said != ""


@pytest.mark.parametrize(
    ("piece", "question"),
    [
        ("the red ", Question("where", (Phrase("red"),))),
        ("is the ", Question("there", ())),
        ("to the left of ", Question("where", ())),
        ("how ", Question("where", ())),
        ("a" * 7, Question("where", ())),
        ("?", Question("where", ())),
    ],
)
def test_a_hostile_prompt_is_read_to_its_end(piece: str, question: Question) -> None:
    assert understood(piece * (1_000_000 // len(piece))) == question


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("Locate the small red circle.", Question("where", (Phrase("red", "circle", "small"),))),
        (
            "the star to the left of the green ring",
            Question("where", (Phrase("", "star", relation="left", anchor=Phrase("green", "ring")),)),
        ),
        ("two pink crosses", Question("where", (Phrase("magenta", "cross", several=True),))),
        ("How many shapes are there?", Question("count", (Phrase(several=True),))),
        ("Is the red star above the blue star?",
         Question("beside", (Phrase("red", "star"), Phrase("blue", "star")), "top")),
        ("What is this?", Question("where", ())),
    ],
)  # fmt: skip
def test_questions_are_understood(prompt: str, question: Question) -> None:
    assert understood(prompt) == question


def test_the_ground_may_have_a_pattern_and_objects_keep_their_extent() -> None:
    y, x = np.mgrid[0:90, 0:120]
    pixels = np.repeat((100 + 30 * ((x // 7 + y // 7) % 2))[:, :, None], 3, axis=2).astype(np.uint8)
    pixels[20:60, 30:75] = (40, 160, 60)
    _, blobs = segmented(pixels)
    assert [(blob.colour, blob.box) for blob in blobs] == [("green", (30, 20, 75, 60))]


def test_words_that_begin_a_phrase_and_never_end_it() -> None:
    assert understood("a " * 100_000) == Question("where", ())
    found = understood("small " * 9_000 + "red blue small circle")
    assert found.phrases[-1].shape == "circle"
