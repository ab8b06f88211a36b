"""Files and folders that a model's arguments name, such as a checkpoint, known by their content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FILES = 10_000
_RUN_FILES = {"spec.json", "replies.jsonl"}


def digest_of(value: Any) -> str:
    """The SHA-256 of the file that a text or path names; empty where it names none.

    Of a folder it is that of its files' relative names, sizes and times of change, in order: large
    checkpoints need not be read, and a copy counts as another. Hidden files, `__pycache__` and run
    folders are left out, and so is what follows the first 10,000 files.

    Raises:
        UsageError: a file that cannot be read.
    """
    if not isinstance(value, str | os.PathLike) or not str(value).strip():
        return ""
    path = Path(value)
    try:
        if path.is_file():
            with path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        if path.is_dir():
            return _listed(path)
    except ValueError:  # a NUL in it
        return ""
    except OSError as error:
        if _is_there(path):
            raise UsageError(f"{path}: cannot be read ({error.strerror or error}).") from None
    return ""


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _listed(folder: Path) -> str:
    digest = hashlib.sha256()
    for _, file in zip(range(_MOST_FILES), _files(folder), strict=False):
        try:
            found = file.stat()
            facts = f"{found.st_size} {found.st_mtime_ns}"
        except OSError:
            facts = "absent"
        name = file.relative_to(folder).as_posix()
        digest.update(os.fsencode(f"{facts} {name}\0"))
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if one[0] != "." and one != "__pycache__")
        if _RUN_FILES.issubset(files):
            folders.clear()
            continue
        for name in sorted(files):
            if name[0] != ".":
                yield Path(place) / name
