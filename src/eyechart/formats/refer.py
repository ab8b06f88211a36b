"""REFER's data sets: `refs(<split_by>).p`, a pickle of referred objects, and `instances.json`.

The layout of RefCOCO, RefCOCO+, RefCOCOg and RefClef as their authors give them. A ref is one
object that was referred to, with its sentences; one sentence is one expression. `split_by` says who
divided them (`unc`, `google`, `umd`). The split rules are those of the official `refer.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import DataError
from eyechart.formats import refcoco_flat, unpickle
from eyechart.formats.data import COCO_FOLDERS
from eyechart.formats.mdetr import Phrase
from eyechart.formats.records import Once, decode_records, from_xywh, refuse_twice
from eyechart.io.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from eyechart.formats.data import Data

INSTANCES = "instances.json"
# the division that papers mean where they name none
USUAL = {"refcoco": "unc", "refcoco+": "unc", "refcocog": "umd"}
# where pictures lie below the folder that holds the data sets' own
FOLDERS = (*COCO_FOLDERS, "images/mscoco/images/train2014")
_BOM = b"\xef\xbb\xbf"
_ARRAYS = {
    "images": ("image", "id"),
    "annotations": ("annotation", "id"),
    "categories": ("category", "id"),
}


class Sentence(msgspec.Struct, frozen=True):
    """One expression; `sent` is the cleaned text."""

    sent_id: int
    sent: str


class Ref(msgspec.Struct, frozen=True):
    """One referred object with its expressions; `ann_id` names its annotation."""

    ref_id: int
    ann_id: int
    image_id: int
    category_id: int
    split: str
    sentences: list[Sentence]


class Annotation(msgspec.Struct, frozen=True):
    """An object of `instances.json`; `bbox` is x, y, width, height in pixels."""

    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, ...]


class Picture(msgspec.Struct, frozen=True):
    """A picture of `instances.json`, its size in pixels."""

    id: int
    file_name: str
    width: int
    height: int


class Category(msgspec.Struct, frozen=True):
    """A category of objects."""

    id: int
    name: str


class _Instances(msgspec.Struct):
    images: list[Picture]
    annotations: list[Annotation]
    categories: list[Category]


class Refer:
    """The referred objects of one data set, joined to their annotations by id.

    Attributes:
        refs: all refs by id, in file order.
        annotations: all annotations by id.
        pictures: all pictures by id.
        categories: the names of the categories by id.
    """

    refs: dict[int, Ref]
    annotations: dict[int, Annotation]
    pictures: dict[int, Picture]
    categories: dict[int, str]

    def __init__(self, refs_path: Path, instances_path: Path) -> None:
        self._path = refs_path
        self._instances_path = instances_path
        refs = _refs(refs_path)
        data = read_bytes(instances_path).removeprefix(_BOM)
        found = decode_records(data, _Instances, instances_path, _ARRAYS)
        self.refs = _by_id(refs_path, "ref_id", refs, [ref.ref_id for ref in refs])
        self.annotations = _by_id(
            instances_path,
            "annotation id",
            found.annotations,
            [one.id for one in found.annotations],
        )
        self.pictures = _by_id(
            instances_path, "image id", found.images, [one.id for one in found.images]
        )
        self.categories = {one.id: one.name for one in found.categories}
        self._check()

    def _check(self) -> None:
        once = Once(self._path, "sent_id")
        for ref in self.refs.values():
            where = f"{self._path}: ref {ref.ref_id}"
            annotation = self.annotations.get(ref.ann_id)
            lacks = (
                f"annotation {ref.ann_id}"
                if annotation is None
                else f"image {ref.image_id}"
                if ref.image_id not in self.pictures
                else f"category {ref.category_id}"
                if ref.category_id not in self.categories
                else ""
            )
            if lacks:
                raise DataError(
                    f"{where} names {lacks}, which {self._instances_path} does not have: "
                    "the two files must be of one data set."
                )
            if annotation is not None and annotation.image_id != ref.image_id:
                raise DataError(
                    f"{where} is in image {ref.image_id}, its annotation {ref.ann_id} in image "
                    f"{annotation.image_id} of {self._instances_path}."
                )
            for sentence in ref.sentences:
                once.take(sentence.sent_id, f"in ref {ref.ref_id}")

    def ref_ids(self, split: str = "") -> list[int]:
        """The ids of a split's refs in file order; all of them where `split` is empty.

        Raises:
            DataError: no such split (see `in_split`).
        """
        if not split:
            return list(self.refs)
        return [ref.ref_id for ref in self.refs.values() if in_split(ref.split, split)]

    def phrases(self, split: str = "") -> Iterator[tuple[Phrase, dict[str, str]]]:
        """The split's sentences, in the order of the refs and of the sentences in each.

        The id is the sentence's; beside each its slices: `category`, and `ref`, the object's id.

        Raises:
            DataError: no such split, or a box that is none.
        """
        for ref_id in self.ref_ids(split):
            ref = self.refs[ref_id]
            picture = self.pictures[ref.image_id]
            box = from_xywh(
                self.annotations[ref.ann_id].bbox,
                (picture.width, picture.height),
                f"{self._instances_path}: annotation {ref.ann_id}",
            )
            tags = {
                "category": self.categories[ref.category_id],
                "ref": str(ref_id),
            }
            for one in ref.sentences:
                yield (
                    Phrase(
                        id=str(one.sent_id),
                        phrase=one.sent,
                        file_name=picture.file_name,
                        width=picture.width,
                        height=picture.height,
                        dataset="",
                        boxes=(box,),
                    ),
                    tags,
                )


def in_split(own: str, wanted: str) -> bool:
    """Whether a ref whose split is `own` belongs to the split `wanted`, as `refer.py` decides.

    testA, testB and testC take every split with that letter in its name (`testAB` is in both);
    test takes every split with "test" in its name; testAB, testBC, testAC, train and val are exact.

    Raises:
        DataError: `wanted` is none of these.
    """
    if wanted in ("testA", "testB", "testC"):
        return wanted[-1] in own
    if wanted == "test":
        return "test" in own
    if wanted in ("testAB", "testBC", "testAC", "train", "val"):
        return own == wanted
    raise DataError(
        f"REFER has no split {wanted!r}; there are train, val, test, testA, testB, testC, testAB, "
        "testBC and testAC."
    )


def read_phrases(
    data: Data, split: str, names: Sequence[str], dataset: str, split_by: str, asked: str = ""
) -> Iterator[tuple[Phrase, dict[str, str]]]:
    """A RefCOCO split in whichever layout is there: flat rows, MDETR's, or REFER's folder.

    Beside each phrase the slices that REFER's files have of it (see `Refer.phrases`).

    `names` are those of the files of the first two layouts, which come before REFER's in a folder
    that has both, unless `asked` names a `split_by` other than the usual one.

    Raises:
        DataError: there is none, or it is at fault.
    """
    found = locate(data, dataset, asked or split_by)
    if found is None and asked:
        raise DataError(
            f"No refs({asked}).p in {data.path} or its folder {dataset}; split_by={asked} "
            "needs REFER's files."
        )
    flat = None if found and (asked or data.folder != data.path) else data.optional_file(*names)
    if found is None or flat is not None:
        for row in refcoco_flat.read_phrases(flat or data.file(*names)):
            yield row, {}
        return
    data.look_beside(found[0])
    data.look_beside(found[0].parent)
    yield from Refer(*found).phrases(split)


def locate(data: Data, dataset: str, split_by: str) -> tuple[Path, Path] | None:
    """The paths of `refs(<split_by>).p` and `instances.json`, or None where there is no such pickle.

    They are looked for in the data folder and in `<dataset>/` below it; a pickle that the user
    named directly is taken whatever its name, with the `instances.json` beside it.

    Raises:
        DataError: the pickle is there, `instances.json` beside it is not.
    """
    if data.path is None:
        return None
    if data.path.is_file():
        named = data.path.name.removesuffix(".gz").endswith(".p")
        refs = data.path if named else None
    else:
        wanted = f"refs({split_by}).p"
        folders = (data.path, data.path / dataset)
        refs = next((found for one in folders if (found := _either(one / wanted))), None)
    if refs is None:
        return None
    instances = _either(refs.parent / INSTANCES)
    if instances is None:
        raise DataError(f"{refs}: no {INSTANCES} (or .gz) beside it; the boxes stand there.")
    return refs, instances


def _either(path: Path) -> Path | None:
    packed = path.with_name(f"{path.name}.gz")
    return next((one for one in (path, packed) if one.is_file()), None)


def _refs(path: Path) -> list[Ref]:
    value = unpickle.read(read_bytes(path), path)
    if not isinstance(value, list):
        raise DataError(f"{path}: holds a {type(value).__name__}, not REFER's list of refs.")
    refs = []
    for position, one in enumerate(value, start=1):
        try:
            refs.append(msgspec.convert(one, Ref))
        except msgspec.ValidationError as error:
            name = one.get("ref_id") if isinstance(one, dict) else None
            known = f" {name}" if isinstance(name, int) else ""
            raise DataError(f"{path}: ref{known} (number {position} of them): {error}.") from None
    return refs


def _by_id(path: Path, what: str, records: list[Any], ids: list[int]) -> dict[int, Any]:
    found = dict(zip(ids, records, strict=True))
    if len(found) < len(ids):
        refuse_twice(ids, path, what, "record")
    return found
