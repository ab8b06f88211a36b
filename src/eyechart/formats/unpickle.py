"""Reads pickles of plain data; nothing in the file is imported, called or built.

It is a reader of its own for the pickle format, since the standard one, even with its imports
barred, sets aside as much memory as a file asks for. Every instruction that makes anything but
lists, tuples, dictionaries, sets, text, bytes, numbers, booleans and None is refused by name.
Each instruction makes one object at most, and their number is bounded, so memory is too.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, NoReturn

from eyechart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LARGEST = 1 << 28
# RefCOCO's files have some six million; each makes at most one object of some 70 bytes
MOST_INSTRUCTIONS = 50_000_000
_REMEDY = (
    "Only plain lists, dictionaries, text and numbers are read. Where you trust the file, load it "
    "with its own program, turn what it holds into those, and pickle it again."
)
_REFUSED = {
    b"c": "an import", b"\x93": "an import", b"i": "an object", b"R": "a call", b"b": "an object",
    b"o": "an object", b"\x81": "an object", b"\x92": "an object", b"P": "a reference to elsewhere",
    b"Q": "a reference to elsewhere", b"\x82": "an extension", b"\x83": "an extension",
    b"\x84": "an extension", b"\x96": "a byte array", b"\x97": "a buffer from elsewhere",
    b"\x98": "a buffer from elsewhere",
}  # fmt: skip
# how Python 2 writes a text between quotes
_ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|([0-7]{1,3})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {
    b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
    b"\\": b"\\", b"'": b"'", b'"': b'"', b"\n": b"",
}  # fmt: skip


def read(data: bytes, path: Path) -> Any:
    """The value that a pickle of protocol 0 to 5 holds; `path` is for messages.

    A text of Python 2 (which knew no encoding) is read as UTF-8, and as Latin-1 where it is not
    UTF-8. Time and memory are linear in the file's size.

    Raises:
        DataError: the pickle holds anything but plain data (names the import or instruction), is
            broken or cut off, is over 256 MiB or 50 million instructions, or has an integer of over
            64 bits.
    """
    if len(data) > LARGEST:
        raise DataError(f"{path}: {len(data):,} bytes; a pickle of over {LARGEST:,} is not read.")
    reader = _Reader(data, path)
    try:
        return reader.run()
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, struct.error) as error:
        if not data:
            raise DataError(f"{path}: is empty.") from None
        if reader.at <= 1:
            raise DataError(f"{path}: is no pickle; REFER's refs(...).p is wanted.") from None
        raise DataError(
            f"{path}: broken or cut off at byte {reader.at} of {len(data)} "
            f"({type(error).__name__}: {str(error)[:80]}); fetch it again."
        ) from None


def _of_python_2(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _unescaped(match: re.Match[bytes]) -> bytes:
    hexadecimal, octal, plain = match.groups()
    if hexadecimal:
        return bytes((int(hexadecimal, 16),))
    if octal:
        return bytes((int(octal, 8) & 255,))
    return _PLAIN_ESCAPES.get(plain, b"\\" + plain)


class _Reader:
    """The stack machine of a pickle: `stack` since the last mark, `marks` the stacks below it."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.data = data
        self.path = path
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        data, acts, stop = self.data, _ACTS, ord(".")
        for _ in range(MOST_INSTRUCTIONS):
            code = data[self.at]
            self.at += 1
            if code == stop:
                return self.stack.pop()
            act = acts[code]
            if act is None:
                self.refuse(data[self.at - 1 : self.at])
            act(self)
        raise DataError(
            f"{self.path}: more than {MOST_INSTRUCTIONS:,} instructions; so large a pickle is not read."
        )

    def refuse(self, code: bytes) -> NoReturn:
        where = f"{self.path}: byte {self.at - 1} of the pickle"
        if code not in _REFUSED:
            raise DataError(f"{where} is {code!r}, no instruction of a pickle; fetch it again.")
        name = ""
        if code in (b"c", b"i"):
            name = f" of {_shown(self.line())}.{_shown(self.line())}"
        elif code == b"\x93":
            name = f" of {_shown(self.stack[-2])}.{_shown(self.stack[-1])}"
        raise DataError(f"{where} asks for {_REFUSED[code]}{name}, which is refused. {_REMEDY}")

    def take(self, size: int) -> bytes:
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise ValueError("the file ends too early")
        found = self.data[self.at : end]
        self.at = end
        return found

    def line(self) -> bytes:
        end = self.data.index(b"\n", self.at)
        found = self.data[self.at : end]
        self.at = end + 1
        return found

    def sized(self, width: int, signed: bool = False) -> int:
        end = self.at + width
        if end > len(self.data):
            raise ValueError("the file ends too early")
        found = int.from_bytes(self.data[self.at : end], "little", signed=signed)
        self.at = end
        return found

    def since_mark(self) -> list[Any]:
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def collect(self, make: Callable[[list[Any]], Any]) -> None:
        items = self.since_mark()
        self.stack.append(make(items))

    # -- what each instruction does; those that files are full of call nothing that they need not

    def mark(self) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def put_line(self) -> None:
        end = self.data.index(b"\n", self.at)
        self.memo[int(self.data[self.at : end])] = self.stack[-1]
        self.at = end + 1

    def put_byte(self) -> None:
        self.memo[self.data[self.at]] = self.stack[-1]
        self.at += 1

    def put_long(self) -> None:
        self.memo[self.sized(4)] = self.stack[-1]

    def get_line(self) -> None:
        end = self.data.index(b"\n", self.at)
        self.stack.append(self.memo[int(self.data[self.at : end])])
        self.at = end + 1

    def get_byte(self) -> None:
        self.stack.append(self.memo[self.data[self.at]])
        self.at += 1

    def get_long(self) -> None:
        self.stack.append(self.memo[self.sized(4)])

    def memoise(self) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def new_list(self) -> None:
        self.stack.append([])

    def new_dict(self) -> None:
        self.stack.append({})

    def byte(self) -> None:
        self.stack.append(self.data[self.at])
        self.at += 1

    def short_string(self) -> None:
        size = self.data[self.at]
        start = self.at + 1
        self.at = start + size
        raw = self.data[start : self.at]
        if len(raw) < size:
            raise ValueError("the file ends too early")
        self.stack.append(_of_python_2(raw))

    def text(self, width: int) -> None:
        size = self.sized(width)
        self.stack.append(self.take(size).decode("utf-8", "surrogatepass"))

    def pop(self) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self.since_mark()

    def integer_line(self) -> None:
        line = self.line()
        special = {b"00": False, b"01": True}.get(line)
        self.stack.append(_number(line) if special is None else special)

    def long_line(self) -> None:
        self.stack.append(_number(self.line().rstrip(b"L")))

    def long(self, width: int) -> None:
        self.stack.append(_bounded(self.sized(self.sized(width), signed=True)))

    def string_line(self) -> None:
        end = self.data.index(b"\n", self.at)
        line = self.data[self.at : end].strip()
        self.at = end + 1
        if len(line) < 2 or line[:1] not in (b"'", b'"') or line[-1:] != line[:1]:
            raise ValueError("a text without its quotes")
        body = line[1:-1]
        self.stack.append(_of_python_2(_ESCAPE.sub(_unescaped, body) if b"\\" in body else body))

    def append(self) -> None:
        value = self.stack.pop()
        target = self.stack[-1]
        if type(target) is not list:
            raise TypeError("an item for what is no list")
        target.append(value)

    def extend(self) -> None:
        items = self.since_mark()
        _as(list, self.stack[-1]).extend(items)

    def set_item(self) -> None:
        value = self.stack.pop()
        key = self.stack.pop()
        target = self.stack[-1]
        if type(target) is not dict:
            raise TypeError("a key for what is no dictionary")
        target[key if type(key) is str else _key(key)] = value

    def set_items(self) -> None:
        items = self.since_mark()
        _as(dict, self.stack[-1]).update(_pairs(items))

    def add_items(self) -> None:
        items = self.since_mark()
        _as(set, self.stack[-1]).update(map(_key, items))

    def tuple_of(self, size: int) -> None:
        if len(self.stack) < size:
            raise ValueError("a tuple of nothing")
        self.stack[-size:] = [tuple(self.stack[-size:])]


def _shown(name: object) -> str:
    text = _of_python_2(name) if isinstance(name, bytes) else str(name)[:80]
    return "".join(c if c.isprintable() else "?" for c in text[:80])


def _bounded(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("an integer of over 64 bits")
    return value


def _number(digits: bytes) -> int:
    return _bounded(int(digits)) if len(digits) <= 64 else _bounded(1 << 64)


def _as(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"a {type(value).__name__} where a {kind.__name__} must be")
    return value


def _key(value: Any) -> Any:
    """A key of a dictionary or member of a set: nothing with a hash that runs deep."""
    if not isinstance(value, str | int | float | bytes | None):
        raise TypeError(f"a {type(value).__name__} as a key")
    return value


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2:
        raise ValueError("a key without a value")
    return {
        key if type(key) is str else _key(key): value
        for key, value in zip(items[::2], items[1::2], strict=True)
    }


def _pushing(value: Callable[[_Reader], Any]) -> Callable[[_Reader], None]:
    return lambda reader: reader.stack.append(value(reader))


def _table() -> list[Callable[[_Reader], object] | None]:
    push = _pushing
    acts: dict[bytes, Callable[[_Reader], object]] = {
        # what frames it
        b"\x80": lambda r: r.take(1), b"\x95": lambda r: r.take(8),
        b"(": _Reader.mark, b"0": _Reader.pop, b"1": lambda r: r.since_mark(),
        b"2": push(lambda r: r.stack[-1]),
        b"p": _Reader.put_line, b"q": _Reader.put_byte, b"r": _Reader.put_long,
        b"\x94": _Reader.memoise,
        b"g": _Reader.get_line, b"h": _Reader.get_byte, b"j": _Reader.get_long,
        # single values
        b"N": push(lambda _: None), b"\x88": push(lambda _: True), b"\x89": push(lambda _: False),
        b"I": _Reader.integer_line, b"L": _Reader.long_line,
        b"J": push(lambda r: r.sized(4, signed=True)), b"K": _Reader.byte,
        b"M": push(lambda r: r.sized(2)),
        b"\x8a": lambda r: r.long(1), b"\x8b": lambda r: r.long(4),
        b"F": push(lambda r: float(r.line())),
        b"G": push(lambda r: struct.unpack(">d", r.take(8))[0]),
        b"S": _Reader.string_line, b"T": push(lambda r: _of_python_2(r.take(r.sized(4)))),
        b"U": _Reader.short_string,
        b"V": push(lambda r: r.line().decode("raw_unicode_escape")),
        b"X": lambda r: r.text(4), b"\x8c": lambda r: r.text(1), b"\x8d": lambda r: r.text(8),
        b"B": push(lambda r: r.take(r.sized(4))), b"C": push(lambda r: r.take(r.sized(1))),
        b"\x8e": push(lambda r: r.take(r.sized(8))),
        # containers
        b"]": _Reader.new_list, b"}": _Reader.new_dict, b")": push(lambda _: ()),
        b"\x8f": push(lambda _: set()),
        b"l": lambda r: r.collect(list), b"t": lambda r: r.collect(tuple),
        b"d": lambda r: r.collect(_pairs),
        b"\x91": lambda r: r.collect(lambda items: frozenset(map(_key, items))),
        b"a": _Reader.append, b"e": _Reader.extend,
        b"s": _Reader.set_item, b"u": _Reader.set_items, b"\x90": _Reader.add_items,
        b"\x85": lambda r: r.tuple_of(1), b"\x86": lambda r: r.tuple_of(2),
        b"\x87": lambda r: r.tuple_of(3),
    }  # fmt: skip
    return [acts.get(bytes((code,))) for code in range(256)]


_ACTS = _table()
