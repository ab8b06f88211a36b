"""A real server with real weights: a tiny LLaVA behind `transformers serve`.

It needs, without torchvision: torch==2.13.0 first, then transformers[serving] and pillow. The
program may lie in another environment: EYECHART_TRANSFORMERS names the `transformers` executable,
beside which its Python is looked for.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from tests.models.asking import Shown

from eyechart.errors import ModelError
from eyechart.models.openai import Endpoint
from eyechart.values import Message, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

# fmt: off
WORDS = [
    "what", "is", "in", "the", "picture", "how", "many", "things", "are", "there",
    "box", "a", "cat", "dog", "red", "blue", "one", "two", "three",
]
# fmt: on
MAKE = Path(__file__).parent / "tiny_llava.py"


def _program() -> Path:
    named = os.environ.get("EYECHART_TRANSFORMERS")
    if named is None:
        pytest.importorskip("torch")
        pytest.importorskip("transformers")
        pytest.importorskip("uvicorn", reason="transformers[serving] is not installed")
        named = str(Path(sys.executable).parent / "transformers")
    found = shutil.which(named)
    if found is None:
        pytest.skip(f"no transformers program at {named}")
    return Path(found)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running server, and the folder of the model that it serves."""
    program = _program()
    folder = tmp_path_factory.mktemp("serve")
    model = folder / "tiny-llava"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hub")}
    python = program.parent / ("python.exe" if os.name == "nt" else "python")
    subprocess.run([python, MAKE, model], check=True, env=environment, timeout=300)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [
                program,
                "serve",
                model,
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--device",
                "cpu",
            ],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_healthy(server, port, log)
        yield f"http://127.0.0.1:{port}/v1", str(model)
    finally:
        server.terminate()
        server.wait(60)


def _wait_until_healthy(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.3)
    pytest.fail(f"transformers serve did not start: {log.read_text(errors='replace')[-3000:]}")


def picture(colour: tuple[int, int, int], form: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (70, 50), colour).save(buffer, form)
    return buffer.getvalue()


def ask(served: tuple[str, str], requests: list[Request], model: str | None = None) -> list[Reply]:
    url, name = served
    replies: list[Reply] = []
    Endpoint(model or name, url, concurrency=2, retry_budget_s=60).answer(
        iter(requests), replies.append
    )
    return sorted(replies, key=lambda reply: reply.sample_id)


def test_pictures_are_seen_and_answered_by_real_weights(served: tuple[str, str]) -> None:
    looks = [picture((255, 0, 0), "JPEG"), picture((0, 0, 255), "PNG"), picture((0, 255, 0), "GIF")]
    requests = [
        Request(
            str(k),
            (Message("user", "what is in the picture", with_image=True),),
            Shown(data, 70, 50),
            {"max_tokens": 12},
        )
        for k, data in enumerate(looks)
    ]
    replies = ask(served, requests)
    assert [reply.sample_id for reply in replies] == ["0", "1", "2"]
    for reply in replies:
        assert reply.state == "ok", reply
        assert reply.text
        assert set(reply.text.split()) <= set(WORDS)
        assert reply.finish_reason in ("stop", "length")
        assert reply.usage is not None
        # 16 patches of the picture stand in the prompt
        assert (reply.usage.input_tokens or 0) > 16
        assert 1 <= (reply.usage.output_tokens or 0) <= 12
        assert reply.sent_size == (70, 50)
    assert [reply.notes for reply in replies] == [(), (), ("re-encoded GIF as PNG",)]
    # the weights look: another colour, another sentence
    assert len({reply.text for reply in replies}) > 1
    again = ask(served, requests)
    assert [reply.text for reply in again] == [reply.text for reply in replies]


def test_a_question_without_a_picture(served: tuple[str, str]) -> None:
    [reply] = ask(
        served, [Request("1", (Message("user", "how many"),), generation={"max_tokens": 5})]
    )
    assert reply.state == "ok"
    assert set((reply.text or "").split()) <= set(WORDS)


def test_a_model_that_is_not_served(served: tuple[str, str]) -> None:
    request = Request("1", (Message("user", "how many"),), generation={"max_tokens": 5})
    with pytest.raises(ModelError, match="does not take requests for 'nobody/nothing'"):
        ask(served, [request], model="nobody/nothing")
