"""RefCOCO, RefCOCO+ and RefCOCOg: one expression, one box; the unit is the expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats.refer import FOLDERS, USUAL, read_phrases
from eyechart.values import Boxes, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eyechart.formats.data import Data

_YU = "Yu et al., Modeling Context in Referring Expressions, ECCV 2016"
_MAO = "Mao et al., Generation and Comprehension of Unambiguous Object Descriptions, CVPR 2016"
_SETS: dict[str, tuple[str, str, Mapping[str, int | None]]] = {
    "refcoco": ("RefCOCO", _YU, {"val": 10834, "testA": 5657, "testB": 5095}),
    "refcoco+": ("RefCOCO+", _YU, {"val": 10758, "testA": 5726, "testB": 4889}),
    "refcocog": ("RefCOCOg", _MAO, {"val": 4896, "test": 9602}),
    "refcocog-google": ("RefCOCOg_google", _MAO, {"val": None}),
}


def _define(name: str, title: str, citation: str, splits: Mapping[str, int | None]) -> None:
    stem = name.replace("-", "_")
    folder, _, by = name.partition("-")
    spelt = (stem, title, f"{stem}_bbox_rec", f"{stem}_bbox", stem.replace("+", "plus"))

    @benchmark(
        name,
        task="ground",
        protocol="rec",
        template=Template("Locate the region that this sentence describes: {expression}"),
        splits=splits,
        aliases={f"{one}_{split}": split for one in spelt for split in splits} | {title: None},
        about=f"Referring expression comprehension, {title}",
        data=f"[finetune_]{stem}_<split>.json, or refs({by or USUAL[name]}).p with instances.json",
        args={"split_by": ""},
        citation=citation,
    )
    def rows(data: Data, split: str, split_by: str = "") -> Iterator[Sample]:
        stems = (f"finetune_{stem}_{split}", f"{stem}_{split}")
        names = [f"{one}{end}" for one in stems for end in (".json", ".*.json")]
        for row, more in read_phrases(data, split, names, folder, by or USUAL[name], split_by):
            yield Sample(
                id=row.id,
                task="ground",
                image=data.image(row.file_name, row.width, row.height, FOLDERS),
                asked={"expression": row.phrase},
                target=Boxes(row.boxes),
                group=row.file_name,
                tags={"split": split, "dataset": row.dataset or name, **row.slices, **more},
            )


for _name, _facts in _SETS.items():
    _define(_name, *_facts)
