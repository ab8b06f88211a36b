"""Hostile text made harmless and honest: what a terminal would obey or hide is written out."""

from __future__ import annotations

import unicodedata

_ACTIVE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})
_MARKS_ALLOWED = 4
_NAMED = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r"}

# Unicode's Default_Ignorable_Code_Point outside category Cf, and the blank braille cell: letters
# and marks that take no ink, in which a second message can be hidden.
_INKLESS = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0100, 0xE01F0))
)


def _written_out(code: int) -> str:
    if code in _NAMED:
        return _NAMED[code]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class _Visible(dict[int, str]):
    """A translation table that learns each code point when it first meets it."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        active = unicodedata.category(character) in _ACTIVE or code in _INKLESS
        self[code] = shown = _written_out(code) if active else character
        return shown


_one_line = _Visible()
_block = _Visible({0x0A: "\n", 0x09: "    "})


def _unstacked(text: str) -> str:
    """Writes out combining marks beyond the fourth on one letter: piles run over other lines."""
    if text.isascii():
        return text
    shown: list[str] = []
    pile = 0
    for character in text:
        pile = pile + 1 if unicodedata.category(character) in _MARKS else 0
        shown.append(character if pile <= _MARKS_ALLOWED else _written_out(ord(character)))
    return "".join(shown)


def visible(text: str) -> str:
    r"""The text on one line, with everything active or invisible written as `\n`, `\x1b`, `\u202e`.

    Controls (so ANSI and OSC sequences are inert), bidi overrides, zero-width and other inkless
    characters, lone surrogates, private and unassigned code points are written out; every letter,
    sign and space stays. Linear in the text's length.
    """
    return _unstacked(text.translate(_one_line))


def visible_block(text: str) -> str:
    """As `visible`, but line feeds stay and a tab becomes four spaces."""
    return _unstacked(text.translate(_block))


def shortened(text: str, limit: int) -> str:
    """The text in at most `limit` characters (at least 3): its middle goes, and how much is said.

    Shorten before making text visible, so that no written-out character is cut in two.
    """
    limit = max(limit, 3)
    if len(text) <= limit:
        return text
    note = f" [... {len(text):,} characters in all ...] "
    if len(note) * 2 > limit:
        note = "..."
    kept = limit - len(note)
    tail = kept // 2
    return text[: kept - tail] + note + (text[-tail:] if tail else "")
