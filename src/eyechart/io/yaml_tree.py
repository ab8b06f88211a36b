"""YAML as a tree of plain values, each with its line: the part that knows the language."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

# what PyYAML takes for text though JSON and YAML 1.2 have it as a number
FLOAT = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+\Z")
_CHARACTERS = 1 << 20
_DEPTH = 40
_PARTS = 100_000
_PREFIX = "tag:yaml.org,2002:"
_READ = frozenset({"str", "int", "float", "bool", "null"})
# forms that have a type of their own in YAML, and are taken as text here
_AS_TEXT = frozenset({"timestamp", "value", "merge"})


class Fault(Exception):
    """What is wrong with a text, and on which line (0: on none in particular)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Place:
    """A value and where it stands: its line, its key's line, its parts by key or by number.

    `size` counts it and all its parts. `text` is how a single value is written, `merges` says that
    it is the key `<<`; `merged` are the keys that came by it, which others may replace.
    """

    line: int
    value: Any
    key_line: int
    parts: dict[str | int, Place] = field(default_factory=dict)
    size: int = 1
    text: str | None = None
    merges: bool = False
    merged: set[str] = field(default_factory=set)


def parse(text: str) -> Place | None:
    """The one document of a text; None where there is nothing in it.

    Raises:
        Fault: no YAML, or YAML beyond what is read here.
    """
    import yaml

    if len(text) > _CHARACTERS:
        raise Fault(f"is too long: {len(text):,} characters, and {_CHARACTERS:,} are read.")
    odd = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise Fault(f"a character that YAML does not take, {odd.group()!r}.", line)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Tree().grown(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = str(getattr(error, "problem", None) or error)
        if "\\t" in said or (mark is not None and _has_tab(text, mark.line)):
            said += "; YAML is indented with spaces, never with tabs"
        raise Fault(f"not YAML: {said}.", mark.line + 1 if mark is not None else 0) from None


def _has_tab(text: str, number: int) -> bool:
    lines = text.split("\n")
    line = lines[number] if number < len(lines) else ""
    return "\t" in line[: len(line) - len(line.lstrip())]


class _Tree:
    """Builds the tree from the parser's events, without recursion."""

    def __init__(self) -> None:
        import yaml

        self._scalars: Any = yaml.SafeLoader("")
        self._anchors: dict[str, Place | None] = {}
        self._total = 0
        # collections that are not closed: the place, its anchor, and a key that waits for its value
        self._open: list[tuple[Place, str | None]] = []
        self._keys: list[Place | None] = []
        self._root: Place | None = None

    def grown(self, events: Iterator[yaml.Event]) -> Place | None:
        import yaml

        documents = 0
        for event in events:
            line = event.start_mark.line + 1 if event.start_mark is not None else 0
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Fault("a second document begins here; one is read.", line)
            elif isinstance(event, yaml.AliasEvent):
                self._put(self._alias(str(event.anchor), line))
            elif isinstance(event, yaml.ScalarEvent):
                self._put(self._scalar(event, line), event.anchor)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                place, anchor = self._open.pop()
                self._keys.pop()
                self._put(place, anchor)
        root = self._root
        # a file of comments alone has one empty value
        return None if root is None or root.value is None else root

    def _begin(self, event: yaml.CollectionStartEvent, line: int) -> None:
        import yaml

        if len(self._open) >= _DEPTH:
            raise Fault(f"nested more than {_DEPTH} levels deep.", line)
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if event.tag not in (None, "!", _PREFIX + kind):
            raise Fault(f"the tag {event.tag} is not read here.", line)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append((Place(line, {} if kind == "map" else [], line), event.anchor))
        self._keys.append(None)

    def _alias(self, anchor: str, line: int) -> Place:
        if anchor not in self._anchors:
            raise Fault(f"the anchor &{anchor} that *{anchor} stands for is nowhere above.", line)
        target = self._anchors[anchor]
        if target is None:
            raise Fault(f"*{anchor} stands within what it stands for.", line)
        return Place(line, target.value, line, target.parts, target.size, target.text)

    def _put(self, place: Place, anchor: str | None = None) -> None:
        """A finished value to where it belongs: a list, a mapping's key or value, or the top."""
        if anchor is not None:
            self._anchors[anchor] = place
        if not self._open:
            self._root = place
            return
        above = self._open[-1][0]
        above.size += place.size
        if above.size > _PARTS:
            raise Fault(
                f"more than {_PARTS:,} values, repeated ones counted each time.", place.line
            )
        if isinstance(above.value, list):
            above.parts[len(above.value)] = place
            above.value.append(place.value)
        elif self._keys[-1] is None:
            if place.text is None:
                raise Fault("a key must be a single word or text.", place.line)
            self._keys[-1] = place
        else:
            key, self._keys[-1] = self._keys[-1], None
            _pair(above, key, place)

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> Place:
        import yaml

        text: str = event.value
        tag = event.tag
        if tag is None or tag == "!":
            implicit = event.implicit if tag is None else (False, True)
            tag = self._scalars.resolve(yaml.ScalarNode, text, implicit)
        kind = tag.removeprefix(_PREFIX)
        merges = kind == "merge"
        if kind in _AS_TEXT and event.tag is None:
            kind = "str"
        if kind not in _READ:
            raise Fault(f"the tag {tag} is not read here.", line)
        if kind == "str":
            plain = event.style in (None, "") and event.tag is None
            value: Any = float(text) if plain and FLOAT.fullmatch(text) else text
        else:
            value = self._number(yaml.ScalarNode(_PREFIX + kind, text), line)
        if isinstance(value, float) and not math.isfinite(value):
            raise Fault(f"{text[:40]} is not a finite number.", line)
        return Place(line, value, line, text=text, merges=merges)

    def _number(self, node: yaml.ScalarNode, line: int) -> Any:
        try:
            return self._scalars.construct_object(node)
        except (ValueError, KeyError, IndexError, OverflowError):
            form = node.tag.removeprefix(_PREFIX)
            raise Fault(f"{node.value[:40]!r} is no {form}.", line) from None


def _pair(above: Place, key: Place, place: Place) -> None:
    if key.merges:
        several = isinstance(place.value, list)
        for one in place.parts.values() if several else [place]:
            _merge(above, one, key.line)
        return
    name = str(key.text)
    if name in above.parts and name not in above.merged:
        raise Fault(f"the key {name!r} stands twice.", key.line)
    above.merged.discard(name)
    place.key_line = key.line
    above.parts[name] = place
    above.value[name] = place.value


def _merge(above: Place, place: Place, line: int) -> None:
    if not isinstance(place.value, dict):
        raise Fault("<< takes in a mapping, or a list of them.", line)
    for name, part in place.parts.items():
        if name not in above.parts:
            above.merged.add(str(name))
            above.parts[name] = replace(part, key_line=line)
            above.value[name] = part.value
