"""The errors that eyechart raises on purpose.

    EyechartError                 printed in one line, without a traceback; exit code 2
    ├── UsageError                a wrong option, name or combination
    ├── DataError                 a file of samples, annotations or replies (names file and line)
    │   ├── PictureError          a picture that is broken or too large
    │   └── MissingPictures       pictures that were not found, all of them named
    ├── ModelError                a model that cannot be asked at all (address, key, name)
    └── RunError                  a run folder
        ├── CorruptRun            a bad line that is not the last one
        ├── SpecMismatch          the samples or settings are not those of the run
        └── RunBusy               another process writes to it

A message says what is wrong, where, and what to do. Bugs keep their traceback.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class EyechartError(Exception):
    """Any error of use, data, model or run."""


class UsageError(EyechartError):
    """A wrong option, name or combination of them."""


class DataError(EyechartError):
    """A file that cannot be used; the message names it, and the line where there is one."""


class PictureError(DataError):
    """A picture that cannot be read."""


class MissingPictures(DataError):
    """Pictures that were not found; `names` are all of them, `places` where they were sought."""

    def __init__(self, names: Iterable[str], places: Iterable[str], remedy: str) -> None:
        self.names = tuple(names)
        self.places = tuple(places)
        self.remedy = remedy
        super().__init__(self._said("."))

    def _said(self, more: str) -> str:
        count = len(self.names)
        first = ", ".join(self.names[:3]) + (f" and {count - 3:,} more" if count > 3 else "")
        places = ", ".join(self.places[:3])
        others = f" and {len(self.places) - 3} places more" if len(self.places) > 3 else ""
        noun = "picture" if count == 1 else "pictures"
        return (
            f"{count:,} {noun} not found: {first}{more} Looked in {places}{others}. {self.remedy}"
        )

    def list_in(self, path: Path) -> None:
        """Writes all names and places to a file, where that is of use, and says so."""
        if len(self.names) <= 3 and len(self.places) <= 3:
            return
        lines = ["looked in:", *self.places, "", "not found:", *self.names]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError:
            return
        self.args = (self._said(f" (all in {path})."),)


class ModelError(EyechartError):
    """A model that cannot be asked at all."""


class RunError(EyechartError):
    """A run folder that cannot be used."""


class CorruptRun(RunError):
    """A line of the record, not the last one, that is not whole."""


class SpecMismatch(RunError):
    """Samples or settings that differ from the run's own."""


class RunBusy(RunError):
    """Another process is writing to this run folder."""


def meant(wrong: str, known: Iterable[str]) -> str:
    """` Did you mean X?` for a misspelt name, or nothing; begins with a space."""
    close = get_close_matches(wrong, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""
