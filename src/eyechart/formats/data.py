"""What a benchmark's rows are read from: annotation files and pictures, found by name."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.errors import DataError, MissingPictures
from eyechart.values import Image

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

COCO_FOLDERS = ("train2014", "val2014", "train2017", "val2017", "test2015")
_FILE_FOLDERS = ("", "annotations", "data")
_IMAGE_FOLDERS = ("", "images")
_WILD = frozenset("*?[")


class Data:
    """The files of a data set as a user names them: a folder or one annotation file, and pictures.

    Attributes:
        path: the annotation file or the folder that holds it; None where the user named none.
        images: the folder of the pictures, where they lie elsewhere.
        need_images: whether pictures are looked up; if not, `Image.source` stays empty.
        missing: pictures that were not found, each with the places that were looked in.
    """

    def __init__(
        self, path: Path | None, images: Path | None = None, need_images: bool = True
    ) -> None:
        self.path = path.absolute() if path is not None else None
        self.images = images.absolute() if images is not None else None
        self.need_images = need_images
        self.missing: dict[str, tuple[Path, ...]] = {}
        self._beside: list[Path] = []
        self._listed: dict[Path, frozenset[str]] = {}
        self._places: dict[tuple[str, ...], list[Path]] = {}
        self._indices: dict[tuple[str, ...], dict[str, str]] = {}
        self._images: dict[tuple[object, ...], Image] = {}
        if self.path is not None and not self.path.exists():
            raise DataError(f"{self.path}: no such file or folder; --data names what exists.")
        if self.images is not None and not self.images.is_dir():
            raise DataError(f"{self.images}: no such folder of pictures (--images).")

    @property
    def folder(self) -> Path | None:
        """The folder that holds the annotations."""
        if self.path is None or self.path.is_dir():
            return self.path
        return self.path.parent

    def look_beside(self, file: Path) -> None:
        """Adds the folder of `file` to those in which pictures and files are looked for."""
        folder = file.absolute().parent
        if folder not in self._beside:
            self._beside.append(folder)
            self._places.clear()
            self._indices.clear()
            self._images.clear()

    def file(self, *patterns: str) -> Path:
        """The one annotation file of these names (`*` allowed; each also with `.gz`).

        A file that the user named directly is taken whatever its name. Names without `*` go before
        those with it; of `X` and `X.gz` the unpacked one is taken.

        Raises:
            DataError: none, or more than one, matches; the message says where it was looked for.
        """
        found = self.optional_file(*patterns)
        if found is not None:
            return found
        raise DataError(self._not_found(patterns))

    def optional_file(self, *patterns: str) -> Path | None:
        """As `file`, but None where there is none."""
        if self.path is not None and self.path.is_file():
            return self.path
        return self.file_beside(*patterns)

    def file_beside(self, *patterns: str) -> Path | None:
        """A file of these names in the data folder, also where one file was named directly."""
        exact = [p for p in patterns if not _WILD & set(p)]
        for group in (exact, [p for p in patterns if p not in exact]):
            found = self._matching(group)
            if len(found) > 1:
                names = ", ".join(str(path) for path in found)
                raise DataError(f"More than one file matches: {names}. Name the one meant: --data.")
            if found:
                return found[0]
        return None

    def files(self, *patterns: str) -> list[Path]:
        """All annotation files of the first of these names that has any: a set kept in parts.

        Raises:
            DataError: there is none.
        """
        if self.path is not None and self.path.is_file():
            return [self.path]
        for pattern in patterns:
            found = self._matching([pattern])
            if found:
                return found
        raise DataError(self._not_found(patterns))

    def image(
        self,
        name: str,
        width: int | None = None,
        height: int | None = None,
        folders: Sequence[str] = COCO_FOLDERS,
        also: Sequence[str] = (),
    ) -> Image:
        """The picture of this name; `also` are other names under which it may be stored.

        It is looked for as given, under the folder of pictures and the data folder, and in the
        subfolders `folders` and `images/` of both. One that is needed and not found goes to
        `missing`; `check_images` raises for all of them at once. Samples of one picture share it.
        """
        key = (name, width, height, folders, also)
        if type(folders) is not tuple or type(also) is not tuple:
            key = (name, width, height, tuple(folders), tuple(also))
        found = self._images.get(key)
        if found is None:
            source = self._look((name, *also), tuple(folders)) if self.need_images else ""
            found = self._images[key] = Image(name, width, height, source)
        return found

    def check_images(self, only: Collection[str] | None = None) -> None:
        """Makes sure that all pictures were found, or those with the names `only`.

        Raises:
            MissingPictures: some were not; it holds all their names and the places looked in.
        """
        missing = [name for name in self.missing if only is None or name in only]
        if not missing:
            return
        places = dict.fromkeys(place for name in missing for place in self.missing[name])
        raise MissingPictures(
            missing,
            [_place(folder) for folder in places],
            "Name the folder of the pictures with --images DIR, or ask without: --no-images.",
        )

    def _roots(self) -> Iterator[Path]:
        if self.folder is not None:
            yield self.folder
        yield from self._beside

    def _file_folders(self) -> list[Path]:
        return [root / sub if sub else root for root in self._roots() for sub in _FILE_FOLDERS]

    def _matching(self, patterns: Iterable[str]) -> list[Path]:
        wanted = [name for pattern in patterns for name in (pattern, f"{pattern}.gz")]
        found: dict[Path, None] = {}
        for folder in self._file_folders():
            for name in sorted(self._names(folder)):
                if any(fnmatchcase(name, pattern) for pattern in wanted):
                    found[folder / name] = None
        return [path for path in found if path.suffix != ".gz" or path.with_suffix("") not in found]

    def _not_found(self, patterns: Sequence[str]) -> str:
        names = " or ".join(patterns)
        if not list(self._roots()):
            return f"No data given: --data PATH names a folder with {names} (or .gz), or the file."
        return (
            f"No file {names} (or .gz) in {_places(self._file_folders())}. "
            "Name its folder, or the file itself whatever it is called: --data PATH."
        )

    def _look(self, names: tuple[str, ...], folders: tuple[str, ...]) -> str:
        places = self._places_for(folders)
        for name in names:
            if "/" not in name and "\\" not in name:
                found = self._index(folders).get(name)
                if found is not None:
                    return found
                continue
            for place in places:
                # an absolute name stays itself when it is joined to a place
                if self._is_file(place / name):
                    return str(place / name)
        self.missing[names[0]] = tuple(places)
        return ""

    def _places_for(self, folders: tuple[str, ...]) -> list[Path]:
        if folders not in self._places:
            roots = [self.images] if self.images is not None else []
            subfolders = dict.fromkeys((*_IMAGE_FOLDERS, *folders))
            places = [root / sub for root in [*roots, *self._roots()] for sub in subfolders]
            self._places[folders] = list(dict.fromkeys([*places, Path.cwd()]))
        return self._places[folders]

    def _index(self, folders: tuple[str, ...]) -> dict[str, str]:
        """Every file of the places by its bare name; of several the first place's."""
        if folders not in self._indices:
            self._indices[folders] = {
                name: f"{place}{os.sep}{name}"
                for place in reversed(self._places_for(folders))
                for name in self._names(place)
            }
        return self._indices[folders]

    def _is_file(self, path: Path) -> bool:
        return path.name in self._names(path.parent)

    def _names(self, folder: Path) -> frozenset[str]:
        """The names of the files in a folder, listed once; none where there is no such folder."""
        if folder not in self._listed:
            try:
                with os.scandir(folder) as entries:
                    names = frozenset(entry.name for entry in entries if entry.is_file())
            except (FileNotFoundError, NotADirectoryError):
                names = frozenset()
            except (OSError, ValueError) as error:
                raise DataError(f"{folder}: cannot be listed ({error}).") from None
            self._listed[folder] = names
        return self._listed[folder]


def _place(folder: Path) -> str:
    return str(folder) if folder.is_dir() else f"{folder} (absent)"


def _places(folders: Iterable[Path]) -> str:
    return ", ".join(map(_place, folders))
