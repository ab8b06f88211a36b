"""The user's own data: JSON lines and a folder of pictures, for every task.

Every line has `image` (the picture's file) and the fields of one task, the same task throughout:

| task | fields |
|---|---|
| locate an expression | `expression` and its boxes |
| locate a phrase of a caption | `phrase`, `caption` and its boxes |
| answer a question | `question` and `answers` (a list) or `answer` (one) |
| count | `question` and `count` |
| describe the picture | `captions` (a list) or `caption` (one) |
| describe a region | `box` or `bbox`, and `expressions` (a list) |

Boxes are in pixels of the picture, and the key says their form: `box` is one [x1, y1, x2, y2],
`bbox` one [x, y, width, height] (COCO's); `boxes` and `bboxes` are lists of them, where an empty
list says that there is no such thing in the picture. Further fields, all optional: `id` (else
the row's number from 1; in all rows or in none), `width` and `height` (else read from the picture),
`tags` (an object of names and values: the slices of the report). A counting row has the tag `count`
besides, the band of its true count, unless it gives one of that name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import DataError, PictureError, meant
from eyechart.formats.records import Once, checked, count_band, from_xywh
from eyechart.io.files import read_jsonl
from eyechart.values import Answer, Answers, Boxes, Captions, Count, Image, Sample, Target, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data
    from eyechart.values import Box

_HEADER_BYTES = 1 << 18
_BOX_KEYS = ("box", "bbox", "boxes", "bboxes")


class _Row(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    image: str
    id: str | int | None = None
    width: int | None = None
    height: int | None = None
    tags: dict[str, str | int | float | bool] = {}
    expression: str | None = None
    phrase: str | None = None
    caption: str | None = None
    captions: list[str] | None = None
    expressions: list[str] | None = None
    question: str | None = None
    answer: str | int | float | None = None
    answers: list[str | int | float] | None = None
    count: int | None = None
    box: list[float] | None = None
    bbox: list[float] | None = None
    boxes: list[list[float]] | None = None
    bboxes: list[list[float]] | None = None


def read(path: Path, data: Data) -> Iterator[Sample]:
    """The samples in file order; pictures are found through `data`.

    Raises:
        DataError: a line that is not a row of the file's task; names the line and the remedy.
    """
    once = Once(path, "id")
    task: Task | None = None
    with_ids: bool | None = None
    for count, (number, row) in enumerate(_rows(path), start=1):
        place = f"line {number}"
        where = f"{path}, {place}"
        found = _task(row, where)
        if task is not None and found != task:
            raise DataError(
                f"{where}: has the fields of the task {found}, the lines before those of {task}; "
                "a file holds one task."
            )
        if with_ids is not None and (row.id is not None) != with_ids:
            raise DataError(f"{where}: give every line an `id`, or none.")
        task, with_ids = found, row.id is not None
        sample_id = str(row.id) if row.id is not None else str(count)
        once.take(sample_id, place)
        yield _sample(row, sample_id, found, data, where)
    if task is None:
        raise DataError(f"{path}: is empty; each line is one JSON object.")


def task_of(path: Path) -> tuple[Task, int]:
    """The task of a file by its first line, and how many answers that line gives.

    Raises:
        DataError: the file is empty, or its first line is of no task.
    """
    for number, row in _rows(path):
        task = _task(row, f"{path}, line {number}")
        return task, len(_answers(row)) if task == "answer" else 0
    raise DataError(f"{path}: is empty; each line is one JSON object.")


def _rows(path: Path) -> Iterator[tuple[int, _Row]]:
    for number, value in read_jsonl(path):
        if not isinstance(value, dict):
            raise DataError(f"{path}, line {number}: not a JSON object ({{...}}).")
        unknown = [key for key in value if key not in _Row.__struct_fields__]
        if unknown:
            raise DataError(
                f"{path}, line {number}: unknown field {unknown[0]!r}."
                f"{meant(unknown[0], _Row.__struct_fields__)} "
                f"Fields: {', '.join(_Row.__struct_fields__)}; your own go under `tags`."
            )
        try:
            yield number, msgspec.convert(value, _Row)
        except msgspec.ValidationError as error:
            raise DataError(f"{path}, line {number}: {error}.") from None


def _task(row: _Row, where: str) -> Task:
    has_boxes = any(getattr(row, key) is not None for key in _BOX_KEYS)
    has_captions = row.captions is not None or row.caption is not None
    fits: dict[Task, bool] = {
        "ground": row.expression is not None and has_boxes,
        "ground_phrases": row.phrase is not None and row.caption is not None and has_boxes,
        "answer": row.question is not None and (row.answers is not None or row.answer is not None),
        "count": row.question is not None and row.count is not None,
        "caption": has_captions and row.phrase is None,
        "refer": row.expressions is not None and has_boxes,
    }
    found = [task for task, fit in fits.items() if fit]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(f"{where}: has the fields of several tasks ({', '.join(found)}).")
    raise DataError(
        f"{where}: the fields are those of no task. It needs `expression` with `box` or `bbox`, "
        "`question` with `answers`, `answer` or `count`, `captions`, `phrase` with `caption` "
        "and `box`, or `expressions` with `box`."
    )


def _sample(row: _Row, sample_id: str, task: Task, data: Data, where: str) -> Sample:
    image = _sized(data.image(row.image, row.width, row.height), where)
    asked, target = _asked_and_target(row, task, image, where)
    band = {"count": count_band(target.value)} if isinstance(target, Count) else {}
    return Sample(
        id=sample_id,
        task=task,
        image=image,
        asked=asked,
        target=target,
        group=row.image,
        tags=band | {key: _text(value) for key, value in row.tags.items()},
    )


def _asked_and_target(
    row: _Row, task: Task, image: Image, where: str
) -> tuple[dict[str, str], Target]:
    asked = {
        key: value
        for key in ("expression", "phrase", "question")
        if (value := getattr(row, key)) is not None
    }
    if task in ("ground", "ground_phrases"):
        if task == "ground_phrases":
            asked["caption"] = row.caption or ""
        return asked, Boxes(_boxes(row, image, where))
    if task == "answer":
        return asked, Answers(_answers(row))
    if task == "count":
        if row.count is None or row.count < 0:
            raise DataError(f"{where}: a count is 0 or more.")
        return asked, Count(row.count)
    if task == "refer":
        boxes = _boxes(row, image, where)
        if len(boxes) != 1:
            raise DataError(f"{where}: a region is one box.")
        asked["box"] = "[" + ", ".join(f"{value:g}" for value in boxes[0]) + "]"
        return asked, Captions(_captions(row.expressions, where))
    captions = row.captions if row.captions is not None else [row.caption or ""]
    return asked, Captions(_captions(captions, where))


def _boxes(row: _Row, image: Image, where: str) -> tuple[Box, ...]:
    given = [key for key in _BOX_KEYS if getattr(row, key) is not None]
    if len(given) > 1:
        raise DataError(f"{where}: has both `{given[0]}` and `{given[1]}`; keep one.")
    key = given[0]
    value: Any = getattr(row, key)
    make = from_xywh if key.startswith("bb") else checked
    size = (image.width, image.height)
    where = f"{where}, `{key}`"
    return tuple(make(one, size, where) for one in (value if key.endswith("es") else [value]))


def _answers(row: _Row) -> tuple[Answer, ...]:
    given = row.answers if row.answers is not None else [row.answer]
    return tuple(Answer(_text(one), place) for place, one in enumerate(given, start=1))


def _captions(given: list[str] | None, where: str) -> tuple[str, ...]:
    if not given:
        raise DataError(f"{where}: the list of reference texts is empty.")
    return tuple(given)


def _text(value: object) -> str:
    """A JSON value as text, as JSON writes it."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _sized(image: Image, where: str) -> Image:
    """The picture with its width and height, read from its first bytes where the row has none."""
    given = (image.width, image.height)
    if all(given):
        if min(image.width or 0, image.height or 0) < 0:
            raise DataError(f"{where}: width and height are above 0.")
        return image
    if any(value is not None for value in given):
        raise DataError(f"{where}: give both `width` and `height`, above 0, or neither.")
    if not image.source:
        return image
    from eyechart.io.images import header

    try:
        with Path(image.source).open("rb") as stream:
            head = stream.read(_HEADER_BYTES)
            try:
                found = header(head)
            except PictureError:
                found = header(head + stream.read())
    except (OSError, PictureError) as error:
        raise DataError(f"{where}: the picture {image.source} cannot be read: {error}") from None
    size = (found.height, found.width) if found.turned else (found.width, found.height)
    return Image(image.name, size[0], size[1], image.source, image.digest)
