"""RefCOCO as a flat JSON array: one row per expression, as MiniGPT-v2's evaluation files have it.

A row is `{"img_id": "COCO_train2014_000000581282_10", "sents": "person bottom left",
"bbox": [x, y, width, height], "height": 480, "width": 640}`, in pixels; the picture's file is the
`img_id` without its last `_N`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats import mdetr
from eyechart.formats.mdetr import Phrase, plain_box
from eyechart.formats.records import decode_each, from_xywh
from eyechart.io.files import parse_json, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyechart.values import Box


class _Row(msgspec.Struct, gc=False):
    img_id: str
    sents: str
    bbox: tuple[float, ...]
    height: int
    width: int


_BOM = b"\xef\xbb\xbf"


def read_phrases(path: Path) -> Iterator[Phrase]:
    """The expressions of a file in this layout or in MDETR's, told by its outer bracket.

    Raises:
        DataError: as the readers of the two layouts.
    """
    data = read_bytes(path)
    flat = data[:64].removeprefix(_BOM).lstrip().startswith(b"[")
    return parse(data, path) if flat else mdetr.parse(data, path)


def parse(data: bytes, path: Path) -> Iterator[Phrase]:
    """The expressions in file order; the id is `<img_id>#<k>`, k counting that img_id's rows.

    Rows repeat picture and expression, so neither can be the id.

    Raises:
        DataError: another layout or a bad box; names the row's img_id and position.
    """
    rows = _decoded(data.removeprefix(_BOM), path)
    seen: Counter[str] = Counter()
    for position, row in enumerate(rows, start=1):
        stem, _, number = row.img_id.rpartition("_")
        box = plain_box(row.bbox, row.width, row.height)
        if not (stem and number.isdigit() and row.width > 0 and row.height > 0 and box):
            box = _checked(row, f"{path}: row {position} ({row.img_id})")
        before = seen[row.img_id]
        seen[row.img_id] = before + 1
        yield Phrase(
            f"{row.img_id}#{before}",
            row.sents,
            f"{stem}.jpg",
            row.width,
            row.height,
            "",
            (box,),
        )


def _decoded(data: bytes, path: Path) -> list[_Row]:
    """All rows in one go; where one is at fault, one by one, so that it is named."""
    try:
        return msgspec.json.decode(data, type=list[_Row])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        raw = parse_json(data, list[msgspec.Raw], path)
        return decode_each(raw, _Row, path, "row", "img_id")


def _checked(row: _Row, where: str) -> Box:
    stem, _, number = row.img_id.rpartition("_")
    if not stem or not number.isdigit():
        raise DataError(f"{where}: an img_id ends in _ and a number, after the picture's name.")
    if row.width <= 0 or row.height <= 0:
        raise DataError(f"{where}: its picture is {row.width} x {row.height} pixels.")
    return from_xywh(row.bbox, (row.width, row.height), where)
