"""WordNet from an installed dictionary: which synsets a word or phrase stands in.

Only the index and exception files of the database (wndb(5WN)) are read, once and when first
needed: they hold each lemma with the offsets of its synsets. Lemmas pass the VQA text rules, as the
answers do that are looked up, so "t-shirt" is found by "t shirt" and "p.m." by "pm". Base forms are
found as morphy(7WN) describes.
"""

from __future__ import annotations

import os
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.errors import DataError, UsageError
from eyechart.text.vqa import process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PARTS = ("noun", "verb", "adj", "adv")
# detachment rules, in morphy's order
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
# the longest lemmas have nine words; a longer phrase is not looked up
_MOST_WORDS = 9
_REMEDY = (
    "Install one (Debian and Ubuntu: apt-get install wordnet-base; or nltk's corpus `wordnet`) and, "
    "where it is not found by itself, name its folder with the protocol's option wordnet=PATH or "
    "the environment variable EYECHART_WORDNET."
)
_USUAL = (
    "/usr/share/wordnet",
    "/usr/local/share/wordnet",
    "/usr/local/WordNet-3.0/dict",
)
_NLTK = ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib")


class WordNet:
    """A dictionary in a folder, or in a zip file, that holds `index.noun` and its kin."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self._index: dict[str, dict[str, list[str]]] | None = None
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        self._found: dict[str, frozenset[tuple[str, int]]] = {}

    def synsets(self, phrase: str) -> frozenset[tuple[str, int]]:
        """The synsets of a word or phrase or of its base forms, as (part of speech, offset).

        `phrase` is as `text.vqa.process` leaves it; several words are one phrase ("polar bear"),
        of which one word may be inflected ("polar bears"). Remembered.

        Raises:
            DataError: a file that is not in WordNet's form.
        """
        found = self._found.get(phrase)
        if found is None:
            found = frozenset(self._look_up(phrase))
            self._found[phrase] = found
        return found

    def _look_up(self, phrase: str) -> Iterator[tuple[str, int]]:
        if not phrase or phrase.count(" ") >= _MOST_WORDS:
            return
        for part, lemmas in self._load().items():
            for form in {phrase, *self._base_forms(phrase, part)}:
                for entry in lemmas.get(form, ()):
                    for offset in self._offsets(entry, part):
                        yield part, offset

    def _base_forms(self, phrase: str, part: str) -> Iterator[str]:
        yield from self._exceptions[part].get(phrase, ())
        words = phrase.split(" ")
        for place, word in enumerate(words):
            for base in self._bases(word, part):
                yield " ".join([*words[:place], base, *words[place + 1 :]])

    def _bases(self, word: str, part: str) -> list[str]:
        """The lemmas that a word is a form of: as the exceptions have it, else by its ending."""
        irregular = self._exceptions[part].get(word)
        if irregular is not None:
            return irregular
        if part == "noun" and (word.endswith("ss") or len(word) <= 2):
            return []
        lemmas = self._load()[part]
        stems = [
            word[: -len(ending)] + instead
            for ending, instead in _ENDINGS[part]
            if word.endswith(ending)
        ]
        return [stem for stem in stems if stem in lemmas]

    def _offsets(self, entry: str, part: str) -> list[int]:
        fields = entry.split()
        try:
            count = int(fields[2])
            if count < 1 or len(fields) < 6 + count:
                raise ValueError
            return [int(field) for field in fields[-count:]]
        except (IndexError, ValueError):
            raise DataError(
                f"{self.source}: the entry {entry[:60]!r} of index.{part} is not in WordNet's form. "
                f"{_REMEDY}"
            ) from None

    def _load(self) -> dict[str, dict[str, list[str]]]:
        if self._index is None:
            index: dict[str, dict[str, list[str]]] = {}
            for part in _PARTS:
                self._exceptions[part] = _exceptions(_lines(self.source, f"{part}.exc"))
                index[part] = _lemmas(_lines(self.source, f"index.{part}"))
            self._index = index
        return self._index


def _lemmas(lines: Iterable[str]) -> dict[str, list[str]]:
    """The lines of an index file by their lemmas; the licence at its head begins with spaces."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line and line[0] != " ":
            found.setdefault(process(line.partition(" ")[0]), []).append(line)
    return found


def _exceptions(lines: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for form, *bases in filter(None, map(str.split, lines)):
        found.setdefault(process(form), []).extend(process(base) for base in bases)
    return found


def _lines(source: Path, name: str) -> list[str]:
    try:
        if source.suffix == ".zip":
            with zipfile.ZipFile(source) as archive:
                data = archive.read(f"wordnet/{name}")
        else:
            data = (source / name).read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        if name.endswith(".exc"):
            return []
        raise DataError(f"{source}: its {name} cannot be read ({error}). {_REMEDY}") from None
    return data.decode("utf-8", "replace").split("\n")


def find(path: str = "") -> WordNet:
    """The dictionary at `path`, at EYECHART_WORDNET, or where one is usually installed.

    A path may name the folder of the database, one that holds it as `dict` or `corpora/wordnet`,
    or nltk's `wordnet.zip`. The same dictionary is read once in a process.

    Raises:
        UsageError: there is none; the message says how to get one.
    """
    for named, by in ((path, "the option wordnet"), (_variable("EYECHART_WORDNET"), None)):
        if named:
            source = _within(_at_home(named))
            if source is None:
                raise UsageError(
                    f"{named}: no WordNet dictionary is there ({by or 'EYECHART_WORDNET'} names it; "
                    f"a folder with index.noun, or nltk's wordnet.zip). {_REMEDY}"
                )
            return _opened(source)
    for place in _places():
        source = _within(place)
        if source is not None:
            return _opened(source)
    raise UsageError(f"vqa_soft needs a WordNet dictionary, and none is installed. {_REMEDY}")


@cache
def _opened(source: Path) -> WordNet:
    return WordNet(source)


def _within(place: Path) -> Path | None:
    """The folder or zip file of the database at or below a place."""
    for source in (place, place / "dict", place / "corpora/wordnet"):
        if (source / "index.noun").is_file():
            return source
    for source in (place, place / "corpora/wordnet.zip"):
        if source.suffix == ".zip" and source.is_file():
            return source
    return None


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # nobody's home is known
        return Path(path)


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()


def _places() -> Iterator[Path]:
    for name in ("WNSEARCHDIR", "WNHOME"):
        if _variable(name):
            yield Path(_variable(name))
    yield from map(Path, _USUAL)
    yield from map(Path, filter(None, _variable("NLTK_DATA").split(os.pathsep)))
    yield _at_home("~/nltk_data")
    for folder in ("", "share", "lib"):
        yield Path(sys.prefix) / folder / "nltk_data"
    for base in _NLTK:
        yield Path(base) / "nltk_data"
