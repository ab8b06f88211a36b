"""Files read with their faults named, and written whole or not at all."""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import DataError, RunError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_AT_BYTE = re.compile(r"\(byte (\d+)\)")


@contextmanager
def _faults_named(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: no such file.") from None
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder, not a file.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: broken gzip file ({error}); fetch it again.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from None


def read_bytes(path: Path) -> bytes:
    """The file's content, unpacked where it is gzipped (told by its first bytes, not its name).

    Raises:
        DataError: the file is missing, unreadable, a folder, or a broken gzip file.
    """
    with _faults_named(path):
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(_GZIP) else data


def read_text(path: Path) -> str:
    """The file as text: UTF-8, with or without a byte order mark; line ends as they are.

    Raises:
        DataError: as `read_bytes`, or it is not UTF-8 (names the line).
    """
    return decode(read_bytes(path), path)


def decode(data: bytes, path: Path) -> str:
    """Bytes of a file as text, naming file and line where they are not UTF-8."""
    try:
        return data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}, line {line}: not UTF-8 text; save the file as UTF-8.") from None


def read_json(path: Path, kind: Any = Any) -> Any:
    """The JSON document in a file; `kind` is the msgspec type it must have.

    Raises:
        DataError: as `read_bytes`, or no JSON (names the line), or JSON of another shape (names
            the place in it).
    """
    data = read_bytes(path).removeprefix(_BOM)
    if not data.strip():
        raise DataError(f"{path}: is empty.")
    return parse_json(data, kind, path)


def parse_json(data: bytes, kind: Any, path: Path, line: int | None = None) -> Any:
    """One JSON value; `line` is where it stands if it is a line of a file."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        where = f", line {line}" if line is not None else ""
        raise DataError(f"{path}{where}: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        at = _AT_BYTE.search(str(error))
        if line is None:
            line = data.count(b"\n", 0, int(at[1])) + 1 if at else data.count(b"\n") + 1
        hint = ""
        if re.search(rb"\b(NaN|-?Infinity)\b", data[: 1 << 22]):
            hint = " (NaN and Infinity are not JSON: mend those values)"
        elif "truncated" in str(error):
            hint = " (the file ends too early: fetch it again)"
        raise DataError(f"{path}, line {line}: not valid JSON{hint}: {error}") from None


def read_jsonl(path: Path, kind: Any = Any) -> Iterator[tuple[int, Any]]:
    """Line numbers and values of a JSON lines file; empty lines are passed over.

    Byte order marks and CRLF are accepted. Gzipped files are streamed, as plain ones are.

    Raises:
        DataError: as `read_json`, naming the line.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(read_byte_lines(path), start=1):
        if not line.strip():
            continue
        try:
            value = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            value = parse_json(line.strip(), kind, path, number)
        yield number, value


def read_byte_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, gzipped or not, without the byte order mark.

    Raises:
        DataError: as `read_bytes`.
    """
    with _faults_named(path), path.open("rb") as plain:
        packed = plain.read(2) == _GZIP
        plain.seek(0)
        stream = gzip.GzipFile(fileobj=plain) if packed else plain
        first = True
        for line in stream:
            yield line.removeprefix(_BOM) if first else line
            first = False


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file by temporary file, fsync and rename: readers see the old one or the new one.

    Raises:
        RunError: it cannot be written; the old one is as it was.
    """
    try:
        _write_whole(path, data)
    except OSError as error:
        raise RunError(
            f"{path}: cannot be written ({error.strerror or error}). What was there is as it was."
        ) from None


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
