"""Keys and passwords, found in whatever a server sends back and replaced by `[key]`."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from eyechart.text.secrets import MASK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HARMLESS = {"accept", "accept-language", "content-type", "referer", "http-referer", "user-agent"}
_SHORTEST_IN_MESSAGES = 3


class Secrets:
    """What must never be seen outside, and the two ways of hiding it.

    Local servers take any key, so people give `EMPTY`, `none` or `x`. Such a placeholder is hidden
    in error messages; in what a model said it is left alone, since a reply may hold that word.
    """

    def __init__(self, values: Iterable[str]) -> None:
        known = {value for value in values if len(value) >= _SHORTEST_IN_MESSAGES}
        self._anything = _pattern(known)
        self._real = _pattern({value for value in known if not _is_placeholder(value)})

    def in_message(self, text: str) -> str:
        """The text of an error without any key."""
        return text if self._anything is None else self._anything.sub(MASK, text)

    def in_reply(self, value: Any) -> Any:
        """A reply's text, or its whole JSON record, without real keys."""
        return value if self._real is None else _hidden(value, self._real)

    def may_hold(self, body: bytes) -> bool:
        """Whether JSON may hold a real key; quick, since almost none does."""
        if self._real is None:
            return False
        # any other escape than these two stands for a sign that no pattern spells otherwise
        escaped = b"\\u" in body or b"\\/" in body
        return escaped or self._real.search(body.decode("utf-8", "replace")) is not None


def header_secrets(headers: Mapping[str, str]) -> list[str]:
    """The header values to hide, whole and without their scheme (`Bearer ...`)."""
    found = []
    for name, value in headers.items():
        if name.lower() not in _HARMLESS:
            found.append(value)
        if name.lower().endswith("authorization"):
            found.append(value.partition(" ")[2])
    return found


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
    """The value as it is, in JSON, percent-encoded, and in base64 at its three alignments."""
    percent = {quote(value, safe=""), quote(value), quote_plus(value)}
    lower = {re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), form) for form in percent}
    forms = {value, *percent, *lower, json.dumps(value)[1:-1]}
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
    if isinstance(value, list):
        return [_hidden(item, pattern) for item in value]
    return value
