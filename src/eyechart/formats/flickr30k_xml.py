"""The XML that Flickr30k Entities has for each picture: its size, and the boxes of its chains.

Source of the rules: `get_annotations` of BryanPlummer/flickr30k_entities, 68b3d6f12d1d.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from eyechart.errors import DataError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from eyechart.values import Box

_SIDES = ("xmin", "ymin", "xmax", "ymax")
_MOST_DIGITS = 300
_BLANKS = r"[ \t\r\n]*+"
_NUMBER = r"[0-9]{1,9}+"
_NAME = r"<name>[\w.\-]++</name>"
_BOX = _BLANKS.join(f"<{side}>({_NUMBER})</{side}>" for side in _SIDES)
_BOXED = (
    rf"<name>([\w.\-]++)</name>{_BLANKS}((?:{_NAME}{_BLANKS})*+)"
    f"<bndbox>{_BLANKS}{_BOX}{_BLANKS}</bndbox>"
)
_FLAGS = tuple(f"<{flag}>{_NUMBER}</{flag}>" for flag in ("nobndbox", "scene"))
_OBJECT = (
    f"<object>{_BLANKS}(?:{re.sub('[(](?![?])', '(?:', _BOXED)}"
    f"|(?:{_NAME}{_BLANKS})++(?:{_BLANKS.join(_FLAGS)}|{_BLANKS.join(_FLAGS[::-1])}))"
    f"{_BLANKS}</object>{_BLANKS}"
)
# Files as the data set has them, to the last sign; they are read without building a tree.
_PLAIN = re.compile(
    rf"{_BLANKS}<annotation>{_BLANKS}(?:<filename>[\w.\- ]*+</filename>{_BLANKS})?+"
    rf"<size>((?:{_BLANKS}<(width|height|depth)>{_NUMBER}</\2>)*+){_BLANKS}</size>{_BLANKS}"
    rf"((?:{_OBJECT})*+)</annotation>{_BLANKS}",
    re.ASCII,
)
_EACH_BOXED = re.compile(_BOXED, re.ASCII)
_EACH_NAME = re.compile(r"<name>([\w.\-]++)</name>", re.ASCII)
_EACH_SIZE = re.compile(f"<([a-z]+)>({_NUMBER})</", re.ASCII)


class Annotations(NamedTuple):
    """A picture's width, height and depth, and the boxes of each chain (xyxy, pixels)."""

    sizes: dict[str, int]
    boxes: dict[str, tuple[Box, ...]]


def parse_annotations(data: bytes, where: str, shifted: bool = False) -> Annotations:
    """The annotations in a file's content. An object of several names counts for each of them.

    `shifted` takes 1 from every coordinate, as the data set's authors do; the copies of their
    reader in Kosmos-2 and MDETR leave them as they are written.

    Raises:
        DataError: no XML, a document type (it could hide anything), a missing part, a number that
            is no whole number; the message begins with `where` and the line.
    """
    # all that can stand in a plain file is ASCII, which no encoding that XML knows reads otherwise
    plain = _PLAIN.fullmatch(data.decode("latin-1"))
    sizes, boxes = _scanned(plain) if plain is not None else _from_tree(_Tree(data, where))
    if shifted:
        for some in boxes.values():
            some[:] = [(x1 - 1, y1 - 1, x2 - 1, y2 - 1) for x1, y1, x2, y2 in some]
    return Annotations(sizes, {chain: tuple(some) for chain, some in boxes.items()})


def parse_unboxed(data: bytes, where: str) -> tuple[list[str], list[str]]:
    """The chains that cannot be seen (`nobndbox`), and those that are the whole scene.

    Raises:
        DataError: as `parse_annotations`.
    """
    tree = _Tree(data, where)
    nobox: list[str] = []
    scene: list[str] = []
    for one in tree.children(tree.root, "object"):
        names = tree.names(one)
        if not names or tree.children(one, "bndbox"):
            continue
        if tree.number(one, "nobndbox") > 0:
            nobox.extend(names)
        if tree.number(one, "scene") > 0:
            scene.extend(names)
    return nobox, scene


def _scanned(plain: re.Match[str]) -> tuple[dict[str, int], dict[str, list[Box]]]:
    boxes: dict[str, list[Box]] = {}
    for name, more, x1, y1, x2, y2 in _EACH_BOXED.findall(plain[3]):
        box = (float(x1), float(y1), float(x2), float(y2))
        if name in boxes:
            boxes[name].append(box)
        else:
            boxes[name] = [box]
        if more:
            for other in _EACH_NAME.findall(more):
                boxes.setdefault(other, []).append(box)
    return {tag: int(value) for tag, value in _EACH_SIZE.findall(plain[1])}, boxes


def _from_tree(tree: _Tree) -> tuple[dict[str, int], dict[str, list[Box]]]:
    size = tree.children(tree.root, "size") or tree.fail(tree.root, "has no <size>")
    sizes = {child.tag: tree.whole(child) for child in size[0]}
    boxes: dict[str, list[Box]] = {}
    for one in tree.children(tree.root, "object"):
        names = tree.names(one)
        bounds = tree.children(one, "bndbox")
        if names and bounds:
            x1, y1, x2, y2 = (float(tree.number(bounds[0], side)) for side in _SIDES)
            for name in names:
                boxes.setdefault(name, []).append((x1, y1, x2, y2))
        elif names:
            tree.number(one, "nobndbox")
            tree.number(one, "scene")
    return sizes, boxes


class _Tree:
    """An XML document without a document type, which knows the line of each element."""

    def __init__(self, data: bytes, where: str) -> None:
        from xml.etree.ElementTree import TreeBuilder
        from xml.parsers import expat

        self._where = where
        self._lines: dict[Element, int] = {}
        builder = TreeBuilder()
        parser = expat.ParserCreate()

        def start(tag: str, attributes: dict[str, str]) -> None:
            self._lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

        def doctype(*_: object) -> None:
            raise DataError(
                f"{where}, line {parser.CurrentLineNumber}: has a document type (<!DOCTYPE); it is "
                "not read. Fetch the file again."
            )

        parser.StartElementHandler = start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = doctype
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, LookupError, UnicodeError, ValueError) as error:
            line = getattr(error, "lineno", parser.CurrentLineNumber)
            raise DataError(f"{where}, line {line}: not valid XML ({error}).") from None
        self.root: Element = builder.close()

    def children(self, parent: Element, tag: str) -> list[Element]:
        """The children of that name."""
        return [child for child in parent if child.tag == tag]

    def names(self, parent: Element) -> list[str]:
        """What is in its <name>s."""
        return [one.text or self.fail(one, "is empty") for one in self.children(parent, "name")]

    def number(self, parent: Element, tag: str) -> int:
        """The whole number in the first child of that name."""
        found = self.children(parent, tag)
        return self.whole(found[0]) if found else self.fail(parent, f"has no <{tag}>")

    def whole(self, element: Element) -> int:
        """The whole number in an element."""
        text = element.text or ""
        try:
            if len(text) <= _MOST_DIGITS:
                return int(text)
        except ValueError:
            pass
        return self.fail(element, f"holds {text[:40]!r}, which is no whole number")

    def fail(self, element: Element, what: str) -> NoReturn:
        """Names the file and the line of an element that is at fault."""
        line = self._lines[element]
        raise DataError(f"{self._where}, line {line}: <{element.tag}> {what}.")
