"""RefCOCO's validation split in MDETR's layout, and a model's H- lines for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.full_size.words import box, expression, located, nearby, patches

if TYPE_CHECKING:
    import random
    from pathlib import Path

EXPRESSIONS = 10_834
OBJECTS = 3_811
PICTURES = 1_500
ANNOTATIONS_FILE = "finetune_refcoco_val.json"
REPLIES_FILE = "finetune_refcoco_val.locout"
SIZES = ((640, 480), (640, 427), (480, 640), (427, 640), (612, 612), (500, 375), (640, 360))


def write(folder: Path, chance: random.Random, scale: float = 1.0) -> None:
    """The annotations and the lines, one an expression, in the same order."""
    expressions, objects, pictures = (
        max(1, round(n * scale)) for n in (EXPRESSIONS, OBJECTS, PICTURES)
    )
    sizes = {
        picture: chance.choice(SIZES)
        for picture in sorted(chance.sample(range(9, 581_900), pictures))
    }
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    lines: list[str] = []
    order = sorted(chance.choices(tuple(sizes), k=objects))
    places = [chance.randrange(objects) for _ in range(expressions)]
    boxes = [box(chance, *sizes[picture]) for picture in order]
    for number, place in enumerate(sorted(places)):
        picture, caption = order[place], expression(chance)
        images.append(_image(number, picture, sizes[picture], caption))
        annotations.append(_annotation(number, boxes[place], caption))
        lines.append(_line(chance, number, caption, boxes[place], sizes[picture]))
    document = {
        "info": {},
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": [{"supercategory": "object", "id": 1, "name": "object"}],
    }
    (folder / ANNOTATIONS_FILE).write_text(json.dumps(document), encoding="ascii")
    (folder / REPLIES_FILE).write_text("".join(lines), encoding="utf-8")


def _image(number: int, picture: int, size: tuple[int, int], caption: str) -> dict[str, Any]:
    return {
        "file_name": f"COCO_train2014_{picture:012}.jpg",
        "height": size[1],
        "width": size[0],
        "id": number,
        "original_id": picture,
        "caption": caption,
        "dataset_name": "refcoco",
        "tokens_negative": [[0, len(caption)]],
    }


def _annotation(
    number: int, xywh: tuple[float, float, float, float], caption: str
) -> dict[str, Any]:
    return {
        "area": xywh[2] * xywh[3] * 0.62,
        "iscrowd": 0,
        "image_id": number,
        "category_id": 1,
        "id": number,
        "bbox": list(xywh),
        "original_id": 1_000_000 + number,
        "tokens_positive": [[0, len(caption)]],
    }


def _line(
    chance: random.Random,
    number: int,
    caption: str,
    xywh: tuple[float, float, float, float],
    size: tuple[int, int],
) -> str:
    """Mostly one box; sometimes several, none, or another phrase than was asked for."""
    count = chance.choices((1, 2, 3, 0), (90, 6, 2, 2))[0]
    guesses = [patches(nearby(chance, xywh), *size) for _ in range(count)]
    said = caption if chance.random() < 0.98 else expression(chance)
    return (
        f"H-{number}\t-{chance.random():.4f}\t<image></image><grounding>{located(said, guesses)}\n"
    )
