"""YAML read into typed values, with the line of every key, so that a mistake is named where it stands."""

from __future__ import annotations

import re
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, Union
from typing import get_args as arguments
from typing import get_origin as origin

import msgspec

from eyechart.errors import DataError, meant
from eyechart.io.files import read_text
from eyechart.io.yaml_tree import FLOAT, Fault, Place, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.errors import EyechartError

T = TypeVar("T")
_COMMENT_LIMIT = 300


class Document(Generic[T]):
    """A value that was read from YAML, and the lines on which its parts stand."""

    def __init__(self, value: T, name: str, root: Place, error: type[EyechartError]) -> None:
        self.value = value
        self._name, self._root, self._error = name, root, error

    def line(self, *keys: str | int) -> int:
        """The line of the part that `keys` lead to, or of the last part on the way that is there."""
        place = self._root
        for key in keys:
            below = place.parts.get(key)
            if below is None:
                break
            place = below
        return place.key_line

    def fault(self, message: str, *keys: str | int) -> EyechartError:
        """The error that says `message` of the part that `keys` lead to: file, line, key."""
        said = f"{_path(keys)}: " if keys else ""
        return self._error(f"{self._name}, line {self.line(*keys)}: {said}{message}")


def load(
    source: Path | str, kind: type[T], *, name: str = "", error: type[EyechartError] = DataError
) -> T:
    """The value of type `kind` (a msgspec.Struct) in a YAML file or, where it is a str, in a text.

    Keys are text as they stand, dates stay text, and `1e-3` is a number. Anchors and merged
    mappings are read within bounds; tags of other types are refused.

    Raises:
        DataError: the file cannot be read.
        EyechartError: of type `error`: no YAML, a key that stands twice or is unknown (the nearest is
            named) or missing, a value of another type; names file, line and key.
    """
    return read(source, kind, name=name, error=error).value


def read(
    source: Path | str, kind: type[T], *, name: str = "", error: type[EyechartError] = DataError
) -> Document[T]:
    """As `load`, with the lines."""
    called = name or (str(source) if isinstance(source, Path) else "the text")
    text = read_text(source) if isinstance(source, Path) else source
    try:
        root = parse(text)
        if root is None:
            raise Fault(f"is empty; {_expected(kind)}.")
        _refuse_unknown(root, kind)
        value = _converted(root, kind)
    except Fault as fault:
        where = f", line {fault.line}" if fault.line else ""
        raise error(f"{called}{where}: {fault}") from None
    return Document(value, called, root, error)


def write(value: Any, comment: str = "") -> str:
    """Plain values as YAML in block style that reads back equal; `comment` becomes its first line."""
    import yaml

    class Writer(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(writer: yaml.SafeDumper, data: str) -> yaml.ScalarNode:
        # a prompt of several lines stands as it is read; line breaks of other kinds are escaped
        style = None
        if not data.isprintable():
            style = "|" if data.replace("\n", "").isprintable() else '"'
        return writer.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Writer.add_representer(str, text)
    Writer.add_representer(tuple, yaml.SafeDumper.represent_list)
    # quoted where it would be read as a number
    Writer.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+0123456789"))
    body: str = yaml.dump(
        value,
        Dumper=Writer,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=False,
    )
    said = "".join(c for c in " ".join(comment.split()) if c.isprintable())[:_COMMENT_LIMIT]
    return (f"# {said}\n" if said else "") + body


def _converted(place: Place, kind: Any) -> Any:
    try:
        return msgspec.convert(place.value, kind)
    except msgspec.ValidationError as error:
        found, inner, keys, message = _innermost(place, kind, (), str(error))
        plain = message.partition(" - at `")[0]
        missing = re.fullmatch(r"Object missing required field `(.+)`", plain)
        if missing:
            raise Fault(f"{_path((*keys, missing[1]))} is missing.", found.line) from None
        words = _words(inner)
        if words and isinstance(found.value, str):
            plain = f"{found.value!r} is not known here.{meant(found.value, words)} Known"
            raise Fault(f"{plain}: {', '.join(words)} - at `{_path(keys)}`.", found.line) from None
        at = f" - at `{_path(keys)}`" if keys else f"; {_expected(kind)}"
        raise Fault(f"{plain}{at}.", found.line) from None


def _innermost(
    place: Place, kind: Any, keys: tuple[str | int, ...], message: str
) -> tuple[Place, Any, tuple[str | int, ...], str]:
    """The smallest part that is not of its type, that type, the way to it, and what is wrong."""
    for key, below, inner in _inside(place, kind):
        try:
            msgspec.convert(below.value, inner)
        except msgspec.ValidationError as error:
            return _innermost(below, inner, (*keys, key), str(error))
    return place, kind, keys, message


def _words(kind: Any) -> list[str]:
    """The words that a value may be, where only some are."""
    if origin(kind) is Literal:
        return [one for one in arguments(kind) if isinstance(one, str)]
    if origin(kind) in (Union, UnionType) and str not in arguments(kind):
        return [word for one in arguments(kind) for word in _words(one)]
    return []


def _refuse_unknown(place: Place, kind: Any, keys: tuple[str | int, ...] = ()) -> None:
    known = _known_keys(place, kind)
    if known is not None:
        for key in place.parts:
            if key not in known:
                raise Fault(
                    f"unknown key {key!r}.{meant(str(key), known)} Known "
                    f"{'in ' + _path(keys) if keys else 'here'}: {', '.join(sorted(known))}.",
                    place.parts[key].key_line,
                )
    for key, below, inner in _inside(place, kind):
        _refuse_unknown(below, inner, (*keys, key))


def _known_keys(place: Place, kind: Any) -> list[str] | None:
    """The keys that a mapping may have; None where it is none, or may have any."""
    if not isinstance(place.value, dict):
        return None
    kind = _narrowed(place, kind)
    if _is_struct(kind):
        return [field.encode_name for field in msgspec.structs.fields(kind)]
    if origin(kind) is dict and origin(arguments(kind)[0]) is Literal:
        return list(arguments(arguments(kind)[0]))
    return None


def _inside(place: Place, kind: Any) -> Iterator[tuple[str | int, Place, Any]]:
    """The parts of a mapping or a list with the types that they must have."""
    kind = _narrowed(place, kind)
    if isinstance(place.value, dict) and _is_struct(kind):
        for field in msgspec.structs.fields(kind):
            if field.encode_name in place.parts:
                yield field.encode_name, place.parts[field.encode_name], field.type
    elif isinstance(place.value, dict) and origin(kind) is dict:
        for key, below in place.parts.items():
            yield key, below, arguments(kind)[1]
    elif isinstance(place.value, list) and origin(kind) in (list, tuple):
        inner = [one for one in arguments(kind) if one is not ...]
        for key, below in place.parts.items():
            yield key, below, inner[min(int(key), len(inner) - 1)]


def _narrowed(place: Place, kind: Any) -> Any:
    """Of a union the one type that fits what stands there: a mapping, a list or neither."""
    if origin(kind) is Annotated:
        return _narrowed(place, arguments(kind)[0])
    if origin(kind) not in (Union, UnionType):
        return kind
    wanted: dict[type, Any] = {dict: (dict,), list: (list, tuple)}
    fitting = wanted.get(type(place.value), ())
    for one in arguments(kind):
        if origin(one) in fitting or (dict in fitting and _is_struct(one)):
            return one
    return kind


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _expected(kind: Any) -> str:
    if not _is_struct(kind):
        return "a value is expected"
    keys = ", ".join(field.encode_name for field in msgspec.structs.fields(kind))
    return f"a mapping is expected, with the keys {keys}"


def _path(keys: tuple[str | int, ...]) -> str:
    said = ""
    for key in keys:
        said += f"[{key}]" if isinstance(key, int) else f".{key}"
    return said.removeprefix(".")
