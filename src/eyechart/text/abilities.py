"""Which ability a question about a picture asks for: the slices of a VQA report.

The rule reads the first five words of the question (of its question type, where it has none) and
its answer type. The first that holds decides:

    yes/no                the answer type is "yes/no"; or it is not known, and the question begins
                          with an auxiliary verb and offers no choice ("or")
    counting              it begins "how many", "what number of", "number of", "what is the number
                          of" or "count"
    reasoning             "why"; "how", unless a measure follows ("how tall"); "what would", "what
                          could", "what should", "what might"; purpose, reason, cause, meaning
    colour and attribute  a word such as colour, shape, size, material, pattern, age, height,
                          weather, time; "how" with a measure
    object                all others: what, what kind of, which, who, where
"""

from __future__ import annotations

OBJECT = "object"
COUNTING = "counting"
COLOUR_AND_ATTRIBUTE = "colour and attribute"
YES_NO = "yes/no"
REASONING = "reasoning"
ABILITIES = (OBJECT, COUNTING, COLOUR_AND_ATTRIBUTE, YES_NO, REASONING)

_LOOKED_AT = 5
_COUNTS = ("how many ", "what number of ", "number of ", "what is the number of ", "count ")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AUXILIARIES = _words(
    "am is are was were do does did has have had can could may might must shall should will would "
    "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't can't couldn't won't wouldn't "
    "shouldn't"
)
_CAUSES = _words("purpose reason reasons cause meaning")
_CONDITIONAL = _words("would could should might")
_MEASURES = _words(
    "much old young big large small tall long short high deep wide thick heavy far fast hot cold "
    "warm full sharp clean dirty fresh new bright dark sunny cloudy ripe"
)
_ATTRIBUTES = _words(
    "color colors colour colours colored coloured shade shape shapes size material materials fabric "
    "pattern patterns style texture flavor flavour age height length weight weather time temperature "
    "season gender"
)
# without one of these a question whose answer type is known asks for an object
_TELLING = _CAUSES | _ATTRIBUTES | _CONDITIONAL | _words("how why number count")
_TELLING_TOO = _TELLING | {f"{word}?" for word in _TELLING}


def ability(question: str, question_type: str = "", answer_type: str = "") -> str:
    """One of `ABILITIES`, by the rule above; `answer_type` is "" where it is not known."""
    if answer_type == YES_NO:
        return YES_NO
    if answer_type and question and _plainly_of_an_object(question):
        return OBJECT
    words = _first_words(question) or _first_words(question_type)
    if not answer_type and " or " not in question and words[:1] and words[0] in _AUXILIARIES:
        return YES_NO
    return OBJECT if not words or _TELLING.isdisjoint(words) else _by_words(words)


def _plainly_of_an_object(question: str) -> bool:
    """Whether no word tells otherwise, where no mark stands between words: said of most at once."""
    said = question.lower().split(None, _LOOKED_AT)
    return "," not in question and "?" not in question[:-1] and _TELLING_TOO.isdisjoint(said)


def _by_words(words: list[str]) -> str:
    if " ".join([*words, ""]).startswith(_COUNTS):
        return COUNTING
    if _asks_for_reasons(*words[:2]) or not _CAUSES.isdisjoint(words):
        return REASONING
    if words[0] == "how" or not _ATTRIBUTES.isdisjoint(words):
        return COLOUR_AND_ATTRIBUTE
    return OBJECT


def _first_words(text: str) -> list[str]:
    return text.lower().replace("?", " ").replace(",", " ").split(None, _LOOKED_AT)[:_LOOKED_AT]


def _asks_for_reasons(first: str, second: str = "") -> bool:
    if first == "how":
        return second not in _MEASURES
    return first == "why" or (first == "what" and second in _CONDITIONAL)
