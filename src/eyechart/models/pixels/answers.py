"""Answers from what was found: phrases resolved to objects, and words for what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.models.pixels.objects import Found
    from eyechart.models.pixels.questions import Phrase, Question


def answer(question: Question, found: list[Found]) -> str | list[Found]:
    """The objects that are meant where the question is where; else a word or a number."""
    if question.ask == "where":
        return _where(question, found)
    return _SAID[question.ask](question, found)


def meant(phrase: Phrase, found: list[Found]) -> list[Found]:
    """The objects that a phrase means: all that fit it, or the one that its rank picks."""
    fitting = [
        thing
        for thing in found
        if phrase.colour in ("", thing.colour) and phrase.shape in ("", thing.shape)
    ]
    if phrase.anchor is not None:
        anchors = meant(phrase.anchor, found)[:1]
        fitting = [
            thing
            for anchor in anchors
            for thing in sorted(fitting, key=lambda thing: -_ahead(phrase.relation, thing, anchor))
            if thing is not anchor and _ahead(phrase.relation, thing, anchor) > 0
        ]
    if phrase.rank:
        fitting.sort(key=_RANK_KEYS[phrase.rank])
        return fitting[:1]
    return fitting


_RANK_KEYS: dict[str, Callable[[Found], float]] = {
    "small": lambda thing: thing.size,
    "large": lambda thing: -thing.size,
    "left": lambda thing: thing.centre[0],
    "right": lambda thing: -thing.centre[0],
    "top": lambda thing: thing.centre[1],
    "bottom": lambda thing: -thing.centre[1],
}


def _ahead(relation: str, thing: Found, anchor: Found) -> float:
    """How clearly it lies on that side: the way along less half the way across, in pixels."""
    across = thing.centre[0] - anchor.centre[0]
    down = thing.centre[1] - anchor.centre[1]
    along, aside = {
        "left": (-across, down),
        "right": (across, down),
        "top": (-down, across),
        "bottom": (down, across),
    }[relation]
    return along - abs(aside) / 2 if along > 0 else along


def _where(question: Question, found: list[Found]) -> list[Found]:
    """Nothing known is named: the largest object, whatever it is."""
    if not question.phrases:
        return found[:1]
    phrase = question.phrases[0]
    things = meant(phrase, found)
    if phrase.several or phrase.anchor is not None:
        return things if phrase.several else things[:1]
    # one thing is asked for: the one whose look is the surest
    return sorted(things, key=lambda thing: -thing.fit)[:1]


def _first(question: Question, found: list[Found]) -> list[Found]:
    return meant(question.phrases[0], found) if question.phrases else found


def _count(question: Question, found: list[Found]) -> str:
    return str(len(_first(question, found)))


def _colour(question: Question, found: list[Found]) -> str:
    things = _first(question, found) or found
    return things[0].colour if things else "none"


def _shape(question: Question, found: list[Found]) -> str:
    things = _first(question, found) or found
    return things[0].shape if things else "none"


def _there(question: Question, found: list[Found]) -> str:
    return "yes" if not question.phrases or _first(question, found) else "no"


def _more(question: Question, found: list[Found]) -> str:
    first, second = (len(meant(phrase, found)) for phrase in question.phrases)
    return "yes" if first > second else "no"


def _compare(question: Question, found: list[Found]) -> str:
    first, second = (meant(phrase, found)[:1] for phrase in question.phrases)
    if not first or not second:
        return "no"
    larger = first[0].size > second[0].size
    return "yes" if larger == (question.word == "large") else "no"


def _beside(question: Question, found: list[Found]) -> str:
    first, second = (meant(phrase, found)[:1] for phrase in question.phrases)
    if not first or not second:
        return "no"
    return "yes" if _ahead(question.word, first[0], second[0]) > 0 else "no"


_SAID: dict[str, Callable[[Question, list[Found]], str]] = {
    "count": _count,
    "colour": _colour,
    "shape": _shape,
    "there": _there,
    "more": _more,
    "compare": _compare,
    "beside": _beside,
}
