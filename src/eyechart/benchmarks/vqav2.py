"""VQA v2: open questions about COCO 2014 pictures, ten human answers each."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats import vqa
from eyechart.text.abilities import ability
from eyechart.values import Answers, Image, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data


@benchmark(
    "vqav2",
    task="answer",
    protocol="vqa_v2",
    template=Template("{question}\nAnswer the question using a single word or phrase."),
    splits={"val": 214354, "train": 443757},
    aliases={"vqav2_val": "val", "vqav2_train": "train", "vqa_v2": None, "VQAv2": None},
    data="v2_OpenEnded_mscoco_<split>2014_questions.json, v2_mscoco_<split>2014_annotations.json, "
    "pictures of COCO 2014",
    citation="Goyal et al., Making the V in VQA Matter, CVPR 2017",
)
def vqav2(data: Data, split: str) -> Iterator[Sample]:
    """Visual question answering with ten human answers a question."""
    stems = (f"v2_OpenEnded_mscoco_{split}2014_questions", f"v2_mscoco_{split}2014_annotations")
    questions, annotations = ((f"{stem}.json", f"{stem}*.json") for stem in stems)
    images: dict[tuple[str, ...], Image] = {}
    for row in vqa.read(*vqa.find_pair(data, questions, annotations)):
        names = row.image_names
        if names not in images:
            images[names] = data.image(names[0], also=names[1:])
        yield Sample(
            id=row.id,
            task="answer",
            image=images[names],
            asked={"question": row.question},
            target=Answers(row.answers),
            group=names[0],
            tags=_tags(
                split,
                row.question_type,
                row.answer_type,
                ability(row.question, row.question_type, row.answer_type),
            ),
        )


@lru_cache(maxsize=4096)
def _tags(split: str, question_type: str, answer_type: str, wanted: str) -> dict[str, str]:
    """The slices; samples that are in the same ones share them."""
    tags = {"split": split, "question_type": question_type, "answer_type": answer_type}
    return {**tags, "ability": wanted}
