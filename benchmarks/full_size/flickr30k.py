"""Flickr30k Entities' test split: sentences, boxes, the json of its phrases, and H- lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.full_size.words import (
    ADJECTIVES,
    KIN,
    NOUNS,
    RELATIONS,
    box,
    located,
    nearby,
    patches,
)

if TYPE_CHECKING:
    import random
    from pathlib import Path

PICTURES = 1_000
SENTENCES_EACH = 5
PHRASES = 14_481
ANNOTATIONS_FILE = "final_flickr_separateGT_test.json"
REPLIES_FILE = "final_flickr_separateGT_test.locout"
_KINDS = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")
_SIZES = ((500, 375), (500, 333), (375, 500), (333, 500), (500, 500))


@dataclass(frozen=True)
class Chain:
    """One thing of a picture: its id, its kinds, its phrases, and its boxes (x, y, w, h)."""

    id: int
    kinds: str
    phrases: tuple[str, ...]
    boxes: tuple[tuple[float, float, float, float], ...]


@dataclass
class Written:
    """What the json and the replies are made of, in order."""

    images: list[dict[str, Any]]
    lines: list[str]


def write(folder: Path, chance: random.Random, scale: float = 1.0) -> None:
    """`test.txt`, `Sentences/`, `Annotations/`, the json of the phrases, and the replies."""
    pictures = max(1, round(PICTURES * scale))
    counts = _counts(chance, pictures * SENTENCES_EACH, max(5, round(PHRASES * scale)))
    numbers = sorted(chance.sample(range(1_000_000, 8_000_000), pictures))
    for name in ("Sentences", "Annotations"):
        (folder / name).mkdir(exist_ok=True)
    written = Written([], [])
    for place, number in enumerate(numbers):
        size = chance.choice(_SIZES)
        chains = _chains(chance, place * 20 + 1, size)
        (folder / "Annotations" / f"{number}.xml").write_text(_xml(number, size, chains))
        sentences = [
            _sentence(chance, written, number, size, chains, counts.pop(), k)
            for k in range(SENTENCES_EACH)
        ]
        (folder / "Sentences" / f"{number}.txt").write_text("".join(f"{s}\n" for s in sentences))
    (folder / "test.txt").write_text("".join(f"{number}\n" for number in numbers))
    document = {
        "info": [],
        "licenses": [],
        "images": written.images,
        "annotations": [],
        "categories": [],
    }
    (folder / ANNOTATIONS_FILE).write_text(json.dumps(document), encoding="ascii")
    (folder / REPLIES_FILE).write_text("".join(written.lines), encoding="utf-8")


def _counts(chance: random.Random, sentences: int, phrases: int) -> list[int]:
    """How many phrases with boxes each sentence has, that many in all."""
    counts = [1] * sentences
    for _ in range(max(0, phrases - sentences)):
        place = chance.randrange(sentences)
        while counts[place] >= 7:
            place = chance.randrange(sentences)
        counts[place] += 1
    return counts


def _chains(chance: random.Random, first: int, size: tuple[int, int]) -> list[Chain]:
    """Six to eleven things, the last two of them without a box."""
    chains = []
    count = chance.randint(6, 11)
    for k in range(count):
        kinds = chance.choice(_KINDS)
        if chance.random() < 0.04:
            kinds += "/" + chance.choice(_KINDS)
        noun = chance.choice(KIN if kinds == "people" else NOUNS)
        forms = (f"a {noun}", f"the {noun}", f"a {chance.choice(ADJECTIVES)} {noun}")
        boxed = k < count - 2
        boxes = [box(chance, *size) for _ in range(chance.choices((1, 2, 4), (82, 13, 5))[0])]
        chains.append(Chain(first + k, kinds, forms, tuple(boxes) if boxed else ()))
    return chains


def _xml(number: int, size: tuple[int, int], chains: list[Chain]) -> str:
    parts = [
        f"<annotation>\n\t<filename>{number}.jpg</filename>\n\t<size>\n\t\t<width>{size[0]}</width>"
        f"\n\t\t<height>{size[1]}</height>\n\t\t<depth>3</depth>\n\t</size>\n"
    ]
    for chain in chains:
        for x, y, wide, high in chain.boxes:
            sides = {"xmin": x + 1, "ymin": y + 1, "xmax": x + wide, "ymax": y + high}
            inside = "".join(f"\n\t\t\t<{k}>{int(v)}</{k}>" for k, v in sides.items())
            parts.append(
                f"\t<object>\n\t\t<name>{chain.id}</name>\n\t\t<bndbox>{inside}"
                "\n\t\t</bndbox>\n\t</object>\n"
            )
        if not chain.boxes:
            parts.append(
                f"\t<object>\n\t\t<name>{chain.id}</name>\n\t\t<scene>{chain.id % 2}</scene>"
                f"\n\t\t<nobndbox>{1 - chain.id % 2}</nobndbox>\n\t</object>\n"
            )
    return "".join([*parts, "</annotation>\n"])


def _sentence(
    chance: random.Random,
    written: Written,
    number: int,
    size: tuple[int, int],
    chains: list[Chain],
    count: int,
    place: int,
) -> str:
    """A sentence with so many phrases that have boxes; its json record and lines are written."""
    boxed, others = [c for c in chains if c.boxes], [c for c in chains if not c.boxes]
    told = chance.sample(boxed, min(count, len(boxed)))
    told += chance.choices(boxed, k=count - len(told))
    if chance.random() < 0.5:
        told.insert(chance.randrange(len(told) + 1), chance.choice(others))
    marked: list[str] = []
    spans: list[tuple[int, int, Chain]] = []
    at = 0
    for chain in told:
        phrase, link = chance.choice(chain.phrases), chance.choice(RELATIONS)
        marked.append(f"[/EN#{chain.id}/{chain.kinds} {phrase}] {link}")
        if chain.boxes:
            spans.append((at, at + len(phrase), chain))
        at += len(phrase) + len(link) + 2
    marked.append("[/EN#0/notvisual it] .")
    caption = " ".join(_plain(part) for part in marked)
    written.images.append(
        {
            "file_name": f"{number}.jpg",
            "height": size[1],
            "width": size[0],
            "id": len(written.images),
            "original_img_id": number,
            "sentence_id": place,
            "caption": caption,
            "dataset_name": "flickr",
            "tokens_positive_eval": [[[start, end]] for start, end, _ in spans],
            "tokens_negative": [[0, len(caption)]],
        }
    )
    for start, end, chain in spans:
        said = _said(chance, caption[start:end], chain, size)
        written.lines.append(
            f"H-{len(written.lines)}\t-{chance.random():.4f}\t<image></image><grounding>"
            f"{caption[:start]}{said}\n"
        )
    return " ".join(marked)


def _plain(marked: str) -> str:
    """`[/EN#1/people a man] on` as it is read: `a man on`."""
    return marked.partition(" ")[2].replace("]", "")


def _said(chance: random.Random, phrase: str, chain: Chain, size: tuple[int, int]) -> str:
    """Mostly one box near a true one; of several, some are anywhere."""
    count = chance.choices((1, 2, 3, 6, 12, 0), (80, 9, 4, 3, 1, 3))[0]
    guesses = []
    for _ in range(count):
        if count == 1 or chance.random() < 0.3:
            guess = nearby(chance, chance.choice(chain.boxes))
        else:
            x, y, wide, high = box(chance, *size)
            guess = x, y, x + wide, y + high
        guesses.append(patches(guess, *size))
    return located(phrase, guesses)
