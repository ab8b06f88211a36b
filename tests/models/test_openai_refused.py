"""Endpoints that cannot be asked at all, and how one is called."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
import time
from typing import Any

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
    script,
    send,
)
from tests.models.asking import (
    Shown,
    ask,
    ask_one,
    encoded,
    many,
    picture_request,
)

from eyechart.errors import ModelError
from eyechart.models.openai import Endpoint
from eyechart.values import Failure, Reply


def refusal(behaviour: Behaviour | Act, models: list[str] | None = None, **options: Any) -> str:
    with FaultServer(behaviour, models) as server, pytest.raises(ModelError) as caught:
        ask(Endpoint("tiny", server.url, **options), many(3))
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(server.port), "PORT")


def test_a_refused_key() -> None:
    assert refusal(fail(401, "bad key"), api_key="sk-something") == (
        "http://127.0.0.1:PORT/v1 refuses the API key (HTTP 401: bad key). Set OPENAI_API_KEY."
    )
    assert "wants an API key, and none was given (HTTP 401: no)" in refusal(fail(401))


def test_an_unknown_model_names_those_there_are() -> None:
    assert refusal(fail(404, "no such model"), ["tiny-1b", "huge"]) == (
        "http://127.0.0.1:PORT/v1 does not take requests for 'tiny' (HTTP 404: no such model). "
        "It offers: tiny-1b, huge. Did you mean tiny-1b?"
    )


def test_a_bad_request_is_told_in_the_servers_words() -> None:
    assert "(HTTP 400: temperature is not supported)" in refusal(
        fail(400, "temperature is not supported"), ["tiny"]
    )
    assert "(HTTP 422: field required; extra)" in refusal(
        send({"detail": [{"msg": "field required"}, {"msg": "extra"}]}, 422)
    )


def test_a_first_sample_refused_for_itself_is_no_reason_to_stop() -> None:
    def behave(asked: Asked) -> Act:
        return fail(400, "too long") if asked.text == "question 0" else say(asked.text)

    with FaultServer(behave) as server:
        replies = {r.sample_id: r for r in ask(Endpoint("tiny", server.url), many(3))}
    assert replies["0"].error == Failure("http", "HTTP 400: too long", 400, 1)
    assert [replies[k].text for k in "12"] == ["question 1", "question 2"]


def test_a_missing_v1() -> None:
    with FaultServer(say("ok")) as server, pytest.raises(ModelError) as caught:
        ask(Endpoint("tiny", server.root), many(1))
    assert f"Perhaps /v1 is missing: try --base-url {server.root}/v1." in str(caught.value)


def test_an_address_where_nothing_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match=f"No model answers at {url} \\(no connection"):
            ask(Endpoint("tiny", url), many(3))


def test_an_unknown_host_and_a_server_without_tls() -> None:
    with pytest.raises(ModelError, match=r"No model answers at http://nowhere\.invalid/v1"):
        ask(Endpoint("tiny", "http://nowhere.invalid/v1"), many(1))
    with FaultServer(say("ok")) as server, pytest.raises(ModelError, match="TLS failed"):
        ask(Endpoint("tiny", server.url.replace("http:", "https:")), many(1))


def test_a_web_page_is_no_model() -> None:
    message = refusal(Act(b"<!doctype html><title>Hello</title>"), retry_budget_s=0)
    assert message == (
        "No model answers at http://127.0.0.1:PORT/v1 (the reply is a web page, not JSON). "
        "Is the server running, and is the address (--base-url) right?"
    )


def test_a_redirect_is_named_and_not_followed() -> None:
    moved = Act(b"", 308, {"Location": "https://elsewhere.example/v1"})
    assert "give https://elsewhere.example/v1 as --base-url" in refusal(moved)


def test_the_first_request_is_tried_again_while_the_server_warms_up() -> None:
    assert ask_one(script(fail(503, "loading"), fail(429), say("ok"))).text == "ok"


def test_an_error_in_keep_ends_the_run_and_is_raised_as_it_is() -> None:
    def keep(_: Reply) -> None:
        raise OSError("disk full")

    with FaultServer(say("ok")) as server, pytest.raises(OSError, match="disk full"):
        Endpoint("tiny", server.url).answer(iter(many(20)), keep)


@pytest.mark.parametrize("by_signal", [False, True])
def test_an_interrupt_passes_through(by_signal: bool) -> None:
    kept: list[Reply] = []

    def keep(reply: Reply) -> None:
        kept.append(reply)
        if len(kept) == 3 and by_signal:
            signal.raise_signal(signal.SIGINT)
        elif len(kept) == 3:
            raise KeyboardInterrupt

    with FaultServer(say("ok")) as server, pytest.raises(KeyboardInterrupt):
        Endpoint("tiny", server.url, concurrency=4).answer(iter(many(100)), keep)
    # those that were answered in the same turn of the loop may still be kept
    assert 3 <= len(kept) <= 7


def test_inside_a_running_loop_it_keeps_in_the_callers_thread() -> None:
    threads = set()

    async def notebook(endpoint: Endpoint) -> list[Reply]:
        replies = []

        def keep(reply: Reply) -> None:
            threads.add(threading.current_thread())
            replies.append(reply)

        endpoint.answer(iter(many(5)), keep)
        return replies

    with FaultServer(say("ok")) as server:
        assert len(asyncio.run(notebook(Endpoint("tiny", server.url)))) == 5
        assert threads == {threading.current_thread()}

        def full(_: Reply) -> None:
            raise OSError("disk full")

        async def broken() -> None:
            Endpoint("tiny", server.url, concurrency=1).answer(iter(many(50)), full)

        with pytest.raises(OSError, match="disk full"):
            asyncio.run(broken())
    with FaultServer(fail(401)) as server, pytest.raises(ModelError):
        asyncio.run(notebook(Endpoint("tiny", server.url)))


def test_a_slow_picture_source_is_read_aside() -> None:
    class Slow(Shown):
        def read(self) -> bytes:
            readers.append(threading.current_thread().name)
            time.sleep(0.05)
            return self.data

    readers: list[str] = []
    requests = [picture_request(Slow(encoded()), str(k)) for k in range(6)]
    with FaultServer(say("ok")) as server:
        replies = ask(Endpoint("tiny", server.url, concurrency=2), requests)
    assert all(reply.state == "ok" for reply in replies)
    assert readers[-1].startswith("eyechart-pictures")


def test_the_servers_record_is_json_again() -> None:
    reply = ask_one(say("“é” \u0000 \\"))
    assert json.loads(msgspec.json.encode(reply))["raw"] == completion("“é” \u0000 \\")
