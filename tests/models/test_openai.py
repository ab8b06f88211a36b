"""What an endpoint's answers mean, and which troubles are tried again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.fault_server import (
    Act,
    Asked,
    FaultServer,
    completion,
    cut,
    fail,
    hang,
    say,
    script,
    send,
)
from tests.models.asking import (
    ask,
    ask_one,
    many,
    text_request,
)

from eyechart.errors import ModelError
from eyechart.models.openai import Endpoint, transport
from eyechart.values import Failure, Reply, Request, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_an_answer_is_kept_with_its_record() -> None:
    reply = ask_one(say("a cat"), text_request("7", repeat=2))
    assert (reply.sample_id, reply.repeat, reply.state, reply.text) == ("7", 2, "ok", "a cat")
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(7, 3)
    assert reply.raw == completion("a cat")
    assert reply.latency_s is not None
    assert reply.latency_s > 0
    assert reply.at is not None
    assert abs(reply.at - time.time()) < 600


@pytest.mark.parametrize(
    ("act", "state", "text", "finish"),
    [
        (say(None, "length", reasoning_content="hm"), "empty", None, "length"),
        (say(None, "length", reasoning="hm"), "empty", None, "length"),
        (say(""), "empty", "", "stop"),
        (say(" \n"), "empty", " \n", "stop"),
        (say("a ca", "length"), "ok", "a ca", "length"),
        (say("a", "content_filter"), "refused", "a", "content_filter"),
        (say(None, refusal="I cannot."), "refused", "I cannot.", "stop"),
        (say("yes", None, refusal=None), "ok", "yes", None),
        (
            say([{"type": "text", "text": "a "}, {"type": "text", "text": "cat"}]),
            "ok",
            "a cat",
            "stop",
        ),
    ],
)
def test_states(act: Act, state: str, text: str | None, finish: str | None) -> None:
    reply = ask_one(act)
    assert (reply.state, reply.text, reply.finish_reason) == (state, text, finish)
    assert reply.error is None
    assert reply.reasoning == ("hm" if b"hm" in act.body else None)


def test_thinking_parts_are_reasoning() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    reply = ask_one(say([thinking, {"type": "text", "text": "3"}]))
    assert (reply.text, reply.reasoning) == ("3", "hm")


TROUBLES = [
    (Act(b"{oops"), "protocol", "not JSON"),
    (Act(b""), "protocol", "empty (0 bytes)"),
    (Act(b"[1]"), "protocol", "not an object"),
    (Act(b"\xff\xfe"), "protocol", "not JSON"),
    (Act(b'{"choices":' + b"[" * 100_000), "protocol", ""),
    (send({"choices": []}), "protocol", "no choices"),
    (send({"choices": [{"message": "hi"}]}), "protocol", "no message"),
    (send({"choices": [{"message": {"content": 3}}]}), "protocol", "neither text nor parts"),
    (send({"error": {"message": "overloaded", "code": 503}}), "server", "overloaded"),
    (fail(500, "boom"), "server", "HTTP 500: boom"),
    (fail(503), "server", "HTTP 503"),
    (fail(408), "timeout", "HTTP 408"),
    (fail(409), "http", "HTTP 409"),
    (fail(429, "slow down"), "rate_limit", "HTTP 429: slow down"),
    (cut(), "connection", "connection broke"),
]


@pytest.mark.parametrize(("act", "kind", "words"), TROUBLES)
def test_lasting_trouble_is_an_error_in_the_end(act: Act, kind: str, words: str) -> None:
    with FaultServer(act) as server:
        [reply] = ask(Endpoint("tiny", server.url, retry_budget_s=0.1), many(1))
        assert reply.error is not None
        assert reply.error.attempts == len(server.asked)
    assert (reply.state, reply.text, reply.raw) == ("error", None, None)
    assert reply.error.kind == kind
    assert words in reply.error.message


@pytest.mark.parametrize("act", [act for act, _, _ in TROUBLES])
def test_passing_trouble_costs_nothing(act: Act) -> None:
    with FaultServer(script(say("first"), act, act, say("a cat"))) as server:
        replies = ask(Endpoint("tiny", server.url, concurrency=1), many(2))
        assert [reply.text for reply in replies] == ["first", "a cat"]
        assert len(server.asked) == 4


def test_a_later_refusal_is_one_samples_error_and_is_not_tried_again() -> None:
    def behave(asked: Asked) -> Act:
        return fail(400, "too long") if asked.text == "question 3" else say(asked.text)

    with FaultServer(behave) as server:
        replies = {reply.sample_id: reply for reply in ask(Endpoint("tiny", server.url), many(6))}
        assert len(server.asked) == 6
    assert replies.pop("3").error == Failure("http", "HTTP 400: too long", 400, 1)
    assert {k: reply.text for k, reply in replies.items()} == {
        k: f"question {k}" for k in ("0", "1", "2", "4", "5")
    }


def test_retry_after_is_waited_for() -> None:
    with FaultServer(script(fail(429, Retry_After="1"), say("ok"))) as server:
        started = time.monotonic()
        [reply] = ask(Endpoint("tiny", server.url), [text_request()])
        assert time.monotonic() - started >= 1
    assert reply.text == "ok"


def test_retry_after_beyond_the_budget_ends_the_request_at_once() -> None:
    reply = ask_one(fail(429, "quota", Retry_After="3600"), retry_budget_s=2)
    assert reply.error is not None
    assert reply.error.attempts == 1
    assert reply.error.message == (
        "HTTP 429: quota; it asks to wait 3600 s, more than is left of retry_budget_s=2"
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0.25"}, 0.25),
        (
            {
                "Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT",
                "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
            30.0,
        ),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert transport.retry_after(headers) == seconds


def test_a_hung_request_holds_up_nobody() -> None:
    def behave(asked: Asked) -> Act:
        return hang() if asked.text == "question 1" else say(asked.text)

    texts: list[str | None] = []

    def keep(reply: Reply) -> None:
        texts.append(reply.text)
        if len(texts) == 39:
            # nothing but the hung one is left
            raise KeyboardInterrupt

    with FaultServer(behave) as server, pytest.raises(KeyboardInterrupt):
        Endpoint("tiny", server.url, concurrency=2).answer(iter(many(40)), keep)
    assert sorted(filter(None, texts)) == sorted(f"question {k}" for k in range(40) if k != 1)


def test_a_hung_request_times_out() -> None:
    reply = ask_one(hang(), timeout_s=0.2, retry_budget_s=0)
    assert reply.error == Failure("timeout", "no reply within timeout_s=0.2")


def test_a_dead_server_is_not_waited_for_by_every_request() -> None:
    with FaultServer(script(say("first"), fail(503))) as server:
        replies = ask(Endpoint("tiny", server.url, concurrency=2, retry_budget_s=0.3), many(200))
        assert sum(reply.state == "error" for reply in replies) == 199
        assert len(replies) == 200
    # once the whole budget has passed without any answer, each is tried just once
    assert [reply.error.attempts for reply in replies[-50:] if reply.error] == [1] * 50


def test_as_many_at_once_as_asked_for_and_no_more() -> None:
    with FaultServer(say("ok", after_s=0.05)) as server:
        assert len(ask(Endpoint("tiny", server.url, concurrency=5), many(30))) == 30
        assert server.most_inside == 5


def test_the_first_request_goes_alone() -> None:
    with FaultServer(fail(401, "bad key")) as server:
        with pytest.raises(ModelError):
            ask(Endpoint("tiny", server.url, api_key="sk-wrong-key", concurrency=8), many(50))
        assert len(server.asked) == 1


def test_requests_are_drawn_only_as_fast_as_they_are_asked() -> None:
    drawn = kept = 0
    ahead = []

    def draw() -> Iterator[Request]:
        nonlocal drawn
        for request in many(60):
            drawn += 1
            ahead.append(drawn - kept)
            yield request

    def keep(_: Reply) -> None:
        nonlocal kept
        kept += 1

    with FaultServer(say("ok")) as server:
        Endpoint("tiny", server.url, concurrency=4).answer(draw(), keep)
    assert kept == 60
    assert max(ahead) <= 5


def test_fewer_at_once_after_a_429() -> None:
    answered = 0

    def behave(asked: Asked) -> Act:
        nonlocal answered
        answered += 1
        return fail(429) if 8 < answered <= 16 else say(asked.text, after_s=0.02)

    with FaultServer(behave) as server:
        replies = ask(Endpoint("tiny", server.url, concurrency=8), many(40))
    assert all(reply.state == "ok" for reply in replies)
    assert len(replies) == 40
