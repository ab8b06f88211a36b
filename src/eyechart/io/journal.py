"""The journal: a JSON lines file that only grows and survives being killed at any moment.

One write a line, O_APPEND, one writer holding a lock, fsync every second and at the end. A torn
last line is cut when the file is opened for writing and passed over when it is read; a bad line
anywhere else is refused with its number.
"""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from eyechart.errors import CorruptRun, RunBusy, RunError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

T = TypeVar("T")


def read(path: Path, kind: type[T], *, whole: bool = False) -> Iterator[T]:
    """The values of a journal, in order; nothing where the file does not exist.

    A last line that is no JSON was torn when it was written, and is passed over; not so in a file
    that was written `whole`.

    Raises:
        CorruptRun: any other line cannot be read.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line, is_last in _lines(path, whole):
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            if is_last and not whole and not _is_json(line):
                return
            raise CorruptRun(
                f"{path}, line {number}: not a whole record ({error}). Move that line out of the "
                "file and run the same command again: what it held is asked anew."
            ) from None


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _lines(path: Path, whole: bool) -> Iterator[tuple[int, bytes, bool]]:
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        return
    with stream:
        number, held = 0, b""
        for line in stream:
            if number:
                yield number, held, False
            number, held = number + 1, line
        if number and (whole or held.endswith(b"\n")):
            yield number, held, True


def whole_length(path: Path) -> int:
    """How many bytes of the file are whole lines: what a torn last line is cut back to."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        end = _last_newline(stream, size)
        start = _last_newline(stream, end - 1) if end else 0
        stream.seek(start)
        line = stream.read(end - start)
    if not line:
        return 0
    return end if _is_json(line) else start


def _last_newline(stream: Any, end: int, block: int = 1 << 16) -> int:
    """The offset after the last newline before `end`; 0 where there is none."""
    while end > 0:
        start = max(0, end - block)
        stream.seek(start)
        found = stream.read(end - start).rfind(b"\n")
        if found >= 0:
            return int(start + found + 1)
        end = start
    return 0


class Lock:
    """One writer to a folder: held by the process, let go by the system when it dies."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunError(
                f"{path.parent}: cannot be written to ({error.strerror}). Name another folder."
            ) from None
        try:
            _lock(self._handle)
        except OSError as error:
            os.close(self._handle)
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                raise RunError(f"{path}: cannot be locked ({error.strerror}).") from None
            raise RunBusy(
                f"{path.parent}: another process is writing to this run. Wait for it, or stop it."
            ) from None

    def release(self) -> None:
        """Lets the next writer in."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


if os.name == "nt":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Journal:
    """The writer's end. Use it as a context manager, under a `Lock`."""

    def __init__(self, path: Path, fsync_every_s: float = 1.0) -> None:
        self._path = path
        self._encoder = msgspec.json.Encoder()
        if path.exists():
            whole = whole_length(path)
            if whole != path.stat().st_size:
                os.truncate(path, whole)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._handle = os.open(path, flags, 0o644)
        self._dirty = False
        self._failed = ""
        self._stop = threading.Event()
        self._every = fsync_every_s
        self._syncing = threading.Thread(target=self._sync, name="journal-fsync", daemon=True)
        self._syncing.start()

    def append(self, value: Any) -> None:
        """Writes one record with one system call.

        Raises:
            RunError: the disk is full or the file cannot be written; what was written before stays.
        """
        line = self._encoder.encode(value) + b"\n"
        # after a torn line every further one would make it a bad line in the middle
        self._raise_failure()
        try:
            written = os.write(self._handle, line)
        except OSError as error:
            self._failed = str(error.strerror)
        else:
            if written != len(line):
                self._failed = "only part of a record could be written; is the disk full?"
        self._raise_failure()
        self._dirty = True

    def _raise_failure(self) -> None:
        if self._failed:
            raise RunError(
                f"{self._path}: cannot be written ({self._failed}). What was kept before is safe; "
                "mend the disk and run the same command again."
            )

    def _sync(self) -> None:
        while not self._stop.wait(self._every):
            if self._dirty:
                self._dirty = False
                self._flush()

    def _flush(self) -> None:
        try:
            os.fsync(self._handle)
        except OSError as error:
            self._failed = str(error.strerror)

    def close(self) -> None:
        """Flushes to the disk and closes.

        Raises:
            RunError: something could not be written.
        """
        if self._handle < 0:
            return
        self._stop.set()
        self._syncing.join()
        self._flush()
        os.close(self._handle)
        self._handle = -1
        self._raise_failure()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
