"""Counting questions of one's own as JSON lines, and a model's replies to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.full_size.words import ADJECTIVES, NOUNS, RELATIONS, Zipf

if TYPE_CHECKING:
    import random
    from pathlib import Path

QUESTIONS = 100_000
DATA_FILE = "counting.jsonl"
REPLIES_FILE = "replies.jsonl"
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def write(folder: Path, chance: random.Random, scale: float = 1.0) -> None:
    """`counting.jsonl` (id, image, size, question, count) and `replies.jsonl` (id, reply)."""
    counts = Zipf([2, 3, 1, 4, 5, 6, 7, 8, *range(9, 200), 0], 1.1)
    with (
        (folder / DATA_FILE).open("w", encoding="ascii") as data,
        (folder / REPLIES_FILE).open("w", encoding="ascii") as replies,
    ):
        for number in range(max(1, round(QUESTIONS * scale))):
            noun, true = chance.choice(NOUNS), counts.draw(chance)
            question = f"How many {noun}s are there {chance.choice(RELATIONS)} the wall?"
            row = {"id": number, "image": f"{number // 2:06}.jpg", "width": 640, "height": 480}
            data.write(json.dumps(row | {"question": question, "count": true}) + "\n")
            said = true if chance.random() < 0.6 else max(0, true + chance.randint(-5, 5))
            replies.write(json.dumps({"id": number, "reply": _reply(chance, noun, said)}) + "\n")


def _reply(chance: random.Random, noun: str, count: int) -> str:
    """Mostly the bare number that was asked for; some sentences, some reckoning, few without one."""
    word = _WORDS[count] if count < len(_WORDS) else str(count)
    first = chance.randint(0, count)
    return chance.choices(
        (
            str(count),
            f"{count}.",
            f"**{count}**",
            word,
            f"There are {count} {noun}s in the image.",
            f"I can see {word} {chance.choice(ADJECTIVES)} {noun}s {chance.choice(RELATIONS)} the "
            f"{chance.choice(NOUNS)}.",
            f"There are {first} {noun}s on the left and {count - first} {noun}s "
            f"{chance.choice(RELATIONS)} the {chance.choice(NOUNS)}, so the total is {count}.",
            f"I cannot tell how many {noun}s there are.",
        ),
        (50, 7, 5, 6, 15, 8, 7, 2),
    )[0]
