"""Pictures: their headers read without decoding, and their pixels when they are asked for."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyechart.errors import PictureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.values import Image

MAX_PIXELS = 200_000_000
_TURNED = {5, 6, 7, 8}


@dataclass(frozen=True, slots=True)
class Header:
    """What a picture's first bytes say: format, stored width and height, EXIF orientation (1-8)."""

    format: str
    width: int
    height: int
    orientation: int = 1

    @property
    def turned(self) -> bool:
        """Whether shown upright its width and height change places."""
        return self.orientation in _TURNED


def header(data: bytes) -> Header:
    """Format and size of encoded picture bytes, without decoding the pixels.

    Raises:
        PictureError: no picture, a format that is not known, or more than `MAX_PIXELS` pixels.
    """
    found = _png(data) if data.startswith(b"\x89PNG\r\n\x1a\n") else None
    if found is None:
        found = _by_pillow(data)
    if found.width * found.height > MAX_PIXELS:
        raise PictureError(
            f"the picture is {found.width} x {found.height}: above the limit of "
            f"{MAX_PIXELS:,} pixels; make it smaller."
        )
    return found


def _png(data: bytes) -> Header | None:
    if data[12:16] != b"IHDR" or len(data) < 33 or b"eXIf" in data[33:4096]:
        return None
    width, height = struct.unpack(">II", data[16:24])
    return Header("PNG", width, height) if width and height else None


def _by_pillow(data: bytes) -> Header:
    opened = _opened(data)
    orientation = opened.getexif().get(0x0112, 1)
    width, height = opened.size
    valid = isinstance(orientation, int) and 1 <= orientation <= 8
    return Header(str(opened.format), width, height, int(orientation) if valid else 1)


def _opened(data: bytes) -> Any:
    from PIL import Image as Pillow
    from PIL import UnidentifiedImageError

    if not data:
        raise PictureError("the picture is empty (0 bytes).")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pillow.DecompressionBombWarning)
            return Pillow.open(io.BytesIO(data))
    except Pillow.DecompressionBombError:
        raise PictureError(
            f"the picture has more than {MAX_PIXELS:,} pixels; make it smaller."
        ) from None
    except UnidentifiedImageError:
        # its own message holds a memory address, and so would differ from run to run
        raise PictureError("not a readable picture (no known format, or cut short).") from None
    except Exception as error:
        raise PictureError(f"not a readable picture ({error or type(error).__name__}).") from None


def is_as_stored(head: Header, annotated: tuple[int | None, int | None]) -> bool:
    """Whether an annotation is of the picture as its bytes hold it, before its EXIF rotation."""
    return head.turned and head.width != head.height and annotated == (head.width, head.height)


def upright(data: bytes, annotated: tuple[int | None, int | None] = (None, None)) -> Any:
    """The decoded picture as `PIL.Image.Image`, RGB, the way up that the annotation says.

    Its EXIF rotation is undone, but where the annotated width and height are those of the picture
    as it is stored.

    Raises:
        PictureError: not a picture, cut short, or too large.
    """
    from PIL import ImageOps

    head = header(data)
    opened = _opened(data)
    try:
        if not is_as_stored(head, annotated):
            opened = ImageOps.exif_transpose(opened)
        if opened.mode.startswith("I"):
            # 16 bits a pixel: a plain conversion would cut them at 255, all white
            opened = opened.convert("I").point(lambda grey: grey * (1 / 257)).convert("L")
        return opened.convert("RGB")
    except Exception as error:
        raise PictureError(f"the picture is broken or cut short ({error}).") from None


def looks_like_one(data: bytes) -> bool:
    """Whether the bytes begin as those of a picture that Pillow can open."""
    if data.startswith((b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"RIFF", b"GIF8", b"BM", b"II*", b"MM")):
        return True
    try:
        _opened(data)
    except PictureError:
        return False
    return True


def is_whole(data: bytes) -> bool:
    """Whether the bytes end as their format demands; True for formats without a known end."""
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd9" in data[-4096:]
    if data.startswith(b"\x89PNG"):
        return b"IEND" in data[-64:]
    if data.startswith(b"RIFF") and len(data) >= 8:
        return len(data) >= int(struct.unpack("<I", data[4:8])[0]) + 8
    return True


def file_digest(data: bytes) -> str:
    """`sha256:<hex>` of encoded bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


class LazyPicture:
    """A picture that is read when it is asked for; what a model sees of an `Image`."""

    __slots__ = ("_image", "_read")

    def __init__(self, image: Image, read: Callable[[Image], bytes]) -> None:
        self._image = image
        self._read = read

    @property
    def width(self) -> int | None:
        """Width in pixels as annotated."""
        return self._image.width

    @property
    def height(self) -> int | None:
        """Height in pixels as annotated."""
        return self._image.height

    def read(self) -> bytes:
        """The encoded bytes, as they are stored."""
        return self._read(self._image)

    def open(self) -> Any:
        """The picture in RGB and the way up that the annotation says, as a `PIL.Image.Image`."""
        return upright(self.read(), (self.width, self.height))
