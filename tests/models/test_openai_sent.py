"""What goes on the wire: bodies and pictures."""

from __future__ import annotations

import base64
import io
import random
from typing import Any

import pytest
from PIL import Image
from tests.fault_server import (
    FaultServer,
    say,
)
from tests.models.asking import (
    Missing,
    Shown,
    ask,
    encoded,
    picture_request,
    text_request,
)

from eyechart.errors import UsageError
from eyechart.io.images import upright
from eyechart.models.openai import Endpoint
from eyechart.values import Message, Reply, Request


def test_the_body_of_a_request() -> None:
    request = Request(
        "1",
        (
            Message("system", "Be brief."),
            Message("user", "where is “the dog”?", with_image=True),
        ),
        image=Shown(encoded()),
        generation={"max_tokens": 64, "seed": 1, "guided": {"a": [1]}},
    )
    with FaultServer(say("ok")) as server:
        ask(Endpoint("tiny", server.url + "/chat/completions/", api_key="EMPTY"), [request])
        [asked] = server.asked
    assert asked.headers["Authorization"] == "Bearer EMPTY"
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.json == {
        "model": "tiny",
        "temperature": 0,
        "max_tokens": 64,
        "seed": 1,
        "guided": {"a": [1]},
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": asked.data_url}},
                    {"type": "text", "text": "where is “the dog”?"},
                ],
            },
        ],
    }


def test_generation_may_leave_the_temperature_out_but_not_stream() -> None:
    with FaultServer(say("ok")) as server:
        endpoint = Endpoint("tiny", server.url)
        ask(endpoint, [text_request(generation={"temperature": None})])
        assert "temperature" not in server.asked[0].json
        assert "Authorization" not in server.asked[0].headers
        with pytest.raises(UsageError, match="--gen stream"):
            ask(endpoint, [text_request(generation={"stream": True})])


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("lossless", [False, True])
def test_pictures_are_sent_byte_for_byte(form: str, lossless: bool) -> None:
    options = {"lossless": lossless} if form == "WEBP" else {}
    data = encoded(form, (333, 517), **options)
    with FaultServer(say("ok")) as server:
        [reply] = ask(Endpoint("tiny", server.url), [picture_request(Shown(data, 333, 517))])
        start, _, sent = server.asked[0].data_url.partition(",")
    assert start == f"data:image/{form.lower()};base64"
    assert base64.b64decode(sent) == data
    assert (reply.sent_size, reply.notes) == ((333, 517), ())


def received(picture: Shown, **options: Any) -> tuple[Reply, bytes]:
    with FaultServer(say("ok")) as server:
        [reply] = ask(Endpoint("tiny", server.url, **options), [picture_request(picture)])
        return reply, base64.b64decode(server.asked[0].data_url.partition(",")[2])


def test_another_format_becomes_png_and_says_so() -> None:
    data = encoded("GIF")
    reply, sent = received(Shown(data, 60, 40))
    assert reply.notes == ("re-encoded GIF as PNG",)
    assert reply.sent_size == (60, 40)
    assert Image.open(io.BytesIO(sent)).format == "PNG"
    assert Image.open(io.BytesIO(sent)).tobytes() == upright(data).tobytes()


def test_a_picture_above_the_limit() -> None:
    # noise, which PNG cannot make smaller at any level: 400 x 400 x 3 bytes
    noise = Image.frombytes("RGB", (400, 400), random.Random(1).randbytes(480_000))
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    limit = 479_999
    reply, sent = received(Shown(buffer.getvalue()), max_image_bytes=limit)
    assert reply.notes == (f"re-encoded PNG as JPEG (above {limit:,} bytes)",)
    assert len(sent) <= limit
    with FaultServer(say("ok")) as server:
        endpoint = Endpoint("tiny", server.url, max_image_bytes=1000)
        [reply] = ask(endpoint, [picture_request(Shown(buffer.getvalue()))])
        assert not server.asked
    assert reply.error is not None
    assert reply.error.kind == "picture"
    assert "above max_image_bytes=1000" in reply.error.message


def turned(orientation: int, form: str = "JPEG", size: tuple[int, int] = (60, 40)) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return encoded(form, size, exif=exif)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_exif_rotation_is_undone_where_the_annotation_is_upright(form: str) -> None:
    data = turned(6, form)
    reply, sent = received(Shown(data, 40, 60))
    assert reply.sent_size == (40, 60)
    assert reply.notes == (f"re-encoded {form} as PNG (turned upright as its EXIF says)",)
    assert Image.open(io.BytesIO(sent)).tobytes() == upright(data).tobytes()


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_exif_rotation_is_left_out_where_the_annotation_ignores_it(form: str) -> None:
    data = turned(8, form)
    reply, sent = received(Shown(data, 60, 40))
    assert reply.sent_size == (60, 40)
    assert "its EXIF rotation left out" in reply.notes[0]
    picture = Image.open(io.BytesIO(sent))
    assert picture.size == (60, 40)
    assert 0x0112 not in picture.getexif()
    assert picture.tobytes() == Image.open(io.BytesIO(data)).tobytes()


def test_a_picture_that_is_not_the_annotated_one_is_noted() -> None:
    reply, _ = received(Shown(encoded(), 640, 480))
    assert reply.notes == ("the picture is 60x40, its annotation says 640x480",)


@pytest.mark.parametrize(
    "picture", [Missing(b""), Shown(b""), Shown(b"GIF89a"), Shown(b"\xff\xd8\xff\xe0"), None]
)
def test_a_picture_that_cannot_be_read_is_an_error_without_a_request(picture: Shown | None) -> None:
    broken = Request("1", (Message("user", "what?", with_image=True),), image=picture)
    with FaultServer(say("ok")) as server:
        endpoint = Endpoint("tiny", server.url, concurrency=1)
        replies = ask(endpoint, [broken, text_request("2")])
        assert len(server.asked) == 1
    assert [reply.state for reply in replies] == ["error", "ok"]
    assert replies[0].error is not None
    assert (replies[0].error.kind, replies[0].error.attempts) == ("picture", 0)


def test_a_large_body_goes_out_without_a_warning() -> None:
    noise = Image.effect_noise((1500, 1500), 100)
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    assert len(buffer.getvalue()) > 1_500_000
    reply, sent = received(Shown(buffer.getvalue()))
    assert sent == buffer.getvalue()
    assert reply.state == "ok"
