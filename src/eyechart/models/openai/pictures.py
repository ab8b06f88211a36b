"""A picture as it goes on the wire: its own bytes wherever that is possible."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eyechart.errors import PictureError
from eyechart.io import images

if TYPE_CHECKING:
    from collections.abc import Iterator

Size = tuple[int | None, int | None]
_SENT_AS_IS = {"JPEG", "PNG", "WEBP"}
_FRAME_MARKERS = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_MARKERS = {0x01, *range(0xD0, 0xD9)}


@dataclass(frozen=True, slots=True)
class Wire:
    """Encoded bytes to send, their media type, their width and height, and what was done to them."""

    data: bytes
    mime: str
    size: tuple[int, int]
    notes: tuple[str, ...] = ()


def untouched(data: bytes, annotated: Size, limit: int) -> Wire | None:
    """The picture's own bytes, or None where they must be made anew.

    Only the header is read. A JPEG, PNG or WebP (by its first bytes, not its name) of at most
    `limit` bytes that carries no rotation goes as it is.
    """
    header = _header(data)
    if header is None or header.orientation != 1 or len(data) > limit:
        return None
    size = (header.width, header.height)
    return Wire(data, f"image/{header.format.lower()}", size, _differs(size, annotated))


def remade(data: bytes, annotated: Size, limit: int) -> Wire:
    """The picture in a form that every server reads the same way, with a note of what was done.

    Where it carries an EXIF rotation, the annotation's width and height (pixels) say which way is
    up: bytes stored that way lose the mark only, others are turned. Everything else becomes PNG,
    or JPEG of quality 95 where PNG would pass `limit` bytes. Slow: call it in a thread.

    Raises:
        PictureError: not a picture, broken, or above `limit` in any form.
    """
    header = _header(data) or images.header(data)
    stored = (header.width, header.height)
    if header.turned and stored == annotated and stored[0] != stored[1]:
        return _without_mark(data, header, limit)
    reasons = []
    if header.orientation != 1:
        reasons.append("turned upright as its EXIF says")
    if len(data) > limit:
        reasons.append(f"above {limit:,} bytes")
    why = f" ({', '.join(reasons)})" if reasons else ""
    return _encoded(images.upright(data), header.format, why, annotated, limit)


def _without_mark(data: bytes, header: images.Header, limit: int) -> Wire:
    why = "its EXIF rotation left out, as the annotation's size says"
    if header.format == "JPEG" and len(data) <= limit:
        for name, start, end in _jpeg_segments(data):
            if name == 0xE1 and data[start + 4 : start + 10] == b"Exif\0\0":
                bare = data[:start] + data[end:]
                return Wire(bare, "image/jpeg", (header.width, header.height), (why,))
    from PIL import Image

    # any rotation that Pillow keeps in the header is not applied by a plain open
    try:
        pixels = Image.open(io.BytesIO(data)).convert("RGB")
    except Exception as error:
        raise PictureError(f"the picture is broken or cut short ({error}).") from None
    annotated = (header.width, header.height)
    return _encoded(pixels, header.format, f" ({why})", annotated, limit)


def _encoded(pixels: Any, was: str, why: str, annotated: Size, limit: int) -> Wire:
    for form, options in (("PNG", {"compress_level": 3}), ("JPEG", {"quality": 95})):
        buffer = io.BytesIO()
        pixels.save(buffer, form, **options)
        if buffer.tell() <= limit:
            done = f"re-encoded {was} as {form}{why}"
            notes = (done, *_differs(pixels.size, annotated))
            return Wire(buffer.getvalue(), f"image/{form.lower()}", pixels.size, notes)
    raise PictureError(
        f"the picture has {buffer.tell():,} bytes even as JPEG, above max_image_bytes={limit}; "
        "make it smaller or raise the limit."
    )


def _differs(size: tuple[int, int], annotated: Size) -> tuple[str, ...]:
    if None in annotated or size == annotated:
        return ()
    return (
        f"the picture is {size[0]}x{size[1]}, its annotation says {annotated[0]}x{annotated[1]}",
    )


def _header(data: bytes) -> images.Header | None:
    """The header of a JPEG, PNG or WebP in a few microseconds; None for anything else."""
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data.startswith(b"\x89PNG\r\n\x1a\n") or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        plain = _png(data) if data[1:4] == b"PNG" else _webp(data)
        return plain or images.header(data)
    return None


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, start and end of each segment before the scan."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _BARE_MARKERS:
            at += 2
        else:
            length = int.from_bytes(data[at + 2 : at + 4], "big")
            if marker in (0xD9, 0xDA) or length < 2:
                return
            yield marker, at, at + 2 + length
            at += 2 + length


def _jpeg(data: bytes) -> images.Header | None:
    for marker, start, end in _jpeg_segments(data):
        if marker == 0xE1 and data[start + 4 : start + 10] == b"Exif\0\0":
            return _with_pillow(data)
        if marker in _FRAME_MARKERS and end <= len(data):
            height = int.from_bytes(data[start + 5 : start + 7], "big")
            width = int.from_bytes(data[start + 7 : start + 9], "big")
            return images.Header("JPEG", width, height) if width and height else None
    return None


def _with_pillow(data: bytes) -> images.Header | None:
    found = images.header(data)
    # MPO is JPEG with a second picture behind it
    form = "JPEG" if found.format == "MPO" else found.format
    known = form in _SENT_AS_IS
    return images.Header(form, found.width, found.height, found.orientation) if known else None


def _png(data: bytes) -> images.Header | None:
    if data[12:16] != b"IHDR" or len(data) < 33 or b"eXIf" in data[33:4096]:
        return None
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    return images.Header("PNG", width, height) if width and height else None


def _webp(data: bytes) -> images.Header | None:
    """Size of the three kinds of WebP; None where an EXIF chunk must be looked into."""
    kind = data[12:16]
    if len(data) < 30:
        return None
    if kind == b"VP8X" and not data[20] & 0x08:
        width = int.from_bytes(data[24:27], "little") + 1
        return images.Header("WEBP", width, int.from_bytes(data[27:30], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return images.Header("WEBP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width = int.from_bytes(data[26:28], "little") & 0x3FFF
        return images.Header("WEBP", width, int.from_bytes(data[28:30], "little") & 0x3FFF)
    return None
