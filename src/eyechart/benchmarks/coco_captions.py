"""COCO captions: describe a picture; Karpathy's test and validation pictures, or all of val2014."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats.captions import read_pictures
from eyechart.values import Captions, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data


@benchmark(
    "coco-captions",
    task="caption",
    protocol="captions",
    template=Template("Describe the image in one sentence."),
    splits={"test": 5000, "val": 5000, "val2014": 40504},
    aliases={
        **dict.fromkeys(("coco_caption", "coco-caption", "coco_captions"), "test"),
        **dict.fromkeys(("coco_karpathy", "coco_karpathy_test"), "test"),
        "coco_karpathy_val": "val",
        "coco2014_cap_val": "val2014",
    },
    about="Captions of COCO pictures against five human ones, Karpathy's division",
    data="coco_<split>_karpathy.json, coco_karpathy_<split>[_gt].json, dataset_coco.json or "
    "captions_val2014.json, pictures of COCO 2014",
    citation="Chen et al., Microsoft COCO Captions, 2015; Karpathy and Fei-Fei, CVPR 2015",
)
def coco_captions(data: Data, split: str) -> Iterator[Sample]:
    """One sample a picture; its id is COCO's image id."""
    names = (f"coco_{split}_karpathy", f"coco_karpathy_{split}_gt", f"coco_karpathy_{split}")
    karpathy = [*(f"{name}.json" for name in names), "dataset_coco.json"]
    path = data.file(*(["captions_val2014.json"] if split == "val2014" else karpathy))
    for row in read_pictures(path, split):
        yield Sample(
            id=row.id,
            task="caption",
            image=data.image(row.file_name, row.width, row.height),
            asked={},
            target=Captions(row.captions),
            group=row.file_name,
            tags={"split": split},
        )
