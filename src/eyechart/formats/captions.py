"""Files of captions: pictures, or regions of them, with several reference texts each.

Pictures come in three layouts, told by their form:

| layout | form |
|---|---|
| COCO's own (also the Karpathy split) | `{"images": [...], "annotations": [{"image_id", "caption"}]}` |
| Karpathy's `dataset_coco.json` | `{"images": [{"cocoid", "split", "sentences": [{"raw"}]}]}` |
| LAVIS | `[{"image": "val2014/COCO_val2014_000000391895.jpg", "caption": [...]}]` |

Regions are JSON lines, a referred object each: `{"ref_id": 47, "img_id":
"COCO_train2014_000000581282_10", "bbox": [x, y, width, height], "height": 480, "width": 640,
"sentences": [...]}`, the box in pixels; the picture's file is the `img_id` without its last `_N`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats import refer
from eyechart.formats.records import Once, decode_each, from_xywh
from eyechart.io.files import parse_json, read_bytes, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from eyechart.formats.data import Data
    from eyechart.formats.mdetr import Phrase
    from eyechart.values import Box

_BOM = b"\xef\xbb\xbf"
_LAST_NUMBER = re.compile(r"(\d+)\D*$")


@dataclass(frozen=True, slots=True)
class Captioned:
    """A picture with its captions in file order; `id` is COCO's image id."""

    id: str
    file_name: str
    width: int | None
    height: int | None
    captions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """An object in a picture (box xyxy, pixels) with what people called it."""

    id: str
    file_name: str
    width: int
    height: int
    box: Box
    sentences: tuple[str, ...]


class _File(msgspec.Struct):
    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw] | None = None


class _Image(msgspec.Struct):
    id: int | str
    file_name: str = ""
    width: int | None = None
    height: int | None = None


class _Caption(msgspec.Struct):
    image_id: int | str
    caption: str


class _Sentence(msgspec.Struct):
    raw: str


class _Divided(msgspec.Struct):
    cocoid: int | str
    filename: str
    split: str
    sentences: list[_Sentence]
    filepath: str = ""


class _Listed(msgspec.Struct):
    image: str
    caption: list[str] | str


class _Ref(msgspec.Struct):
    ref_id: int | str
    img_id: str
    bbox: tuple[float, ...]
    height: int
    width: int
    sentences: list[str]


def read_pictures(path: Path, split: str = "") -> Iterator[Captioned]:
    """The pictures of a file in its order; `split` chooses where the file itself is divided.

    Raises:
        DataError: another layout, an image id that stands twice, an annotation of no picture, or a
            picture without captions; the message names it.
    """
    data = read_bytes(path).removeprefix(_BOM)
    if data[:64].lstrip().startswith(b"["):
        found = _listed(data, path)
    else:
        document: _File = parse_json(data, _File, path)
        if document.annotations is None:
            found = _divided(document.images, path, split)
        else:
            found = _joined(document.images, document.annotations, path)
    once = Once(path, "image id")
    empty = True
    for position, one in enumerate(found, start=1):
        once.take(one.id, f"picture number {position}")
        if not one.captions:
            raise DataError(f"{path}: image {one.id} has no captions.")
        empty = False
        yield one
    if empty:
        raise DataError(f"{path}: has no pictures{f' of split {split}' if split else ''}.")


def _joined(
    images: list[msgspec.Raw], annotations: list[msgspec.Raw], path: Path
) -> Iterator[Captioned]:
    rows = decode_each(images, _Image, path, "image", "id")
    captions: dict[int | str, list[str]] = {row.id: [] for row in rows}
    for one in decode_each(annotations, _Caption, path, "annotation", "id"):
        if one.image_id not in captions:
            raise DataError(
                f"{path}: a caption belongs to image {one.image_id}, which the file does not have."
            )
        captions[one.image_id].append(one.caption)
    for row in rows:
        name = row.file_name or str(row.id)
        yield Captioned(str(row.id), name, row.width, row.height, tuple(captions[row.id]))


def _divided(images: list[msgspec.Raw], path: Path, split: str) -> Iterator[Captioned]:
    for one in decode_each(images, _Divided, path, "image", "cocoid"):
        if split in ("", one.split):
            texts = tuple(sentence.raw for sentence in one.sentences)
            name = f"{one.filepath}/{one.filename}" if one.filepath else one.filename
            yield Captioned(str(one.cocoid), name, None, None, texts)


def _listed(data: bytes, path: Path) -> Iterator[Captioned]:
    raw = parse_json(data, list[msgspec.Raw], path)
    for position, one in enumerate(decode_each(raw, _Listed, path, "row", "image"), start=1):
        number = _LAST_NUMBER.search(one.image[-64:])
        if number is None:
            raise DataError(f"{path}: row {position}: no image id in the name {one.image!r}.")
        texts = [one.caption] if isinstance(one.caption, str) else one.caption
        yield Captioned(str(int(number[1])), one.image, None, None, tuple(texts))


def regions(data: Data, dataset: str, split_by: str, split: str) -> Iterator[Region]:
    """A split's regions from whichever file is there: JSON lines, flat rows, REFER's folder.

    JSON lines are `<dataset>_<split>_refs_by_ref_id.jsonl`, or any such file that the user named.

    Raises:
        DataError: there is none, or it is at fault.
    """
    named = data.path if data.path is not None and data.path.is_file() else None
    path = named or data.file_beside(f"{dataset}_{split}_refs_by_ref_id.jsonl")
    if path is not None and path.name.removesuffix(".gz").endswith(".jsonl"):
        return read_regions(path)
    names = [f"{dataset}_{split}.json", f"{dataset}_{split}.*.json"]
    return regions_of(refer.read_phrases(data, split, names, dataset, split_by))


def written_box(box: Box) -> str:
    """A box as a question shows it, `[x1, y1, x2, y2]` with six digits at most."""
    return "[" + ", ".join(f"{value:g}" for value in box) + "]"


def read_regions(path: Path) -> Iterator[Region]:
    """The regions of a file of JSON lines, in its order; the id is the `ref_id`.

    Raises:
        DataError: another layout, an id that stands twice, a bad box, no sentences; names the line.
    """
    once = Once(path, "ref_id")
    for number, row in read_jsonl(path, _Ref):
        where = f"{path}, line {number}"
        once.take(row.ref_id, f"line {number}")
        stem, _, last = row.img_id.rpartition("_")
        if not stem or not last.isdigit():
            raise DataError(f"{where}: an img_id ends in _ and a number, after the picture's name.")
        if row.width <= 0 or row.height <= 0:
            raise DataError(f"{where}: its picture is {row.width} x {row.height} pixels.")
        if not row.sentences:
            raise DataError(f"{where}: the list of sentences is empty.")
        box = from_xywh(row.bbox, (row.width, row.height), where)
        texts = tuple(row.sentences)
        yield Region(str(row.ref_id), f"{stem}.jpg", row.width, row.height, box, texts)


def regions_of(phrases: Iterable[tuple[Phrase, dict[str, str]]]) -> Iterator[Region]:
    """The regions of expressions that came one by one, in the order of each one's first.

    The id is REFER's ref id (slice `ref`), else the `img_id` of flat rows, which is as many.

    Raises:
        DataError: expressions whose file does not say which belong together.
    """
    found: dict[str, list[Phrase]] = {}
    for phrase, slices in phrases:
        name = slices.get("ref") or phrase.id.rpartition("#")[0]
        if not name or not phrase.boxes:
            raise DataError(
                f"Expression {phrase.id}: its file does not say which expressions are of one "
                "object. Give REFER's refs(...).p, the flat rows, or JSON lines with ref_id."
            )
        found.setdefault(name, []).append(phrase)
    for name, group in found.items():
        one = group[0]
        texts = tuple(phrase.phrase for phrase in group)
        yield Region(name, one.file_name, one.width, one.height, one.boxes[0], texts)
