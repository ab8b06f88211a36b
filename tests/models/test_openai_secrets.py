"""Addresses, and keys that nobody may see."""

from __future__ import annotations

import base64
from typing import Any
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
from eyechart.models.openai import Endpoint


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
    "given",
    [
        "localhost:8000/v1",
        "",
        "ftp://h/v1",
        "http://h:99999/v1",
        "http:///v1",
        "http://a..b/v1",
        "http://.h/v1",
        "http://./v1",
        f"http://{'a' * 64}.org/v1",
        f"http://{'é' * 60}.org/v1",
        f"http://{'.'.join(['a' * 60] * 5)}/v1",
    ],
)
def test_what_is_no_address_is_a_usage_error(given: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        Endpoint("tiny", given)


@pytest.mark.parametrize("host", ["h", "h.", "a_b", f"{'a' * 63}.org", "bücher.example", "[::1]"])
def test_hosts_that_may_be(host: str) -> None:
    assert Endpoint("tiny", f"http://{host}/v1").address.base == f"http://{host}/v1"


def test_a_proxy_whose_host_has_no_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://a..b:80")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(ModelError, match="No model answers at http://nowhere"):
        ask(Endpoint("tiny", "http://nowhere.invalid/v1"), many(1))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"concurrency": 0}, "concurrency must be 1 or more, not 0"),
        ({"concurrency": True}, "concurrency must be a whole number, not True"),
        ({"concurrency": 2.5}, "concurrency must be a whole number"),
        ({"max_image_bytes": 0}, "max_image_bytes must be 1 or more"),
        ({"max_image_bytes": True}, "max_image_bytes must be a whole number, not True"),
        ({"max_image_bytes": "9"}, "max_image_bytes must be a whole number, not '9'"),
        ({"timeout_s": 0}, "timeout_s must be above 0"),
        ({"timeout_s": float("inf")}, "timeout_s .* inf is no finite number"),
        ({"timeout_s": float("nan")}, "timeout_s .* nan is no finite number"),
        ({"timeout_s": True}, "timeout_s must be a number"),
        ({"timeout_s": "5"}, "timeout_s must be a number"),
        ({"retry_budget_s": -1}, "retry_budget_s not below 0"),
        ({"retry_budget_s": float("inf")}, "retry_budget_s .* inf is no finite number"),
        ({"retry_budget_s": float("nan")}, "retry_budget_s .* nan is no finite number"),
        ({"api_key": "a\nb"}, "API key holds a line break"),
        ({"headers": {"": "v"}}, "named ''"),
        ({"headers": {"X Y": "v"}}, "named 'X Y'"),
        ({"headers": {"é": "v"}}, "named 'é'"),
        ({"headers": {"X:": "v"}}, "named 'X:'"),
        ({"headers": {"X\n": "v"}}, r"named 'X\\n'"),
        ({"headers": {"X": "a\rb"}}, "header 'X' holds a line break"),
        ({"headers": {"X": "a\0b"}}, "header 'X' holds"),
        ({"headers": {"X": "\ud800"}}, "header 'X' holds"),
        ({"headers": {"X": 5}}, "header 'X' must be text, not int"),
    ],
)
def test_options_that_cannot_be(options: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Endpoint("tiny", "http://h/v1", **options)
    assert "\n" not in str(caught.value)


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
