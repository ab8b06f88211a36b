"""The secrets that a model holds: the values that its identity shows as `[key]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AnySet
from typing import TYPE_CHECKING, Any

from eyechart.models.identity.describer import Describer
from eyechart.text.secrets import MASK, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterator

# more under one name are a vocabulary (`tokens`), not keys
_MOST_KEYS = 50
_LONGEST_LIST = 10_000
# a model's special tokens, such as `<|box|>` and `[SEP]`: its replies must keep them
_MARK = re.compile(r"<[^<>\s]*>|\[[^\[\]\s]*\]")
_SCHEME = re.compile(r"(?:bearer|basic|token|digest|api-?key)\s+(\S+)", re.IGNORECASE)


class Gatherer(Describer):
    """Goes where a description goes, passes over what has no plain form, and keeps the secrets."""

    def __init__(self, module: str) -> None:
        super().__init__(module)
        self.found: list[str] = []

    def masked(self, value: Any) -> str:
        """What stands for a secret, which is kept."""
        texts = list(_texts(value, 0))
        if len(texts) <= _MOST_KEYS:
            self.found += (text for text in texts if not _MARK.fullmatch(text))
        return MASK

    def plain(self, value: Any, name: str, _files: bool = False) -> Any:
        """A value as far as it can be described; no file that it names is read."""
        if isinstance(value, str):
            self.found += secrets_in(value)
            return None
        large = isinstance(value, list | tuple | Mapping | AnySet) and len(value) > _LONGEST_LIST
        if large or isinstance(value, bytes | bytearray) or type(value).__module__ == "numpy":
            return None
        try:
            return super().plain(value, name, False)
        except Exception:  # a user's own object may raise anything when it is looked at
            return None


def _texts(value: Any, depth: int) -> Iterator[str]:
    """The texts and whole numbers in a secret value, those after `Bearer` by themselves too."""
    if isinstance(value, str):
        yield value
        if scheme := _SCHEME.fullmatch(value):
            yield scheme[1]
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, bytes):
        yield value.decode(errors="replace")
    elif isinstance(value, Mapping | list | tuple | AnySet) and depth < 5:
        parts = value.values() if isinstance(value, Mapping) else value
        if len(value) <= _MOST_KEYS:
            for part in parts:
                yield from _texts(part, depth + 1)
