"""Replies made elsewhere: JSON lines, VQA and COCO results, H- lines, and a run folder's replies.

A text without a sign in it (empty, or blanks only) is no answer: its state is `empty`, as where a model is asked. Two
kinds keep it as an answer: an entry `{"question_id": ..., "answer": ""}` of a VQA results file,
which the official evaluation reads so, and a record that names its state or lies in a run folder.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from eyechart.errors import DataError
from eyechart.formats import results
from eyechart.io.files import decode, parse_json, read_bytes, read_jsonl
from eyechart.values import Box, Failure, RawBoxes, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ID_KEYS = ("sample_id", "id", "question_id")
_TEXT_KEYS = ("reply", "text", "answer", "prediction")
_FORMS = (
    'JSON lines {"id": ..., "reply": ...}, VQA results [{"question_id": ..., "answer": ...}], '
    'COCO results [{"image_id": ..., "bbox": [x, y, w, h], "score": ...}] or with "caption", '
    "a file with H- lines, or a run folder"
)
_BOM = b"\xef\xbb\xbf"
_PEEK = 1024
_LONGEST_NUMBER = 19
_H_LINE = re.compile(rb"^[^\t\n]*H-[^\t\n]*\t", re.MULTILINE)

_NULL = Failure("missing", "the file has null for a reply")


Form = Literal["rows", "vqa_results", "coco_results", "refer", "h_lines", "run"]


@dataclass(slots=True)
class Replies:
    """What a file holds. Where `by_order`, the replies have no ids: the n-th is the n-th sample's.

    `RawBoxes.format` is empty where the file does not name it; `place` says where a reply stood
    (empty: `line n`). `rows` counts the lines or entries, `passed_over` those that are no replies,
    by reason. In `coco_results` an id is COCO's `image_id`: a sample's, or its picture's.
    """

    path: Path
    sha256: str
    form: Form
    replies: list[Reply]
    by_order: bool = False
    place: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    rows: int = 0
    passed_over: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Replies:
    """All replies of a file or run folder, in file order, repeated ids included.

    Raises:
        DataError: none of the known forms, or a bad line; names the line and the remedy.
    """
    if path.is_dir():
        return _run_folder(path)
    data = read_bytes(path).removeprefix(_BOM)
    found = Replies(path, hashlib.sha256(data).hexdigest(), "rows", [])
    first = data[:_PEEK].lstrip()[:1]
    if not first and not data.strip():
        raise DataError(f"{path}: is empty.")
    if first == b"{":
        _take_lines(found, data)
    elif first != b"[" or not _take_array(found, data):
        _take_h_lines(found, decode(data, path))
    found.rows = found.rows or len(found.replies)
    return found


def _take_lines(found: Replies, data: bytes) -> None:
    if b'"predictions"' in data[:_PEEK]:
        expressions = results.predictions(data)
        if expressions is not None:
            found.form, found.replies = "refer", expressions
            return
    quick = results.lines(data)
    if quick is None:
        _refuse_one_object(found.path, data)
        _take_rows(found, ((f"line {n}", row) for n, row in read_jsonl(found.path)))
    else:
        found.replies = quick


def _refuse_one_object(path: Path, data: bytes) -> None:
    """Refuses a document that is one object over several lines, which no line alone tells."""
    if data.lstrip().startswith(b"{\n") or data.lstrip().startswith(b"{\r"):
        document = parse_json(data, Any, path)
        raise DataError(
            f"{path}: is one JSON object ({', '.join(list(document)[:5])}), and replies are read from "
            f"{_FORMS}."
        )


def _take_array(found: Replies, data: bytes) -> bool:
    """An array: VQA results or COCO results as they are officially, else rows of our own kinds.

    False where it is none, but a file of H- lines whose first line happens to begin so.
    """
    quick = results.vqa(data)
    if quick is not None:
        found.form, found.replies = "vqa_results", quick
        return True
    try:
        rows = parse_json(data, list[Any], found.path)
    except DataError:
        if _H_LINE.search(data):
            return False
        raise
    if results.are_coco(rows):
        found.form, found.rows = "coco_results", len(rows)
        found.replies = results.coco(rows, found.path)
        return True
    entries = ((f"entry {n}", row) for n, row in enumerate(rows, start=1))
    _take_rows(found, entries, official=True)
    return True


def _take_h_lines(found: Replies, text: str) -> None:
    from eyechart.formats.locout import read_h_lines

    lines = read_h_lines(text)
    if not lines:
        raise DataError(f"{found.path}: no replies in a form that is known: {_FORMS}.")
    found.form, found.by_order = "h_lines", True
    found.replies = [Reply("", text=line) for line in lines]
    found.rows = sum(1 for line in text.splitlines() if line.strip())
    named = [line.partition("\t")[0].rpartition("-")[2] for line in lines]
    numbers = [int(name) for name in named if name.isdecimal() and len(name) < _LONGEST_NUMBER]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        found.warnings.append(
            f"{found.path}: the numbers of the H- lines are not in order, or repeat; the lines are taken as they "
            "stand, as the official program does. Is the file sorted as the samples are?"
        )
    others = found.rows - len(lines)
    if others > 0:
        found.passed_over["no H- line"] = others


def _run_folder(folder: Path) -> Replies:
    path = folder / "replies.jsonl"
    if not path.is_file():
        raise DataError(f"{folder}: holds no replies.jsonl, so it is not a run folder.")
    data = read_bytes(path)
    found = Replies(path, hashlib.sha256(data).hexdigest(), "run", [])
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.replies.append(msgspec.json.decode(line, type=Reply))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            if number == len(lines):
                found.warnings.append(f"{path}: the last line is not whole and was left out.")
                break
            found.replies.append(parse_json(line, Reply, path, number))
    return found


def _take_rows(found: Replies, rows: Iterable[tuple[str, Any]], *, official: bool = False) -> None:
    """Adds the replies of rows; `official` says that the file is an array, as VQA results are."""
    numbers = 0
    for place, row in rows:
        where = f"{found.path}, {place}"
        if not isinstance(row, dict):
            raise DataError(f"{where}: not a JSON object. Known forms: {_FORMS}.")
        reply, numeric = (_recorded if _is_record(row) else _row)(row, where)
        numbers += numeric
        as_results = official and "question_id" in row and "answer" in row and "reply" not in row
        if not as_results and "state" not in row and _says_nothing(reply):
            reply = msgspec.structs.replace(reply, state="empty")
        if found.replies and (reply.sample_id == "") != (found.replies[0].sample_id == ""):
            raise DataError(f"{where}: give every reply an id ({_or(_ID_KEYS)}), or none.")
        found.replies.append(reply)
        found.place.append(place)
    if not found.replies:
        raise DataError(f"{found.path}: holds no replies.")
    found.by_order = found.replies[0].sample_id == ""
    if numbers:
        found.warnings.append(
            "1 reply is a number in the file; it is read as text."
            if numbers == 1
            else f"{numbers:,} replies are numbers in the file; they are read as text."
        )


def _says_nothing(reply: Reply) -> bool:
    return (
        reply.state == "ok"
        and reply.boxes is None
        and not (reply.text is not None and reply.text.strip())
    )


def _is_record(row: dict[str, Any]) -> bool:
    """Whether a row is a line of a run's own record, with its states and errors."""
    says = row.get("text") is not None or row.get("boxes") is not None or "state" in row
    return (
        "sample_id" in row
        and says
        and row.keys() <= set(Reply.__struct_fields__)
        and not isinstance(row.get("boxes"), list)
    )


def _recorded(row: dict[str, Any], where: str) -> tuple[Reply, bool]:
    text, numeric = _text(row, where) if "text" in row else (None, False)
    try:
        reply = msgspec.convert({**row, "sample_id": _id(row, where), "text": text}, Reply)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {error}.") from None
    if reply.state == "ok" and reply.text is None and reply.boxes is None:
        reply = msgspec.structs.replace(reply, state="error", error=_NULL)
    return reply, numeric


def _row(row: dict[str, Any], where: str) -> tuple[Reply, bool]:
    sample_id = _id(row, where)
    text, numeric = _text(row, where)
    boxes = _boxes(row, where)
    error = _NULL if text is None and boxes is None else None
    reply = Reply(
        sample_id=sample_id,
        state="error" if error else "ok",
        text=text,
        boxes=boxes,
        error=error,
    )
    return reply, numeric


def _id(row: dict[str, Any], where: str) -> str:
    for key in _ID_KEYS:
        value = row.get(key)
        if value is None:
            continue
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
        raise DataError(f"{where}: `{key}` is {value!r}; an id is a text or a whole number.")
    return ""


def _text(row: dict[str, Any], where: str) -> tuple[str | None, bool]:
    """The reply's text, and whether the file has it as a number."""
    keys = [key for key in _TEXT_KEYS if key in row]
    if "reply" in keys:
        keys = ["reply"]
    if len(keys) > 1:
        raise DataError(
            f"{where}: has `{keys[0]}` and `{keys[1]}`, and only one is the model's reply; "
            "call that one `reply`."
        )
    if not keys:
        if "boxes" in row:
            return None, False
        raise DataError(f"{where}: has no reply ({_or((*_TEXT_KEYS, 'boxes'))}).")
    value = row[keys[0]]
    if value is None or isinstance(value, str):
        return value, False
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value), True
    raise DataError(f"{where}: `{keys[0]}` is not text.")


class _Boxes(msgspec.Struct):
    boxes: tuple[Box, ...]
    scores: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    format: str = ""


def _boxes(row: dict[str, Any], where: str) -> RawBoxes | None:
    if row.get("boxes") is None:
        return None
    try:
        given = msgspec.convert(row, _Boxes)
    except msgspec.ValidationError as error:
        raise DataError(
            f"{where}: {error}; `boxes` is a list of lists of four numbers, `scores` and `labels` "
            "are lists as long."
        ) from None
    for name, values in (("scores", given.scores), ("labels", given.labels)):
        if values and len(values) != len(given.boxes):
            raise DataError(f"{where}: {len(given.boxes)} boxes and {len(values)} {name}.")
    return RawBoxes(given.boxes, given.format, given.scores, given.labels)


def _or(keys: Iterable[str]) -> str:
    *most, last = (f"`{key}`" for key in keys)
    return f"{', '.join(most)} or {last}"
