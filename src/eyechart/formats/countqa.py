"""CountQA's rows: a picture with several questions, as parquet files or as JSON lines.

A row holds `image` (bytes, or a structure of `bytes` and `path`; in JSON lines the file's name),
aligned lists `questions` and `answers`, `is_focused` and `categories`. Pictures stay in the
parquet file: they are read one at a time when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import DataError, PictureError, UsageError
from eyechart.io.files import read_jsonl

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE = "parquet:"
_BATCH = 1024


@dataclass(frozen=True, slots=True)
class Row:
    """One picture's questions. `source` is set for parquet, where `image` (its name) may be empty."""

    place: str
    image: str
    source: str
    questions: tuple[str, ...]
    counts: tuple[int, ...]
    is_focused: bool | None
    categories: tuple[str, ...]


class _Line(msgspec.Struct):
    image: str
    questions: list[str]
    answers: list[int | str]
    is_focused: bool | None = None
    categories: list[str] = msgspec.field(default_factory=list)


def read(path: Path) -> Iterator[Row]:
    """The rows of a parquet file (told by its first bytes) or of JSON lines, in file order.

    Raises:
        DataError: a column is missing, lists do not align, an answer is no whole number.
        UsageError: parquet, and pyarrow is not installed.
    """
    with path.open("rb") as stream:
        packed = stream.read(4) == b"PAR1"
    if packed:
        yield from _parquet(path)
        return
    for number, line in read_jsonl(path, _Line):
        yield _row(path, f"line {number}", line.image, "", line)


def _row(path: Path, place: str, image: str, source: str, line: _Line) -> Row:
    if len(line.questions) != len(line.answers):
        raise DataError(
            f"{path}, {place}: {len(line.questions)} questions and {len(line.answers)} answers."
        )
    return Row(
        place=place,
        image=image,
        source=source,
        questions=tuple(line.questions),
        counts=tuple(_count(path, place, answer) for answer in line.answers),
        is_focused=line.is_focused,
        categories=tuple(line.categories),
    )


def _count(path: Path, place: str, answer: int | str) -> int:
    text = str(answer).strip()
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise DataError(f"{path}, {place}: the answer {answer!r} is not a whole number.")
    return int(text)


def _parquet(path: Path) -> Iterator[Row]:
    parquet = _pyarrow_parquet()
    with _opened(path, parquet) as file:
        leaves = {file.schema.column(i).path for i in range(len(file.schema.names))}
        tops = {leaf.split(".")[0] for leaf in leaves}
        lacking = {"image", "questions", "answers"} - tops
        if lacking:
            raise DataError(f"{path}: no column {', '.join(sorted(lacking))}; not CountQA's rows.")
        wanted = [c for c in ("questions", "answers", "is_focused", "categories") if c in tops]
        if "image.path" in leaves:
            wanted.append("image.path")
        row = 0
        for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
            for values in batch.to_pylist():
                yield _parquet_row(path, row, values)
                row += 1


def _parquet_row(path: Path, row: int, values: dict[str, Any]) -> Row:
    name = (values.pop("image", None) or {}).get("path") or ""
    kept = {key: value for key, value in values.items() if value is not None}
    try:
        line = msgspec.convert({**kept, "image": name}, _Line)
    except msgspec.ValidationError as error:
        raise DataError(f"{path}, row {row}: {error}.") from None
    return _row(path, f"row {row}", name, _source(path, row), line)


def parse_parquet_source(source: str) -> tuple[Path, int]:
    """File and row (from 0) of an `Image.source` of the form `parquet:PATH#ROW`.

    Raises:
        PictureError: it has another form.
    """
    path, _, row = source.removeprefix(_SOURCE).rpartition("#")
    if not (source.startswith(_SOURCE) and path and row.isascii() and row.isdigit()):
        raise PictureError(f"{source}: a picture in a parquet file is parquet:PATH#ROW.")
    return Path(path), int(row[:18])


def _source(path: Path, row: int) -> str:
    return f"{_SOURCE}{path.absolute()}#{row}"


def read_parquet_image(path: Path, row: int) -> bytes:
    """The encoded bytes of the picture in a row (counted from 0) of a parquet file.

    The row group that holds it is kept for the next call, so rows in any order cost little.

    Raises:
        PictureError: no such file or row, or the row holds no bytes.
        UsageError: pyarrow is not installed.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise PictureError(f"{path}: cannot be read ({error.strerror or error}).") from None
    starts = _group_starts(path, changed)
    if not 0 <= row < starts[-1]:
        raise PictureError(f"{path}: no row {row}; it has {starts[-1]}.")
    group = bisect_right(starts, row) - 1
    value = _group_images(path, changed, group)[row - starts[group]].as_py()
    data = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(data, bytes):
        raise PictureError(f"{path}, row {row}: holds no picture bytes.")
    return data


@lru_cache(maxsize=64)
def _group_starts(path: Path, changed: int) -> tuple[int, ...]:
    """The first row of each row group, and the number of rows at the end."""
    del changed  # part of the key: a file that was replaced is read anew
    with _opened(path, _pyarrow_parquet()) as file:
        starts = [0]
        for group in range(file.metadata.num_row_groups):
            starts.append(starts[-1] + file.metadata.row_group(group).num_rows)
    return tuple(starts)


@lru_cache(maxsize=2)
def _group_images(path: Path, changed: int, group: int) -> Any:
    del changed
    with _opened(path, _pyarrow_parquet()) as file:
        return file.read_row_group(group, columns=["image"]).column("image")


def _opened(path: Path, parquet: Any) -> Any:
    try:
        return parquet.ParquetFile(path)
    except Exception as error:
        raise DataError(f"{path}: not a readable parquet file ({error}).") from None


def _pyarrow_parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "Parquet files need pyarrow: pip install eyechart[parquet]. "
            "The same rows as JSON lines with a folder of pictures need nothing."
        ) from None
    return parquet
