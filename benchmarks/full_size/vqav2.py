"""VQAv2's three files for as many questions as its validation split has."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.full_size.words import ADJECTIVES, KIN, NOUNS, RELATIONS, Zipf

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from pathlib import Path

QUESTIONS = 214_354
PICTURES = 40_504
QUESTIONS_FILE = "v2_OpenEnded_mscoco_val2014_questions.json"
ANNOTATIONS_FILE = "v2_mscoco_val2014_annotations.json"
RESULTS_FILE = "v2_OpenEnded_mscoco_val2014_generated_results.json"

_TAIL = 220_000
_HEADS = {
    "yes/no": ("is", "are", "does", "do", "can"),
    "number": ("how many", "what number of"),
    "other": ("what", "which", "where is", "who is with", "what color is", "what kind of"),
}
_OBJECTS = ("the", "this", "that", "these", "there")
# 13 heads x 5 objects = 65 question types, as many as the official list has
TYPES = {kind: [f"{a} {b}" for a in heads for b in _OBJECTS] for kind, heads in _HEADS.items()}
_INFO = {
    "description": "Generated input of the size of VQA v2.0.",
    "url": "",
    "version": "2.0",
    "year": 2017,
    "contributor": "",
    "date_created": "2017-04-26 17:00:44",
}
_LICENCE = {"url": "", "name": ""}


class Answers:
    """What people answer, by answer type: a few common strings and a long tail."""

    def __init__(self, chance: random.Random, tail_size: int) -> None:
        tail = list(dict.fromkeys(_phrase(chance) for _ in range(tail_size)))
        self._other = Zipf([*NOUNS, *ADJECTIVES, "don't know", "nothing", "t-shirt", *tail], 0.93)
        numbers = [str(n) for n in range(1, 101)] + ["none", "two", "lot", "many", "1,000", "2.5"]
        self._numbers = Zipf(["2", "1", "3", "0", *numbers], 1.2)
        self._yes_no = Zipf(["yes", "no", "maybe", "not sure", "yes.", "can't tell"], 2.2)
        self._chance = chance

    def draw(self, kind: str) -> str:
        if kind == "other" or self._chance.random() < 0.01:
            return self._other.draw(self._chance)
        if kind == "number":
            return self._numbers.draw(self._chance)
        return self._chance.choice(("yes", "no")) if self._chance.random() < 0.8 else self._rare()

    def _rare(self) -> str:
        return self._yes_no.draw(self._chance)

    def of_ten(self, kind: str) -> list[str]:
        """Ten people's answers to one question: a third of all questions have one answer only."""
        chance, common = self._chance, self.draw(kind)
        if chance.random() < {"yes/no": 0.55, "number": 0.35, "other": 0.18}[kind]:
            return [common] * 10
        agree = chance.uniform(0.3, 0.95)
        second = self.draw(kind)
        given = []
        for _ in range(10):
            if chance.random() < agree:
                given.append(common)
            else:
                given.append(second if chance.random() < 0.4 else self.draw(kind))
        return given


def write(folder: Path, chance: random.Random, scale: float = 1.0) -> None:
    """The questions, the annotations and a model's results, under the official names."""
    pictures = sorted(chance.sample(range(42, 581_930), max(1, round(PICTURES * scale))))
    ids = _question_ids(chance, pictures, max(1, round(QUESTIONS * scale)))
    answers = Answers(chance, max(1, round(_TAIL * scale)))
    kinds = [chance.choices(tuple(TYPES), (0.38, 0.13, 0.49))[0] for _ in ids]
    types = {kind: Zipf(named, 0.8) for kind, named in TYPES.items()}
    openings = [types[kind].draw(chance) for kind in kinds]
    _dump(
        folder / QUESTIONS_FILE,
        {"info": _INFO, "task_type": "Open-Ended", "data_type": "mscoco", "license": _LICENCE}
        | {"data_subtype": "val2014"},
        "questions",
        (
            {"image_id": n // 1000, "question": _question(chance, opening), "question_id": n}
            for n, opening in zip(ids, openings, strict=True)
        ),
    )
    results: list[dict[str, Any]] = []
    _dump(
        folder / ANNOTATIONS_FILE,
        {"info": _INFO, "license": _LICENCE, "data_subtype": "val2014"},
        "annotations",
        _annotations(chance, answers, zip(ids, kinds, openings, strict=True), results),
    )
    chance.shuffle(results)
    (folder / RESULTS_FILE).write_text(json.dumps(results), encoding="ascii")


def _annotations(
    chance: random.Random,
    answers: Answers,
    rows: Iterable[tuple[int, str, str]],
    results: list[dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    for number, kind, opening in rows:
        given = answers.of_ten(kind)
        common = Counter(given).most_common(1)[0][0]
        yield {
            "question_type": opening,
            "multiple_choice_answer": common,
            "answers": [
                {
                    "answer": answer,
                    "answer_confidence": chance.choices(("yes", "maybe", "no"), (80, 17, 3))[0],
                    "answer_id": place,
                }
                for place, answer in enumerate(given, start=1)
            ],
            "image_id": number // 1000,
            "answer_type": kind,
            "question_id": number,
        }
        reply = common if chance.random() < 0.68 else answers.draw(kind)
        results.append({"answer": reply, "question_id": number})


def _question_ids(chance: random.Random, pictures: list[int], n: int) -> list[int]:
    """Ids of n questions, the picture's id and a place of three digits; each picture has some."""
    n = max(n, len(pictures))
    counts = Counter(pictures)
    counts.update(chance.choices(pictures, k=n - len(pictures)))
    return [picture * 1000 + place for picture in pictures for place in range(counts[picture])]


def _question(chance: random.Random, opening: str) -> str:
    return (
        f"{opening[0].upper()}{opening[1:]} {chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} "
        f"{chance.choice(RELATIONS)} the {chance.choice(NOUNS + KIN)}?"
    )


def _phrase(chance: random.Random) -> str:
    """An answer of the long tail, with the marks, capitals and contractions that people write."""
    a, b = chance.choice(NOUNS), chance.choice(NOUNS + KIN)
    tint, place = chance.choice(ADJECTIVES), chance.choice(RELATIONS)
    return chance.choices(
        (
            f"{tint} {a}",
            f"{tint} {a} {place} {chance.choice(('', 'the ', 'a '))}{b}",
            f"{place} the {tint} {a}",
            f"{a} and {tint} {b}",
            f"{tint}/{chance.choice(ADJECTIVES)} {a}",
            f"{a}, {tint} {b}",
            f"{tint.title()} {a}.",
            f"it's {tint} {a} {place} {b}",
            f"{a}-{b} {chance.randrange(1000)}",
            f"{b}'s {tint} {a}",
            f"{chance.randrange(13)}:{chance.randrange(60):02} {chance.choice(('am', 'p.m.'))}",
            f"${chance.randrange(1, 100)},{chance.randrange(1000):03}",
        ),
        (2, 40, 8, 12, 6, 6, 2, 8, 4, 6, 1, 1),
    )[0]


def _dump(path: Path, head: dict[str, Any], key: str, rows: Iterable[dict[str, Any]]) -> None:
    """A JSON object whose last member is a long list, written row by row."""
    with path.open("w", encoding="ascii") as stream:
        stream.write(f"{json.dumps(head)[:-1]}, {json.dumps(key)}: [")
        for place, row in enumerate(rows):
            stream.write(", " * bool(place) + json.dumps(row))
        stream.write("]}")
