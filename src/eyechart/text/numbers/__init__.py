"""Finds the whole numbers that a text mentions: numerals of every script, and words.

The words are those of English, German, French, Spanish (`words`) and Chinese
(`chinese`), all looked for at once.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from eyechart.text.numbers import chinese, context
from eyechart.text.numbers.compose import Building, begun
from eyechart.text.numbers.words import (
    DE,
    EN,
    ES,
    EVERY,
    FR,
    LANGUAGES,
    NEVER_ALONE,
    TELLING,
    WORDS,
    Word,
    german,
    most,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# A comma, apostrophe, underscore, narrow or no-break space, or the Arabic sign between thousands.
_NUMERAL = (
    r"\d{1,3}(?:[,'’_\u00a0\u202f\u2009٬]\d{3})+(?!\d)(?:\.\d+)?"
    r"|[０-９]{1,3}(?:，[０-９]{3})+(?!\d)"
    # bounded, since a chain that breaks off is tried again from each of its parts
    r"|\d{1,2}(?:,\d{2}){1,8},\d{3}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){1,8},\d{1,2}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    # plain spaces too, where no further number stands beside
    r"|(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3}){1,8}(?! ?\d)(?![.,]\d)"
)
_SEPARATORS = re.compile(r"[,，'’_ \u00a0\u202f\u2009٬]")
_LETTERS = r"[A-Za-zÀ-ÖØ-öø-ɏ\u0300-\u036f]+"
_FIXED = r"half a dozen|a couple|halbes dutzend|demi-douzaine|media docena"
_FIXED_WORTH = {"a couple": 2}
_NOTHING = r"没有|沒有|\b无\b|n['’]y a pas d(?:e\b|['’])|no hay"


def _atoms(fraction: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<chinese>{chinese.PATTERN})|(?P<numeral>{_NUMERAL}|{fraction})"
        rf"|\b(?P<fixed>{_FIXED})\b|(?P<nothing>{_NOTHING})|(?P<word>{_LETTERS})",
        re.IGNORECASE,
    )


# 1.5 everywhere; where the reply is German, French or Spanish also 1,5, and 1.234 is a thousand
_POINT = _atoms(r"\d+(?:[.．٫]\d+)?")
_COMMA = _atoms(r"\d{1,3}\.\d{3}(?![\d.,])|\d+(?:[.．٫]\d+|,\d{1,2}(?![\d,]))?")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_WORD = re.compile(_LETTERS)
_DIGIT = re.compile(r"\d")
_JOINING = frozenset({"and", "et", "y", "und"})
_PART_BEFORE = re.compile(r"(?:[A-Za-z0-9_]|\d[:/])\Z")
# longer ones are no number
_LONGEST_WORD = 80
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text, at `text[start:end]`.

    `weak` is above 0 for one that is a count only if no stronger is there: 1 for the pronoun "one",
    "no" and "none", what stands in parentheses, the labels of lists and steps; 2 for articles (ein,
    une, una) and the Chinese 一. `problem` says why the number cannot be a count (negative, one end
    of a range); it is empty for a good one.
    """

    start: int
    end: int
    value: int
    weak: int = 0
    problem: str = ""


def evidence(text: str) -> dict[int, int]:
    """How many words of a text only one of the languages has, by language."""
    found = dict.fromkeys(LANGUAGES, 0)
    for match in _WORD.finditer(text):
        word = match.group().lower()
        language = TELLING.get(word)
        if language is None:
            number = WORDS.get(word)
            # of the number words those that mean nothing else, in one language only
            if number is None or number.ordinary or number.languages not in found:
                continue
            language = number.languages
        found[language] += 1
    return found


def mentions(text: str, told: dict[int, int] | None = None) -> list[Mention]:
    """All whole numbers in the text, in its order; linear in its length.

    Not among them are fractions, percentages, ordinals, times of day and numerals that are part of
    a word (`A4`, `3D`). `told` is the `evidence` of the reply that the text is a part of.
    """
    told = evidence(text) if told is None else told
    comma = most(told, DE | FR | ES) > told[EN]
    alone = _alone(text)
    found: list[Mention] = []
    building: Building | None = None
    for atom in (_COMMA if comma else _POINT).finditer(text):
        word = _number_of(atom, text, told, alone, comma)
        if word is None:
            continue
        if building and building.take(text[building.end : atom.start()], word, atom.end()):
            continue
        found.extend(_finished(building, text))
        building = begun(atom.start(), atom.end(), word)
    found.extend(_finished(building, text))
    return _in_context(found, text)


def _alone(text: str) -> int:
    """1 where the text holds nothing but number words, 2 where it is one word; else 0."""
    words = _WORD.findall(text.lower()) if len(text) <= 2 * _LONGEST_WORD else []
    if not words or _DIGIT.search(text):
        return 0
    known = all(word in WORDS or word in _JOINING or german(word) for word in words)
    return (2 if len(words) == 1 else 1) if known else 0


def _number_of(
    atom: re.Match[str], text: str, told: dict[int, int], alone: int, comma: bool
) -> Word | None:
    kind = atom.lastgroup
    start, end = atom.span()
    if kind == "numeral":
        return _numeral(atom.group(), start, end, text, comma)
    if kind == "chinese":
        return _chinese(atom.group(), start, end, text)
    if kind == "fixed":
        return Word("fixed", _FIXED_WORTH.get(atom.group().lower(), 6), EVERY)
    if kind == "nothing":
        return None if context.NO_COUNT.match(text, end) else Word("zero", 0, EVERY, weak=1)
    word = atom.group().lower()
    if len(word) > _LONGEST_WORD:
        return None
    if not word.isascii():
        word = unicodedata.normalize("NFC", word)
    return _worded(word, start, end, text, told, alone)


def _worded(
    word: str, start: int, end: int, text: str, told: dict[int, int], alone: int
) -> Word | None:
    found = WORDS.get(word) or german(word)
    if found is None:
        return None
    if not found.counts(told, alone > 0 and word not in NEVER_ALONE):
        return None
    if found.kind == "zero" and context.NO_COUNT.match(text, end):
        return None
    if word == "no" and alone < 2 and context.NO_ANSWER.match(text, end):
        return None
    if context.PER.search(text, max(0, start - 5), start):
        return None
    return None if found.weak == 2 and context.NO_ARTICLE.match(text, end) else found


def _numeral(numeral: str, start: int, end: int, text: str, comma: bool) -> Word | None:
    if _PART_BEFORE.search(text, max(0, start - 2), start) or context.NOT_WHOLE.match(text, end):
        return None
    value = _value(numeral, comma)
    return Word("numeral", value, EVERY) if value is not None else None


def _value(numeral: str, comma: bool) -> Fraction | int | None:
    """What a numeral stands for, or None for more digits than a count can have."""
    digits = numeral.replace("٫", ".").replace("．", ".")
    head, _, tail = digits.rpartition(",")
    if head and len(tail) <= 2:
        digits = f"{head.replace('.', '')}.{tail}"
    elif _THOUSANDS.fullmatch(digits) and (comma or digits.count(".") > 1):
        digits = digits.replace(".", "")
    digits = _SEPARATORS.sub("", digits)
    whole, _, rest = digits.partition(".")
    if len(whole) > _MOST_DIGITS:
        return None
    rest = rest[:_MOST_DIGITS]
    return Fraction(int(whole + rest), 10 ** len(rest)) if rest else int(whole)


def _chinese(run: str, start: int, end: int, text: str) -> Word | None:
    if not chinese.is_number(text, start, end):
        return None
    found = chinese.value(run)
    if found is None:
        return None
    value, problem = found
    weak = 2 if chinese.is_one(run) else 0
    return Word("range" if problem else "fixed", value, EVERY, weak=weak)


def _finished(number: Building | None, text: str) -> Iterator[Mention]:
    """The mention that a number makes; none for a fraction."""
    if number is None or number.value.denominator != 1:
        return
    start, end = number.start, number.end
    before = text[max(0, start - context.BEFORE) : start]
    weak = number.weak if number.words == 1 else 0
    if number.words == 1 and text[start:end].lower() == "one":
        weak = int(context.is_pronoun(before, text, end))
    numeral = number.last == "numeral"
    if (numeral and context.is_listed(before, text, end)) or context.LABEL.search(before):
        weak = weak or 1
    problem = "a negative number" if numeral and context.NEGATIVE.search(before) else ""
    if number.last == "range":
        problem = "a range, not a count"
    yield Mention(start, end, int(number.value), weak, problem)


def _in_context(found: list[Mention], text: str) -> list[Mention]:
    """The mentions with ranges told and what stands in parentheses made weak."""
    result: list[Mention] = []
    depth = 0
    place = 0
    for mention in found:
        between = text[place : mention.start]
        for mark in context.PARENTHESIS.findall(between):
            depth = depth + 1 if mark in "(（" else max(depth - 1, 0)
        problem = mention.problem
        if result and context.is_range(text, result[-1].start, between):
            problem = "a range, not a count"
            result[-1] = replace(result[-1], problem=problem)
        weak = mention.weak or int(depth > 0)
        changed = weak != mention.weak or problem != mention.problem
        result.append(replace(mention, weak=weak, problem=problem) if changed else mention)
        place = mention.end
    return result
