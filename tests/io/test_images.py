"""Pictures: headers, EXIF rotation, and what is not one."""

from __future__ import annotations

import io

import pytest
from PIL import Image as Pillow

from eyechart.errors import PictureError
from eyechart.io import images
from eyechart.values import Image


def _encoded(form: str, size: tuple[int, int] = (7, 5), orientation: int | None = None) -> bytes:
    stream = io.BytesIO()
    exif = Pillow.Exif()
    if orientation is not None:
        exif[0x0112] = orientation
    Pillow.new("RGB", size, (10, 200, 30)).save(stream, form, exif=exif)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_headers(form: str) -> None:
    found = images.header(_encoded(form))
    assert (found.format, found.width, found.height, found.turned) == (form, 7, 5, False)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_turned_picture_opens_upright(form: str) -> None:
    data = _encoded(form, orientation=6)
    found = images.header(data)
    assert (found.width, found.height, found.turned) == (7, 5, True)
    assert images.upright(data).size == (5, 7)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"<html>404</html>", "not a readable picture"),
        (_encoded("PNG", (90, 90))[:-40], "broken or cut short"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\0\1\0\0" * 2 + b"\x08\2\0\0\0" + b"\0" * 9, "limit"),
    ],
)
def test_what_is_no_picture(data: bytes, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        images.upright(data)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_whole_and_cut(form: str) -> None:
    data = _encoded(form, (300, 200))
    assert images.is_whole(data)
    assert not images.is_whole(data[: len(data) // 2])


def test_a_picture_is_read_when_it_is_asked_for() -> None:
    calls: list[str] = []

    def read(image: Image) -> bytes:
        calls.append(image.name)
        return _encoded("PNG")

    picture = images.LazyPicture(Image("a.png", 7, 5), read)
    assert (picture.width, picture.height, calls) == (7, 5, [])
    assert picture.open().size == (7, 5)
    assert calls == ["a.png"]


@pytest.mark.parametrize(
    ("annotated", "size"),
    [((7, 5), (7, 5)), ((5, 7), (5, 7)), ((None, None), (5, 7)), ((70, 50), (5, 7))],
)
def test_the_annotation_decides_which_way_is_up(
    annotated: tuple[int | None, int | None], size: tuple[int, int]
) -> None:
    data = _encoded("JPEG", orientation=6)  # stored 7 x 5, shown upright 5 x 7
    picture = images.LazyPicture(Image("a.jpg", *annotated), lambda _: data)
    assert picture.open().size == size


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_what_looks_like_a_picture(form: str) -> None:
    assert images.looks_like_one(_encoded(form))
    assert not images.looks_like_one(b"root:x:0:0:root")


def test_sixteen_bits_of_grey_are_brought_to_eight() -> None:
    picture = Pillow.new("I;16", (4, 1), 64000)
    picture.putpixel((0, 0), 2000)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    made = images.upright(buffer.getvalue())
    # 2000 / 257 = 7.8 and 64000 / 257 = 249.03
    assert made.getpixel((0, 0))[0] in (7, 8)
    assert made.getpixel((1, 0)) == (249, 249, 249)
