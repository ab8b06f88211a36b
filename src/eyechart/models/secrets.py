"""Keys and passwords, found in whatever a model gives back and replaced by `[key]`."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import msgspec

from eyechart.text.secrets import MASK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eyechart.values import Reply

_SHORTEST_IN_MESSAGES = 3
_SAID = ("text", "reasoning", "finish_reason", "notes", "raw")
HIDDEN_NOTE = f"a secret of the model is shown as {MASK}"


class Secrets:
    """What must never be seen outside, and the two ways of hiding it.

    Local servers take any key, so people give `EMPTY`, `none` or `x`. Such a placeholder is hidden
    in error messages; in what a model said it is left alone, since a reply may hold that word.
    """

    def __init__(self, values: Iterable[str]) -> None:
        known = {value for value in values if len(value) >= _SHORTEST_IN_MESSAGES}
        self._anything = _pattern(known)
        self._real = _pattern({value for value in known if not _is_placeholder(value)})

    def __bool__(self) -> bool:
        """Whether there is anything to hide."""
        return self._anything is not None

    def in_message(self, text: str) -> str:
        """The text of an error without any key."""
        return text if self._anything is None else self._anything.sub(MASK, text)

    def in_reply(self, value: Any) -> Any:
        """A reply's text, or its whole JSON record, without real keys."""
        return value if self._real is None else _hidden(value, self._real)

    def in_whole(self, reply: Reply) -> Reply:
        """A reply with no real key in any text of it, and no key in its error; a note says so."""
        if not self:
            return reply
        parts = {name: getattr(reply, name) for name in _SAID}
        shown = {name: self.in_reply(part) for name, part in parts.items()}
        if reply.boxes is not None:
            labels = self.in_reply(reply.boxes.labels)
            shown["boxes"] = msgspec.structs.replace(reply.boxes, labels=labels)
        if reply.error is not None:
            message = self.in_message(reply.error.message)
            shown["error"] = msgspec.structs.replace(reply.error, message=message)
        made = msgspec.structs.replace(reply, **shown)
        if made == reply:
            return reply
        return msgspec.structs.replace(made, notes=(*made.notes, HIDDEN_NOTE))

    def may_hold(self, body: bytes) -> bool:
        """Whether JSON may hold a real key; quick, since almost none does."""
        if self._real is None:
            return False
        # any other escape than these two stands for a sign that no pattern spells otherwise
        escaped = b"\\u" in body or b"\\/" in body
        return escaped or self._real.search(body.decode("utf-8", "replace")) is not None


def _is_placeholder(value: str) -> bool:
    return len(value) < 6 or (len(value) < 8 and (value.isalpha() or value.isdigit()))


def _pattern(values: Iterable[str]) -> re.Pattern[str] | None:
    forms = {form for value in values for form in _forms(value)}
    # the longest first: `Basic abc=` before `abc=`
    return (
        re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
        if forms
        else None
    )


def _forms(value: str) -> set[str]:
    """The value as it is, in JSON, as Python shows it, percent-encoded, and in base64 at its three alignments."""
    percent = {quote(value, safe=""), quote(value), quote_plus(value)}
    lower = {re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in percent}
    forms = {value, *percent, *lower, json.dumps(value)[1:-1], repr(value)[1:-1]}
    data = value.encode()
    for before in range(3) if len(data) >= 8 else ():
        encoded = base64.b64encode(bytes(before) + data).decode()
        # characters that also hold bits of the neighbours are not the secret's own
        core = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms


def _hidden(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(MASK, value)
    if isinstance(value, dict):
        return {pattern.sub(MASK, key): _hidden(item, pattern) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_hidden(item, pattern) for item in value)
    return value
