"""Finds boxes in JSON that stands in a reply: fenced, in prose, cut short, or not quite JSON.

One pass over the text with a stack of open brackets; no backtracking, whatever the text holds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

BOX_KEYS = frozenset(
    {"bbox_2d", "bbox", "box_2d", "box", "boxes", "bboxes", "bounding_box", "bounding_boxes"}
)
_LABEL_KEYS = frozenset({"label", "name", "phrase", "object", "category", "class", "description"})

# full-width digits, brackets and marks as models write them among Chinese or Japanese
_NARROW = str.maketrans(
    "０１２３４５６７８９［］｛｝【】，、；：．－＋＂“”", '0123456789[]{}[],,;:.-+"""'
)

_TOKEN = re.compile(
    r"""(?P<key>(?P<quote>["'])(?P<name>[A-Za-z][A-Za-z0-9_ -]{0,40})(?P=quote)\s*:)"""
    r"|(?P<number>[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]{1,4})?)"
    r"|(?P<open>[\[{])"
    r"|(?P<close>[\]}])"
    r"|(?P<space>[\s,;]++)"
    r"""|(?P<word>[^\s,;\[\]{}"'0-9+.-]++|.)""",
    re.DOTALL,
)
_STRING = re.compile(r"""\s*+(?:"((?:[^"\\]|\\.)*+)("?)|'((?:[^'\\]|\\.)*+)('?))""", re.DOTALL)
_CLOSES = {"]": "[", "}": "{"}


@dataclass(slots=True)
class Found:
    """What a text holds: lists of four numbers in order, and what else was in their place.

    `wrong` are the lengths of lists that should have been boxes, `foreign` the keys of lists of
    four numbers that are not a box's, `words` the number of lists that hold anything but numbers.
    """

    boxes: list[tuple[float, ...]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    empty: bool = False
    truncated: bool = False
    wrong: list[int] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    words: int = 0


@dataclass(slots=True)
class _Group:
    """An open bracket: its key, the object it belongs to, and what it holds so far."""

    kind: str
    key: str | None
    owner: _Group | None
    numbers: list[float] = field(default_factory=list)
    has_groups: bool = False
    has_words: bool = False
    label: str | None = None
    boxes: list[int] = field(default_factory=list)


class _Scanner:
    """The pass itself: `top` is the innermost open bracket, `key` a key whose value comes next."""

    def __init__(self) -> None:
        self.found = Found()
        self.stack: list[_Group] = []
        self.squares = 0
        self.key: str | None = None
        self.after_number = False

    def run(self, text: str) -> Found:
        position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None:
                break
            position = token.end()
            kind = str(token.lastgroup)
            if kind == "key":
                position = self._keyed(text, token["name"].lower(), position)
            elif kind == "open":
                self._open(token["open"])
            elif kind == "close":
                self._close(token["close"])
            elif kind == "number":
                self._number(token["number"])
            elif kind == "word":
                self._word(token["word"])
            self.after_number = kind == "number"
        self.found.truncated |= any(not group.has_words for group in self.stack)
        return self.found

    def _keyed(self, text: str, name: str, position: int) -> int:
        """Takes a key, and its value too where that is a string."""
        value = _STRING.match(text, position)
        if value is None:
            self.key = name
            return position
        if not (value[2] or value[4]):
            self.found.truncated = True
        elif self.stack and name in _LABEL_KEYS and self.stack[-1].label is None:
            self.stack[-1].label = _plain(value[1] if value[1] is not None else value[3])
        return value.end()

    def _open(self, bracket: str) -> None:
        parent = self.stack[-1] if self.stack else None
        key = self.key
        if parent is not None:
            parent.has_groups = True
            if key is None and parent.kind == "[":
                key = parent.key
        owner = parent.owner if parent is not None and parent.kind == "[" else parent
        self.stack.append(_Group(bracket, key if bracket == "[" else None, owner))
        self.squares += bracket == "["
        self.key = None

    def _close(self, bracket: str) -> None:
        wanted = _CLOSES[bracket]
        self.key = None
        open_ones = self.squares if wanted == "[" else len(self.stack) - self.squares
        while open_ones and self.stack:
            group = self.stack.pop()
            self.squares -= group.kind == "["
            if group.kind == wanted:
                if wanted == "[":
                    self._list(group)
                for place in group.boxes:
                    self.found.labels[place] = group.label
                return

    def _list(self, group: _Group) -> None:
        found = self.found
        is_box = group.key is None or group.key in BOX_KEYS
        if group.has_words:
            found.words += bool(group.numbers) and is_box
        elif not is_box:
            if len(group.numbers) == 4 and not group.has_groups:
                found.foreign.append(group.key or "")
        elif not group.numbers:
            found.empty |= not group.has_groups
        elif len(group.numbers) == 4 and not group.has_groups:
            if group.owner is not None:
                group.owner.boxes.append(len(found.boxes))
            found.boxes.append(tuple(group.numbers))
            found.labels.append(None)
        else:
            found.wrong.append(len(group.numbers))

    def _number(self, digits: str) -> None:
        if self.stack and self.key is None:
            self.stack[-1].numbers.append(float(digits))
            self.stack[-1].has_words |= self.after_number
        self.key = None

    def _word(self, word: str) -> None:
        if self.key is not None:
            self.found.empty |= word.lower() in ("null", "none") and self.key in BOX_KEYS
        elif self.stack:
            self.stack[-1].has_words = True
        self.key = None


def _plain(raw: str) -> str:
    """A JSON string's content with its escapes undone, or as it stands where they are not JSON's."""
    if "\\" not in raw:
        return raw
    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw


def scan(text: str) -> Found:
    """All lists of four numbers in a text, in order, in time linear in its length.

    A list counts where it stands bare or under one of `BOX_KEYS`, alone or in lists; one under
    another key does not. A list or object that is still open at the end sets `truncated`.
    """
    return _Scanner().run(text.translate(_NARROW))
