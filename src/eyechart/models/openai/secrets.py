"""Which of the headers that an endpoint is sent must not be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_HARMLESS = {"accept", "accept-language", "content-type", "referer", "http-referer", "user-agent"}


def header_secrets(headers: Mapping[str, str]) -> list[str]:
    """The header values to hide, whole and without their scheme (`Bearer ...`)."""
    found = []
    for name, value in headers.items():
        if name.lower() not in _HARMLESS:
            found.append(value)
        if name.lower().endswith("authorization"):
            found.append(value.partition(" ")[2])
    return found
