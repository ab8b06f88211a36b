"""Values without parts, and code objects, as JSON can hold them."""

from __future__ import annotations

import dis
import hashlib
import math
import re
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from types import CodeType, GenericAlias, ModuleType, UnionType
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.text.secrets import without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

# these are equal where their text is
_BY_REPR = (
    complex, Decimal, Fraction, range, slice, date, time, timedelta, GenericAlias, UnionType
)  # fmt: skip

NOTHING = object()


def atom(value: Any) -> Any:
    """A value without parts as JSON; `NOTHING` for any other."""
    if isinstance(value, Enum):
        inner = atom(value.value)
        return {"$enum": [str(value), None if inner is NOTHING else inner]}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, str | PurePath):
        text = without_secrets(str(value))
        text = text if _encodes(text) else ascii(text)
        return text if isinstance(value, str) else {"$path": text}
    return _other(value)


def _number(value: float) -> Any:
    if isinstance(value, int):
        return int(value) if -(2**63) <= value < 2**63 else {"$int": hex(value)}
    return float(value) if math.isfinite(value) else {"$float": repr(float(value))}


def _other(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return {"$sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, re.Pattern):
        return {"$regex": [atom(value.pattern), value.flags]}
    if isinstance(value, ModuleType):
        return {"$name": value.__name__}
    if value is Ellipsis or isinstance(value, _BY_REPR) or type(value).__module__ == "typing":
        return {"$repr": repr(value)}
    # arrays and their numbers, without importing numpy
    dtype = getattr(value, "dtype", None)
    if type(value).__module__ == "numpy" and dtype is not None and not dtype.hasobject:
        digest = hashlib.sha256(value.tobytes()).hexdigest()
        return {"$array": [str(dtype), list(value.shape), digest]}
    return NOTHING


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def code_of(code: CodeType) -> Any:
    """A code object's bytecode and constants; not its place, so that moving it changes nothing."""
    return [
        code.co_code.hex(),
        [_constant(one) for one in code.co_consts],
        [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars],
        [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags],
    ]


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return code_of(value)
    if isinstance(value, tuple):
        return [_constant(one) for one in value]
    if isinstance(value, frozenset):
        return {"$set": sorted((_constant(one) for one in value), key=sha256)}
    return [type(value).__name__, ascii(value) if not isinstance(value, int) else hex(value)]


def global_names(code: CodeType) -> Iterator[str]:
    """The global names that a code object and those inside it read."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(step.argval)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from global_names(one)


def sha256(value: Any) -> str:
    """Of the JSON of a plain value, in hexadecimal digits."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
