"""A small OpenAI-compatible server that fails in the ways that real ones do.

    with FaultServer(say("a box")) as server:                        the same answer to everything
    with FaultServer(script(fail(503), say("a box"))) as server:     one after the other
    with FaultServer(lambda asked: ...) as server:                   decided by what was asked

It runs in a thread of its own, on a free port of 127.0.0.1, and counts what it sees.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Asked:
    """A chat completion as it came in; `number` counts from 0."""

    number: int
    body: bytes
    headers: Mapping[str, str]
    path: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def text(self) -> str:
        """The text of the last message."""
        content = self.json["messages"][-1]["content"]
        if isinstance(content, str):
            return content
        return "".join(part.get("text", "") for part in content)

    @property
    def data_url(self) -> str:
        """The first picture of the last message."""
        parts = self.json["messages"][-1]["content"]
        url: str = next(p["image_url"]["url"] for p in parts if p["type"] == "image_url")
        return url


@dataclass(frozen=True)
class Act:
    """What the server does. `after_s` is slow to begin; `reset_after` bytes it cuts the line."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    reset_after: int | None = None


Behaviour = Callable[[Asked], Act]


def send(data: object, status: int = 200, **more: Any) -> Act:
    """Any JSON."""
    return Act(json.dumps(data).encode(), status, **more)


def completion(
    content: object, finish_reason: str | None = "stop", **message: object
) -> dict[str, Any]:
    """The JSON of a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def say(
    content: object, finish_reason: str | None = "stop", *, after_s: float = 0.0, **message: object
) -> Act:
    """A normal answer."""
    return send(completion(content, finish_reason, **message), after_s=after_s)


def fail(status: int, message: str = "no", **headers: str) -> Act:
    """An error in OpenAI's form; `Retry_After="1"` becomes the header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send({"error": {"message": message, "code": None}}, status, headers=named)


def hang() -> Act:
    """No answer while anybody waits for it."""
    return Act(after_s=3600.0)


def cut(after: int = 40) -> Act:
    """A normal answer, but the connection is reset in the middle of its body."""
    return Act(json.dumps(completion("never read")).encode(), reset_after=after)


def script(*acts: Act) -> Behaviour:
    """One act after the other, the last one for ever."""
    return lambda asked: acts[min(asked.number, len(acts) - 1)]


class FaultServer:
    """The server, as a context manager; every attribute may be read while it runs."""

    def __init__(self, behaviour: Behaviour | Act, models: list[str] | None = None) -> None:
        self._behaviour = behaviour if callable(behaviour) else script(behaviour)
        self._models = models
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self.asked: list[Asked] = []
        self.inside = 0
        self.most_inside = 0
        self.port = 0

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**30)
        app.router.add_post("/v1/chat/completions", self._completions)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        # asyncio loses sight of a connection that it is just accepting when the site is closed
        await asyncio.sleep(0.01)
        await runner.cleanup()

    async def _list(self, _: web.Request) -> web.Response:
        if self._models is None:
            raise web.HTTPNotFound
        return web.json_response({"data": [{"id": name} for name in self._models]})

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(len(self.asked), await request.read(), request.headers, request.path_qs)
        self.asked.append(asked)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            act = self._behaviour(asked)
            await asyncio.sleep(act.after_s)
            if act.reset_after is None:
                return web.Response(body=act.body, status=act.status, headers=dict(act.headers))
            return await self._reset(request, act)
        finally:
            self.inside -= 1

    async def _reset(self, request: web.Request, act: Act) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(act.body))})
        await response.prepare(request)
        await response.write(act.body[: act.reset_after])
        if request.transport is not None:
            request.transport.abort()
        return response
