"""Result files as programs hand them in: VQA results, COCO results, and plain lines of replies.

What is wholly regular is decoded in one go; anything else is left to `formats.replies`, which names
the line at fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from eyechart.errors import DataError
from eyechart.values import Box, RawBoxes, Reply

if TYPE_CHECKING:
    from pathlib import Path

# of COCO's results: x, y, width, height in pixels
COCO_FORMAT = "xywh-pixels"


class _Result(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    question_id: int | str
    answer: str


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    reply: str
    id: int | str | None = None
    sample_id: int | str | None = None
    question_id: int | str | None = None


class _Detection(msgspec.Struct, gc=False):
    image_id: int | str
    bbox: Box
    score: float = 1.0


class _Prediction(msgspec.Struct, gc=False):
    ref_id: int | str
    sent: str


class _Predictions(msgspec.Struct):
    predictions: list[_Prediction]


class _Caption(msgspec.Struct, gc=False):
    image_id: int | str
    caption: str


_Entry = TypeVar("_Entry", _Detection, _Caption)
_RESULTS = msgspec.json.Decoder(list[_Result])
_LINES = msgspec.json.Decoder(_Line)


def vqa(data: bytes) -> list[Reply] | None:
    """The replies of an official VQA results file; None where anything else is in it.

    An empty answer is an answer, as the official evaluation reads it.
    """
    try:
        rows = _RESULTS.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not rows or any(row.question_id == "" for row in rows):
        return None
    return [Reply(str(row.question_id), text=row.answer) for row in rows]


def predictions(data: bytes) -> list[Reply] | None:
    """The expressions of REFER's layout `{"predictions": [{"ref_id": ..., "sent": ...}]}`, or None."""
    try:
        rows = msgspec.json.decode(data, type=_Predictions).predictions
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return [Reply(str(row.ref_id), text=row.sent) for row in rows] or None


def lines(data: bytes) -> list[Reply] | None:
    """The replies of JSON lines that have one id and a text `reply` each; None for all else."""
    try:
        rows = _LINES.decode_lines(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    made = []
    for row in rows:
        name = row.id if row.sample_id is None else row.sample_id
        name = row.question_id if name is None else name
        if name is None or name == "":
            return None
        empty = not row.reply or row.reply.isspace()
        made.append(Reply(str(name), 0, "empty" if empty else "ok", row.reply))
    return made or None


def are_coco(rows: list[Any]) -> bool:
    """Whether an array is one of COCO results: its first entry has `image_id` and `bbox` or `caption`."""
    first = rows[0] if rows else None
    return (
        isinstance(first, dict) and "image_id" in first and ("bbox" in first or "caption" in first)
    )


def coco(rows: list[Any], path: Path) -> list[Reply]:
    """COCO results: captions, or boxes, of which each picture's are put together.

    Boxes are x, y, width, height in pixels of the original picture.

    Raises:
        DataError: an entry of another kind; names its number.
    """
    if "caption" in rows[0]:
        return [
            Reply(str(one.image_id), text=one.caption) for one in _converted(rows, _Caption, path)
        ]
    found: dict[str, list[_Detection]] = {}
    for one in _converted(rows, _Detection, path):
        found.setdefault(str(one.image_id), []).append(one)
    return [
        Reply(
            name,
            boxes=RawBoxes(
                tuple(one.bbox for one in boxes), COCO_FORMAT, tuple(one.score for one in boxes)
            ),
        )
        for name, boxes in found.items()
    ]


def _converted(rows: list[Any], kind: type[_Entry], path: Path) -> list[_Entry]:
    made = []
    for number, row in enumerate(rows, start=1):
        try:
            made.append(msgspec.convert(row, kind))
        except msgspec.ValidationError as error:
            raise DataError(
                f"{path}, entry {number}: {error}; the other entries are COCO results "
                f"({', '.join(kind.__struct_fields__)})."
            ) from None
    return made
