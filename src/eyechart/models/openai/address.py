"""Where an OpenAI-compatible endpoint lives, and how that address may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from eyechart.errors import UsageError
from eyechart.text.secrets import is_secret_name

_COMPLETIONS = "/chat/completions"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL taken apart.

    `base` is what is spoken to, `query` follows every path, `shown` is the base with its harmless
    query values only: it is safe to print and to record. `login` is `user:password` where the
    address held one, `secrets` are the values that must not be seen.
    """

    base: str
    query: str
    shown: str
    login: str | None = None
    secrets: tuple[str, ...] = ()

    def url(self, path: str) -> str:
        """The full URL of a path below the base."""
        return self.base + path + (f"?{self.query}" if self.query else "")

    @property
    def lacks_version(self) -> bool:
        """Whether no part of the path looks like `/v1`."""
        return not re.search(r"/v\d", self.base)


def address(base_url: str) -> Address:
    """Reads a base URL, given with or without a slash or `/chat/completions` at its end.

    Raises:
        UsageError: not an http(s) address.
    """
    split, port = _split(base_url.strip())
    host = (split.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    place = host if port in (None, _PORTS[split.scheme]) else f"{host}:{port}"
    path = split.path.rstrip("/").removesuffix(_COMPLETIONS).rstrip("/")
    base = f"{split.scheme}://{place}{path}"
    pairs = parse_qsl(split.query, keep_blank_values=True)
    harmless = [(name, value) for name, value in pairs if not is_secret_name(name)]
    login = split.netloc.rpartition("@")[0] or None
    hidden = [value for name, value in pairs if is_secret_name(name)]
    if login is not None:
        login = unquote(login)
        hidden += [login, login.partition(":")[2]]
    shown = base + (f"?{urlencode(harmless)}" if harmless else "")
    return Address(base, split.query, shown, login, tuple(value for value in hidden if value))


def _split(base_url: str) -> tuple[SplitResult, int | None]:
    try:
        split = urlsplit(base_url)
        port = split.port
    except ValueError:
        raise UsageError("base_url is not a web address: its host or port is wrong.") from None
    if split.hostname and not _is_host(split.hostname):
        raise UsageError(
            "base_url is not a web address: a part of its host name is empty or longer than 63 "
            "letters."
        )
    if split.scheme not in _PORTS or not split.hostname:
        raise UsageError(
            "base_url must be a web address that begins with http:// or https://, "
            "such as http://localhost:8000/v1."
        )
    return split, port


def _is_host(name: str) -> bool:
    """Whether DNS has a form for a name (RFC 1035, 2.3.4): at most 253 letters, 63 in a part."""
    if ":" in name:
        return True
    try:
        # a full stop at the end is the root's
        return 0 < len(name.removesuffix(".").encode("idna")) <= 253
    except UnicodeError:
        return False
