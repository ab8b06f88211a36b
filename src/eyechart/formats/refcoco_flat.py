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
from eyechart.formats.mdetr import Phrase
from eyechart.formats.records import decode_each, from_xywh
from eyechart.io.files import parse_json, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Row(msgspec.Struct):
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
    rows = decode_each(
        parse_json(data.removeprefix(_BOM), list[msgspec.Raw], path), _Row, path, "row", "img_id"
    )
    seen: Counter[str] = Counter()
    for position, row in enumerate(rows, start=1):
        where = f"{path}: row {position} ({row.img_id})"
        stem, _, number = row.img_id.rpartition("_")
        if not stem or not number.isdigit():
            raise DataError(f"{where}: an img_id ends in _ and a number, after the picture's name.")
        if row.width <= 0 or row.height <= 0:
            raise DataError(f"{where}: its picture is {row.width} x {row.height} pixels.")
        box = from_xywh(row.bbox, (row.width, row.height), where)
        yield Phrase(
            id=f"{row.img_id}#{seen[row.img_id]}",
            phrase=row.sents,
            file_name=f"{stem}.jpg",
            width=row.width,
            height=row.height,
            dataset="",
            boxes=(box,),
        )
        seen[row.img_id] += 1
