"""What each family writes is read as what was written, within the family's own rounding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes, find
from eyechart.values import Box, RawBoxes

SIDES = st.tuples(st.integers(2, 5000), st.integers(2, 5000))
RATIOS = st.lists(st.tuples(*[st.floats(0, 1, allow_nan=False)] * 4), min_size=1, max_size=4)
LABELS = st.from_regex(r"[a-z]{1,8}( [a-z]{1,8}){0,2}", fullmatch=True)
# the greatest distance of a corner, in parts of the side
ROUNDING = {
    "florence-2": 0.5 / 1000,
    "kosmos-2": 1 / 32,
    "kosmos-2:64": 1 / 64,
    "minigpt-v2": 1 / 100,
    "ofa": 0.5 / 999,
    "ofa:384": 0.5 / 999 * 512 / 384,
    "paligemma": 0.5 / 1023,
    "rex-omni": 0.5 / 999,
}
EXACT = ("grounding-dino", "mdetr", "transvg")


def in_pixels(ratios: list[tuple[float, ...]], sides: tuple[int, int]) -> list[Box]:
    width, height = sides
    return [
        (min(a, c) * width, min(b, d) * height, max(a, c) * width, max(b, d) * height)
        for a, b, c, d in ratios
    ]


@pytest.mark.parametrize("spec", ROUNDING)
@given(ratios=RATIOS, sides=SIDES, label=st.none() | LABELS)
def test_location_marks(
    spec: str, ratios: list[tuple[float, ...]], sides: tuple[int, int], label: str | None
) -> None:
    dialect, sizes = find(spec), Sizes(sides)
    boxes = in_pixels(ratios, sides)
    text = dialect.write([(label, box) for box in boxes], sizes)
    got = dialect.read(text, sizes)
    assert got.status == "ok", text
    assert not got.truncated
    for box, want in zip(got.boxes, boxes, strict=True):
        for value, wanted, side in zip(box, want, sides * 2, strict=True):
            assert abs(value - wanted) <= ROUNDING[spec] * side + 1e-6
    named = {"ofa": None, "ofa:384": None, "rex-omni": label or "object"}.get(spec, label)
    assert got.labels == ((named,) * len(boxes) if named else ())
    # what was read is written the same
    again = list(zip(got.labels or (None,) * len(boxes), got.boxes, strict=True))
    assert dialect.write(again, sizes) == text


@pytest.mark.parametrize("spec", EXACT)
@given(ratios=RATIOS, sides=SIDES, label=st.none() | LABELS)
def test_numbers(
    spec: str, ratios: list[tuple[float, ...]], sides: tuple[int, int], label: str | None
) -> None:
    dialect, sizes = find(spec), Sizes(sides)
    boxes = in_pixels(ratios, sides)
    text = dialect.write([(label, box) for box in boxes], sizes)
    for parser in ("tolerant", "authors"):
        got = find(spec, "authors" if parser == "authors" else "tolerant").read(text, sizes)
        assert got.status == "ok"
        for box, want in zip(got.boxes, boxes, strict=True):
            assert box == pytest.approx(want, abs=1e-6 * max(sides))
        if label is None or spec != "transvg":
            assert got.labels == ((label,) * len(boxes) if label else ())


@pytest.mark.parametrize("spec", ["groma", "llava-grounding"])
@given(ratios=RATIOS, sides=SIDES, label=st.none() | LABELS)
def test_texts_that_point(
    spec: str, ratios: list[tuple[float, ...]], sides: tuple[int, int], label: str | None
) -> None:
    dialect, sizes = find(spec), Sizes(sides)
    boxes = in_pixels(ratios, sides)
    text = dialect.write([(label, box) for box in boxes], sizes)
    beside = RawBoxes(tuple(dialect.frame.write(box, sizes) for box in boxes), "cxcywh-ratio")  # type: ignore[misc]
    got = dialect.read(text, sizes, beside)
    assert got.labels == ((label,) * len(boxes) if label else ())
    for box, want in zip(got.boxes, boxes, strict=True):
        assert box == pytest.approx(want, abs=1e-6 * max(sides))


@given(ratios=RATIOS, sides=SIDES, label=st.none() | LABELS)
def test_molmo_writes_middles(
    ratios: list[tuple[float, ...]], sides: tuple[int, int], label: str | None
) -> None:
    dialect, sizes = find("molmo"), Sizes(sides)
    boxes = in_pixels(ratios, sides)
    text = dialect.write([(label, box) for box in boxes], sizes)
    for parser in ("tolerant", "authors"):
        got = find("molmo", "authors" if parser == "authors" else "tolerant").read(text, sizes)
        assert got.labels == ((label,) * len(boxes) if label else ())
        middles = sorted(((a + c) / 2, (b + d) / 2) for a, b, c, d in boxes)
        xs = [x for x, _ in got.points]
        assert xs == sorted(xs)
        assert len(got.points) == len(middles)
        for (x, y), side in ((point, sides) for point in got.points):
            assert any(
                abs(x - a) <= 0.0005 * side[0] + 1e-6 and abs(y - b) <= 0.0005 * side[1] + 1e-6
                for a, b in middles
            )


@pytest.mark.parametrize(
    ("spec", "text"),
    [("molmo", "There are none."), ("mdetr", '{"boxes_cxcywh": [], "scores": []}')],
)
def test_nothing_is_written_and_read_as_none(spec: str, text: str) -> None:
    sizes = Sizes((640, 480))
    assert find(spec).write([], sizes) == text
    assert find(spec).read(text, sizes).status == "none"
    assert find(spec, "authors").read(text, sizes).status == "none"


def test_as_the_families_write() -> None:
    sizes = Sizes((640, 480))
    # a quarter and three quarters of the width, a third and all of the height
    named = [("a dog", (160.0, 160.0, 480.0, 480.0)), ("a dog", (0.0, 0.0, 64.0, 48.0))]
    wanted = {
        "florence-2": "a dog<loc_250><loc_333><loc_750><loc_999><loc_0><loc_0><loc_100><loc_100>",
        "minigpt-v2": "<p>a dog</p> {<25><33><75><100>}<delim>{<0><0><10><10>}",
        "ofa": "<bin_250> <bin_333> <bin_749> <bin_999> <bin_0> <bin_0> <bin_100> <bin_100>",
        "ofa:384": "<bin_187> <bin_250> <bin_562> <bin_749> <bin_0> <bin_0> <bin_75> <bin_75>",
        "paligemma": "<loc0341><loc0256><loc1023><loc0767> a dog ; "
        "<loc0000><loc0000><loc0102><loc0102> a dog",
        "rex-omni": "<|object_ref_start|>a dog<|object_ref_end|><|box_start|><250><333><749><999>, "
        "<0><0><100><100><|box_end|>",
        "molmo": ' <points x1="5.0" y1="5.0" x2="50.0" y2="66.7" alt="a dog">a dog</points>',
        "groma": "<p>a dog</p><roi><r0></roi> <p>a dog</p><roi><r1></roi>",
        "llava-grounding": "<g_s> a dog <g_e> <seg> <g_s> a dog <g_e> <seg>",
    }
    assert {spec: find(spec).write(named, sizes) for spec in wanted} == wanted
    kosmos = find("kosmos-2").write(named[:1], sizes)
    assert kosmos.startswith("<grounding><phrase>a dog</phrase><object><patch_index_")
    assert find("transvg").write(named[:1], Sizes((640, 640))) == (
        '{"box_cxcywh": [0.5, 0.5, 0.5, 0.5]}'
    )
