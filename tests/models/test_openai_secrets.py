"""Addresses, and keys that nobody may see."""

from __future__ import annotations

import base64
from urllib.parse import quote

import msgspec
import pytest
from tests.fault_server import (
    Act,
    Asked,
    Behaviour,
    FaultServer,
    completion,
    fail,
    say,
    send,
)
from tests.models.asking import (
    ask,
    ask_one,
    many,
)

from eyechart.errors import ModelError, UsageError
from eyechart.models.openai import Endpoint, transport


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_FIRST_WAIT_S", 0.005)
    monkeypatch.setattr(transport, "_LONGEST_WAIT_S", 0.02)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("http://LocalHost:80/v1/", "http://localhost/v1"),
        ("https://h:443/v1/chat/completions", "https://h/v1"),
        (
            "https://h/a/chat/completions/?api-version=2024&api-key=hush",
            "https://h/a?api-version=2024",
        ),
        ("https://me:hush@h:8443/v1#part", "https://h:8443/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_the_identity_holds_no_secret(given: str, shown: str) -> None:
    endpoint = Endpoint("tiny", given, api_key="hush-hush", headers={"X-Key": "hush"})
    assert endpoint.about.identity == {"kind": "openai", "name": "tiny", "base_url": shown}
    assert "hush" not in repr(endpoint)


@pytest.mark.parametrize(
    "given", ["localhost:8000/v1", "", "ftp://h/v1", "http://h:99999/v1", "http:///v1"]
)
def test_what_is_no_address_is_a_usage_error(given: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        Endpoint("tiny", given)


def test_options_out_of_range() -> None:
    for options in ({"concurrency": 0}, {"timeout_s": 0}, {"max_image_bytes": 0}):
        with pytest.raises(UsageError):
            Endpoint("tiny", "http://h/v1", **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="API key"):
        Endpoint("tiny", "http://h/v1", api_key="a\nb")


def test_login_and_query_of_the_address_are_sent() -> None:
    with FaultServer(say("ok")) as server:
        url = server.url.replace("//", "//me:pass%20word@") + "/chat/completions?api-version=1"
        ask(Endpoint("tiny", url), many(1))
        [asked] = server.asked
    assert asked.path == "/v1/chat/completions?api-version=1"
    login = base64.b64decode(asked.headers["Authorization"].removeprefix("Basic "))
    assert login == b"me:pass word"


KEY = "sk-very/secret+key=="


def echoes(asked: Asked) -> list[str]:
    sent = asked.headers["Authorization"]
    key = sent.removeprefix("Bearer ")
    return [
        sent,
        quote(key),
        quote(key, safe=""),
        base64.b64encode(sent.encode()).decode(),
        base64.b64encode(b"x" + key.encode() + b"yz").decode(),
        base64.urlsafe_b64encode(b"xx" + key.encode()).decode(),
        asked.headers["X-Team-Token"],
    ]


def leaks(written: bytes) -> list[bytes]:
    cores = [
        KEY.encode(),
        b"hidden-team-token",
        b"secret",
        # what is left of the key's own characters in base64, at each alignment
        *(base64.b64encode(b"x" * n + b"/secret+key")[4:-4] for n in range(3)),
    ]
    return [core for core in cores if core in written]


@pytest.mark.parametrize(
    "make",
    [
        lambda asked: fail(400, " ".join(echoes(asked))),
        lambda asked: fail(500, " ".join(echoes(asked))),
        lambda asked: Act(" ".join(echoes(asked)).encode(), 500),
        lambda asked: say(" ".join(echoes(asked)), reasoning_content=" ".join(echoes(asked))),
        lambda asked: send({**completion("ok"), echoes(asked)[0]: echoes(asked)}),
        lambda asked: send({"error": {"message": echoes(asked)[0], "code": 429}}),
    ],
)
def test_no_reply_holds_a_secret(make: Behaviour) -> None:
    def behave(asked: Asked) -> Act:
        return say("first") if asked.number == 0 else make(asked)

    with FaultServer(behave) as server:
        endpoint = Endpoint(
            "tiny",
            server.url,
            api_key=KEY,
            headers={"X-Team-Token": "hidden-team-token"},
            concurrency=1,
            retry_budget_s=0.05,
        )
        replies = ask(endpoint, many(2))
        assert server.asked[1].headers["Authorization"] == f"Bearer {KEY}"
    written = msgspec.json.encode(replies)
    assert b"[key]" in written
    assert leaks(written) == []


def test_no_model_error_holds_a_secret() -> None:
    headers = {"X-Team-Token": "hidden-team-token"}
    with FaultServer(lambda asked: fail(401, " ".join(echoes(asked))), [KEY]) as server:
        url = server.url + "?api_key=query-secret-1"
        endpoint = Endpoint("tiny", url, api_key=KEY, headers=headers)
        with pytest.raises(ModelError) as caught:
            ask(endpoint, many(1))
    message = str(caught.value)
    assert "[key]" in message
    assert leaks(message.encode()) == []
    assert "query-secret-1" not in message
    assert caught.value.__cause__ is None


def test_a_placeholder_key_does_not_eat_replies() -> None:
    reply = ask_one(say("EMPTY"), api_key="EMPTY")
    assert reply.text == "EMPTY"
