"""Flickr30k Entities: `Sentences/*.txt`, `Annotations/*.xml`, and the json that orders phrases.

Sources of the rules: BryanPlummer/flickr30k_entities, `flickr30k_entities_utils.py`, 68b3d6f12d1d
(which takes 1 from every coordinate), and its copies in ashkamath/mdetr `datasets/flickr_eval.py`
and microsoft/unilm `kosmos-2/evaluation/flickr_entities`, which do not. The json
(`final_flickr_separateGT_<split>.json`) is MDETR's, made by `scripts/pre-training/
flickr_combined.py`.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from eyechart.errors import DataError
from eyechart.formats.records import Once
from eyechart.io.files import decode, parse_json, read_bytes, read_text
from eyechart.values import Box

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from eyechart.formats.flickr30k_xml import Annotations

IMAGE_FOLDERS = ("flickr30k-images", "flickr30k_images", "Images")
_PARTS = ("Sentences", "Annotations")
# a phrase as it should be marked, in words parted by single blanks: chain, /types, text
_MARKED = re.compile(r"\[(?<!\S\[)/EN#([^\s\[\]/]*+)((?:/[^\s\[\]/]*+)*+) ([^\[\]\n]++)\](?!\S)")
_HEAD = re.compile(r"\[\S++ ")
# where the two folders may lie below the one that a user names
_FOLDERS = ("", "annotations", "data", "flickr30k_entities", "Flickr30kEntities")


# A marked phrase: its chain, its types (each after a slash: `/people/clothing`), its text.
Mark = tuple[str, str, str]


class Sentence(msgspec.Struct, frozen=True):
    """A sentence without its marks, its phrases in order, and its line with the marks.

    Words are joined by single blanks.
    """

    text: str
    marks: list[Mark]
    line: str

    def first_words(self) -> list[int]:
        """The place of each phrase's first word among the words of the sentence."""
        return [first for first, _ in _word_by_word(self.line.split(), "")[1]]

    def starts(self) -> list[int]:
        """The place of each phrase's first character in the sentence."""
        words = self.text.split(" ")
        return [sum(len(word) + 1 for word in words[:first]) for first in self.first_words()]


class Picture(NamedTuple):
    """All that the data set says of a picture."""

    sentences: list[Sentence]
    annotations: Annotations


class Asked(msgspec.Struct, frozen=True):
    """The phrases of a sentence that have boxes (xyxy, pixels); width and height in pixels."""

    image_id: str
    width: int
    height: int
    sentence: int
    caption: str
    phrases: list[Boxed]


class Boxed(msgspec.Struct, frozen=True, gc=False):
    """A phrase with boxes; `position` counts all phrases of its sentence.

    `repeats` is the position of the first phrase with boxes of the same text in that sentence, where
    that is another one; `types` are as in a `Mark`.
    """

    position: int
    text: str
    types: str
    boxes: tuple[Box, ...]
    repeats: int | None


def parse_sentences(text: str, where: str) -> list[Sentence]:
    """The sentences of a file, one a line; empty lines are passed over and not numbered.

    A phrase is opened by a word that begins with `[` and closed by the next word that ends with
    `]`; the opening word is `[/EN#chain/type/type...`. One that is never closed is no phrase.

    Raises:
        DataError: a word with `[` that opens no phrase; the message begins with `where` and the line.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _well_marked(text) or [
        _sentence(line, f"{where}, line {number}")
        for number, line in enumerate(text.split("\n"), start=1)
        if line
    ]


def _well_marked(text: str) -> list[Sentence] | None:
    """The sentences of a file all of whose brackets are marks and all of whose blanks are single."""
    if "  " in text or " \n" in text or "\n " in text or text[:1] == " " or text[-1:] == " ":
        return None
    marks = _MARKED.findall(text)
    if not (text.count("[") == len(marks) == text.count("]")):
        return None
    if not text.replace("\n", "").isprintable():
        return None  # white space of other kinds parts words too
    found = []
    done = 0
    plain = _HEAD.sub("", text).replace("]", "").split("\n")
    for line, words in zip(text.split("\n"), plain, strict=True):
        if line:
            end = done + line.count("[")
            found.append(Sentence(words, marks[done:end], line))
            done = end
    return found


def _sentence(line: str, where: str) -> Sentence:
    words, phrases = _word_by_word(line.split(), where)
    return Sentence(" ".join(words), [mark for _, mark in phrases], line)


def _word_by_word(tokens: list[str], where: str) -> tuple[list[str], list[tuple[int, Mark]]]:
    """The rule in full: the words, and the phrases with their first words' places."""
    words: list[str] = []
    phrases: list[tuple[int, Mark]] = []
    opened: list[str] | None = None
    first = 0
    for token in tokens:
        if opened is None and token[0] == "[":
            opened = token.split("/")
            first = len(words)
            if len(opened) < 2:
                raise DataError(
                    f"{where}: {token!r} begins with a bracket and opens no phrase "
                    "(`[/EN#chain/type words]`)."
                )
            continue
        closes = opened is not None and token[-1] == "]"
        words.append(token[:-1] if closes else token)
        if opened is not None and closes:
            types = "".join(f"/{one}" for one in opened[2:])
            phrases.append((first, (opened[1][3:], types, " ".join(words[first:]))))
            opened = None
    return words, phrases


class Entities:
    """The data set in a folder; each picture is read once, when it is asked for."""

    def __init__(self, folder: Path, shifted: bool = False) -> None:
        """`folder` holds `Sentences/` and `Annotations/`.

        `shifted` takes 1 from each coordinate, as the reader of the data set's authors does.
        """
        self.folder = folder
        self._root = str(folder)
        self._shifted = shifted
        self._pictures: dict[str, Picture] = {}
        # its patterns take a while to compile
        from eyechart.formats.flickr30k_xml import parse_annotations

        self._parse = parse_annotations

    def picture(self, image_id: str) -> Picture:
        """Sentences and boxes of a picture.

        Raises:
            DataError: a file is missing or broken; names it and, where there is one, the line.
        """
        found = self._pictures.get(image_id)
        if found is None:
            if "/" in image_id or "\\" in image_id or "\0" in image_id:
                raise DataError(f"{self.folder}: {image_id!r} is no id of a picture.")
            path = f"{self._root}/Annotations/{image_id}.xml"
            annotations = self._parse(_read(path), path, self._shifted)
            path = f"{self._root}/Sentences/{image_id}.txt"
            sentences = parse_sentences(_text(path), path)
            found = self._pictures[image_id] = Picture(sentences, annotations)
        return found


def _read(path: str) -> bytes:
    """As `read_bytes`, in a third of the time: there are two files a picture."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            size = os.fstat(handle).st_size
            data = os.read(handle, size + 1)
        finally:
            os.close(handle)
    except OSError:
        return read_bytes(Path(path))
    whole = data if len(data) == size else read_bytes(Path(path))
    return whole.removeprefix(b"\xef\xbb\xbf")


def _text(path: str) -> str:
    data = _read(path)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return decode(data, Path(path))


def find_folder(root: Path | None) -> Path:
    """The folder that holds `Sentences/` and `Annotations/`, at or just below `root`.

    Raises:
        DataError: there is none; says where it was sought.
    """
    if root is None:
        raise DataError(
            "No data given: --data DIR names a folder with Sentences/ and Annotations/."
        )
    for sub in _FOLDERS:
        if all((root / sub / part).is_dir() for part in _PARTS):
            return root / sub
    raise DataError(
        f"{root}: no folder with Sentences/ and Annotations/ there"
        f"{''.join(f', in {sub}/' for sub in _FOLDERS if sub)}. Unpack annotations.zip of Flickr30k "
        "Entities and name its folder: --data DIR."
    )


def read_ids(path: Path) -> list[str]:
    """The picture ids in a split's list, one a line; empty lines are passed over.

    Raises:
        DataError: the file cannot be read, or an id stands twice.
    """
    once = Once(path, "picture id")
    ids = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if image_id := line.strip():
            once.take(image_id, f"line {number}")
            ids.append(image_id)
    return ids


def phrases(data: Entities, ids: Iterable[str]) -> Iterator[Asked]:
    """All sentences of these pictures that have phrases with boxes, in the order of ids.

    Raises:
        DataError: as `Entities.picture`, or a picture without a size.
    """
    for image_id in ids:
        picture = data.picture(image_id)
        sizes = picture.annotations.sizes
        try:
            width, height = (_pixels(sizes.get(side), side) for side in ("width", "height"))
        except _Fault as fault:
            raise DataError(f"{data.folder}/Annotations/{image_id}.xml: {fault}") from None
        for number, sentence in enumerate(picture.sentences):
            if boxed := with_boxes(sentence, picture.annotations.boxes):
                yield Asked(image_id, width, height, number, sentence.text, boxed)


def with_boxes(sentence: Sentence, boxes: Mapping[str, tuple[Box, ...]]) -> list[Boxed]:
    """The phrases of a sentence whose chain has boxes, in order."""
    first: dict[str, int] = {}
    found = []
    for position, (chain, types, text) in enumerate(sentence.marks):
        true = boxes.get(chain)
        if true is not None:
            before = first.setdefault(text, position)
            repeats = None if before == position else before
            found.append(Boxed(position, text, types, true, repeats))
    return found


@lru_cache(4096)
def slices(split: str, types: str, repeats: int | None) -> dict[str, str]:
    """The tags of a `Boxed` phrase: `split`, and, where it has them, `categories` and `repeats`.

    `categories` are its types joined by `/`. Equal phrases are given the same dictionary.
    """
    tags = {"split": split}
    if types:
        tags["categories"] = types[1:]
    if repeats is not None:
        tags["repeats"] = str(repeats)
    return tags


def _pixels(value: float | str | None, what: str) -> int:
    try:
        number = float(value) if value is not None else 0.0
    except (ValueError, OverflowError):
        number = 0.0
    if number >= 1 and number.is_integer():
        return int(number)
    raise _Fault(f"the picture's {what} is {value!r}, not a whole number above 0.")


class _Image(msgspec.Struct, gc=False):
    caption: str
    original_img_id: int | str
    sentence_id: int
    tokens_positive_eval: list[list[tuple[int, int]]]
    width: int | float | str
    height: int | float | str


class _File(msgspec.Struct):
    images: list[_Image]


def phrases_in_order_of(path: Path, data: Entities) -> Iterator[Asked]:
    """The phrases that the json names, in its order: of each of its phrases the first span.

    A span is the phrase of that text that begins there; failing that, the first one of its text
    that is not named yet. Width and height are the json's, by which replies are placed.

    Raises:
        DataError: as `phrases`; or the json is of another form, has a sentence twice, or names a
            phrase that the data set's own files do not have.
    """
    document: _File = parse_json(read_bytes(path), _File, path)
    seen: set[tuple[str, int]] = set()
    for place, image in enumerate(document.images):
        if image.tokens_positive_eval:
            key = str(image.original_img_id), image.sentence_id
            try:
                if key in seen:
                    raise _Fault(f"sentence {key[1]} of picture {key[0]} stands twice.")
                seen.add(key)
                yield _in_order_of(image, *key, data)
            except _Fault as fault:
                raise DataError(f"{path}, images[{place}]: {fault}") from None


def _in_order_of(image: _Image, image_id: str, number: int, data: Entities) -> Asked:
    picture = data.picture(image_id)
    if not 0 <= number < len(picture.sentences):
        raise _Fault(f"picture {image_id} has no sentence {number}.")
    sentence = picture.sentences[number]
    boxed = with_boxes(sentence, picture.annotations.boxes)
    caption = image.caption
    texts = [caption[slice(*spans[0])] if spans else "" for spans in image.tokens_positive_eval]
    # equal texts are told apart by where they begin
    if texts != [one.text for one in boxed] or len(set(texts)) < len(texts):
        boxed = _named(image, sentence, boxed)
    width, height = _pixels(image.width, "width"), _pixels(image.height, "height")
    return Asked(image_id, width, height, number, sentence.text, boxed)


def _named(image: _Image, sentence: Sentence, boxed: list[Boxed]) -> list[Boxed]:
    """The phrases that the spans mean, where they are not simply all of them in order."""
    starts = sentence.starts()
    left = {(starts[one.position], one.text): one for one in boxed}
    found = []
    for spans in image.tokens_positive_eval:
        start, end = spans[0] if spans else (0, 0)
        text = image.caption[start:end]
        key = (start, text)
        if key not in left:
            key = next((other for other in left if other[1] == text), key)
        if key not in left:
            raise _Fault(
                f"{text!r} is no phrase with boxes of that sentence in the data set's own files, "
                "or is named more often than it stands there."
            )
        found.append(left.pop(key))
    return found


class _Fault(Exception):
    """What is wrong with a record; its place is added where it is known."""
