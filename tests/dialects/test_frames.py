from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.dialects import Sizes
from eyechart.dialects.frames import ORDERS, SCALES, Frame, cells_to_box
from eyechart.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

VGA = Sizes((640, 480), sent=(320, 240), seen=(1280, 960))
WIDE = Sizes((640, 427), sent=(500, 334), seen=(644, 420))
TALL = Sizes((333, 517), sent=(100, 155), seen=(336, 504))


@pytest.mark.parametrize(
    ("sizes", "scale", "order", "values", "box"),
    [
        (VGA, "pixels", "xyxy", (1, 2, 3, 4), (1, 2, 3, 4)),
        (VGA, "pixels", "yxyx", (1, 2, 3, 4), (2, 1, 4, 3)),
        # x2 = 10 + 30, y2 = 20 + 40
        (VGA, "pixels", "xywh", (10, 20, 30, 40), (10, 20, 40, 60)),
        # x 10 - 15 .. 10 + 15, y 20 - 20 .. 20 + 20
        (VGA, "pixels", "cxcywh", (10, 20, 30, 40), (-5, 0, 25, 40)),
        # twice as large as sent
        (VGA, "sent", "xyxy", (10, 20, 30, 40), (20, 40, 60, 80)),
        (VGA, "sent", "xywh", (10, 20, 30, 40), (20, 40, 80, 120)),
        # 640/500 = 1.28 across, 427/334 down: 334 is the lower edge
        (WIDE, "sent", "xyxy", (100, 167, 500, 334), (128, 213.5, 640, 427)),
        # half as large as seen
        (VGA, "seen", "xyxy", (10, 20, 30, 40), (5, 10, 15, 20)),
        (VGA, "seen", "yxyx", (10, 20, 30, 40), (10, 5, 20, 15)),
        # 161 = 644/4, 105 = 420/4
        (WIDE, "seen", "xyxy", (161, 105, 322, 420), (160, 106.75, 320, 427)),
        (VGA, "0-1", "xyxy", (0.25, 0.5, 0.75, 1.0), (160, 240, 480, 480)),
        # centre 320, 240; 160 wide, 240 high
        (VGA, "0-1", "cxcywh", (0.5, 0.5, 0.25, 0.5), (240, 120, 400, 360)),
        (TALL, "0-1", "yxyx", (0.5, 0, 1, 1 / 3), (0, 258.5, 111, 517)),
        (VGA, "0-100", "xyxy", (25, 50, 75, 100), (160, 240, 480, 480)),
        # 29 % of 640 = 185.6; 31 % of 480 = 148.8; 68 % = 435.2; 95 % = 456
        (VGA, "0-100", "xyxy", (29, 31, 68, 95), (185.6, 148.8, 435.2, 456)),
        # 10 + 20 = 30 % of 640, 10 + 40 = 50 % of 480
        (VGA, "0-100", "xywh", (10, 10, 20, 40), (64, 48, 192, 240)),
        # 333/999 = 1/3, 666/999 = 2/3
        (VGA, "0-999", "xyxy", (0, 333, 666, 999), (0, 160, 1280 / 3, 480)),
        # 111/999 = 1/9 of 333 = 37; 222/999 = 2/9; 517 * 5/9
        (TALL, "0-999", "xyxy", (111, 222, 444, 555), (37, 1034 / 9, 148, 2585 / 9)),
        (VGA, "0-999", "yxyx", (0, 333, 999, 666), (640 / 3, 0, 1280 / 3, 480)),
        (VGA, "0-1000", "yxyx", (500, 250, 1000, 750), (160, 240, 480, 480)),
        # 228 * 0.64 = 145.92; 320 * 0.48 = 153.6; 961 * 0.64 = 615.04; 970 * 0.48 = 465.6
        (VGA, "0-1000", "xyxy", (228, 320, 961, 970), (145.92, 153.6, 615.04, 465.6)),
        # out of range stays out of range, swapped stays swapped
        (VGA, "0-1000", "xyxy", (1500, -100, 0, 2000), (960, -48, 0, 960)),
        (VGA, "0-1023", "xyxy", (0, 0, 1023, 1023), (0, 0, 640, 480)),
        # 341 = 1023/3, 682 = 2 * 341; y first
        (VGA, "0-1023", "yxyx", (341, 682, 1023, 1023), (1280 / 3, 160, 640, 480)),
        # 93 = 1023/11: elevenths
        (VGA, "0-1023", "xyxy", (93, 186, 279, 372), (640 / 11, 960 / 11, 1920 / 11, 1920 / 11)),
        # 0.5 * 0.64, 0.5 * 0.48, 999.5 * 0.64, 999.5 * 0.48
        (VGA, "centres-1000", "xyxy", (0, 0, 999, 999), (0.32, 0.24, 639.68, 479.76)),
        # 54.5 * 0.64, 375.5 * 0.48, 906.5 * 0.64, 707.5 * 0.48
        (VGA, "centres-1000", "xyxy", (54, 375, 906, 707), (34.88, 180.24, 580.16, 339.6)),
        # corner bins 100, 200 and 100 + 50, 200 + 80: each plus a half
        (VGA, "centres-1000", "xywh", (100, 200, 50, 80), (64.32, 96.24, 96.32, 134.64)),
        # 0.5/1024 of 640 = 0.3125, of 480 = 0.234375
        (VGA, "centres-1024", "xyxy", (0, 0, 1023, 1023), (0.3125, 0.234375, 639.6875, 479.765625)),
        # 511.5 * 0.625 = 319.6875, 512.5 * 0.625 = 320.3125; * 0.46875 down
        (
            VGA,
            "centres-1024",
            "xyxy",
            (511, 511, 512, 512),
            (319.6875, 239.765625, 320.3125, 240.234375),
        ),
        # y1 = 127.5, x1 = 255.5, y2 = 895.5, x2 = 767.5
        (
            VGA,
            "centres-1024",
            "yxyx",
            (127, 255, 895, 767),
            (159.6875, 59.765625, 479.6875, 419.765625),
        ),
        # centred on 640 x 640 with (640 - 480)//2 = 80 rows above: 0.3 * 640 - 80 = 112
        (VGA, "square", "xyxy", (0.25, 0.3, 0.75, 0.7), (160, 112, 480, 368)),
        # (640 - 427)//2 = 106 rows above: 0.5 * 640 - 106 = 214, 640 - 106 = 534 is below the picture
        (WIDE, "square", "xyxy", (0, 0.5, 1, 1), (0, 214, 640, 534)),
        # (517 - 333)//2 = 92 columns on the left: 0 - 92, 517 - 92
        (TALL, "square", "xyxy", (0, 0, 1, 1), (-92, 0, 425, 517)),
        # the long side is 640 already; 160 rows spare, round(80 - 0.1) = 80 above
        (VGA, "transvg", "cxcywh", (0.5, 0.5, 0.25, 0.5), (240, 80, 400, 400)),
        # 213 rows spare, round(106.5 - 0.1) = 106 above
        (WIDE, "transvg", "xyxy", (0, 0.5, 1, 1), (0, 214, 640, 534)),
        # scaled by 640/517 to 412 x 640: 228 columns spare, 114 on the left, which are 114 * 517/640
        (
            TALL,
            "transvg",
            "xyxy",
            (0.5, 0, 1, 1),
            (258.5 - 114 * 517 / 640, 0, 517 - 114 * 517 / 640, 517),
        ),
        # cells of 20 x 15 pixels. 44 = row 1, column 12; 863 = row 26, column 31: their centres
        (VGA, "cells-32", "xyxy", (44, 863), (250, 22.5, 630, 397.5)),
        # row 0, column 5 and row 28, column 15
        (VGA, "cells-32", "xyxy", (5, 911), (110, 7.5, 310, 427.5)),
        # row 1, columns 1 and 8: outer edges
        (VGA, "cells-32", "xyxy", (33, 40), (20, 15, 180, 30)),
        # cells of 160 x 120: column 2, rows 0 and 3: outer edges
        (VGA, "cells-4", "xyxy", (2, 14), (320, 0, 480, 480)),
        # one cell is that cell
        (VGA, "cells-4", "xyxy", (15, 15), (480, 360, 640, 480)),
    ],
)
def test_by_hand(sizes: Sizes, scale: str, order: str, values: Sequence[float], box: Box) -> None:
    assert Frame(scale, order).to_pixels(values, sizes) == pytest.approx(box, abs=1e-9)
    assert Frame(scale, order).write(box, sizes) == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize(
    ("scale", "order", "values", "point"),
    [
        ("pixels", "xyxy", (10, 20), (10, 20)),
        ("pixels", "yxyx", (10, 20), (20, 10)),
        # two numbers of a box's centre are a point all the same
        ("0-1", "cxcywh", (0.5, 0.25), (320, 120)),
        ("0-100", "xywh", (61.5, 40.4), (393.6, 193.92)),
        ("0-1000", "yxyx", (925, 618), (395.52, 444)),
        ("0-999", "xyxy", (333, 666), (640 / 3, 320)),
        ("0-1023", "xyxy", (341, 682), (640 / 3, 320)),
        ("centres-1000", "xyxy", (499, 499), (319.68, 239.76)),
        ("centres-1024", "xyxy", (511, 511), (319.6875, 239.765625)),
        ("sent", "xyxy", (10, 20), (20, 40)),
        ("seen", "xyxy", (10, 20), (5, 10)),
        # 0.25 * 640 - 80
        ("square", "xyxy", (0.5, 0.25), (320, 80)),
        ("transvg", "xyxy", (0.5, 0.25), (320, 80)),
        # row 1, column 12 of 20 x 15 pixels: its middle
        ("cells-32", "xyxy", (44,), (250, 22.5)),
    ],
)
def test_points_by_hand(
    scale: str, order: str, values: Sequence[float], point: tuple[float, float]
) -> None:
    assert Frame(scale, order).point(values, VGA) == pytest.approx(point, abs=1e-9)
    assert Frame(scale, order).write_point(point, VGA) == pytest.approx(values, abs=1e-9)


def test_one_box_as_three_models_write_it() -> None:
    # QwenLM's process_bbox.ipynb: 640 x 428 becomes 644 x 420
    sizes, box = Sizes((640, 428), seen=(644, 420)), (146, 137, 615, 415)
    written = {
        scale: [round(value) for value in Frame(scale).write(box, sizes)]
        for scale in ("0-1000", "seen")
    }
    assert written == {"0-1000": [228, 320, 961, 970], "seen": [147, 134, 619, 407]}


@pytest.mark.parametrize("scale", ["sent", "seen"])
def test_an_unknown_size_stops_with_what_to_do(scale: str) -> None:
    bare = Sizes((640, 480))
    with pytest.raises(UsageError) as caught:
        Frame(scale).to_pixels((1, 2, 3, 4), bare)
    message = str(caught.value)
    for remedy in ("--dialect", "--image-policy", "--seen", "`eyechart probe`"):
        assert remedy in message
    assert "\n" not in message
    with pytest.raises(UsageError, match="that size is not known"):
        Frame(scale).write((1, 2, 3, 4), bare)
    with pytest.raises(UsageError, match="that size is not known"):
        Frame(scale).point((1, 2), bare)
    with pytest.raises(UsageError, match="that size is not known"):
        Frame(scale).write_point((1, 2), bare)
    assert Frame(scale).needs_seen is (scale == "seen")


@pytest.mark.parametrize(
    ("scale", "near"),
    [
        ("0-1001", r"Did you mean 0-10"),
        ("centre-1000", "Did you mean centres-1000"),
        ("pixel", "Did you mean pixels"),
        ("cels-32", "Did you mean cells-32"),
    ],
)
def test_unknown_scales_are_told_the_nearest_and_all(scale: str, near: str) -> None:
    with pytest.raises(UsageError, match=near) as caught:
        Frame(scale)
    assert all(known in str(caught.value) for known in (*SCALES, "cells-N"))


@pytest.mark.parametrize(
    "scale", ["cells", "cells-", "cells-0", "cells-1025", "cells-032", "cells-3.2", "cells-٣٢"]
)
def test_cells_need_a_number_of_them(scale: str) -> None:
    with pytest.raises(UsageError, match=r"cells-N, where N is a whole number from 1 to 1,024"):
        Frame(scale)


def test_unknown_orders_are_told_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'xyx'.*Did you mean"):
        Frame("pixels", "xyx")
    with pytest.raises(UsageError, match=r"cells-32 is two cells.*no order 'yxyx'"):
        Frame("cells-32", "yxyx")


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (1,), (0.5, 2), (float("nan"), 1), (1, 1e999)])
def test_what_is_not_two_cells(values: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match="cell"):
        Frame("cells-32").to_pixels(values, VGA)
    with pytest.raises(DataError, match="a point is one cell"):
        Frame("cells-32").point((1, 2), VGA)


def test_a_frame_is_its_scale_and_order() -> None:
    frame = Frame("cells-32")
    assert frame.cells == 32
    assert Frame("0-1000").cells == 0
    assert pickle.loads(pickle.dumps(frame)) == frame
    assert replace(frame, scale="0-1000", order="yxyx") == Frame("0-1000", "yxyx")
    assert repr(frame) == "Frame(scale='cells-32', order='xyxy')"


side = st.integers(1, 5000)
pair = st.tuples(side, side)
number = st.floats(-1e4, 1e4)


@given(
    frame=st.sampled_from([Frame(*one) for one in product(SCALES, ORDERS)]),
    box=st.tuples(number, number, number, number),
    original=pair,
    sent=pair,
    seen=pair,
)
def test_round_trip(
    frame: Frame, box: Box, original: tuple[int, int], sent: tuple[int, int], seen: tuple[int, int]
) -> None:
    sizes = Sizes(original, sent, seen)
    values = frame.write(box, sizes)
    assert frame.to_pixels(values, sizes) == pytest.approx(box, abs=1e-6)
    point = box[:2]
    assert frame.point(frame.write_point(point, sizes), sizes) == pytest.approx(point, abs=1e-6)


@given(original=pair, scale=st.sampled_from(["square", "transvg"]))
def test_a_padded_square_holds_the_picture(original: tuple[int, int], scale: str) -> None:
    width, height = original
    sizes, whole = Sizes(original), (0, 0, width, height)
    x1, y1, x2, y2 = Frame(scale).write(whole, sizes)
    assert min(x1, y1) >= 0
    assert max(x2, y2) == pytest.approx(1)
    # the longer side fills the square, the shorter one lies in its middle to within a pixel
    short = (x1, x2) if width < height else (y1, y2)
    pixel = 1 / max(original) if scale == "square" else 1 / 640
    assert short[0] + short[1] == pytest.approx(1, abs=2.01 * pixel)


@given(grid=st.sampled_from([1, 2, 3, 7, 32, 100, 1024]), original=pair, data=st.data())
def test_cells_are_written_as_they_are_read(
    grid: int, original: tuple[int, int], data: st.DataObject
) -> None:
    cell = st.integers(0, grid * grid - 1)
    cells = data.draw(st.tuples(cell, cell))
    frame, sizes = Frame(f"cells-{grid}"), Sizes(original)
    box = frame.to_pixels(cells, sizes)
    inside = all(0 <= v <= m + 1e-6 for v, m in zip(box, original * 2, strict=True))
    if inside:
        assert frame.write(box, sizes) == cells
    assert frame.write_point(frame.point(cells[:1], sizes), sizes) == cells[:1]


@given(grid=st.integers(1, 5), box=st.tuples(*[st.floats(0, 1)] * 4))
def test_cells_are_the_nearest_of_all(grid: int, box: Box) -> None:
    x1, x2 = sorted(box[::2])
    y1, y2 = sorted(box[1::2])
    ordered, sizes = (x1, y1, x2, y2), Sizes((1, 1))
    first, second = Frame(f"cells-{grid}").write(ordered, sizes)
    columns, rows = (first % grid, second % grid), (first // grid, second // grid)
    apart = ((x2 - x1) * grid > 1 + 1e-6, (y2 - y1) * grid > 1 + 1e-6)
    assert not (apart[0] and columns[0] == columns[1])
    assert not (apart[1] and rows[0] == rows[1])
    best = max(
        overlap(cells_to_box(a, b, grid), ordered)
        for a in range(grid * grid)
        for b in range(grid * grid)
        if not (apart[0] and a % grid == b % grid) and not (apart[1] and a // grid == b // grid)
    )
    got = overlap(cells_to_box(int(first), int(second), grid), ordered)
    assert got == pytest.approx(best, abs=1e-6)


def overlap(first: Box, second: Box) -> float:
    def area(box: Box) -> float:
        return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])

    (a, b, c, d), (e, f, g, h) = first, second
    shared = area((max(a, e), max(b, f), min(c, g), min(d, h)))
    total = area(first) + area(second) - shared
    return shared / total if total > 0 else 0.0


@pytest.mark.parametrize(
    ("box", "cells"),
    [
        # the whole picture: the centres of its corner cells are as near as it gets
        ((0, 0, 640, 480), (0, 1023)),
        # 0.6 of a cell wide, all rows high: column 3 by its edges, 31 * 32 + 3
        ((64, 0, 76, 480), (3, 995)),
        # one and a half cells: two columns and two rows, though one cell would do as well
        ((0, 0, 30, 22.5), (0, 33)),
        # beyond the picture: to its edge
        ((-100, -50, 630, 900), (0, 1023)),
        # no height, in row 10.75: two rows whose centres are 10.5 and 11.5, never the other way
        ((30, 161.25, 570, 161.25), (321, 380)),
        # swapped corners stay so: from column 12, row 26 to column 1, row 0
        ((250, 397.5, 30, 7.5), (844, 1)),
        # no area: the cell round it, whose corners are half a cell away
        ((50, 37.5, 50, 37.5), (66, 66)),
    ],
)
def test_cells_of_boxes_between_them(box: Box, cells: tuple[int, int]) -> None:
    # 32 x 32 cells of 20 x 15 pixels
    assert Frame("cells-32").write(box, VGA) == cells
