"""A conversation held from inside a running event loop (a notebook), in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from eyechart.models import Keep
    from eyechart.values import Reply


def talk_aside(talk: Callable[[Keep], Coroutine[Any, Any, None]], keep: Keep) -> None:
    """Runs `talk` in another thread and keeps its replies in this one, as the seam demands.

    An error in `talk` is raised here; an error or an interrupt here cancels `talk`.
    """
    replies: queue.SimpleQueue[Reply | BaseException | None] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    task = loop.create_task(talk(replies.put))

    def speak() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(_awaited(task))
        except BaseException as error:
            replies.put(error)
        else:
            replies.put(None)

    speaker = threading.Thread(target=speak, name="eyechart-endpoint")
    speaker.start()
    ended = False
    try:
        while (item := replies.get()) is not None:
            if isinstance(item, BaseException):
                ended = True
                raise item
            keep(item)
        ended = True
    finally:
        if not ended:
            # the loop may just have come to its end by itself
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        speaker.join()


async def _awaited(task: asyncio.Task[None]) -> None:
    await task
