"""The pieces in which JSON in a reply is read: coarse, and each found without a second look.

All are made so that a text costs time in proportion to its length, whatever it repeats: nothing
that can fail late begins anew within what it has passed.
"""

from __future__ import annotations

import json
import re

NUMBER = (
    r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,4}+)?+"
    r"|(?i:nan|inf(?:inity)?+)(?!\w))"
)
_ITEM = rf"""["']?+{NUMBER}["']?+"""
# a comment between numbers holds no bracket, lest every bracket begin a search for its end
_NOTE = r"(?://|\#)[^\n\[\](){}]*+\n|/\*[^*\[\](){}]*+\*/"
_BETWEEN = rf"(?:[\s,;]++|{_NOTE})++"
_ITEMS = rf"{_ITEM}(?:{_BETWEEN}{_ITEM})*+"
_FOUR = rf"{_ITEM}(?:{_BETWEEN}{_ITEM}){{3}}"
_END = rf"(?:{_BETWEEN})?+"
_STRING = (
    r"""(?:"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*+)(?P<shut2>"?+)"""
    r"""|'(?P<single>[^'\\]*+(?:(?:\\.|(?<=\w)'(?=\w))[^'\\]*+)*+)(?P<shut1>'?+))"""
)
_BEGINS = rf"(?=[\[{{]|\(\s*+{_FOUR}{_END}\))"

# Outside of all brackets: what begins something, so that prose is passed over in one go. `said` is
# a string after a key that is quoted itself.
OUTSIDE = re.compile(
    r"""(?P<quote>["'])(?P<name>[^"'\\\n\[\]{}:,]{1,80}+)(?P=quote)\s*+:\s*+"""
    rf"(?:(?P<said>{_STRING})|{_BEGINS})|{_BEGINS}",
    re.DOTALL,
)

# lists of numbers and nothing else, one after the other, in round brackets where there are four; a
# list that goes on otherwise
_LISTS = rf"(?:(?:\[\s*+{_ITEMS}{_END}\]|\(\s*+{_FOUR}{_END}\))[\s,;]*+)++"
_OPEN = rf"\[\s*+(?P<items>{_ITEMS})"
# other brackets, with what parts them
_BRACKETS = rf"(?:(?:[\]}}{{]|\[(?!\s*+{_ITEM}))[\s,;]*+)++"
# a key, quoted or not, with its value where that is one piece
_KEY = (
    r"""(?:(?P<quote>["'])(?P<name>[^"'\\\n]{1,80}+)(?P=quote)|(?P<bare>[^\W\d]\w{0,80}+))"""
    rf"\s*+:\s*+(?:(?P<said>{_STRING})|(?P<number>{NUMBER})(?![\w.%])"
    r"|(?P<word>[^\W\d]\w*+)(?!\s*+:))?+"
)
_COMMENT = r"(?<![^\s,\[\]{}])(?:(?://|\#)[^\n]*+|/\*[^*]*+\*/)"
# strings in a list, whatever they hold; words up to what may be a key or a bracket
_WORDS = (
    r"""(?:"[^"\\\n]*+"(?=\s*+[,\]}])|'[^'\\\n]*+'(?=\s*+[,\]}])|\w++(?!\s*+:)|[^\w\[\]{}("'\\\n]|\\.|\((?!\s*+["'+.\d-])"""
    r"""|["'](?![^"'\\\n]*+["']\s*+[:,\]}]))++|\w++|."""
)

# Within brackets: the piece that comes next, named by its group.
INSIDE = re.compile(
    rf"[\s,;:]*+(?:(?P<lists>{_LISTS})|(?P<brackets>{_BRACKETS})|(?P<key>{_KEY})"
    rf"|(?P<open>{_OPEN})|(?P<loose>{_ITEMS})|(?P<comment>{_COMMENT})|(?P<words>{_WORDS}))",
    re.DOTALL,
)

_WRITTEN = re.compile(rf"\s*+[\[(]?+\s*+({_ITEMS}){_END}[\])]?+\s*+")
_EACH = re.compile(r"[\[(]([^\])]*+)")
_NUMBERS = re.compile(NUMBER)
_NOTES = re.compile(_NOTE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udfff]")


def insides(lists: str) -> list[str]:
    """What each of some lists of numbers holds."""
    return _EACH.findall(lists)


def numbers_of(items: str) -> list[float]:
    """The numbers of a list's inside; one may be infinite or not a number."""
    try:
        return [*map(float, items.split(","))]
    except ValueError:
        return [float(number) for number in _NUMBERS.findall(_NOTES.sub(" ", items))]


def written_list(text: str) -> str | None:
    """The inside of a list of numbers that a string consists of, brackets or not; else None."""
    found = _WRITTEN.fullmatch(text)
    return found[1] if found is not None else None


def plain_name(key: str) -> str:
    """A key as the tables have it: lower case, `_` for spaces and hyphens."""
    name = key.lower()
    return name if name.isalnum() else name.strip().replace(" ", "_").replace("-", "_")


def plain_text(raw: str) -> str:
    """A string's content with its escapes undone, as JSON has them or else as it stands."""
    if "\\" in raw:
        try:
            raw = str(json.loads(f'"{raw}"', strict=False))
        except ValueError:
            raw = _ESCAPED.sub(r"\1", raw)
    return well_formed(raw)


def well_formed(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)
