"""Checks that every reader of records makes: one name each, and boxes that are boxes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar, get_args

import msgspec

from eyechart.errors import DataError
from eyechart.io.files import parse_json, read_bytes

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

    from eyechart.values import Box

_Kind = TypeVar("_Kind")
_Document = TypeVar("_Document", bound=msgspec.Struct)
_BANDS = {0: "0", 5: "1-5", 10: "6-10", 20: "11-20", 50: "21-50"}


class Once:
    """Names seen so far, each with its place; a second use of a name is an error."""

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        self._what = what
        self._seen: dict[Hashable, str] = {}

    def take(self, name: Hashable, place: str) -> None:
        """Notes a name.

        Raises:
            DataError: it was taken before; the message names both places.
        """
        first = self._seen.get(name)
        self._seen[name] = place
        if first is not None:
            raise DataError(
                f"{self._path}: the {self._what} {name} stands twice, {first} and {place}; "
                "each may occur once."
            )


def decode_each(
    raw: Sequence[msgspec.Raw], kind: type[_Kind], path: Path, what: str, id_key: str
) -> list[_Kind]:
    """Decodes the members of a JSON array one by one, so that a fault names its record.

    Raises:
        DataError: a member lacks a key, has one of another type, or is no readable JSON; names its
            id (where that can be read) and position.
    """
    decoder = msgspec.json.Decoder(kind)
    made = []
    for position, one in enumerate(raw, start=1):
        try:
            made.append(decoder.decode(one))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
            name = f"{what}{_known_id(one, id_key)}"
            raise DataError(
                f"{path}: {name} (number {position} of them): {_reason(error)}."
            ) from None
    return made


def read_records(
    path: Path, kind: type[_Document], array: str, what: str, id_key: str
) -> _Document:
    """A file with a JSON document whose one long array `array` holds typed records.

    Raises:
        DataError: as `io.files.read_json`; a fault of a record names its id and position.
    """
    data = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise DataError(f"{path}: is empty.")
    return decode_records(data, kind, path, {array: (what, id_key)})


def decode_records(
    data: bytes, kind: type[_Document], path: Path, arrays: Mapping[str, tuple[str, str]]
) -> _Document:
    """A JSON document with long arrays of typed records, decoded in one go.

    `arrays` says for each what one of its records is called and which key holds its id. Only where
    there is a fault are the records decoded one by one, so that it is named.

    Raises:
        DataError: no JSON, or JSON of another shape; a fault of a record names its id and position.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    raw = msgspec.defstruct("Document", [(name, list[msgspec.Raw]) for name in arrays])
    document = parse_json(data, raw, path)
    for field in msgspec.structs.fields(kind):
        if field.name in arrays:
            rows = getattr(document, field.name)
            decode_each(rows, get_args(field.type)[0], path, *arrays[field.name])
    # the records are well: the fault is around them
    parsed: _Document = parse_json(data, kind, path)
    return parsed


def refuse_twice(ids: Iterable[Hashable], path: Path, name: str, what: str) -> None:
    """Refuses ids that stand twice; the message names both places.

    Raises:
        DataError: one does.
    """
    once = Once(path, name)
    for position, one in enumerate(ids, start=1):
        once.take(one, f"{what} number {position}")


def _known_id(one: msgspec.Raw, id_key: str) -> str:
    """A space and the id of a record that is at fault, where that much of it can be read."""
    named = msgspec.defstruct("Named", [("id", int | str | None, None)], rename={"id": id_key})
    try:
        (known,) = msgspec.structs.astuple(msgspec.json.decode(one, type=named))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
        return ""
    return f" {known}" if known is not None else ""


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text; save the file as UTF-8"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def from_xywh(values: Sequence[float], size: tuple[int | None, int | None], where: str) -> Box:
    """COCO's x, y, width, height (pixels) as xyxy: x2 = x + width, y2 = y + height.

    Raises:
        DataError: as `checked`, or a width or height that is not above 0.
    """
    if len(values) != 4:
        raise DataError(f"{where}: a box has four numbers, this one {len(values)}.")
    x, y, width, height = values
    if math.isfinite(width) and math.isfinite(height) and (width <= 0 or height <= 0):
        raise DataError(
            f"{where}: the box {list(values)} (x, y, width, height) has no area: "
            "width and height must be above 0."
        )
    return checked((x, y, x + width, y + height), size, where)


def checked(values: Sequence[float], size: tuple[int | None, int | None], where: str) -> Box:
    """An xyxy box (pixels) that is finite, has an area and touches its picture.

    Raises:
        DataError: it does not; `where` names the record.
    """
    if len(values) != 4:
        raise DataError(f"{where}: a box has four numbers, this one {len(values)}.")
    x1, y1, x2, y2 = (float(value) for value in values)
    if not all(math.isfinite(value) for value in (x1, y1, x2, y2)):
        raise DataError(f"{where}: the box {list(values)} holds a number that is not finite.")
    if x2 <= x1 or y2 <= y1:
        raise DataError(
            f"{where}: the box {list(values)} (x1, y1, x2, y2) has swapped corners or no area: "
            "x1 < x2 and y1 < y2 must hold."
        )
    width, height = size
    beyond = (width is not None and x1 >= width) or (height is not None and y1 >= height)
    if beyond or x2 <= 0 or y2 <= 0:
        raise DataError(
            f"{where}: the box {[x1, y1, x2, y2]} lies outside its picture "
            f"({width} x {height} pixels)."
        )
    return x1, y1, x2, y2


def object_size(box: Box) -> str:
    """COCO's size class by the box's area: small below 32^2 pixels, large from 96^2 on."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    if area < 32**2:
        return "small"
    return "medium" if area < 96**2 else "large"


def count_band(count: int) -> str:
    """The slice of a true count: 0, 1-5, 6-10, 11-20, 21-50, >50."""
    return next((name for highest, name in _BANDS.items() if count <= highest), ">50")
