"""A request as the JSON body of a chat completion."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.models.openai.pictures import Wire
    from eyechart.values import Message, Request

_OURS = {
    "messages": "the prompt",
    "model": "the model's name",
    "n": "--repeats",
    "stream": "nothing",
}
_encoder = msgspec.json.Encoder()


def shows_picture(request: Request) -> bool:
    """Whether a message of the request wants the picture."""
    return any(message.with_image for message in request.messages)


def body(model: str, request: Request, wire: Wire | None) -> bytes:
    """The JSON to post.

    `request.generation` goes in as it is; `temperature` is 0 where it does not say, and a field
    given as None is left out.

    Raises:
        UsageError: generation sets a field that is not the user's to set.
    """
    given = dict(request.generation or {})
    for name in _OURS.keys() & given.keys():
        raise UsageError(f"--gen {name} cannot be set: {_OURS[name]} decides it.")
    url = _data_url(wire) if wire is not None else None
    fields: dict[str, Any] = {"temperature": 0, **given}
    return _encoder.encode(
        {
            "model": model,
            "messages": [_turn(message, url) for message in request.messages],
            **{name: value for name, value in fields.items() if value is not None},
        }
    )


def _turn(message: Message, url: msgspec.Raw | None) -> dict[str, Any]:
    if url is None or not message.with_image:
        return {"role": message.role, "content": message.text}
    parts: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": url}}]
    if message.text:
        parts.append({"type": "text", "text": message.text})
    return {"role": message.role, "content": parts}


def _data_url(wire: Wire) -> msgspec.Raw:
    # base64 needs no escapes, so the quoted string is spliced in without another pass over it
    encoded = base64.b64encode(wire.data)
    return msgspec.Raw(b'"data:%b;base64,%b"' % (wire.mime.encode(), encoded))
