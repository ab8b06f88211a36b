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


def read(path: Path, kind: type[T]) -> Iterator[T]:
    """The values of a journal, in order; nothing where the file does not exist.

    Raises:
        CorruptRun: a line that is not the last one cannot be read.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line, is_last in _lines(path):
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            if is_last:
                return
            raise CorruptRun(
                f"{path}, line {number}: not a whole record ({error}). Move that line out of the "
                "file and run the same command again: what it held is asked anew."
            ) from None


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
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
        if number and held.endswith(b"\n"):
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
    try:
        msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return start
    return end


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
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
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
        try:
            written = os.write(self._handle, line)
        except OSError as error:
            raise RunError(
                f"{self._path}: cannot be written ({error.strerror}). What was kept so far is "
                "safe; mend the disk and run the same command again."
            ) from None
        if written != len(line):
            raise RunError(
                f"{self._path}: only part of a record could be written (is the disk full?). What "
                "was kept before it is safe; make room and run the same command again."
            )
        self._dirty = True

    def _sync(self) -> None:
        while not self._stop.wait(self._every):
            if self._dirty:
                self._dirty = False
                os.fsync(self._handle)

    def close(self) -> None:
        """Flushes to the disk and closes."""
        if self._handle < 0:
            return
        self._stop.set()
        self._syncing.join()
        os.fsync(self._handle)
        os.close(self._handle)
        self._handle = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
