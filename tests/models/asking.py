"""Requests, pictures and one call to ask an endpoint, for the tests of it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image
from tests.fault_server import (
    Act,
    Behaviour,
    FaultServer,
)

from eyechart.errors import PictureError
from eyechart.io.images import upright
from eyechart.models.openai import Endpoint
from eyechart.values import Message, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Shown:
    """A picture in memory."""

    data: bytes
    width: int | None = None
    height: int | None = None

    def read(self) -> bytes:
        return self.data

    def open(self) -> Any:
        return upright(self.data)


class Missing(Shown):
    def read(self) -> bytes:
        raise PictureError("cat.jpg: no such picture.")


def encoded(form: str = "JPEG", size: tuple[int, int] = (60, 40), **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(buffer, form, **options)
    return buffer.getvalue()


def text_request(sample_id: str = "1", text: str = "how many?", **more: Any) -> Request:
    return Request(sample_id, (Message("user", text),), **more)


def picture_request(picture: Shown, sample_id: str = "1") -> Request:
    return Request(sample_id, (Message("user", "what?", with_image=True),), image=picture)


def many(n: int) -> list[Request]:
    return [text_request(str(k), f"question {k}") for k in range(n)]


def ask(endpoint: Endpoint, requests: Sequence[Request]) -> list[Reply]:
    replies: list[Reply] = []
    endpoint.answer(iter(requests), replies.append)
    return replies


def ask_one(behaviour: Behaviour | Act, request: Request | None = None, **options: Any) -> Reply:
    with FaultServer(behaviour) as server:
        [reply] = ask(Endpoint("tiny", server.url, **options), [request or text_request()])
    return reply
