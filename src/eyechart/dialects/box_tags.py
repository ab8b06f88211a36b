"""The tags that models put around a phrase and its boxes, labels by them, and texts that break off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.dialects import chat_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Words = Callable[[str, bool], str | None]
    Span = tuple[int, int]

# of Qwen-VL and InternVL, Qwen2-VL, DeepSeek-VL2; GLM's box tags stand around any final answer
_PHRASE = (
    ("<ref>", "</ref>"),
    ("<|object_ref_start|>", "<|object_ref_end|>"),
    ("<|ref|>", "<|/ref|>"),
)
_BOX = (
    ("<box>", "</box>"),
    ("<quad>", "</quad>"),
    ("<|box_start|>", "<|box_end|>"),
    ("<|det|>", "<|/det|>"),
    ("<|begin_of_box|>", "<|end_of_box|>"),
)
_ENDS = tuple(tag for tag in chat_tokens.ENDS if tag.startswith("<"))
_ALL = (*_ENDS, *(tag for pair in (*_PHRASE, *_BOX) for tag in pair))
_LONGEST = max(map(len, _ALL))


def _any(tags: Sequence[str]) -> str:
    """A pattern for any of these tags, with what most have in common in front of it."""
    barred = "|".join(re.escape(tag[2:]) for tag in tags if tag.startswith("<|"))
    others = "|".join(re.escape(tag[1:]) for tag in tags if not tag.startswith("<|"))
    return rf"<(?:\|(?:{barred})|{others})"


_BOX_TAG = _any([tag for pair in _BOX for tag in pair])
_TAG = re.compile(_any(_ALL))
_REF = re.compile(
    rf"(?:{_any([opening for opening, _ in _PHRASE])})([^<]*+)"
    rf"(?:{_any([closing for _, closing in _PHRASE])})"
)
# between a phrase and its boxes, or two boxes of a phrase
_NOTHING = re.compile(rf"(?:{_BOX_TAG}|[\s\[\](){{}}<>,;:|])*+")
_WORDS_IN_BOX = re.compile(r"<(?:box|quad|\|box_start\||\|det\|)>[\s\[({<]*+[^\W\d]")
_CLAUSE = re.compile(r"[:;,!?]\s|\n")
_LEAD = re.compile(r"\A(?:[\s.,;:&]++|(?:and|or)\s)++")
_LETTER = re.compile(r"\w")
_LONGEST_LABEL = 200
_OPENERS, _CLOSERS = "[({<", "])}>"
_BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"))


def without_tags(text: str) -> str:
    """The text with a space for each tag of this module; linear."""
    return _TAG.sub(" ", chat_tokens.without(text, " ")) if "<" in text else text


def words_in_box(text: str) -> bool:
    """Whether a box tag is followed by a word."""
    return _WORDS_IN_BOX.search(text) is not None


def last_opener(text: str) -> int:
    """Where the last opening bracket of any kind stands, or -1."""
    return max(text.rfind(bracket) for bracket in _OPENERS)


def is_open(text: str, opening: str, closing: str) -> bool:
    """Whether the last `opening` tag has no `closing` one after it."""
    return text.rfind(opening) > text.rfind(closing)


def ends(text: str) -> bool:
    """Whether a text ends with an end token of a chat template, and so was not cut."""
    return chat_tokens.end_with_one(text)


def breaks_off(text: str) -> bool:
    """Whether a text was plainly cut: within a tag, a bracket, or after a comma.

    A text that ends with an end token of its chat template never was. Brackets with numbers
    that are not closed are for the reader of numbers to see. Linear.
    """
    text = text.rstrip()
    if not text or text.endswith(_ENDS):
        return False
    last = text[-1]
    if last in ",;" or (last in _OPENERS and not text.endswith((":(", ";("))):
        return True
    if last in "])}" and any(text.count(a) > text.count(b) for a, b in _BRACKETS):
        return True
    start = text.rfind("<")
    if start >= 0 and len(text) - start < _LONGEST:
        begun = text[start:]
        if any(len(begun) < len(tag) and tag.startswith(begun) for tag in _ALL):
            return True
    return any(is_open(text, opening, closing) for opening, closing in (*_PHRASE, *_BOX))


def labelled(text: str, spans: Sequence[Span], words: Words | None = None) -> list[str | None]:
    """A label for each box by its place in the text, where spans are in order; linear.

    It is what the phrase tags before the box hold, as long as nothing but tags, brackets and
    commas stands between. In a text without such tags it is what `words` makes of what stands
    between the box and the one before (the second argument: whether it is the first).
    """
    refs = _REF.finditer(text)
    ref = next(refs, None)
    if ref is not None:
        words = None
    labels: list[str | None] = []
    current: str | None = None
    begun = False
    at = 0
    for start, end in spans:
        while ref is not None and ref.end() <= start:
            current, begun, at = ref[1].strip() or None, True, ref.end()
            ref = next(refs, None)
        between = text[at:start]
        if not begun or not _NOTHING.fullmatch(between):
            before = between.lstrip(_CLOSERS).rstrip(_OPENERS)
            current = words(before, not labels) if words is not None else None
        labels.append(current)
        begun, at = True, end
    return labels


def glued(before: str, _first: bool) -> str | None:
    """A label whose tags were skipped in decoding, so that it touches the bracket of its box.

    Of `a cup(10,20),(30,40)a plate(...` these are `a cup` and `a plate`.
    """
    if not before or not (before[-1].isalnum() or before[-1] in ".'\""):
        return None
    return without_lead(_CLAUSE.split(before[-_LONGEST_LABEL:])[-1])


def without_lead(words: str) -> str | None:
    """A phrase without what joins it to the words before; None where no word is left."""
    words = _LEAD.sub("", words, count=1).strip()
    return words if _LETTER.search(words) else None
