"""RefCOCO, RefCOCO+ and RefCOCOg the other way round: describe the object in a box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats.captions import regions, written_box
from eyechart.formats.records import object_size
from eyechart.formats.refer import FOLDERS, USUAL
from eyechart.values import Captions, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyechart.formats.data import Data

_SIZES = {
    "refcoco": {"val": 3811, "testA": 1975, "testB": 1810},
    "refcoco+": {"val": 3805, "testA": 1975, "testB": 1798},
    "refcocog": {"val": 2573, "test": 5023},
}
_WORDING = (
    "Describe the object in the box {box} (x1, y1, x2, y2 in pixels of this {size} image) in a few "
    "words, so that it cannot be taken for another."
)


def _define(name: str, splits: Mapping[str, int]) -> None:
    @benchmark(
        f"{name}-reg",
        task="refer",
        protocol="captions",
        template=Template(_WORDING),
        splits=splits,
        aliases={f"{name}_reg_{split}": split for split in splits} | {f"{name}_reg": None},
        about=f"Referring expression generation on {name}; the unit is the object",
        data=f"{name}_<split>_refs_by_ref_id.jsonl, {name}_<split>.json, or "
        f"refs({USUAL[name]}).p with instances.json",
        citation="Kazemzadeh et al., EMNLP 2014; Yu et al., ECCV 2016; Mao et al., CVPR 2016",
    )
    def rows(data: Data, split: str) -> Iterator[Sample]:
        for row in regions(data, name, USUAL[name], split):
            # the official evaluation drops what is not ASCII from the references, not from replies
            texts = tuple(text.encode("ascii", "ignore").decode() for text in row.sentences)
            yield Sample(
                id=row.id,
                task="refer",
                image=data.image(row.file_name, row.width, row.height, FOLDERS),
                asked={"box": written_box(row.box), "size": f"{row.width} x {row.height}"},
                target=Captions(texts),
                group=row.file_name,
                tags={"split": split, "size": object_size(row.box)},
            )


for _name, _splits in _SIZES.items():
    _define(_name, _splits)
