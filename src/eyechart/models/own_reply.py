"""Checks a `Reply` that a user's own model made, before it enters the record."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from eyechart.dialects.tensors import frame_of
from eyechart.errors import UsageError
from eyechart.values import Reply

_DEEPEST = 100
_MOST_TOKENS = 10**12
_PLACE = re.compile(r" - at `\$\.?(.*)`\Z")


def checked(reply: Reply) -> Reply:
    """The reply as the record will give it back; state `empty` where an `ok` one says nothing.

    Raises:
        ValueError: it cannot be recorded or contradicts itself; the message says what is wrong.
    """
    try:
        plain = {name: getattr(reply, name) for name in Reply.__struct_fields__}
        for name, value in plain.items():
            _check_numbers(value, name, 0)
        made = msgspec.json.decode(msgspec.json.encode(reply), type=Reply)
    except (msgspec.ValidationError, TypeError, OverflowError, UnicodeEncodeError) as error:
        raise _wrong(_PLACE.sub(r" (\1)", str(error))) from None
    _check_facts(made)
    if made.boxes is not None:
        try:
            frame_of(made.boxes.format)
        except UsageError as error:
            raise _wrong(str(error)) from None
    elif made.state == "ok" and not (made.text and made.text.strip()):
        return msgspec.structs.replace(made, state="empty")
    return made


def _check_facts(made: Reply) -> None:
    if (made.state == "error") != (made.error is not None):
        raise _wrong(f"state is {made.state!r} and error is {made.error!r}; they go together")
    for name, number in (("latency_s", made.latency_s), ("at", made.at)):
        if number is not None and number < 0:
            raise _wrong(f"{name} is {number}, below 0")
    for name, size in (("sent_size", made.sent_size), ("seen_size", made.seen_size)):
        if size is not None and min(size) < 1:
            raise _wrong(f"{name} is {size}; width and height are above 0")
    for tokens in (made.usage.input_tokens, made.usage.output_tokens) if made.usage else ():
        if tokens is not None and not 0 <= tokens <= _MOST_TOKENS:
            raise _wrong(f"usage says {tokens} tokens")


def _wrong(what: str) -> ValueError:
    return ValueError(f"answer() returned a Reply that is not valid: {what}")


def _check_numbers(value: Any, name: str, depth: int) -> None:
    """Finite floats, whole numbers of 64 bits, and not nested beyond reading."""
    if depth > _DEEPEST:
        raise _wrong(f"{name} is nested more than {_DEEPEST} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(f"{name} holds {value}, which is not finite")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise _wrong(f"{name} holds a whole number beyond 64 bits")
    if isinstance(value, msgspec.Struct):
        parts: Any = (getattr(value, field) for field in value.__struct_fields__)
    elif isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        parts = value
    else:
        return
    for part in parts:
        _check_numbers(part, name, depth + 1)
