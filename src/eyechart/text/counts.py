"""Reads the count that a reply finally states.

Its cues are words of English, German, French, Spanish and Chinese; `text.numbers` has the numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from eyechart.text.numbers import Mention, evidence, mentions
from eyechart.text.refusals import is_refusal
from eyechart.text.thinking import answer_tag
from eyechart.values import Reading

# what announces the result, and of these what may also stand after it ("8 in total")
_TOTALS = (
    r"total|altogether|in all|insgesamt|zusammen|(?:au|un) total|en tout|en total"
    r"|totale|gesamtzahl|gesamt"
)
_TOTALS_CHINESE = "总共|一共|总数|总计|合计|總共|總數|總計|合計"
_CUE = re.compile(
    rf"\b(?:(?P<total>{_TOTALS})|answer|antwort|ergebnis|réponse|resultado|résultat|respuesta)\b"
    rf"|(?P<chinese>{_TOTALS_CHINESE})|答案|共有|####",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|to|of|makes|count|counted|see|have|has"
    r"|ist|sind|beträgt|lautet|von|gibt es|es gibt|sehe|zähle|ergibt"
    r"|est|sont|de|y a|vois|compte|trouve"
    r"|es|son|hay|veo|cuento)|[:：=#是为為有共计計])"
    r"(?:[\s*_`({\[$\"'\\]|\b(?:about|approximately|around|exactly|roughly|only|just|nearly"
    r"|etwa|ungefähr|genau|nur|environ|exactement|unos|unas|aproximadamente|exactamente)|约|大约)*\Z",
    re.IGNORECASE,
)
_ADDS_UP = re.compile(r"\s*[+×*]\s*\d")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
_BREAK = re.compile(
    r"[\s:：=*_`$\\]*(?:(?:is|are|ist|lautet|est|es)\b[\s:：*_`$\\]*|[是为為][\s:：*_`$\\]*)?",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s")
_BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*(?!\s*:)|__([^_\n]{1,80})__(?!\s*:)")
# how far a cue reaches, in characters
_REACH = 160
# more than models are let say in one reply; what stands before is not where they conclude
_CONCLUSION = 1 << 15
# number words can be strung together without end, and a record holds 64 bits
_TOO_LARGE = 10**18


def final_count(text: str) -> Reading:
    r"""The count that the reply states as its result; a model's reasoning must be cut off before.

    The first of these that is there decides:

    1. the last `<answer>...</answer>`, then the last `\boxed{...}`: its last number;
    2. the last of the words answer, total, altogether, in all (Antwort, insgesamt, réponse, au
       total, respuesta, en total, 答案, 总共, 一共 and their like, or `####`) that has a number after
       it in its sentence: the number right after "is", "of", ":", "=" ... or else the sentence's
       last; for "8 in total" the number before;
    3. the last bold text with a number, unless it is a heading that ends in a colon;
    4. the last number of the reply.

    Only the last 32,768 characters count (of the whole, or of what is marked in 1). Weak mentions
    (see `numbers.Mention`) count only where there is no stronger. A word that is a number in one
    language and something else in another counts by the other words of the reply (see
    `numbers.words.Word.counts`). Status ok with an int below 10^18 (0 for "none", "no dogs");
    malformed with a reason where the stated number is negative, a range, or missing; refused where
    the whole reply declines.
    """
    end = _conclusion(text)
    for part in (answer_tag(text), _boxed(text)):
        if part is not None:
            marked = _conclusion(part)
            return _reading(_last(mentions(marked, evidence(end))), part)
    found = mentions(end)
    stated = _by_cue(end, found) or _bold(end, found) or _last(found)
    return _reading(stated, text)


def _conclusion(text: str) -> str:
    """The end of the text, from the first white space on where it must be cut, so no word breaks."""
    if len(text) <= _CONCLUSION:
        return text
    end = text[-_CONCLUSION:]
    space = _SPACE.search(end)
    return end[space.start() :] if space else end


def _reading(mention: Mention | None, text: str) -> Reading:
    if mention is None:
        if is_refusal(text):
            return Reading(status="refused", reason="the reply declines")
        return Reading(status="malformed", reason="no number in the reply")
    if mention.problem:
        return Reading(status="malformed", reason=mention.problem)
    if mention.value >= _TOO_LARGE:
        return Reading(status="malformed", reason="no count is that large")
    return Reading(status="ok", value=mention.value)


def _last(found: list[Mention]) -> Mention | None:
    strongest = min((mention.weak for mention in found), default=0)
    return next((one for one in reversed(found) if one.weak == strongest), None)


def _boxed(text: str) -> str | None:
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    start += len("\\boxed{")
    depth = 1
    for place in range(start, min(len(text), start + 400)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start:place]
    return text[start : start + 400]


def _by_cue(text: str, found: list[Mention]) -> Mention | None:
    starts = [mention.start for mention in found]
    for cue in reversed(list(_CUE.finditer(text))):
        end = _sentence_end(text, cue.end())
        after = found[bisect_left(starts, cue.end()) : bisect_left(starts, end)]
        if after:
            stated = _stated(text, cue.end(), after)
            if stated is not None:
                return stated
        elif cue["total"] or cue["chinese"]:
            begin = _sentence_begin(text, cue.start())
            before = found[bisect_left(starts, begin) : bisect_left(starts, cue.start())]
            if before:
                return before[-1]
    return None


def _sentence_end(text: str, start: int) -> int:
    """Where the sentence ends; a line that breaks off after its cue goes on in the next one."""
    begun = _BREAK.match(text, start, start + _REACH)
    end = _SENTENCE_END.search(text, begun.end() if begun else start, start + _REACH)
    return end.start() if end else min(len(text), start + _REACH)


def _sentence_begin(text: str, end: int) -> int:
    begin = max(0, end - _REACH)
    last = begin
    for mark in _SENTENCE_END.finditer(text, begin, end):
        last = mark.end()
    return last


def _stated(text: str, start: int, after: list[Mention]) -> Mention | None:
    # an article is no number where there is one
    after = [one for one in after if one.weak < 2] or after
    equals = text.rfind("=", start, after[-1].start)
    if equals >= 0:
        return next(mention for mention in after if mention.start > equals)
    for mention in after:
        if _STATES.search(text[max(start - 1, mention.start - 40) : mention.start]):
            return None if _ADDS_UP.match(text, mention.end) else mention
    return _last(after)


def _bold(text: str, found: list[Mention]) -> Mention | None:
    starts = [mention.start for mention in found]
    chosen = None
    for bold in _BOLD.finditer(text):
        inside = found[bisect_left(starts, bold.start()) : bisect_left(starts, bold.end())]
        if inside and not bold.group().rstrip("*_ ").endswith(":"):
            strong = [mention for mention in inside if mention.weak == 0]
            chosen = strong[-1] if strong else chosen
    return chosen
