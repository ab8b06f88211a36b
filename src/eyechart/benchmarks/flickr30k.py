"""Flickr30k Entities: where in the picture each phrase of a sentence is; the unit is the phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.benchmarks import benchmark
from eyechart.formats import flickr30k
from eyechart.values import Boxes, Image, Sample, Template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.formats.data import Data

_NAMES = ("flickr30k_entities", "flickr30k-entities", "flickr30kentities")
_SPLITS: dict[str, int | None] = {"test": 14481, "val": 14433, "train": None}


@benchmark(
    "flickr30k",
    task="ground_phrases",
    protocol="flickr_any",
    template=Template('In the sentence "{caption}", locate: {phrase}'),
    splits=_SPLITS,
    aliases={f"{name}_{split}": split for name in _NAMES for split in _SPLITS}
    | dict.fromkeys(_NAMES),
    args={"shifted": False},
    about="Phrase grounding, Flickr30k Entities",
    data="Sentences/, Annotations/, <split>.txt (or MDETR's final_flickr_separateGT_<split>.json, "
    "whose order the samples then have), pictures",
    citation="Plummer et al., Flickr30k Entities, IJCV 2017",
)
def rows(data: Data, split: str, shifted: bool = False) -> Iterator[Sample]:
    """`shifted` takes 1 from all true coordinates, as the reader of the data set's authors does."""
    entities = flickr30k.Entities(flickr30k.find_folder(data.folder), shifted)
    data.look_beside(entities.folder / f"{split}.txt")
    stem = f"separateGT_{split}.json"
    order = data.optional_file(f"final_flickr_{stem}", f"*{stem}")
    if order is not None and order.suffix != ".txt":
        found = flickr30k.phrases_in_order_of(order, entities)
    else:
        found = flickr30k.phrases(entities, flickr30k.read_ids(data.file(f"{split}.txt")))
    images: dict[str, Image] = {}
    for asked in found:
        name = f"{asked.image_id}.jpg"
        if name not in images:
            images[name] = data.image(name, asked.width, asked.height, flickr30k.IMAGE_FOLDERS)
        sentence = f"{asked.image_id}#{asked.sentence}#"
        for one in asked.phrases:
            yield Sample(
                id=f"{sentence}{one.position}",
                task="ground_phrases",
                image=images[name],
                asked={"phrase": one.text, "caption": asked.caption},
                target=Boxes(one.boxes),
                group=name,
                tags=flickr30k.slices(split, one.types, one.repeats),
            )
