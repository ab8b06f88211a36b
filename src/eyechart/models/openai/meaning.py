"""What a server's answer says: the JSON of a chat completion, or of an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from eyechart.values import ReplyState, Usage

_LONGEST_MESSAGE = 300


class Unreadable(Exception):
    """A body that is no chat completion.

    `status` is an HTTP status that it holds instead; `is_page` says that it is a web page, so that
    a browser's server was asked and not a model's.
    """

    def __init__(self, message: str, status: int | None = None, *, is_page: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.is_page = is_page


@dataclass(frozen=True, slots=True)
class Said:
    """What the model said, and the record it stood in."""

    state: ReplyState
    text: str | None
    reasoning: str | None
    finish_reason: str | None
    usage: Usage | None
    raw: dict[str, Any]


def said(body: bytes) -> Said:
    """Reads the body of an answer with status 200.

    Raises:
        Unreadable: not JSON, not a chat completion, or an error under the wrong status.
    """
    raw = _object(body)
    choice = _first_choice(raw)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Unreadable("the reply's first choice holds no message")
    text, thought = _content(message.get("content"))
    reasoning = _string(message.get("reasoning_content")) or _string(message.get("reasoning"))
    finish = _string(choice.get("finish_reason"))
    refusal = _string(message.get("refusal"))
    state: ReplyState = "ok" if text and text.strip() else "empty"
    if refusal or finish == "content_filter":
        state = "refused"
    return Said(
        state,
        text or refusal or text,
        reasoning or thought,
        finish,
        _usage(raw.get("usage")),
        raw,
    )


def complaint(body: bytes) -> str:
    """The server's own words in the body of an error: one line, not cut."""
    try:
        found = _words(msgspec.json.decode(body))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        found = None
    text = found or body[:20_000].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def short(text: str) -> str:
    """A message cut to a length that fits a line of a log."""
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 3] + "..."


def model_names(body: bytes) -> list[str]:
    """The names in the answer to `GET /models`; empty where it has none."""
    try:
        listed = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return []
    rows = listed.get("data") if isinstance(listed, dict) else listed
    if not isinstance(rows, list):
        return []
    return [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)]


def _object(body: bytes) -> dict[str, Any]:
    if not body.strip():
        raise Unreadable("the reply is empty (0 bytes)")
    if body.lstrip().startswith(b"<"):
        raise Unreadable("the reply is a web page, not JSON", is_page=True)
    try:
        raw = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not JSON ({error})") from None
    if not isinstance(raw, dict):
        raise Unreadable("the reply is JSON but not an object")
    return raw


def _first_choice(raw: dict[str, Any]) -> dict[str, Any]:
    choices = raw.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    if error := raw.get("error"):
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else None
        raise Unreadable(_words(raw) or "the reply is an error without words", status)
    raise Unreadable("the reply holds no choices")


def _content(content: object) -> tuple[str | None, str | None]:
    """Text and reasoning of a message's content: a string, null, or a list of parts."""
    if content is None or isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        raise Unreadable(
            f"the reply's content is neither text nor parts ({type(content).__name__})"
        )
    texts, thoughts = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            texts.append(_string(part.get("text")) or "")
            thinking = part.get("thinking")
            if isinstance(thinking, list):
                thinking = _content(thinking)[0]
            thoughts.append(_string(thinking) or "")
    return "".join(texts), "".join(thoughts) or None


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    read, written = (n if isinstance(n, int) and n >= 0 else None for n in counts)
    return Usage(read, written)


def _words(data: object) -> str | None:
    """The message in the error forms of OpenAI, vLLM, TGI, Ollama and FastAPI."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return "; ".join(filter(None, map(_words, data[:5]))) or None
    if isinstance(data, dict):
        for name in ("message", "error", "detail", "msg"):
            if data.get(name) and (found := _words(data[name])):
                return found
    return None


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
