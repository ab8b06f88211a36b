"""Finds the whole numbers that a text mentions: numerals of every script, and English words."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# A comma, apostrophe, underscore, narrow or no-break space, or the Arabic sign between thousands.
_NUMERAL = (
    r"\d{1,3}(?:[,'’_\u00a0\u202f\u2009٬]\d{3})+(?!\d)(?:\.\d+)?"
    # bounded, since a chain that breaks off is tried again from each of its parts
    r"|\d{1,2}(?:,\d{2}){1,8},\d{3}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    r"|\d+(?:[.٫]\d+)?"
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = {word: value for value, word in enumerate(_SMALL.split())}
_TENS = {word: 10 * value for value, word in enumerate(_ROUND.split(), 2)}
_SCALES = {"hundred": 100, "dozen": 12, "thousand": 1000, "million": 1_000_000}
_PHRASES = {"half a dozen": 6, "a couple": 2, "none": 0, "nothing": 0, "no": 0}
_WORDS = "|".join([*_PHRASES, *_UNITS, *_TENS, *_SCALES])
_ATOM = re.compile(rf"(?P<numeral>{_NUMERAL})|\b(?P<word>{_WORDS})\b", re.IGNORECASE)

_NO_THING = re.compile(
    r"\s*(?:$|[^\w\s])"
    r"|\s+(?:idea|way|one|longer|doubt|problem|matter|answer|clue|information)\b"
    r"|\s+(?:puedo|puede|se|es|lo|me|tengo|soy)\b",  # the Spanish "not"
    re.IGNORECASE,
)
_ALL_NO = re.compile(r"[ .!*\n]{0,9}no[ .!*\n]{0,9}", re.IGNORECASE)
_PRONOUN_BEFORE = re.compile(
    r"\b(?:the|this|that|each|every|another|no|which|any|other|last|first|is|was|being)\s+\Z",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(
    r"\s+(?:of|on|in|at|by|with|has|had|is|was|that|which|who|can|could|might|may|more|another)\b",
    re.IGNORECASE,
)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:step|row|column|image|picture|photo|figure|fig\.?|line|group|no\.|number|page|item"
    r"|version|level|option|part|section)\s+|#)\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[.)]\s+\S")
_PARENTHESIS = re.compile("[()（）]")
_PART_BEFORE = re.compile(r"(?:[A-Za-z0-9_]|\d[:/])\Z")
_NOT_WHOLE_AFTER = re.compile(r"\s*%|(?:st|nd|rd|th)\b|[:/]\d|D\b", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|–|—|~|\bto\b|\bor\b)\s*", re.IGNORECASE)
# far enough for any word that the patterns above look for before a number
_BEFORE = 16


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text, at `text[start:end]`.

    `weak` marks one that is a count only if no other is there: the pronoun "one", "no" and "none",
    what stands in parentheses, the labels of lists and steps. `problem` says why the number cannot
    be a count (negative, one end of a range); it is empty for a good one.
    """

    start: int
    end: int
    value: int
    weak: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Building:
    """A number in the making: `two hundred and five thousand` word by word."""

    start: int
    end: int
    total: int
    group: int
    kind: str
    only: str

    def takes(self, gap: str, kind: str, word: str) -> bool:
        gap = gap.lower()
        if self.kind == "phrase" or kind in ("phrase", "numeral"):
            return False
        if kind == "scale":
            rising = word != "hundred" or self.kind not in ("scale", "hundred")
            return gap in (" ", "-") and self.group != 0 and rising
        if self.kind == "tens":
            return kind == "unit" and gap in (" ", "-") and 0 < _UNITS[word] < 10
        return self.kind in ("hundred", "scale") and gap in (" ", " and ", "-")

    def add(self, kind: str, word: str, end: int) -> None:
        self.end = end
        self.only = ""
        if kind != "scale":
            self.group += _UNITS.get(word, 0) + _TENS.get(word, 0)
            self.kind = kind
        elif word == "hundred":
            self.group *= 100
            self.kind = "hundred"
        else:
            self.total += self.group * _SCALES[word]
            self.group = 0
            self.kind = "scale"


def _whole(numeral: str) -> int | None:
    """The numeral's value, or None for a fraction or more digits than a count can have."""
    digits = re.sub(r"[,'’_\u00a0\u202f\u2009٬]", "", numeral)
    if digits.count(".") > 1:
        digits = digits.replace(".", "")
    whole, _, rest = digits.replace("٫", ".").partition(".")
    if rest and int(rest[:400]) != 0:
        return None
    # the largest number that a run folder can hold
    return int(whole) if len(whole) <= 18 else None


def mentions(text: str) -> list[Mention]:
    """All whole numbers in the text, in its order; linear in its length.

    Not among them are fractions, percentages, ordinals, times of day and numerals that are part of
    a word (`A4`, `3D`).
    """
    found: list[Mention] = []
    building: _Building | None = None
    for atom in _ATOM.finditer(text):
        word = atom.group().lower()
        kind = _kind(atom)
        if building and building.takes(text[building.end : atom.start()], kind, word):
            building.add(kind, word, atom.end())
            continue
        if building:
            found.append(_finished(building, text))
        building = _begun(atom, kind, word, text)
    if building:
        found.append(_finished(building, text))
    return _in_context(found, text)


def _kind(atom: re.Match[str]) -> str:
    word = atom.group().lower()
    if atom["numeral"]:
        return "numeral"
    if word in _PHRASES:
        return "phrase"
    return "unit" if word in _UNITS else "tens" if word in _TENS else "scale"


def _begun(atom: re.Match[str], kind: str, word: str, text: str) -> _Building | None:
    start, end = atom.span()
    value: int | None
    if kind == "numeral":
        part = _PART_BEFORE.search(text, max(0, start - 2), start)
        value = None if part or _NOT_WHOLE_AFTER.match(text, end) else _whole(word)
        if value is None:
            return None
    elif kind == "phrase":
        if word == "no" and _NO_THING.match(text, end) and not _ALL_NO.fullmatch(text):
            return None
        value = _PHRASES[word]
    else:
        value = _UNITS.get(word, _TENS.get(word, 1))
    building = _Building(start, end, 0, value, kind, word)
    if kind == "scale":
        building.add(kind, word, end)
    return building


def _finished(number: _Building, text: str) -> Mention:
    before = text[max(0, number.start - _BEFORE) : number.start]
    weak = number.only in ("no", "none", "nothing")
    if number.only == "one":
        weak = bool(_PRONOUN_BEFORE.search(before) or _PRONOUN_AFTER.match(text, number.end))
    line_start = not before.rpartition("\n")[2].strip(" \t-*#")
    listed = number.kind == "numeral" and line_start and _LISTED.match(text, number.end)
    weak = weak or bool(listed) or _LABEL_BEFORE.search(before) is not None
    negative = number.kind == "numeral" and re.search(r"(?:^|[\s(:=])[-−]\Z", before) is not None
    value = number.total + number.group
    return Mention(number.start, number.end, value, weak, "a negative number" if negative else "")


def _is_range(text: str, first: Mention, between: str) -> bool:
    if between.lower() == " and ":
        return text[max(0, first.start - 8) : first.start].lower() == "between "
    return _RANGE.fullmatch(between) is not None


def _in_context(found: list[Mention], text: str) -> list[Mention]:
    """The mentions with ranges told and what stands in parentheses made weak."""
    result: list[Mention] = []
    depth = 0
    place = 0
    for mention in found:
        between = text[place : mention.start]
        for mark in _PARENTHESIS.findall(between):
            depth = depth + 1 if mark in "(（" else max(depth - 1, 0)
        problem = mention.problem
        if result and _is_range(text, result[-1], between):
            problem = "a range, not a count"
            result[-1] = replace(result[-1], problem=problem)
        result.append(replace(mention, weak=mention.weak or depth > 0, problem=problem))
        place = mention.end
    return result
