r"""The rules of the caption tokenizer: what may be a token at a place, and how it is printed.

At each place the rules for the kind of its first character are tried; the longest match wins, what
a rule asks to see behind its token included, and of equals the first. See `eyechart.text.ptb`.
"""

from __future__ import annotations

import re
import string
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from eyechart.text.ptb_characters import MARKS, NO_LETTERS, SMALL_FIGURES
from eyechart.text.ptb_words import (
    BEFORE_FIGURES,
    CLOSING,
    LEADING,
    OPENERS,
    SPLIT,
    WITH_APOSTROPHE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# how far a rule looks that may find nothing in the end: it keeps hostile text linear
_FAR = "{1,200}"

# a letter or figure; a letter; a word, which begins with a letter
_LD = f"[^{NO_LETTERS}]"
_L = rf"[^{NO_LETTERS}\d]"
_ACCENTED = "(?i:&[aeiou](?:acute|grave|uml);)"
_WORD = rf"(?:{_L}|[{MARKS}]|{_ACCENTED})(?:{_LD}++|[{MARKS}]++|{_ACCENTED})*+"
_HYPHEN = r"\-\u058a\u2010\u2011"
_TAILS = f"(?:[{_HYPHEN}][A-Za-z0-9]+)"
_DOTTED = "[A-Za-z0-9][A-Za-z0-9.,]{0,200}+"
_CAPITALS = "[A-Z]+(?:(?:[&+]|(?i:&amp;))[A-Z]+)+"
_SLASHED = "[A-Za-z0-9]+(?:-[A-Za-z]+)*"

_QUOTE = "(?:['\u2019]|&apos;)"
_APOSTROPHE = "(?:['\u2019`]|&apos;)"
# 's and the like: the straight apostrophe only where no letter follows
_CLITIC = "(?:'(?:ll|re|ve|[smd])(?![A-Za-z])|(?:\u2019|&apos;)(?:ll|re|ve|[smd]))"
_NOT = "n(?:['\u2018\u2019`]|&apos;)t"
# a word with hyphens, whose parts may be led by an apostrophe: jack-o'lantern; and names that are
# led so: d'Artagnan, O'Brien-Smith, L'Oreal
_LED_PART = f"[dloDLO]{_APOSTROPHE}{_LD}{{2,}}"
_NEXT_PARTS = f"(?:[_{_HYPHEN}](?:{_LED_PART}|{_LD}+))"
_JOINED = f"{_LD}+{_NEXT_PARTS}"
_LED = f"(?:{_LED_PART}{_NEXT_PARTS}*|[A-HJ-XZn]{_APOSTROPHE}{_L}{{2,}})"

# what an address may hold, what it may end in, and what stands between its full stops
_AT = r"[^\s\"<>|(){}]"
_AT_END = r"[^\s\"<>|(){}.,!?\-]"
_HOST = r"[^\s\"<>|(){}.]"
_LABEL = r"[a-z#%&*+~\u0080-\uffff]"
_EMAIL = rf"<?[A-Za-z0-9][^\s\"<>|(){{}}@]{{0,200}}+@{_HOST}+(?:\.{_HOST}+)*>?"
_FILES = (
    "bat|bmp|cgi|cpp|c|dll|docx?|exe|gif|gz|html?|h|jar|java|jpe?g|mov|mp3|pdf|php|pl|png|ppt|ps|"
    "py|sql|tar|txt|wav|xml|x|zip"
)
# telephone numbers and what looks so
_AREA = r"(?:\(\d{2,3}\)[- \u00a0]?|\+?\d{2,4}[- \u00a0](?:\d{2,4}[- \u00a0])?|\+\d{4}[- \u00a0])"
_PHONE = rf"{_AREA}\d{{3,4}}[- \u00a0]?\d{{3,5}}"
_NUMBER = r"[-+]?[.,:]?\d+(?:[.,:\u066b\u066c]\d+)*"
_NAME = r"[A-Za-z][A-Za-z0-9_:.\-]*"
_VALUE = r""" *= *(?:"[^"\n]{0,200}"|'[^'\n]{0,200}')"""
_ELEMENT = f"<(?:{_NAME}(?: +{_NAME}(?:{_VALUE})?){{0,20}} *(?:/ *)?|/{_NAME} *)>"
_EYE = "[-'<>=^~]"
_FIRST_APOSTROPHE = "'\u2019&"
_FIRST_HYPHEN = "-"

_QUOTATION = {
    **dict.fromkeys("\u2018\u201b\u2039", "`"),
    **dict.fromkeys("\u2019\u203a", "'"),
    **dict.fromkeys("\u201c\u00ab", "``"),
    **dict.fromkeys("\u201d\u00bb", "''"),
}
_SINGLE = {
    "\u00a2": "cents",
    "\u00a3": "#",
    **dict.fromkeys("\u00a4\u20a0\u20ac", "$"),
    "\u2026": "...",
    '"': "''",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "\u00bc": "1/4",
    "\u00bd": "1/2",
    "\u00be": "3/4",
    "\u2153": "1/3",
    "\u2154": "2/3",
    **dict.fromkeys("\u2013\u2014\u2015", "--"),
    # joined to nothing these are not printed
    **dict.fromkeys("\u058a\u2010\u2011\u066b\u066c", ""),
}
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}


class Rule(NamedTuple):
    """A pattern whose first group is the token, and how that is printed."""

    pattern: re.Pattern[str]
    printed: Callable[[str], str]
    # what it may begin with; nothing said: with anything
    first: str


def _rule(
    token: str,
    printed: Callable[[str], str] | None = None,
    first: str = "",
    behind: str = "",
) -> Rule:
    return Rule(re.compile(f"({token})(?:{behind})"), printed or _as_it_is, first)


def _as_it_is(token: str) -> str:
    """Brackets have names; a space inside a token is printed as one that does not break."""
    return token.replace("(", "-lrb-").replace(")", "-rrb-").replace(" ", "\u00a0")


def _nothing(_token: str) -> str:
    return ""


def _single(token: str) -> str:
    return _SINGLE[token] if token in _SINGLE else _as_it_is(token)


def _word(token: str) -> str:
    cut = SPLIT.get(token.lower())
    return f"{token[:cut]} {token[cut:]}" if cut else token


def _clitic(token: str) -> str:
    return token.replace("&apos;", "'").replace("\u2019", "'").replace("\u2018", "`")


def _quotation(token: str) -> str:
    return "".join(_QUOTATION.get(sign, sign) for sign in token)


def _entity(token: str) -> str:
    return _ENTITIES.get(token[1:-1].lower(), "")


def _capitals(token: str) -> str:
    return re.sub("(?i)&amp;", "&", token)


_ADDRESS = _rule(rf"(?:{_LABEL}{{1,63}}+\.){{1,5}}(?i:com|net|org|edu)(?:/{_AT}{_FAR}{_AT_END})?")

# begun with a letter or a figure
_BOTH = [
    _rule(f"{_JOINED}+"),
    _rule(f"{_DOTTED}{_TAILS}+"),
    # initials, after words and hyphens too: non-U.S.
    _rule(rf"(?:{_DOTTED}{_TAILS}*-)?[A-Za-z](?:\.[A-Za-z])+\."),
    _rule(rf"{_SLASHED}(?:\\?/{_SLASHED}){{1,2}}"),
    _rule(rf"(?:{_LD}+\.)+(?i:{_FILES})", behind=r"(?=[\s.,!?]|$)"),
    _rule(_EMAIL),
    # a full stop before another sign is an abbreviation's
    _rule(rf"(?:{_JOINED}*|{_DOTTED}{_TAILS}+)\.", behind="[,:;]"),
]

_LETTERS = [
    _rule(_WORD, behind=rf"(?i:{_QUOTE}(?:ll|re|ve|[smd]))"),
    _rule("[A-Za-z]*[A-MO-Za-mo-z]", behind=f"(?i:{_NOT})"),
    _rule(f"(?i:{_NOT})", _clitic, "nN"),
    _rule(r"(?i:c\+\+|[cf]#)", first="cfCF"),
    _rule(f"(?i:{'|'.join(word.replace(chr(39), _APOSTROPHE) for word in WITH_APOSTROPHE)})"),
    _rule(_LED),
    # Hawai'i, Mo'ab
    _rule(f"{_L}+[AEIOUYaeiouy]{_APOSTROPHE}[aeiouA-Z]{_L}*"),
    _rule(f"[Oo]{_APOSTROPHE}[Oo]", first="oO"),
    _rule(f"(?i:[dlj]|ol|dunkin){_QUOTE}", first="dljoDLJO"),
    _rule("[Yy]['\u2019]", first="yY", behind=_L),
    _rule("[A-Za-z]", behind=rf"\.\s+(?:{OPENERS}|{_ELEMENT})\s"),
    _rule(r"[A-Za-z]\."),
    _rule("(?i:anti|pro)-", first="apAP"),
    _rule(rf"(?:{CLOSING}|(?i:ph\.d|ed\.d))\.", behind="(?:-?.)?"),
    _rule(rf"(?:{LEADING})\."),
    _rule(rf"(?:{BEFORE_FIGURES})\.", behind=r"\s?\d"),
    _rule(rf"{_WORD}(?:[.!?]{_WORD})+"),
    _rule(_CAPITALS, _capitals, string.ascii_uppercase),
    _rule(r"[A-Z]+\$", first=string.ascii_uppercase),
    _rule(f"(?i:https?)://{_AT}+{_AT_END}", first="hH"),
    _rule(rf"www\.(?:{_HOST}{_FAR}+\.){{1,5}}[A-Za-z]{{2,4}}(?:/{_AT}{_FAR}{_AT_END})?", first="w"),
    _ADDRESS,
    *_BOTH,
    _rule(rf"(?:{_WORD}(?:[.!?]{_WORD})*|{_LED_PART}{_NEXT_PARTS}*|{_CAPITALS})\.", behind="[,:;]"),
    _rule(_WORD, _word),
]

_FIGURES = [
    _rule(_NUMBER),
    _rule(f"{_LD}+"),
    _rule(r"(?:\d{1,4}[- \u00a0])?\d{1,4}(?:\\?/|\u2044)\d{1,4}"),
    _rule(r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}"),
    _rule(_PHONE),
    *_BOTH,
]

_APOSTROPHES = [
    _rule(f"(?i:{_CLITIC})", _clitic, _FIRST_APOSTROPHE),
    _rule(f"{_QUOTE}(?i:em|till?|cause)", first=_FIRST_APOSTROPHE),
    _rule("['\u2019](?i:n)['\u2019]", first=_FIRST_APOSTROPHE),
    _rule(r"'(?i:n)(?!\S)|(?:\u2019|&apos;)(?i:n)", first=_FIRST_APOSTROPHE),
    _rule("'(?i:t)", first="'", behind="(?i:is|was)"),
    _rule(r"['\u2019]\d\d", first=_FIRST_APOSTROPHE, behind=r"\s|$"),
    _rule("['\u2019][2-9]0[Ss]", first=_FIRST_APOSTROPHE),
    _rule("''", _nothing, "'"),
]

_SIGNS = [
    _rule(f"{_ACCENTED}(?:{_WORD})?", first="&"),
    # faces
    _rule(r"[<>]?[:;=][-'o*]?[()DPdpO|\\{\[\]@](?![A-Za-z0-9])", first="<>:;="),
    _rule(rf"{_EYE}_{_EYE}|\({_EYE}_?{_EYE}\)", first="(-'<>=^~"),
    _rule(r"[!?]+|#+|@+|\*+|_+|<<|>>|``|(?:\\\*)+", first="!?#@*_<>`\\"),
    _rule("-[LR][RCS]B-|-{5,}", first=_FIRST_HYPHEN),
    _rule("-{2,4}", _nothing, _FIRST_HYPHEN),
    _rule(r"\.{3,5}", _nothing, "."),
    _rule(f"[{''.join(_QUOTATION)}`]{{1,2}}", _quotation, "".join(_QUOTATION) + "`"),
    _rule("[\u201a\u201e\u201f]{1,2}", first="\u201a\u201e\u201f"),
    _rule("(?i:&(?:amp|lt|gt|nbsp|[mn]dash|md);)|&quot;|&apos;", _entity, "&"),
    _rule(r"&#\d+;|(?i:&(?:apos|quot|ht|lr|q[clr]|tl|ur|[co]dq);)", first="&"),
    _rule(_NUMBER, first="-+.,:"),
    _rule("@[A-Za-z_][A-Za-z0-9_]*", first="@"),
    _rule(f"#{_L}+", first="#"),
    _rule(rf"{_ELEMENT}|<[!?][A-Za-z-][^>\n]{{0,200}}>|{_EMAIL}", first="<"),
    _rule(_PHONE, first="(+"),
    *_APOSTROPHES,
    _rule("(?s:.)", _single),
]

# a word that can be nothing more, as most are: where there are no addresses, more words
_BARE = re.compile(rf"{_WORD}(?=[\s\"()<>|{{}}]|$)")
_BARE_IN_TEXT = re.compile(rf"{_WORD}(?![.,!?'\u2018\u2019`&/\\_+$#{_HYPHEN}])")
_ADDRESSES = re.compile(r"@|://|\.(?:com|net|org|edu)", re.IGNORECASE)

_IS_LETTER = re.compile(f"{_L}|[{MARKS}]")


@cache
def _rules(first: str) -> tuple[Rule, ...]:
    """The rules for a place with this character."""
    kind = _SIGNS if first.isascii() else [_rule(f"[{SMALL_FIGURES}]+"), *_SIGNS]
    if first in "#%&*+~" or not first.isascii():
        kind = [_ADDRESS, *kind]
    if first.isdecimal():
        kind = _FIGURES
    elif _IS_LETTER.match(first):
        kind = _LETTERS
    return tuple(rule for rule in kind if not rule.first or first in rule.first)


def tokens(text: str, end: int) -> Iterator[str]:
    """The tokens of a legible text before `end` as they are printed, their letters as they stand.

    Those without letters that captions are stripped of may come as empty text.
    """
    plain = _BARE if _ADDRESSES.search(text) else _BARE_IN_TEXT
    place = 0
    while place < end:
        if text[place] in " \u00a0\t\n":
            place += 1
            continue
        bare = plain.match(text, place)
        if bare:
            yield _word(bare[0])
            place = bare.end()
            continue
        best, reach = None, place
        how: Callable[[str], str] = _as_it_is
        for pattern, printed, _ in _rules(text[place]):
            found = pattern.match(text, place)
            if found and found.end() > reach:
                best, reach, how = found, found.end(), printed
        # the last rule of each kind takes any character of it
        assert best is not None
        yield how(best[1])
        place = best.end(1)
