"""Captions into tokens, as the tokenizer of pycocoevalcap does (Stanford PTB 3.4.1, a Java program).

The rules were found by experiment: invented lines, lists of words and all characters were put
through the program (`-preserveLines -lowerCase`) and what it printed was described anew. None of
its source, or of another tokenizer's, was read. They give the program's tokens on all captions,
referring expressions and lines made at random that it was compared with, except in these rare things:

- signs between words without spaces that few people write (`Jan.O'Neil`, `www.` before signs);
- addresses and tags of more than some 200 characters, tags with more than 20 attributes;
- faces of other forms than `:-)` and `^_^`;
- the control character 0x92 for an apostrophe, where the program prints it as it stands;
- Mongolian U+1885 and U+1886, and letters younger than Unicode 14, where this Python knows them;
- a year such as '90 at the very end of the last caption, which the program parts from its apostrophe.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from eyechart.text.ptb_characters import legible
from eyechart.text.ptb_rules import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# the tokens that the official scorers leave out. They name brackets too, but in capitals, which
# nothing is any more when they are sought
_LEFT_OUT = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])
# what the program takes for the end of a line
_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\u2028\u2029]")
# what may be one token though there is a space in it, or depends on the next word
_SPANNING = re.compile(
    r"\d[- \u00a0]\(?\d|\)[- \u00a0]\d|<|[A-Za-z]\.\s+[A-Z<]"
    r"|(?i:art|ca|figs?|nos?|op|pp|prop)\.\s\d"
)
# the ends of chunks, or of what they are printed as, with which such a thing may begin
_OPEN = re.compile(r"[\d)]$|<|(?:art|ca|figs?|nos?|op|pp|prop)\.$", re.IGNORECASE)
_INITIAL = re.compile(r"(?:^| )[a-z]\.$")
_OPEN_SIGN = "\0"
# how much of the next line may have a say
_NEXT = 400

_KEPT_CHUNKS = 200_000
_LONG_CHUNK = 60


def _stripped(text: str, end: int) -> str:
    printed = " ".join(tokens(text, end)).lower()
    return " ".join([token for token in printed.split(" ") if token and token not in _LEFT_OUT])


class _Chunks(dict[str, str]):
    """The tokens of what stands between two spaces, found once each.

    A sign at their head says that the next chunk may have a say too.
    """

    def __missing__(self, chunk: str) -> str:
        found = _stripped(chunk, len(chunk))
        if _OPEN.search(chunk) or _INITIAL.search(found):
            found = _OPEN_SIGN + found
        if len(chunk) <= _LONG_CHUNK:
            if len(self) >= _KEPT_CHUNKS:
                self.clear()
            self[chunk] = found
        return found


_CHUNKS = _Chunks()


def _line(line: str, behind: Callable[[], str] = lambda: "\n") -> str:
    """The tokens of one line; `behind` says what follows it, whose first words may matter."""
    text = legible(line)
    joined = " ".join([found for chunk in text.split() if (found := _CHUNKS[chunk])])
    if _OPEN_SIGN not in joined:
        return joined
    whole = text + legible(behind())
    if _SPANNING.search(whole):
        return _stripped(whole, len(text))
    # a chunk of which nothing is left had a sign of its own
    return " ".join([token for token in joined.replace(_OPEN_SIGN, "").split(" ") if token])


def _behind(lines: Sequence[str], at: int) -> str:
    """What follows line `at`, to the end of the next one that is not blank."""
    to = at + 1
    while to < len(lines) and not lines[to].strip():
        to += 1
    following = [line[:_NEXT] for line in lines[at + 1 : to + 1]]
    return "\n".join(["", *following, *([""] if to + 1 < len(lines) else [])])


def tokenise(caption: str) -> str:
    """The tokens of one caption in small letters, joined by single spaces.

    Without these, as the official scorers leave them out: `'' ' `` ` . ? ! , : - -- ... ;`. Brackets
    stay, as `-lrb-` and `-rrb-`. A line break inside is a space. A token that has a space in it
    holds one that does not break (U+00A0), as `5 1/2` does.

    Source: pycocoevalcap 1.2, tokenizer/ptbtokenizer.py, salaniz/pycocoevalcap ad63453cfab5.
    """
    return _line(_BREAK.sub(" ", caption))


def has_line_break(caption: str) -> bool:
    """Whether the official program reads this caption as several and shifts all later ones.

    Not by a newline, which it replaces beforehand, but by a carriage return, vertical tab, form feed
    or line or paragraph separator inside.
    """
    return _BREAK.search(caption.replace("\n", " ").removesuffix("\r")) is not None


def tokenise_officially(captions: Sequence[str]) -> list[str]:
    """The tokens of all captions as the official program gives them back, one text for each.

    It writes them as lines and takes what comes back line by line, so that a caption with
    another line break than a newline (`has_line_break`) gives its second half to the next one,
    and so on; what is over at the end is lost. A last letter and full stop also depend on how the
    next caption begins.
    """
    lines = _BREAK.split("\n".join([caption.replace("\n", " ") for caption in captions]))
    return [
        _line(line, partial(_behind, lines, at)) for at, line in enumerate(lines[: len(captions)])
    ]
