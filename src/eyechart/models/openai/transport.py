"""One request to an endpoint: sent, and sent again while that may help, within a time budget."""

from __future__ import annotations

import asyncio
import io
import random
import socket
import ssl
import time
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import aiohttp

from eyechart.models.openai.meaning import Said, Unreadable, complaint, said, short
from eyechart.values import Failure, FailureKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyechart.models.openai.gate import Gate
    from eyechart.models.secrets import Secrets

LARGEST_REPLY = 64_000_000
_AGAIN = {408, 409, 429}
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
# aiohttp warns of larger bodies given as plain bytes: it would send them in one piece
_ONE_PIECE = 1_000_000


@dataclass(frozen=True, slots=True)
class Answered:
    """What was said, and the seconds that the successful attempt took."""

    said: Said
    latency_s: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """An attempt that failed.

    `again` says that another one may help, `wait_s` how long the server asks to wait first;
    `unreachable` that no such server could be talked to at all; `location` is where it sent us instead.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    again: bool = True
    wait_s: float | None = None
    unreachable: bool = False
    location: str = ""
    attempts: int = 1

    @property
    def failure(self) -> Failure:
        """The trouble as a reply records it."""
        return Failure(self.kind, self.message, self.status, self.attempts)


class Transport:
    """Posts bodies to one URL over a shared session.

    `timeout_s` bounds an attempt. `budget_s` bounds what a request spends on failed attempts and
    the waits between them; once nobody has had an answer for that long the server is taken to be
    down, and requests are tried once each until one is answered.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        gate: Gate,
        secrets: Secrets,
        *,
        timeout_s: float,
        budget_s: float,
        proxy: str | None = None,
    ) -> None:
        self._session = session
        self._url = url
        self._gate = gate
        self._secrets = secrets
        self._timeout_s = timeout_s
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=min(30.0, timeout_s))
        self._budget_s = budget_s
        self._proxy = proxy
        self._answered_at = time.monotonic()

    async def ask(self, body: bytes, *, first: bool = False) -> Answered | Trouble:
        """Posts a body until it is answered, refused for good, or the budget is spent.

        With `first` a server that cannot be reached at all is not tried again.
        """
        spent = 0.0
        attempts = 0
        while True:
            entered = await self._gate.enter()
            started = time.monotonic()
            try:
                outcome = await self._attempt(body)
            finally:
                self._gate.leave()
            attempts += 1
            if isinstance(outcome, Answered):
                self._answered_at = time.monotonic()
                self._gate.grow()
                return outcome
            if outcome.status == 429:
                self._gate.shrink(entered)
            elif outcome.status is not None and not outcome.again:
                self._answered_at = time.monotonic()
            spent += time.monotonic() - started
            wait = self._wait(outcome, attempts, spent, first=first)
            if isinstance(wait, Trouble):
                return replace(wait, attempts=attempts)
            await asyncio.sleep(wait)
            spent += wait

    async def get(self, url: str) -> tuple[int, bytes] | None:
        """Status and body of a GET, or None where there is no answer within 10 s."""
        timeout = aiohttp.ClientTimeout(total=10)
        try:
            async with self._session.get(
                url, timeout=timeout, proxy=self._proxy, allow_redirects=False
            ) as response:
                return response.status, await _whole(response)
        except (aiohttp.ClientError, TimeoutError, OSError, UnicodeError, Unreadable):
            return None

    def _wait(
        self, trouble: Trouble, attempts: int, spent: float, *, first: bool
    ) -> float | Trouble:
        """Seconds until the next attempt, or the trouble that ends the request."""
        if not trouble.again or (first and trouble.unreachable):
            return trouble
        # full jitter: workers that failed together must not come back together
        ceiling = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** min(attempts - 1, 16))
        wait = max(trouble.wait_s or 0.0, random.uniform(0.0, ceiling))
        down = time.monotonic() - self._answered_at > self._budget_s
        if not down and spent + wait <= self._budget_s:
            return wait
        if trouble.wait_s and trouble.wait_s > self._budget_s - spent:
            asked = f"; it asks to wait {trouble.wait_s:.0f} s, more than is left of "
            return replace(
                trouble, message=f"{trouble.message}{asked}retry_budget_s={self._budget_s:g}"
            )
        return trouble

    async def _attempt(self, body: bytes) -> Answered | Trouble:
        started = time.perf_counter()
        try:
            async with self._session.post(
                self._url,
                data=body if len(body) <= _ONE_PIECE else io.BytesIO(body),
                timeout=self._timeout,
                proxy=self._proxy,
                allow_redirects=False,
            ) as response:
                received = await _whole(response)
                status, headers = response.status, response.headers
            if status == 200:
                meant = said(received)
                if self._secrets.may_hold(received):
                    meant = self._hidden(meant)
                return Answered(meant, time.perf_counter() - started)
            return self._refusal(status, received, headers)
        except Unreadable as error:
            return self._unreadable(error)
        except RecursionError:
            return Trouble("protocol", "the reply is nested too deeply")
        except (aiohttp.ClientError, TimeoutError, OSError, UnicodeError) as error:
            return self._broken(error)

    def _hidden(self, meant: Said) -> Said:
        hide = self._secrets.in_reply
        return replace(
            meant,
            text=hide(meant.text),
            reasoning=hide(meant.reasoning),
            finish_reason=hide(meant.finish_reason),
            raw=hide(meant.raw),
        )

    def _message(self, text: str) -> str:
        return short(self._secrets.in_message(text))

    def _refusal(self, status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
        words = complaint(body)
        message = self._message(f"HTTP {status}: {words}" if words else f"HTTP {status}")
        again = status in _AGAIN or status >= 500
        location = self._message(headers.get("Location", "")) if 300 <= status < 400 else ""
        wait = retry_after(headers) if again else None
        return Trouble(_kind(status), message, status, again, wait, location=location)

    def _unreadable(self, error: Unreadable) -> Trouble:
        message = self._message(" ".join(str(error).split()))
        if error.status is None:
            return Trouble("protocol", message, unreachable=error.is_page)
        again = error.status in _AGAIN or error.status >= 500
        return Trouble(_kind(error.status), message, error.status, again)

    def _broken(self, error: Exception) -> Trouble:
        if isinstance(error, aiohttp.ServerTimeoutError):
            seconds = self._timeout.sock_connect or 0.0
            return Trouble("timeout", f"no connection within {seconds:g} s", unreachable=True)
        if isinstance(error, TimeoutError):
            return Trouble("timeout", f"no reply within timeout_s={self._timeout_s:g}")
        no_server = (
            aiohttp.ClientConnectorError,
            aiohttp.InvalidURL,
            aiohttp.ClientResponseError,
            UnicodeError,  # of a host or proxy whose name DNS has no form for
        )
        message = self._message(_reason(error))
        return Trouble("connection", message, unreachable=isinstance(error, no_server))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a `Retry-After` header asks for: a number, or an HTTP date.

    A date is held against the server's own `Date`, where it sends one: clocks differ.
    """
    value = headers.get("Retry-After", "").strip()
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    until = _seconds(value)
    if until is None:
        return None
    now = _seconds(headers.get("Date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _seconds(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError, IndexError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    if response.content_length is not None and response.content_length <= LARGEST_REPLY:
        return await response.read()
    pieces, size = [], 0
    async for piece in response.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_REPLY:
            raise Unreadable(f"the reply is larger than {LARGEST_REPLY:,} bytes")
    return b"".join(pieces)


def _kind(status: int) -> FailureKind:
    if status == 408:
        return "timeout"
    if status == 429:
        return "rate_limit"
    return "server" if status >= 500 else "http"


def _reason(error: Exception) -> str:
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, socket.gaierror | UnicodeError):
        return "unknown host"
    if isinstance(error, aiohttp.ClientSSLError) or isinstance(cause, ssl.SSLError):
        return f"TLS failed: {cause}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"no connection: {error.os_error.strerror or error}"
    return f"the connection broke: {error or type(error).__name__}"
