"""Reads a text that is one JSON value or one Python literal, strictly, without running any of it."""

from __future__ import annotations

import json
import re
from typing import Any

# a string that is never closed goes on to the end of its line, so that none is looked at twice
_PIECE = re.compile(
    r""""(?P<double>[^"\\\n]*+(?:\\.[^"\\\n]*+)*+)(?P<shut2>"?+)"""
    r"""|'(?P<single>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)(?P<shut1>'?+)"""
    r"|(?P<word>(?<![\w.])[^\W\d]\w*+)|(?P<comma>,(?=\s*+[\]})]))|(?P<comment>\#[^\n]*+)"
    # what Python allows in a number and JSON does not: a sign, zeros before, nothing by the point
    r"|(?P<number>(?<![\w.])(?:\+(?=[0-9.])|0++(?=[0-9]++[.eE])|\.(?=[0-9]))"
    r"|(?<=[0-9])\.(?![0-9]))|(?P<bracket>[()]++)",
    re.DOTALL,
)
_SQUARE = str.maketrans("()", "[]")
_DIGITS = frozenset("0123456789")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_NOT_BOTH = re.compile(r"\b(?:true|false|null|NaN|Infinity)\b|\\/")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_SIMPLE = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n",
    "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip


def json_value(text: str) -> Any:
    """The value of a JSON text, with `NaN` and `Infinity` as Python's reader takes them.

    Raises:
        ValueError: it is none, or nests too deep.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def python_value(text: str) -> Any:
    """The value of a Python literal of lists, tuples (as lists), dicts, strings and numbers.

    JSON's `true`, `false` and `null` are no Python. Linear; nothing is evaluated.

    Raises:
        ValueError: it is none, or nests too deep.
    """
    if not _NOT_BOTH.search(text):
        try:
            return json_value(text)
        except ValueError:
            pass
    return json_value(_PIECE.sub(_as_json, text))


def _as_json(piece: re.Match[str]) -> str:
    """A piece of a Python literal as JSON has it."""
    kind = piece.lastgroup
    if kind in ("shut2", "shut1"):
        if not piece[kind]:
            raise ValueError("a string is not closed")
        raw = piece["double"] if kind == "shut2" else piece["single"]
        return json.dumps(_ESCAPE.sub(_unescaped, raw) if "\\" in raw else raw)
    if kind == "word":
        if piece["word"] not in _WORDS:
            raise ValueError("a word is no literal")
        return _WORDS[piece["word"]]
    if kind == "bracket":
        return piece["bracket"].translate(_SQUARE)
    if piece.group() == ".":
        return ".0" if piece.string[piece.start() - 1 : piece.start()] in _DIGITS else "0."
    # a comma before a bracket, a comment, a sign, zeros
    return ""


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code is None:
        return _SIMPLE.get(escape[4], escape.group())
    if int(code, 16) > 0x10FFFF:
        raise ValueError("an escape stands for no character")
    return chr(int(code, 16))
