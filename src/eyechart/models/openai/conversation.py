"""One run of questions to an endpoint: workers that draw requests, ask, and keep the replies."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from eyechart.errors import ModelError, PictureError
from eyechart.models.openai.body import body, shows_picture
from eyechart.models.openai.gate import Gate
from eyechart.models.openai.pictures import Wire, remade, untouched
from eyechart.models.openai.refused import refused
from eyechart.models.openai.transport import Answered, Transport, Trouble
from eyechart.values import Failure, Message, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    import aiohttp

    from eyechart.models import Keep
    from eyechart.models.openai import Endpoint
    from eyechart.values import Picture, Request

# a first request that takes longer is not refused at once: the others need not wait for it
_ALONE_S = 10.0
_SLOW_READ_S = 0.003


class Interrupted(Exception):
    """An interrupt on its way out: a task that raises one itself would leave its loop in pieces."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(repr(error))
        self.error = error


class Conversation:
    """The workers of one call of `Endpoint.answer`, inside its event loop.

    No worker waits for another, but for the first request: the others read their pictures
    meanwhile and are sent when it is answered.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        requests: Iterator[Request],
        keep: Keep,
    ) -> None:
        self._endpoint = endpoint
        self._requests = requests
        self._keep = keep
        self._transport = Transport(
            session,
            endpoint.address.url("/chat/completions"),
            Gate(endpoint.concurrency),
            endpoint.secrets,
            timeout_s=endpoint.timeout_s,
            budget_s=endpoint.retry_budget_s,
            proxy=_proxy(endpoint.address.base),
        )
        self._pictures = _Pictures(endpoint.max_image_bytes)
        self._begun = False
        self._open = asyncio.Event()

    async def run(self) -> None:
        """Asks everything; the first error that is not a single sample's own ends it."""
        workers = [asyncio.create_task(self._work()) for _ in range(self._endpoint.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            self._pictures.close()

    async def _work(self) -> None:
        try:
            for request in self._requests:
                self._keep(await self._reply(request))
        except (KeyboardInterrupt, SystemExit) as error:
            raise Interrupted(error) from None

    async def _reply(self, request: Request) -> Reply:
        try:
            wire = await self._pictures.wire(request) if shows_picture(request) else None
        except PictureError as error:
            await asyncio.sleep(0)
            failure = Failure("picture", self._endpoint.secrets.in_message(str(error)), attempts=0)
            return self._error(request, None, failure)
        outcome = await self._ask(request, wire)
        if isinstance(outcome, Trouble):
            return self._error(request, wire, outcome.failure)
        said = outcome.said
        return Reply(
            request.sample_id,
            request.repeat,
            said.state,
            said.text,
            reasoning=said.reasoning,
            finish_reason=said.finish_reason,
            usage=said.usage,
            latency_s=outcome.latency_s,
            sent_size=wire.size if wire else None,
            notes=wire.notes if wire else (),
            raw=said.raw,
            at=time.time(),
        )

    def _error(self, request: Request, wire: Wire | None, failure: Failure) -> Reply:
        return Reply(
            request.sample_id,
            request.repeat,
            "error",
            error=failure,
            sent_size=wire.size if wire else None,
            notes=wire.notes if wire else (),
            at=time.time(),
        )

    async def _ask(self, request: Request, wire: Wire | None) -> Answered | Trouble:
        posted = body(self._endpoint.name, request, wire)
        if self._begun:
            await self._open.wait()
            return await self._transport.ask(posted)
        self._begun = True
        let_others = asyncio.get_running_loop().call_later(_ALONE_S, self._open.set)
        try:
            outcome = await self._transport.ask(posted, first=True)
            if isinstance(outcome, Trouble):
                await self._stop_if_hopeless(outcome, request, wire)
        finally:
            let_others.cancel()
        self._open.set()
        return outcome

    async def _stop_if_hopeless(
        self, trouble: Trouble, request: Request, wire: Wire | None
    ) -> None:
        """Raises ModelError unless the trouble is this sample's own.

        A request may be refused for what it holds (too long, flagged) while others are welcome: a
        plain one with a small picture tells which it is.
        """
        if trouble.again and not trouble.unreachable:
            return
        if trouble.status is not None and trouble.status not in (401, 404, 405):
            plain = replace(
                request, messages=(Message("user", "Say yes.", with_image=wire is not None),)
            )
            small = await asyncio.to_thread(_grey_square) if wire else None
            second = await self._transport.ask(body(self._endpoint.name, plain, small), first=True)
            if isinstance(second, Answered) or second.again:
                return
        raise ModelError(await refused(self._endpoint, self._transport, trouble)) from None


class _Pictures:
    """Reads pictures in the event loop while that is quick, in a thread where it is not.

    A hand-over to a thread costs ten times as much as reading 20 kB from a disk; but a network
    drive, or a picture that is drawn when it is read, would hold up every other request.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._read_s = 0.0
        # one thread: a picture's source need not bear several
        self._thread = ThreadPoolExecutor(1, "eyechart-pictures")

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def wire(self, request: Request) -> Wire:
        """The request's picture as it is sent.

        Raises:
            PictureError: there is none, or it cannot be read.
        """
        picture = request.image
        if picture is None:
            raise PictureError("the prompt shows a picture, but the sample has none.")
        if self._read_s > _SLOW_READ_S:
            loop = asyncio.get_running_loop()
            data = await loop.run_in_executor(self._thread, self._read, picture)
        else:
            data = self._read(picture)
        annotated = (picture.width, picture.height)
        if (wire := untouched(data, annotated, self._limit)) is not None:
            return wire
        return await asyncio.to_thread(remade, data, annotated, self._limit)

    def _read(self, picture: Picture) -> bytes:
        started = time.perf_counter()
        data = picture.read()
        self._read_s += (time.perf_counter() - started - self._read_s) / 10
        return data


def _grey_square() -> Wire:
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (128, 128, 128)).save(buffer, "PNG")
    return Wire(buffer.getvalue(), "image/png", (64, 64))


def _proxy(base_url: str) -> str | None:
    """The proxy that the environment names for this address, if any."""
    split = urlsplit(base_url)
    host = split.hostname or ""
    if host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(host):
        return None
    proxy = getproxies().get(split.scheme)
    return proxy if proxy and proxy.startswith("http") else None
