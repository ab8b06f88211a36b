"""Finds boxes and points in JSON that stands in a reply: fenced, in prose, cut, or not quite JSON.

One pass over coarse pieces of the text with a stack of open brackets, and no backtracking.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eyechart.dialects.around import says_none
from eyechart.dialects.json_shapes import (
    BOX_KEYS,
    LABEL_RANKS,
    LIST_KEYS,
    NAME_KEYS,
    NUMBER_KEYS,
    POINT_KEYS,
    shape_of,
)
from eyechart.dialects.json_tokens import (
    INSIDE,
    OUTSIDE,
    insides,
    numbers_of,
    plain_name,
    plain_text,
    written_list,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

# beyond this a number is nothing that a picture has, and arithmetic with it overflows
_MOST = 1e100
# so many brackets, keys and words between them are no answer any more: the rest is not read
_MOST_PIECES = 125_000
# nor is what nests so deep
_MOST_OPEN = 25_000
_CLOSES = {"]": "[", "}": "{"}


@dataclass(slots=True)
class Scanned:
    """What a text holds: boxes and points in order, and what else was in their place.

    `wrong` are the lengths of lists that should have been boxes, `foreign` the keys of lists of
    four numbers that are not a box's, `words` the number of lists that hold anything but numbers,
    `endless` of those with a number that is not finite, `orders` the orders that named numbers
    stand for and that are not the dialect's.
    """

    boxes: list[tuple[float, ...]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    points: list[tuple[float, float]] = field(default_factory=list)
    point_labels: list[str | None] = field(default_factory=list)
    empty: bool = False
    truncated: bool = False
    wrong: list[int] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    words: int = 0
    endless: int = 0
    orders: list[str] = field(default_factory=list)


class _Group:
    """What an open bracket holds so far; made only where there is something to keep.

    `loose` are numbers that stand in it among other things, `pairs` its lists of two numbers,
    `other` says that it holds more than those, `words` that there is prose. `named` are the
    numbers of an object under keys such as `x1`; `boxes` and `points` those that are the object's.
    """

    loose: list[str] | None = None
    pairs: list[tuple[float, ...]] | None = None
    other = False
    words = False
    label: str | None = None
    rank = len(LABEL_RANKS)
    named: dict[str, float] | None = None
    boxes: list[int] | None = None
    points: list[int] | None = None


class _Scanner:
    """The pass itself.

    `kinds` and `keys` are the open brackets and the keys that they stand under, `objects` the
    places of the curly ones among them; `groups` has what some of them hold, by place. `key` is a
    key whose value comes next; `fresh` says that a square bracket was opened just now.
    """

    def __init__(self, order: str, bins: bool) -> None:
        self.order, self.bins = order, bins
        self.found = Scanned()
        self.kinds: list[str] = []
        self.keys: list[str | None] = []
        self.objects: list[int] = []
        self.groups: dict[int, _Group] = {}
        self.key: str | None = None
        self.fresh = False
        self.number_end = -1

    def run(self, text: str) -> Scanned:
        kinds, position, pieces = self.kinds, 0, 0
        while (begin := OUTSIDE.search(text, position)) is not None:
            position = begin.end()
            pieces += 1
            if begin["said"] is not None:
                self.found.truncated |= not (begin["shut2"] or begin["shut1"])
                continue
            self.key = plain_name(begin["name"]) if begin["name"] else None
            while (token := INSIDE.match(text, position)) is not None:
                position = token.end()
                _TAKE[token.lastgroup](self, token)
                pieces += 1
                if not kinds or pieces > _MOST_PIECES or len(kinds) > _MOST_OPEN:
                    break
            if pieces > _MOST_PIECES or len(kinds) > _MOST_OPEN:
                self.found.truncated = True
                break
        self._end()
        return self.found

    def _end(self) -> None:
        """What is open when the text ends was cut off, unless it is prose; labels are kept."""
        prose = 0
        for group in self.groups.values():
            prose += group.words
            self._give_label(group)
        self.found.truncated |= len(self.kinds) > prose

    def _group(self) -> _Group:
        """What the innermost open bracket holds."""
        return self._group_at(len(self.kinds) - 1)

    def _group_at(self, place: int) -> _Group:
        group = self.groups.get(place)
        if group is None:
            group = self.groups[place] = _Group()
        return group

    def _value_key(self) -> str | None:
        """The key that a list at this place stands under, its own or that of a list around it."""
        key, self.key = self.key, None
        if key is None and self.kinds and self.kinds[-1] == "[":
            return self.keys[-1]
        return key

    def _take_lists(self, token: re.Match[str]) -> None:
        self.fresh = False
        # a key of its own has the first list alone
        key, place = self.key, self._value_key()
        for items in insides(token["lists"]):
            self._numbers(items, place)
            if key is not None:
                key, place = None, self._value_key()

    def _take_open(self, token: re.Match[str]) -> None:
        """A list of numbers that goes on with something else."""
        self.fresh = False
        self.keys.append(self._value_key())
        self.kinds.append("[")
        self._group().loose = [token["items"]]
        self.number_end = token.end()

    def _take_brackets(self, token: re.Match[str]) -> None:
        kinds, keys, groups = self.kinds, self.keys, self.groups
        for mark in token["brackets"]:
            if mark in "[{":
                if len(kinds) > _MOST_OPEN:
                    return
                key = self.key
                if key is None:
                    keys.append(keys[-1] if kinds and kinds[-1] == "[" else None)
                else:
                    keys.append(key)
                    self.key = None
                if mark == "{":
                    self.objects.append(len(kinds))
                kinds.append(mark)
                self.fresh = mark == "["
            elif mark in "]}":
                self.key = None
                if groups or self.fresh or mark == "}":
                    self._close(_CLOSES[mark])
                elif kinds and kinds[-1] == "[":
                    # an empty shell
                    kinds.pop()
                    keys.pop()
                else:
                    self._close("[")

    def _take_key(self, token: re.Match[str]) -> None:
        self.fresh = False
        self.key = None
        name = plain_name(token["name"] or token["bare"])
        if token["said"] is not None:
            if token["shut2"] or token["shut1"]:
                self._said(name, token["double"] or token["single"] or "")
            else:
                self.found.truncated = True
        elif token["number"] is not None:
            if name in NUMBER_KEYS:
                self._named(name, token["number"])
        elif token["word"] is None:
            self.key = name
        elif token["word"].lower() in ("null", "none"):
            self.found.empty |= name in BOX_KEYS or name in POINT_KEYS
        elif name in LABEL_RANKS:
            self._label(token["word"], LABEL_RANKS[name])

    def _take_loose(self, token: re.Match[str]) -> None:
        self.fresh, self.key = False, None
        group = self._group()
        if token.start("loose") == self.number_end:
            group.words = True
        if group.loose is None:
            group.loose = []
        group.loose.append(token["loose"])
        self.number_end = token.end()

    def _take_words(self, token: re.Match[str]) -> None:
        self.fresh, self.key = False, None
        place = len(self.kinds) - 1
        # in an object that has begun, or that begins with a quote, words are a slip and not prose
        slip = self.kinds[-1] == "{" and (token["words"][0] in "\"'" or place in self.groups)
        if not slip:
            self._group().words = True

    def _close(self, wanted: str) -> None:
        """Closes the innermost bracket of a kind and all within it, if there is one."""
        kinds, curly = self.kinds, len(self.objects)
        if not (curly if wanted == "{" else len(kinds) - curly):
            return
        kind = ""
        while kind != wanted:
            kind, key = kinds.pop(), self.keys.pop()
            if kind == "{":
                self.objects.pop()
            group = self.groups.pop(len(kinds), None)
            if group is not None:
                if kind == "{":
                    self._close_object(group, key)
                elif kind == wanted:
                    self._close_list(group, key)
                if kinds and kinds[-1] == "[":
                    self._group().other = True
            elif self.fresh:
                self.found.empty |= key is None or key in LIST_KEYS
            self.fresh = False

    def _close_list(self, group: _Group, key: str | None) -> None:
        found = self.found
        is_box = key is None or key in BOX_KEYS
        if group.words:
            found.words += is_box and bool(group.loose or (key and not group.other))
        elif group.loose and not (group.other or group.pairs):
            self._numbers(",".join(group.loose), key)
        elif group.loose:
            found.wrong.append(len(numbers_of(",".join(group.loose))))
        elif group.pairs:
            if len(group.pairs) == 2 and not group.other and self.order in ("xyxy", "yxyx"):
                self._box(group.pairs[0] + group.pairs[1])
            else:
                found.wrong += [2] * len(group.pairs)

    def _close_object(self, group: _Group, key: str | None) -> None:
        if group.named:
            self._shape(group, key)
        elif key in NAME_KEYS and group.label is not None and not group.boxes and self.objects:
            self._label(group.label, group.rank)
        self._give_label(group)

    def _give_label(self, group: _Group) -> None:
        if group.label is not None:
            for place in group.boxes or ():
                self.found.labels[place] = group.label
            for place in group.points or ():
                self.found.point_labels[place] = group.label

    def _shape(self, group: _Group, key: str | None) -> None:
        """The box or point that the named numbers of an object are."""
        found, shape = self.found, shape_of(group.named or {}, self.order, self.bins)
        if shape is None:
            return
        if shape.kind == "wrong":
            found.wrong.append(len(shape.numbers))
            return
        if shape.kind == "order":
            found.orders.append(shape.order)
            return
        if not all(abs(number) < _MOST for number in shape.numbers):
            found.endless += 1
            return
        # under a box's key the label stands in the object around it
        owner = group
        if group.label is None and (key in BOX_KEYS or key in POINT_KEYS) and self.objects:
            owner = self._group_at(self.objects[-1])
        if shape.kind == "box":
            self._box(shape.numbers, owner)
        else:
            self._point(shape.numbers, owner)

    def _numbers(self, items: str, key: str | None) -> None:
        """A list of numbers and nothing else, under a key or under none."""
        found, numbers = self.found, tuple(numbers_of(items))
        count = len(numbers)
        in_list = bool(self.kinds) and self.kinds[-1] == "["
        is_box, is_point = key is None or key in BOX_KEYS, key in POINT_KEYS
        if not is_box and (not is_point or count == 4):
            if count == 4:
                found.foreign.append(key or "")
        elif not sum(map(abs, numbers)) < _MOST:
            found.endless += 1
        elif count == 4:
            self._box(numbers)
        elif count == 2 and is_point and not (is_box and in_list):
            self._point(numbers)
        elif count == 2 and in_list:
            group = self._group()
            if group.pairs is None:
                group.pairs = []
            group.pairs.append(numbers)
            return
        else:
            found.wrong.append(count)
        if in_list:
            self._group().other = True

    def _box(self, numbers: tuple[float, ...], owner: _Group | None = None) -> None:
        if owner is None and self.objects:
            owner = self._group_at(self.objects[-1])
        if owner is not None:
            if owner.boxes is None:
                owner.boxes = []
            owner.boxes.append(len(self.found.boxes))
        self.found.boxes.append(numbers)
        self.found.labels.append(None)

    def _point(self, numbers: tuple[float, ...], owner: _Group | None = None) -> None:
        if owner is None and self.objects:
            owner = self._group_at(self.objects[-1])
        if owner is not None:
            if owner.points is None:
                owner.points = []
            owner.points.append(len(self.found.points))
        self.found.points.append((numbers[0], numbers[1]))
        self.found.point_labels.append(None)

    def _said(self, name: str, text: str) -> None:
        """A string under a key."""
        if name in LABEL_RANKS:
            self._label(plain_text(text).strip(), LABEL_RANKS[name])
        elif name in BOX_KEYS or name in POINT_KEYS:
            items = written_list(text)
            if items is not None:
                self._numbers(items, name)
            else:
                self.found.empty |= not text.strip() or says_none(text)
        elif name in NUMBER_KEYS and (items := written_list(text)) is not None:
            self._named(name, items)

    def _named(self, name: str, number: str) -> None:
        group = self._group()
        if group.named is None:
            group.named = {}
        group.named.setdefault(name, numbers_of(number)[0])

    def _label(self, text: str, rank: int) -> None:
        """Keeps a label for the innermost bracket; of several the one of the lowest rank."""
        group = self._group()
        if text and rank < group.rank:
            group.label, group.rank = text, rank


def _pass_over(_scanner: _Scanner, _token: re.Match[str]) -> None:
    """A comment says nothing."""


_TAKE: dict[str | None, Callable[[_Scanner, re.Match[str]], None]] = {
    "lists": _Scanner._take_lists,
    "brackets": _Scanner._take_brackets,
    "key": _Scanner._take_key,
    "open": _Scanner._take_open,
    "loose": _Scanner._take_loose,
    "comment": _pass_over,
    "words": _Scanner._take_words,
}


def scan(text: str, order: str = "xyxy", bins: bool = False) -> Scanned:
    """All boxes and points in a text, in order, in time linear in its length.

    A list of four numbers is a box where it stands bare or under one of `BOX_KEYS`; one of two is a
    point under one of `POINT_KEYS`, two such in a list are corners. Named numbers are what
    `json_shapes.shape_of` says by `order` and `bins`. What is open at the end sets `truncated`.
    """
    return _Scanner(order, bins).run(text)
