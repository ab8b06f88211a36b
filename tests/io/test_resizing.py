"""Sizes of pictures: the models' own resizing, what is sent, and the pixels that go with it."""

from __future__ import annotations

import io
import json
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow

from eyechart.errors import DataError, PictureError, UsageError
from eyechart.io.images import LazyPicture
from eyechart.io.resizing import ImagePolicy, Resize, ResizedPicture, smart_resize
from eyechart.values import Image

if TYPE_CHECKING:
    from pathlib import Path

Size = tuple[int, int]


@pytest.mark.parametrize(
    ("size", "bounds", "expected"),
    [
        # 640/28 = 22.86 -> 23, 428/28 = 15.29 -> 15: QwenLM's process_bbox.ipynb
        ((640, 428), {}, (644, 420)),
        # half to even: 70/28 = 2.5 -> 2, 98/28 = 3.5 -> 4
        ((70, 98), {}, (56, 112)),
        # sqrt(12,000,000/1,003,520) = 3.458: 4000/3.458/28 = 41.3, 3000/3.458/28 = 30.98
        ((4000, 3000), {"max_pixels": 1_003_520}, (41 * 28, 30 * 28)),
        # sqrt(3136/1200) = 1.6166: 40 * 1.6166/28 = 2.3, 30 * 1.6166/28 = 1.7, both up
        ((40, 30), {}, (84, 56)),
        # 10/28 rounds to nothing: sqrt(3136/20000) = 0.396, 3.96/28 -> 1, 791.96/28 = 28.3 -> 29
        ((10, 2000), {}, (28, 812)),
        # never under one factor: sqrt(56 * 5600/12544) = 5; 56/5/28 = 0.4 -> 1, 5600/5/28 = 40
        ((56, 5600), {"max_pixels": 12_544}, (28, 1120)),
        # 640/32 = 20, 480/32 = 15
        ((640, 480), {"factor": 32}, (640, 480)),
        # MiMo-VL: 20 becomes 28, 100 stays; 28 x 112 is under 6272, sqrt(6272/2800) = 1.4967:
        # 28 * 1.4967/28 -> 2, 100 * 1.4967/28 = 5.35 -> 6
        ((20, 100), {"min_pixels": 6272, "least_side": 28}, (56, 168)),
        # without that sqrt(6272/2000) = 1.771: 35.4/28 -> 2, 177.1/28 = 6.3 -> 7
        ((20, 100), {"min_pixels": 6272}, (56, 196)),
        # and it refuses no ratio there: 28 x 5001, 5001/28 = 178.6
        ((1, 5001), {"least_side": 28}, (28, 179 * 28)),
    ],
)
def test_smart_resize_by_hand(size: Size, bounds: dict[str, int], expected: Size) -> None:
    assert smart_resize(*size, **bounds) == expected
    assert smart_resize(*size[::-1], **bounds) == expected[::-1]


def test_what_smart_resize_refuses() -> None:
    assert smart_resize(10, 2000)[0] == 28
    for size in ((10, 2001), (2001, 10)):
        with pytest.raises(DataError, match="200 times"):
            smart_resize(*size)
    with pytest.raises(DataError, match="no pixel"):
        smart_resize(0, 5)


def test_the_recorded_sizes(vectors: Path) -> None:
    path = vectors / "dialects/dialects.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    checked = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("max_pixels") is None:
            continue
        size = (record["image_width"], record["image_height"])
        expected = (record["resized_width"], record["resized_height"])
        least, most = record["min_pixels"], record["max_pixels"]
        assert smart_resize(*size, 28, least, most) == expected
        assert Resize.parse(f"smart:min={least},max={most},side=28").apply(size) == expected
        checked += 1
    assert checked == 20


@pytest.mark.parametrize(
    ("text", "spelled", "size", "seen"),
    [
        ("sent", "sent", (333, 517), (333, 517)),
        ("original", "original", (333, 517), (333, 517)),
        # 333/28 = 11.9 -> 12, 517/28 = 18.5 -> 18
        ("smart", "smart:factor=28,min=3136,max=12845056", (333, 517), (336, 504)),
        # 333/32 = 10.4 -> 10, 517/32 = 16.2 -> 16
        ("smart:factor=32", "smart:factor=32,min=3136,max=12845056", (333, 517), (320, 512)),
        (
            " smart: max=1003520 , factor=28",
            "smart:factor=28,min=3136,max=1003520",
            (4000, 3000),
            (1148, 840),
        ),
        (
            "smart:side=28,min=6272",
            "smart:factor=28,min=6272,max=12845056,side=28",
            (20, 100),
            (56, 168),
        ),
        # 3000 * 1568/4000 = 1176
        ("longest:1568", "longest:1568", (4000, 3000), (1568, 1176)),
        # 1001 * 1568/3000 = 523.19
        ("longest: 1568", "longest:1568", (1001, 3000), (523, 1568)),
        ("longest:1568", "longest:1568", (1568, 7), (1568, 7)),
        # 7 * 100/1568 = 0.4, and a picture has a pixel
        ("longest:100", "longest:100", (1568, 7), (100, 1)),
        ("square:448", "square:448", (640, 480), (448, 448)),
    ],
)
def test_what_the_model_sees(text: str, spelled: str, size: Size, seen: Size) -> None:
    rule = Resize.parse(text)
    assert rule.spelled == spelled
    assert Resize.parse(spelled) == rule
    assert rule.apply(size) == seen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("smrt:max=3", "Did you mean smart?"),
        ("", "no such rule"),
        ("sent:3", "no such rule"),
        ("smart:maximum=3", "'maximum'.*Did you mean max?"),
        ("smart:max", "max is a whole number .*not ''"),
        ("smart:max=1e6", "not '1e6'"),
        ("smart:min=0", "not '0'"),
        ("smart:max=٣", "not '٣'"),
        ("smart:max=5000,max=6000", "given twice"),
        ("smart:min=5000,max=4999", "above max"),
        ("longest:", "longest:N"),
        ("longest:-5", "not '-5'"),
        ("square:4x8", "square:N"),
        ("square:" + "9" * 5000, "1 to 1,000,000,000"),
    ],
)
def test_what_is_no_rule(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^--seen.*{said}"):
        Resize.parse(text)


def test_an_unknown_rule_is_told_all_forms() -> None:
    with pytest.raises(UsageError) as caught:
        Resize.parse("biggest:3")
    forms = ("sent", "original", "smart:factor=28,min=3136,max=12845056", "longest:1568", "square:")
    assert all(form in str(caught.value) for form in forms)


@pytest.mark.parametrize(
    ("text", "spelled", "alone"),
    [
        ("original", "original", False),
        (" max-pixels = 501760", "max-pixels=501760", False),
        ("multiple-of=28", "multiple-of=28", True),
        # 1280 * 28 * 28 and 4 * 28 * 28 are its own
        ("max-pixels=1003520,multiple-of=28,min-pixels=3136", "multiple-of=28", True),
        ("max-pixels=501760,multiple-of=28", "multiple-of=28,max-pixels=501760", True),
        ("multiple-of=28,min-pixels=6272", "multiple-of=28,min-pixels=6272", True),
    ],
)
def test_policies_and_their_spelling(text: str, spelled: str, alone: bool) -> None:
    policy = ImagePolicy.parse(text)
    assert (policy.spelled, policy.leaves_alone) == (spelled, alone)
    assert ImagePolicy.parse(spelled) == policy


def test_a_policy_made_by_hand_is_the_same() -> None:
    assert ImagePolicy(multiple_of=28) == ImagePolicy.parse("multiple-of=28")
    assert ImagePolicy(multiple_of=28) == ImagePolicy(28, 1_003_520, 3136)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("orignal", "Did you mean original?.*max-pixels=N, or multiple-of=28"),
        ("max_pixels=5", "Did you mean max-pixels?"),
        ("original,max-pixels=5", "'original'.*original, max-pixels=N"),
        ("", "nothing is said.*original, max-pixels=N"),
        ("max-pixels", "max-pixels is a whole number"),
        ("max-pixels=0", "not '0'"),
        ("multiple-of=257", "at most 256"),
        ("min-pixels=5000", "goes with multiple-of=N"),
        # between bounds so near to each other there may be no multiples
        ("multiple-of=28,max-pixels=12543", "four times min-pixels"),
        ("multiple-of=28,min-pixels=250881", "four times"),
        ("multiple-of=28,min-pixels=1,max-pixels=3135", "four times 784"),
    ],
)
def test_what_is_no_policy(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^--image-policy.*{said}"):
        ImagePolicy.parse(text)


@pytest.mark.parametrize(
    ("policy", "size", "sent"),
    [
        ("original", (333, 517), (333, 517)),
        ("max-pixels=172161", (333, 517), (333, 517)),
        # sqrt(172160/172161) = 0.9999971: 332.999, 516.998
        ("max-pixels=172160", (333, 517), (332, 516)),
        # sqrt(307200/12000000) = 0.16: exactly 640 x 480
        ("max-pixels=307200", (4000, 3000), (640, 480)),
        # sqrt(100/5000) * 1 is no pixel: one, and then as many as may be
        ("max-pixels=100", (1, 5000), (1, 100)),
        # 644 x 420 as QwenLM's notebook has it
        ("multiple-of=28", (640, 428), (644, 420)),
        # as smart_resize with 1,003,520
        ("multiple-of=28", (4000, 3000), (1148, 840)),
        ("multiple-of=28", (40, 30), (84, 56)),
        ("multiple-of=28,min-pixels=6272", (90, 80), (84, 84)),
        # 2.4 and 478.6 patches, rounded to 2 x 479, whose ratio the model would refuse: 2 x 400
        ("multiple-of=28", (67, 13400), (56, 11200)),
        # 1 x 3000 is squeezed to 1 x 200; sqrt(3136/200) = 3.96: 28, 792/28 = 28.3 -> 29
        ("multiple-of=28", (1, 3000), (28, 812)),
        # 28 x 5600 (one patch by 200) would be 156,800: by turns floor(sqrt(200 * 16)) = 56,
        # sqrt(56 * 16) = 29.9, sqrt(29 * 16) = 21.5, sqrt(21 * 16) = 18.3, sqrt(18 * 16) = 16.97
        ("multiple-of=28,max-pixels=12544", (28, 5600), (28, 448)),
    ],
)
def test_what_is_sent_by_hand(policy: str, size: Size, sent: Size) -> None:
    assert ImagePolicy.parse(policy).size(size) == sent
    assert ImagePolicy.parse(policy).size(size[::-1]) == sent[::-1]


@st.composite
def policies(draw: st.DrawFn) -> ImagePolicy:
    multiple = draw(st.sampled_from([0, 1, 2, 14, 28, 32, 100]))
    if not multiple:
        return ImagePolicy(max_pixels=draw(st.integers(1, 3_000_000)))
    patch = multiple * multiple
    least = draw(st.integers(1, 400 * patch))
    most = draw(st.integers(4 * max(patch, least), 4000 * patch))
    return ImagePolicy(multiple, most, least)


sides = st.one_of(st.integers(1, 60), st.integers(1, 1000), st.integers(1, 30_000))


@given(policy=policies(), size=st.tuples(sides, sides))
def test_what_is_sent_keeps_its_bounds_and_is_left_alone(policy: ImagePolicy, size: Size) -> None:
    sent = policy.size(size)
    assert min(sent) >= 1
    assert sent[0] * sent[1] <= policy.max_pixels
    assert policy.size(sent) == sent
    if policy.multiple_of:
        assert sent[0] * sent[1] >= policy.min_pixels
        assert sent[0] % policy.multiple_of == sent[1] % policy.multiple_of == 0
        # a model with these bounds or wider ones sees what it is sent
        for most in (policy.max_pixels, 10 * policy.max_pixels):
            seen = smart_resize(*sent, policy.multiple_of, policy.min_pixels, most)
            assert seen == sent
    else:
        assert sent[0] <= size[0]
        assert sent[1] <= size[1]
        if size[0] * size[1] <= policy.max_pixels:
            assert sent == size


@given(size=st.tuples(sides, sides))
def test_a_common_picture_is_sent_as_the_model_would_make_it(size: Size) -> None:
    if max(size) <= 20 * min(size) and min(size) >= 28:
        made = smart_resize(*size, 28, 3136, 1_003_520)
        assert ImagePolicy.parse("multiple-of=28").size(size) == made


@given(size=st.tuples(sides, sides), most=st.integers(1, 3_000_000))
def test_the_ratio_is_kept(size: Size, most: int) -> None:
    sent = ImagePolicy(max_pixels=most).size(size)
    if size[0] * size[1] > most and min(sent) > 1:
        scale = math.sqrt(most / (size[0] * size[1]))
        for before, after in zip(size, sent, strict=True):
            assert before * scale - 1 - 1e-6 <= after <= before * scale + 1e-6


RED, GREEN, BLUE, WHITE = (230, 20, 20), (20, 200, 30), (20, 30, 220), (250, 250, 250)
# how a picture that is to be turned by an EXIF orientation lies in its file
_STORED = {
    1: None,
    2: Pillow.Transpose.FLIP_LEFT_RIGHT,
    3: Pillow.Transpose.ROTATE_180,
    6: Pillow.Transpose.ROTATE_90,
    8: Pillow.Transpose.ROTATE_270,
}


def quarters(size: Size) -> Pillow.Image:
    """Red, green over blue, white: each corner has a colour of its own."""
    width, height = size
    picture = Pillow.new("RGB", size, WHITE)
    picture.paste(RED, (0, 0, width // 2, height // 2))
    picture.paste(GREEN, (width // 2, 0, width, height // 2))
    picture.paste(BLUE, (0, height // 2, width // 2, height))
    return picture


def encoded(picture: Pillow.Image, form: str = "PNG", orientation: int = 1) -> bytes:
    turn = _STORED[orientation]
    stored = picture if turn is None else picture.transpose(turn)
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    stream = io.BytesIO()
    stored.save(stream, form, quality=95, **({"exif": exif} if orientation != 1 else {}))
    return stream.getvalue()


def resized(data: bytes, policy: str, annotated: tuple[int | None, int | None]) -> ResizedPicture:
    inner = LazyPicture(Image("p", *annotated), lambda _image: data)
    return ResizedPicture(inner, ImagePolicy.parse(policy))


def corners(picture: Any) -> list[tuple[int, ...]]:
    width, height = picture.size
    places = [(5, 5), (width - 6, 5), (5, height - 6), (width - 6, height - 6)]
    return [picture.getpixel(place) for place in places]


def near(found: list[tuple[int, ...]], expected: list[tuple[int, ...]]) -> bool:
    pairs = zip(sum(found, ()), sum(expected, ()), strict=True)
    return all(abs(a - b) <= 12 for a, b in pairs)


@pytest.mark.parametrize("orientation", _STORED)
@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("annotated", [(120, 90), (None, None)])
def test_corners_stay_where_they_belong(
    form: str, orientation: int, annotated: tuple[int | None, int | None]
) -> None:
    data = encoded(quarters((120, 90)), form, orientation)
    # 120/28 = 4.3 -> 4, 90/28 = 3.2 -> 3
    picture = resized(data, "multiple-of=28", annotated)
    assert (picture.width, picture.height) == ((112, 84) if annotated[0] else (None, None))
    sent = picture.read()
    assert sent.startswith(b"\x89PNG")
    for shown in (Pillow.open(io.BytesIO(sent)), picture.open()):
        assert (shown.size, shown.mode) == ((112, 84), "RGB")
        assert shown.getexif().get(0x0112, 1) == 1
        assert near(corners(shown), [RED, GREEN, BLUE, WHITE])


def test_a_picture_annotated_as_stored_stays_so() -> None:
    # stored lying, 90 wide and 120 high; the annotation's boxes are in that picture
    data = encoded(quarters((120, 90)), "JPEG", 6)
    picture = resized(data, "multiple-of=28", (90, 120))
    assert (picture.width, picture.height) == (84, 112)
    shown = Pillow.open(io.BytesIO(picture.read()))
    assert shown.size == (84, 112)
    # turned by a quarter to the left: the right corners are above
    assert near(corners(shown), [GREEN, WHITE, RED, BLUE])
    assert near(corners(picture.open()), [GREEN, WHITE, RED, BLUE])


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
@pytest.mark.parametrize("annotated", [(112, 84), (None, None)])
def test_bytes_that_need_no_change_are_the_same(
    form: str, annotated: tuple[int | None, int | None]
) -> None:
    data = encoded(quarters((112, 84)), form)
    assert resized(data, "multiple-of=28", annotated).read() is data
    assert resized(data, "max-pixels=9408", annotated).read() is data
    assert resized(data, "max-pixels=9408", annotated).open().size == (112, 84)
    assert resized(data, "max-pixels=9407", annotated).read() is not data


def test_a_rotation_is_undone_where_the_size_stays() -> None:
    data = encoded(quarters((112, 84)), "JPEG", 3)
    shown = Pillow.open(io.BytesIO(resized(data, "multiple-of=28", (112, 84)).read()))
    assert (shown.format, shown.size) == ("PNG", (112, 84))
    assert near(corners(shown), [RED, GREEN, BLUE, WHITE])


def test_the_annotation_decides_where_the_picture_is_of_another_size() -> None:
    # boxes and the noted size go by the annotation; the file holds half of it
    data = encoded(quarters((60, 45)))
    picture = resized(data, "max-pixels=10800", (120, 90))
    assert (picture.width, picture.height) == (120, 90)
    shown = Pillow.open(io.BytesIO(picture.read()))
    assert shown.size == picture.open().size == (120, 90)
    assert near(corners(shown), [RED, GREEN, BLUE, WHITE])


def test_fine_detail_is_averaged_when_it_is_made_smaller() -> None:
    # stripes of one pixel, black and white: unfiltered, one of them would be left
    stripes = Pillow.new("RGB", (300, 300))
    stripes.paste(WHITE, (0, 0, 300, 300))
    for x in range(0, 300, 2):
        stripes.paste((0, 0, 0), (x, 0, x + 1, 300))
    small = resized(encoded(stripes), "max-pixels=10000", (300, 300)).open()
    assert small.size == (100, 100)
    assert all(abs(small.getpixel((x, 50))[0] - 125) < 25 for x in range(5, 95))


def test_what_cannot_be_read_stays_an_error() -> None:
    with pytest.raises(PictureError, match="not a readable picture"):
        resized(b"<html>404</html>", "multiple-of=28", (112, 84)).read()
    with pytest.raises(PictureError, match="broken or cut short"):
        resized(encoded(quarters((120, 90)), "JPEG")[:-300], "multiple-of=28", (120, 90)).read()
