"""MDETR's annotation files (`finetune_*.json`): one image record a phrase, its boxes beside it.

The layout is COCO's: `images` (one record per phrase, so a picture occurs often) and `annotations`
joined to them by `image_id`, boxes as x, y, width, height in pixels. RefCOCO's files have one
annotation for each phrase; others have several, none, or an `empty` one that says: no target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats.records import Once, decode_each, from_xywh
from eyechart.io.files import parse_json, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eyechart.values import Box


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with its boxes (xyxy, pixels; none where there is no target).

    `file_name` is the image record's id where the file names no pictures.
    """

    id: str
    phrase: str
    file_name: str
    width: int
    height: int
    dataset: str
    boxes: tuple[Box, ...]


class _File(msgspec.Struct):
    images: list[msgspec.Raw]
    annotations: list[msgspec.Raw]


class _Image(msgspec.Struct):
    id: int | str
    height: int
    width: int
    caption: str
    file_name: str = ""
    dataset_name: str = ""


class _Annotation(msgspec.Struct):
    id: int | str
    image_id: int | str
    bbox: tuple[float, ...]
    empty: bool = False


def read(path: Path) -> Iterator[Phrase]:
    """The phrases of a file in the order of its image records.

    A phrase's id is its annotation's where every image record has exactly one annotation (as in
    RefCOCO's files), else the image record's.

    Raises:
        DataError: another layout, an id used twice, an annotation of no image, a bad box; the
            message names the annotation's id.
    """
    yield from parse(read_bytes(path), path)


def parse(data: bytes, path: Path) -> Iterator[Phrase]:
    """As `read`, of a file's unpacked content."""
    document: _File = parse_json(data.removeprefix(b"\xef\xbb\xbf"), _File, path)
    images = decode_each(document.images, _Image, path, "image", "id")
    annotations = decode_each(document.annotations, _Annotation, path, "annotation", "id")
    by_image = _joined(path, images, annotations)
    single = all(len(found) == 1 for found in by_image.values())
    for image in images:
        found = by_image[image.id]
        yield Phrase(
            id=str(found[0].id if single else image.id),
            phrase=image.caption,
            file_name=image.file_name or str(image.id),
            width=image.width,
            height=image.height,
            dataset=image.dataset_name,
            boxes=tuple(_box(path, image, one) for one in found if not one.empty),
        )


def _joined(
    path: Path, images: list[_Image], annotations: list[_Annotation]
) -> dict[int | str, list[_Annotation]]:
    joined: dict[int | str, list[_Annotation]] = {}
    once = Once(path, "image id")
    for position, image in enumerate(images, start=1):
        once.take(image.id, f"image number {position}")
        joined[image.id] = []
        if image.width <= 0 or image.height <= 0:
            raise DataError(f"{path}: image {image.id} is {image.width} x {image.height} pixels.")
    once = Once(path, "annotation id")
    for position, annotation in enumerate(annotations, start=1):
        once.take(annotation.id, f"annotation number {position}")
        if annotation.image_id not in joined:
            raise DataError(
                f"{path}: annotation {annotation.id} belongs to image {annotation.image_id}, "
                "which the file does not have."
            )
        joined[annotation.image_id].append(annotation)
    return joined


def _box(path: Path, image: _Image, annotation: _Annotation) -> Box:
    return from_xywh(
        annotation.bbox, (image.width, image.height), f"{path}: annotation {annotation.id}"
    )
