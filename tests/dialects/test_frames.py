from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes
from eyechart.dialects.frames import ORDERS, SCALES, Frame
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.values import Box

VGA = Sizes((640, 480), sent=(320, 240), seen=(1280, 960))


@pytest.mark.parametrize(
    ("scale", "order", "values", "box"),
    [
        ("pixels", "xyxy", (1, 2, 3, 4), (1, 2, 3, 4)),
        ("pixels", "yxyx", (1, 2, 3, 4), (2, 1, 4, 3)),
        ("pixels", "xywh", (10, 20, 30, 40), (10, 20, 40, 60)),
        ("pixels", "cxcywh", (10, 20, 30, 40), (-5, 0, 25, 40)),
        ("sent", "xyxy", (10, 20, 30, 40), (20, 40, 60, 80)),
        ("seen", "xyxy", (10, 20, 30, 40), (5, 10, 15, 20)),
        ("0-1", "xyxy", (0.25, 0.5, 0.75, 1.0), (160, 240, 480, 480)),
        ("0-100", "xyxy", (25, 50, 75, 100), (160, 240, 480, 480)),
        ("0-999", "xyxy", (0, 333, 666, 999), (0, 160, 426.66666666666663, 480)),
        ("0-1000", "yxyx", (500, 250, 1000, 750), (160, 240, 480, 480)),
        # centred on 640 x 640 with 80 rows above
        ("square", "xyxy", (0.25, 0.3, 0.75, 0.7), (160, 112, 480, 368)),
        ("transvg", "cxcywh", (0.5, 0.5, 0.25, 0.5), (240, 80, 400, 400)),
        # out of range stays out of range, swapped stays swapped
        ("0-1000", "xyxy", (1500, -100, 0, 2000), (960, -48, 0, 960)),
    ],
)
def test_by_hand(scale: str, order: str, values: Box, box: Box) -> None:
    assert Frame(scale, order).to_pixels(values, VGA) == pytest.approx(box, abs=1e-9)
    assert Frame(scale, order).write(box, VGA) == pytest.approx(values, abs=1e-9)


def test_odd_pads_are_whole_pixels() -> None:
    # the spare 213 of a 640 x 427 picture: 106 above in both, by // and by round(106.5 - 0.1)
    odd = Sizes((640, 427))
    assert Frame("square").to_pixels((0, 0.5, 1, 1), odd) == pytest.approx((0, 214, 640, 534))
    assert Frame("transvg").to_pixels((0, 0.5, 1, 1), odd) == pytest.approx((0, 214, 640, 534))
    # 333 x 517 is scaled by 640/517 to 412 x 640 for TransVG: 228 spare, 114 on the left
    tall = Sizes((333, 517))
    left = 114 * 517 / 640
    assert Frame("transvg").to_pixels((0.5, 0, 1, 1), tall) == pytest.approx(
        (517 / 2 - left, 0, 517 - left, 517)
    )
    assert Frame("square").to_pixels((0, 0, 1, 1), tall) == (-92, 0, 425, 517)


@pytest.mark.parametrize("scale", ["sent", "seen"])
def test_an_unknown_size_stops_with_what_to_do(scale: str) -> None:
    with pytest.raises(UsageError, match=f"was {scale}.*--dialect"):
        Frame(scale).to_pixels((1, 2, 3, 4), Sizes((640, 480)))
    assert Frame(scale).needs_seen is (scale == "seen")


def test_unknown_names_are_told_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'0-1001'.*Did you mean 0-100"):
        Frame("0-1001")
    with pytest.raises(UsageError, match=r"'xyx'.*Did you mean"):
        Frame("pixels", "xyx")


side = st.integers(1, 5000)
pair = st.tuples(side, side)
number = st.floats(-1e4, 1e4)


@given(
    scale=st.sampled_from(SCALES),
    order=st.sampled_from(ORDERS),
    box=st.tuples(number, number, number, number),
    original=pair,
    sent=pair,
    seen=pair,
)
def test_round_trip(
    scale: str,
    order: str,
    box: Box,
    original: tuple[int, int],
    sent: tuple[int, int],
    seen: tuple[int, int],
) -> None:
    sizes = Sizes(original, sent, seen)
    frame = Frame(scale, order)
    assert frame.to_pixels(frame.write(box, sizes), sizes) == pytest.approx(box, abs=1e-6)
