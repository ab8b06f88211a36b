"""Models behind an OpenAI-compatible endpoint, asked with many requests in flight."""

from __future__ import annotations

import asyncio
import base64
import math
import re
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING

import aiohttp

from eyechart.errors import UsageError
from eyechart.models import About, Keep
from eyechart.models.openai.address import address
from eyechart.models.openai.aside import talk_aside
from eyechart.models.openai.conversation import Conversation, Interrupted
from eyechart.models.openai.secrets import header_secrets
from eyechart.models.secrets import Secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eyechart.values import Request

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Endpoint:
    """A model that a server offers under `POST {base_url}/chat/completions`.

    Args:
        name: the model's name as the server knows it.
        base_url: the address, with or without `/chat/completions` at its end; a query
            (`?api-version=...`) is sent with every request.
        api_key: sent as `Authorization: Bearer`; any text, or none.
        headers: sent with every request and never recorded.
        concurrency: requests in flight at most; fewer while the server answers 429.
        timeout_s: seconds that one attempt may take.
        retry_budget_s: seconds that one request may spend on failed attempts and waits.
        max_image_bytes: a picture with more bytes is re-encoded (and the reply says so).
        redact: further texts to replace by `[key]` in whatever the server sends.

    Raises:
        UsageError: an address that is none, a number out of range, a key or header that
            HTTP cannot carry.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        concurrency: int = 16,
        timeout_s: float = 120.0,
        retry_budget_s: float = 300.0,
        max_image_bytes: int = 20_000_000,
        redact: Sequence[str] = (),
    ) -> None:
        _check_whole("concurrency", concurrency)
        _check_whole("max_image_bytes", max_image_bytes)
        _check_seconds("timeout_s", timeout_s)
        _check_seconds("retry_budget_s", retry_budget_s)
        if timeout_s <= 0 or retry_budget_s < 0:
            raise UsageError("timeout_s must be above 0 and retry_budget_s not below 0.")
        self.name = name
        self.address = address(base_url)
        self.has_key = bool(api_key)
        self.concurrency = concurrency
        self.timeout_s = timeout_s
        self.retry_budget_s = retry_budget_s
        self.max_image_bytes = max_image_bytes
        self.headers = _headers(api_key, self.address.login, headers or {})
        self.secrets = Secrets([*self.address.secrets, *header_secrets(self.headers), *redact])

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.address.shown!r})"

    @property
    def about(self) -> About:
        """Kind, name and address, without any secret."""
        shown = self.address.shown
        return About(
            identity={"kind": "openai", "name": self.name, "base_url": shown},
            tells_seen_size=False,
            generation={"temperature": 0},
        )

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """Asks every request, `concurrency` at a time, and keeps each reply as it comes.

        The first request goes alone: what it meets tells whether the others can be asked.

        Raises:
            ModelError: nothing listens there, or the key, the model's name or the form of the
                request is refused.
        """
        try:
            if _inside_a_loop():
                talk_aside(partial(self._talk, requests), keep)
            else:
                asyncio.run(self._talk(requests, keep))
        except Interrupted as interrupted:
            raise interrupted.error from None

    async def _talk(self, requests: Iterator[Request], keep: Keep) -> None:
        connector = aiohttp.TCPConnector(limit=self.concurrency)
        async with aiohttp.ClientSession(
            connector=connector, headers=self.headers, cookie_jar=aiohttp.DummyCookieJar()
        ) as session:
            await Conversation(self, session, requests, keep).run()


def _inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _headers(api_key: str | None, login: str | None, extra: Mapping[str, str]) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "User-Agent": "eyechart"}
    if login:
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    if api_key and api_key.strip():
        # a key that was read from a file ends with a line break
        headers["Authorization"] = f"Bearer {api_key.strip()}"
    given = {name.lower() for name in extra}
    headers = {name: value for name, value in headers.items() if name.lower() not in given}
    headers |= extra
    for name, value in headers.items():
        _check_header(name, value)
    return headers


def _check_header(name: str, value: str) -> None:
    """Refuses what HTTP has no form for: a name that is no token (RFC 9110, 5.6.2), a line break."""
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise UsageError(
            f"A header cannot be named {name!r}: letters, digits and hyphens make a name, "
            "such as X-Team."
        )
    what = "The API key" if name == "Authorization" else f"The header {name!r}"
    if not isinstance(value, str):
        raise UsageError(f"{what} must be text, not {type(value).__name__}.")
    if not value.isprintable():
        raise UsageError(f"{what} holds a line break or another sign that cannot be sent.")


def _check_whole(what: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise UsageError(f"{what} must be a whole number, not {number!r}.")
    if number < 1:
        raise UsageError(f"{what} must be 1 or more, not {number}.")


def _check_seconds(what: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
        raise UsageError(f"{what} must be a number of seconds; {number!r} is no finite number.")
