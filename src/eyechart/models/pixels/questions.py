"""A small grammar of questions: what a prompt asks for, wherever it stands among other words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Ask = Literal["where", "count", "colour", "shape", "there", "more", "compare", "beside"]

_COLOURS = {
    **{name: name for name in ("red", "orange", "yellow", "green", "cyan", "blue", "purple")},
    "magenta": "magenta", "pink": "magenta", "violet": "purple", "turquoise": "cyan",
}  # fmt: skip
_SHAPES = {
    **{name: name for name in ("circle", "square", "triangle", "star", "cross", "ring", "diamond")},
    **dict.fromkeys(("shape", "thing", "object", "item", "figure"), ""),
    "plus": "cross", "disc": "circle", "rhombus": "diamond",
}  # fmt: skip
_NOUNS = (
    {word: (shape, False) for word, shape in _SHAPES.items()}
    | {word + "s": (shape, True) for word, shape in _SHAPES.items() if not word.endswith("s")}
    | {"crosses": ("cross", True), "pluses": ("cross", True)}
)
_RANKS = {
    "small": "small", "smaller": "small", "smallest": "small", "little": "small", "tiny": "small",
    "large": "large", "larger": "large", "largest": "large", "big": "large", "biggest": "large",
    "leftmost": "left", "rightmost": "right", "topmost": "top", "bottommost": "bottom",
    "uppermost": "top", "lowest": "bottom", "highest": "top", "left": "left", "right": "right",
    "top": "top", "bottom": "bottom", "upper": "top", "lower": "bottom",
}  # fmt: skip
_SEVERAL = {"all", "both", "several", "two", "three", "four", "five", "six", "seven", "eight"}
_RELATIONS = (
    (("to", "the", "left", "of"), "left"), (("to", "the", "right", "of"), "right"),
    (("left", "of"), "left"), (("right", "of"), "right"), (("above",), "top"),
    (("over",), "top"), (("below",), "bottom"), (("under",), "bottom"), (("beneath",), "bottom"),
)  # fmt: skip
_ARTICLES = {"the", "a", "an", "any"}
_READ_AT_MOST = 20_000  # characters, the last ones


@dataclass(frozen=True, slots=True)
class Phrase:
    """`[the] [rank] [colour] noun [relation phrase]`; empty fields ask for nothing."""

    colour: str = ""
    shape: str = ""
    rank: str = ""
    several: bool = False
    relation: str = ""
    anchor: Phrase | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `phrases` may be empty where the prompt names nothing that is known."""

    ask: Ask
    phrases: tuple[Phrase, ...]
    word: str = ""


def understood(prompt: str) -> Question:
    """The question in a prompt; a prompt that asks for nothing known is taken to ask where."""
    words = re.findall(r"[a-z]+|[.?!:\"]", prompt[-_READ_AT_MOST:].lower())
    begin, ask = _opening(words)
    phrases = _phrases(words, begin)
    if ask == "where":
        # other words may come first, a caption say: what is to be located comes last, but for
        # general words ("if there is no such thing")
        named = [phrase for phrase in phrases if phrase != Phrase(several=phrase.several)]
        return Question("where", tuple((named or phrases)[-1:]))
    if ask == "is":
        return _comparison(words[begin:], phrases)
    if ask == "more" and len(phrases) < 2:
        return Question("there", tuple(phrases[:1]))
    return Question(ask, tuple(phrases[: 2 if ask == "more" else 1]))


_OPENINGS: tuple[tuple[tuple[str, ...], Literal[Ask, "is"]], ...] = (
    (("how", "many"), "count"),
    (("number", "of"), "count"),
    (("count", "the"), "count"),
    (("count", "all"), "count"),
    (("what", "colour"), "colour"),
    (("what", "color"), "colour"),
    (("which", "colour"), "colour"),
    (("which", "color"), "colour"),
    (("colour", "of"), "colour"),
    (("color", "of"), "colour"),
    (("what", "shape"), "shape"),
    (("which", "shape"), "shape"),
    (("shape", "of"), "shape"),
    (("are", "there", "more"), "more"),
    (("is", "there"), "there"),
    (("are", "there"), "there"),
    (("is", "the"), "is"),
)
# after these, `is the` asks for no yes or no
_ASKERS = {"what", "where", "which", "who", "that", "this", "it", "how", "here"}


def _opening(words: list[str]) -> tuple[int, Literal[Ask, "is"]]:
    """Where the question proper begins, and its sort; the first opening in the prompt counts.

    `if there is no such thing` and the like are no openings: they have the words the other way.
    """
    for place in range(len(words)):
        for opening, ask in _OPENINGS:
            if tuple(words[place : place + len(opening)]) == opening:
                if ask == "is" and place and words[place - 1] in _ASKERS:
                    continue
                # the article belongs to the phrase
                return place + len(opening) - (ask == "is"), ask
    return 0, "where"


def _comparison(words: list[str], phrases: list[Phrase]) -> Question:
    """`is X larger than Y`, `is X to the left of Y`, or simply whether X is there."""
    stop = words.index("?") if "?" in words else len(words)
    for word in words[:stop]:
        if word in ("larger", "bigger", "smaller") and "than" in words[:stop] and len(phrases) > 1:
            return Question(
                "compare", tuple(phrases[:2]), "small" if word == "smaller" else "large"
            )
    if phrases and phrases[0].anchor is not None:
        first = phrases[0]
        alone = Phrase(first.colour, first.shape, first.rank, first.several)
        return Question("beside", (alone, phrases[0].anchor), first.relation)
    return Question("there", tuple(phrases[:1]))


def _phrases(words: list[str], begin: int) -> list[Phrase]:
    """All phrases from there on, in their order."""
    phrases, place = [], begin
    while place < len(words):
        phrase, after = _phrase(words, place)
        if phrase is not None:
            phrases.append(phrase)
        # from where it broke off, or a long run of articles would be read from each of them
        place = max(after, place + 1)
    return phrases


def _phrase(words: list[str], place: int) -> tuple[Phrase | None, int]:
    """The phrase that begins here, with what stands in relation to it."""
    simple, after = _simple(words, place)
    if simple is None:
        return None, after
    for relation, name in _RELATIONS:
        if tuple(words[after : after + len(relation)]) == relation:
            anchor, end = _simple(words, after + len(relation))
            if anchor is not None:
                return (
                    Phrase(simple.colour, simple.shape, simple.rank, simple.several, name, anchor),
                    end,
                )
    return simple, after


def _simple(words: list[str], place: int) -> tuple[Phrase | None, int]:
    several, rank, colour = False, "", ""
    while place < len(words):
        word = words[place]
        if word in _SEVERAL:
            several = True
        elif word in _RANKS and not colour:
            rank = _RANKS[word]
        elif word in _COLOURS and not colour:
            colour = _COLOURS[word]
        elif word not in _ARTICLES:
            break
        place += 1
    if place < len(words) and words[place] in _NOUNS:
        shape, plural = _NOUNS[words[place]]
        return Phrase(colour, shape, rank, several or plural), place + 1
    return (Phrase(colour, "", rank, several), place) if colour else (None, place)
