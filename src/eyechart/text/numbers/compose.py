"""Puts number words together as English, German, French and Spanish do: quatre-vingt-dix-sept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyechart.text.numbers.words import DE, EN, ES, FR, Word

if TYPE_CHECKING:
    from fractions import Fraction

_GAP = re.compile(
    r"(?:[ \u00a0\u202f]|[-\u2010\u2011])(?:(and|et|y|und)(?:[ \u00a0\u202f]|[-\u2010\u2011]))?",
    re.IGNORECASE,
)
_AND = {"and": EN, "und": DE}
_LONGEST_GAP = 8


@dataclass(slots=True)
class Building:
    """A number in the making, word by word; `text[start:end]` is what it has so far.

    `total` holds what the scales (thousand, million) have closed, `group` what stands after the
    last of them, `below` what stands after the last hundred; `last` is the kind of the last word
    and `worth` its value, `scale` the last scale. `words` counts, `weak` is the first word's.
    """

    start: int
    end: int
    languages: int
    total: Fraction | int
    group: Fraction | int
    below: Fraction | int
    last: str
    worth: Fraction | int
    weak: int
    scale: Fraction | int = 0
    words: int = 1

    @property
    def value(self) -> Fraction | int:
        """What it stands for as it is."""
        return self.total + self.group

    def take(self, gap: str, word: Word, end: int) -> bool:
        """Adds a word that follows after `gap`, if that makes one number of them."""
        joined = _GAP.fullmatch(gap) if len(gap) <= _LONGEST_GAP else None
        languages = self.languages & word.languages
        if self.last in ("fixed", "zero", "range", "dozen") or joined is None or not languages:
            return False
        added = _TAKES[word.kind](self, (joined[1] or "").lower(), word, languages)
        if added:
            self.end = end
            self.languages &= added
            self.last = word.kind
            # quatre-vingt is worth 80 to what follows it
            self.worth = self.below if word.kind == "tens" else word.value
            self.words += 1
        return added != 0

    def opens(self, conjunction: str, languages: int) -> int:
        """The languages in which a part below 100 (or 1000) may follow what stands last."""
        if self.last in ("hundred", "hundreds", "scale"):
            return languages & _AND.get(conjunction, 0 if conjunction else EN | DE | FR | ES)
        return 0

    def add(self, value: Fraction | int) -> None:
        """Adds a part to the group that is open."""
        self.group += value
        self.below += value


def begun(start: int, end: int, word: Word) -> Building:
    """A number that begins with a word, or with a numeral (as a `Word` of that kind)."""
    made = Building(
        start, end, word.languages, 0, word.value, word.value, word.kind, word.value, word.weak
    )
    if word.kind == "scale":
        made.total, made.group, made.below, made.scale = word.value, 0, 0, word.value
    elif word.kind in ("hundred", "hundreds"):
        made.below = 0
    return made


def _unit(self: Building, conjunction: str, word: Word, languages: int) -> int:
    value, added = word.value, 0
    if value == 0:
        return 0
    if self.last == "tens":
        if not conjunction:
            added = languages & EN if value < 10 else 0
            # vingt et un, but quatre-vingt-un
            least = 1 if self.worth == 80 else 2
            if least <= value < (20 if self.worth in (60, 80) else 10):
                added |= languages & FR
        elif conjunction == "et":
            added = languages & FR if value in (1, 11) and self.worth <= 70 else 0
        elif conjunction == "y":
            added = languages & ES if value < 10 else 0
    elif self.last == "unit" and self.worth == 10:
        # dix-sept, also as the end of soixante-dix-sept
        added = languages & FR if 7 <= value <= 9 and not conjunction else 0
    else:
        added = self.opens(conjunction, languages)
    if added:
        self.add(value)
    return added


def _tens(self: Building, conjunction: str, word: Word, languages: int) -> int:
    if self.last == "unit" and self.below == 4 and word.value == 20 and not conjunction:
        if not languages & FR:
            return 0
        self.add(80 - 4)
        return FR
    added = self.opens(conjunction, languages)
    if added:
        self.add(word.value)
    return added


def _hundred(self: Building, conjunction: str, word: Word, languages: int) -> int:
    if conjunction:
        return 0
    if self.last == "scale":
        added = languages & (FR | DE)
        self.group, self.below = (100, 0) if added else (self.group, self.below)
        return added
    if self.last == "numeral":
        added = languages & (EN | DE) if 0 < self.group < 100 else 0
    else:
        most = 99 if languages & EN else 9
        whole = 0 < self.below <= most and self.group == self.below
        added = languages if whole and self.last in ("unit", "tens") else 0
    if added:
        self.group, self.below = self.group * 100, 0
    return added


def _hundreds(self: Building, conjunction: str, word: Word, languages: int) -> int:
    if conjunction or self.last != "scale":
        return 0
    self.group, self.below = word.value, 0
    return languages & ES


def _scale(self: Building, conjunction: str, word: Word, languages: int) -> int:
    if conjunction:
        return 0
    bare = self.last == "scale"
    if not self.scale or self.scale > word.value:
        if bare and not (languages & (FR | ES) and word.value == 1000):
            # un millón mil
            return 0
        self.total += (1 if bare else self.group) * word.value
    elif self.scale < word.value and self.total < word.value:
        # mil millones
        self.total = (self.total + self.group) * word.value
    else:
        return 0
    self.group, self.below, self.scale = 0, 0, word.value
    return languages


def _dozen(self: Building, conjunction: str, word: Word, languages: int) -> int:
    if conjunction or self.scale or not self.group:
        return 0
    self.group *= word.value
    return languages


def _compound(self: Building, conjunction: str, word: Word, languages: int) -> int:
    added = self.opens(conjunction, languages) if self.scale >= 10**6 else 0
    if added:
        self.add(word.value)
    return added


def _never(self: Building, conjunction: str, word: Word, languages: int) -> int:
    return 0


_TAKES = {
    "unit": _unit,
    "tens": _tens,
    "hundred": _hundred,
    "hundreds": _hundreds,
    "scale": _scale,
    "dozen": _dozen,
    "compound": _compound,
    "numeral": _never,
    "fixed": _never,
    "zero": _never,
    "range": _never,
}
