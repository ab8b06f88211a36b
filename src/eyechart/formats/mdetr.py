"""MDETR's annotation files (`finetune_*.json`): one image record a phrase, its boxes beside it.

The layout is COCO's: `images` (one record per phrase, so a picture occurs often) and `annotations`
joined to them by `image_id`, boxes as x, y, width, height in pixels. RefCOCO's files have one
annotation for each phrase; others have several, none, or an `empty` one that says: no target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import DataError
from eyechart.formats.records import decode_records, from_xywh, object_size, refuse_twice
from eyechart.io.files import read_bytes
from eyechart.values import Box

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


_NUMBERS = ("none", "one", "several")


class Phrase(msgspec.Struct, frozen=True, gc=False):
    """A phrase with its boxes (xyxy, pixels; none where there is no target).

    `file_name` is the image record's id where the file names no pictures; `alike` says that every
    phrase of the file has exactly one box.
    """

    id: str
    phrase: str
    file_name: str
    width: int
    height: int
    dataset: str
    boxes: tuple[Box, ...]
    alike: bool = True

    @property
    def slices(self) -> dict[str, str]:
        """`size` of a single box; `targets` none, one or several in a file where that differs."""
        count = len(self.boxes)
        size = {"size": object_size(self.boxes[0])} if count == 1 else {}
        return size if self.alike else size | {"targets": _NUMBERS[min(count, 2)]}


class _Image(msgspec.Struct, gc=False):
    id: int | str
    height: int
    width: int
    caption: str
    file_name: str = ""
    dataset_name: str = ""


class _Annotation(msgspec.Struct, gc=False):
    id: int | str
    image_id: int | str
    bbox: tuple[float, ...]
    empty: bool = False


class _File(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]


_ARRAYS = {"images": ("image", "id"), "annotations": ("annotation", "id")}


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
    document = decode_records(data.removeprefix(b"\xef\xbb\xbf"), _File, path, _ARRAYS)
    images, annotations = document.images, document.annotations
    by_image = _joined(path, images, annotations)
    single = all(len(found) == 1 for found in by_image.values())
    alike = single and not any(one.empty for one in annotations)
    for image in images:
        found = by_image[image.id]
        yield Phrase(
            str(found[0].id if single else image.id),
            image.caption,
            image.file_name or str(image.id),
            image.width,
            image.height,
            image.dataset_name,
            tuple([_box(path, image, one) for one in found if not one.empty]),
            alike,
        )


def _joined(
    path: Path, images: list[_Image], annotations: list[_Annotation]
) -> dict[int | str, list[_Annotation]]:
    _refuse_same_ids(path, "image", images)
    joined: dict[int | str, list[_Annotation]] = {image.id: [] for image in images}
    for image in images:
        if image.width <= 0 or image.height <= 0:
            raise DataError(f"{path}: image {image.id} is {image.width} x {image.height} pixels.")
    _refuse_same_ids(path, "annotation", annotations)
    for annotation in annotations:
        found = joined.get(annotation.image_id)
        if found is None:
            raise DataError(
                f"{path}: annotation {annotation.id} belongs to image {annotation.image_id}, "
                "which the file does not have."
            )
        found.append(annotation)
    return joined


def _refuse_same_ids(path: Path, what: str, records: Sequence[_Image | _Annotation]) -> None:
    ids = [record.id for record in records]
    if len(set(ids)) < len(ids):
        refuse_twice(ids, path, f"{what} id", what)


def _box(path: Path, image: _Image, annotation: _Annotation) -> Box:
    plain = plain_box(annotation.bbox, image.width, image.height)
    if plain is not None:
        return plain
    return from_xywh(
        annotation.bbox, (image.width, image.height), f"{path}: annotation {annotation.id}"
    )


def plain_box(xywh: Sequence[float], width: int, height: int) -> Box | None:
    """x, y, width, height (finite, pixels) as xyxy; None where something may be wrong with it.

    `records.from_xywh` then says what, with the place, whose name costs more than the box.
    """
    if len(xywh) != 4:
        return None
    x, y, wide, high = xywh
    right, bottom = x + wide, y + high
    well = 0 < right > x < width and 0 < bottom > y < height
    return (x, y, right, bottom) if well else None
