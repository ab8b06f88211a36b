"""What all texts with marked boxes share: chat tokens, cut marks, JSON in the marks' place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.dialects import chat_tokens
from eyechart.dialects.found import Found
from eyechart.dialects.json_scan import scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eyechart.dialects.found import Parser

# the beginning of a mark at the very end of a text
_CUT = re.compile(r"<[|/]?+[A-Za-z_]*+[0-9]*+[|/]?+\Z")


def is_cut(text: str) -> bool:
    """Whether a text ends inside a mark, such as `<loc_10`."""
    last = text.rfind("<")
    return last >= 0 and _CUT.match(text, last) is not None


def read(
    text: str,
    parser: Parser,
    tolerant: Callable[[str], Found],
    authors: Callable[[str], Found],
    *,
    json: str | None = "xyxy",
) -> Found:
    """What a family's two readers make of a text.

    The tolerant one gets it without chat tokens; where it finds no mark of the family at all, JSON
    that stands in the text is read in the family's own frame, whose order `json` is (None: no
    JSON). What the authors' reader finds nothing in has the tolerant reader's fault, or is a form
    that they do not take.
    """
    if parser == "authors":
        found = authors(text)
        if found.boxes or found.points or found.none or found.fault:
            return found
        there = tolerant(chat_tokens.without(text))
        if there.boxes or there.points:
            return Found(fault="author_parser_rejects", truncated=there.truncated)
        return there
    text = chat_tokens.without(text)
    found = tolerant(text)
    if found.fault == "no_box" and json and ("[" in text or "{" in text):
        return _json_instead(text, json, found)
    return found


def _json_instead(text: str, order: str, found: Found) -> Found:
    raw = scan(text, order)
    if raw.boxes or raw.points:
        return Found(
            boxes=raw.boxes,
            labels=raw.labels,
            points=raw.points,
            point_labels=raw.point_labels,
            truncated=raw.truncated,
            dropped=len(raw.wrong) + raw.words,
        )
    found.none = raw.empty and not raw.truncated and not raw.wrong
    found.truncated |= raw.truncated
    return found


def explain(found: Found, tokens: int, text: str, mark: str, need: str = "four") -> Found:
    """Adds the fault of a text in which no whole box was found.

    `tokens` is how many marks of the family (`mark` is their form) it holds; a box has `need`.
    """
    found.truncated = is_cut(text)
    if found.boxes or found.points:
        return found
    found.dropped = 0
    if found.truncated:
        found.fault = "truncated"
    elif tokens:
        found.fault, found.reason = "wrong_count", f"a box has {need} {mark}, here {tokens}"
    else:
        found.fault, found.reason = "no_box", f"no {mark}"
    return found


def bins(values: Sequence[float], last: int) -> tuple[int, ...]:
    """Numbers of a box rounded to whole ones from 0 to `last`."""
    return tuple(min(max(round(value), 0), last) for value in values)
