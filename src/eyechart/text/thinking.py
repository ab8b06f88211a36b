"""Cuts a model's reasoning off its reply, and finds what it marked as its answer."""

from __future__ import annotations

import re
from collections import deque

# The names of the tags that models write around their reasoning.
TAGS = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reason",
    "reflection",
    "rationale",
    "scratchpad",
    "analysis",
)
_NAMES = "|".join(TAGS)
# Four spellings: <think> (also <seed:think>, <|think|>, <|begin_of_thought|>), ◁think▷, [THINK],
# and channels, where the final one ends the analysis.
_TAG = re.compile(
    rf"<\|?(?P<shut>/|end_of_)?(?:seed:|begin_of_)?(?P<name>{_NAMES})\|?>"
    r"|◁(?P<shut2>/)?think▷"
    r"|\[(?P<shut3>/)?THINK\]"
    r"|<\|channel\|>(?:(?P<shut4>final)|(?:analysis|commentary))<\|message\|>",
    re.IGNORECASE,
)
_SHUTS = ("shut", "shut2", "shut3", "shut4")
_ANSWER = re.compile(r"<(/?)answer>", re.IGNORECASE)


def strip(text: str) -> tuple[str, bool]:
    """The reply without its reasoning, and whether the reasoning was cut off before it ended.

    A block runs from an opening tag to the next closing tag of the same name, whatever stands
    between, and goes whole. A closing tag alone ends reasoning that the chat template opened, so
    everything before it goes. An opening tag that is never closed means that the reply was cut off
    while the model still thought: there is no answer, `("", True)`; but where the text ends with a
    whole `<answer>...</answer>` after the last such tag, the reasoning ended there. Text without
    such tags comes back unchanged, otherwise its ends are stripped. `<answer>` is left as it stands
    (see `answer_tag`). Linear in the length of the text.
    """
    kept: list[str] = []
    inside: str | None = None
    start = last = 0
    for tag in _TAG.finditer(text):
        last = tag.end()
        shuts = any(tag[name] for name in _SHUTS)
        name = (tag["name"] or tag.group()[0]).lower()
        if inside is None and not shuts:
            kept.append(text[start : tag.start()])
            inside = name
        elif shuts and inside in (None, name):
            if inside is None:
                kept.clear()
            inside = None
            start = tag.end()
    if inside is not None:
        answer = _answer_at_end(text, last)
        if answer is None:
            return "", True
        start = answer
    if start == 0:
        return text, False
    kept.append(text[start:])
    return "".join(kept).strip(), False


def _answer_at_end(text: str, start: int) -> int | None:
    """Where the `<answer>...</answer>` begins that ends the text, if it begins after `start`."""
    tags = deque(_ANSWER.finditer(text, start), maxlen=2)
    whole = len(tags) == 2 and not tags[0].group(1) and tags[1].group(1)
    return tags[0].start() if whole and not text[tags[1].end() :].strip() else None


def answer_tag(text: str) -> str | None:
    """What the last `<answer>...</answer>` holds, stripped; None where there is none.

    An `<answer>` that is never closed holds all that follows it. Linear.
    """
    opened: int | None = None
    found: str | None = None
    for tag in _ANSWER.finditer(text):
        if not tag.group(1):
            opened = tag.end()
        elif opened is not None:
            found = text[opened : tag.start()].strip()
            opened = None
    return text[opened:].strip() if opened is not None else found
