"""A user's own model: what it may return, how it may fail, and what it is known by."""

from __future__ import annotations

import functools
import hashlib
import io
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image
from tests.models.asking import Missing, Shown, picture_request, text_request

from eyechart.errors import ModelError, UsageError
from eyechart.models import Model, custom
from eyechart.values import Failure, Message, RawBoxes, Reply, Request, Usage

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_model.py"


def ask(model: Model, requests: list[Request]) -> list[Reply]:
    replies: list[Reply] = []
    model.answer(iter(requests), replies.append)
    return replies


def ask_one(answer: Any, request: Request | None = None) -> Reply:
    [reply] = ask(custom.wrap(answer, "mine"), [request or text_request()])
    return reply


def test_the_example_points_at_the_dark_part() -> None:
    picture = Image.new("RGB", (60, 40), "white")
    picture.paste((40, 40, 40), (12, 7, 30, 25))
    picture.putpixel((20, 20), (10, 10, 10))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    request = picture_request(Shown(buffer.getvalue(), 60, 40), "9")
    model = custom.load(f"{EXAMPLE}:Darkest")
    [reply] = ask(model, [request])
    assert reply.boxes == RawBoxes(((12.0, 7.0, 30.0, 25.0),), "xyxy-pixels")
    assert (reply.sample_id, reply.state) == ("9", "ok")
    assert model.about.gives_boxes
    stricter = custom.load(f"{EXAMPLE}:Darkest", {"margin": 5})
    assert ask(stricter, [request])[0].boxes == RawBoxes(((20.0, 20, 21, 21),), "xyxy-pixels")
    assert stricter.about.identity == {
        "kind": "custom",
        "name": "my_model.py:Darkest",
        "sha256": hashlib.sha256(EXAMPLE.read_bytes()).hexdigest(),
        "args": {"margin": 5},
    }
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 20


@pytest.mark.parametrize(
    ("answer", "state", "text", "boxes"),
    [
        ("a cat", "ok", "a cat", None),
        (3, "ok", "3", None),
        (-2.5, "ok", "-2.5", None),
        (np.int64(7), "ok", "7", None),
        (np.array(4), "ok", "4", None),
        ("", "empty", "", None),
        (None, "empty", None, None),
        ([(1, 2, 3, 4)], "ok", None, ((1.0, 2.0, 3.0, 4.0),)),
        ([], "ok", None, ()),
        (np.zeros((0, 4)), "ok", None, ()),
        (np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), "ok", None, ((1.0, 2, 3, 4), (5.0, 6, 7, 8))),
        ([np.array([1, 2, 3, 4.5])], "ok", None, ((1.0, 2.0, 3.0, 4.5),)),
    ],
)
def test_what_a_model_may_return(
    answer: Any, state: str, text: str | None, boxes: tuple[Any, ...] | None
) -> None:
    reply = ask_one(lambda _: answer)
    assert (reply.state, reply.text, reply.error) == (state, text, None)
    assert reply.boxes == (None if boxes is None else RawBoxes(boxes, "xyxy-pixels"))
    assert reply.latency_s is not None


def test_a_reply_of_its_own_gets_the_requests_id() -> None:
    reply = ask_one(
        lambda _: Reply("wrong", text="a", seen_size=(28, 28), finish_reason="length"),
        text_request("7", repeat=3),
    )
    assert (reply.sample_id, reply.repeat, reply.text) == ("7", 3, "a")
    assert (reply.seen_size, reply.finish_reason) == ((28, 28), "length")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (True, "returned True: give text, a Reply or a list of boxes"),
        (np.bool_(True), "give text"),
        (float("nan"), "not finite"),
        (float("-inf"), "not finite"),
        ([1, 2, 3, 4], r"returned [1, 2, 3, 4]: give"),
        ([(1, 2, 3)], "give text"),
        ([(1, 2, 3, float("nan"))], "not finite"),
        ({"box": 1}, "give text"),
        (3j, "give text"),
    ],
)
def test_anything_else_is_that_samples_error(answer: Any, words: str) -> None:
    reply = ask_one(lambda _: answer)
    assert reply.state == "error"
    assert reply.error is not None
    assert reply.error.kind == "crash"
    assert words in reply.error.message


def test_a_crash_costs_one_sample() -> None:
    def answer(request: Request) -> str:
        return str({"0": "a", "2": "c"}[request.sample_id])

    replies = ask(custom.wrap(answer, "mine"), [text_request(k) for k in "012"])
    assert [reply.state for reply in replies] == ["ok", "error", "ok"]
    line = answer.__code__.co_firstlineno + 1
    assert replies[1].error == Failure("crash", f"KeyError: '1' (test_custom.py, line {line})")


def test_a_broken_picture_is_told_apart_from_a_crash() -> None:
    class Looks:
        def answer(self, request: Request) -> str:
            assert request.image is not None
            return f"{len(request.image.read())} bytes"

    reply = ask_one(Looks, picture_request(Missing(b"")))
    assert reply.error == Failure("picture", "cat.jpg: no such picture.")


def test_a_model_error_ends_the_run() -> None:
    def answer(request: Request) -> str:
        raise ModelError("no weights")

    with pytest.raises(ModelError, match="no weights"):
        ask_one(answer)


def test_an_interrupt_is_not_swallowed() -> None:
    def answer(request: Request) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_one(answer)


class Batched:
    batch_size = 3
    dialect = "qwen3"
    needs_images = False

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def answer_batch(self, requests: list[Request]) -> list[str]:
        self.batches.append([request.sample_id for request in requests])
        if any(request.sample_id == "4" for request in requests):
            raise RuntimeError("out of memory")
        return [request.prompt for request in requests]


def test_batches_and_a_sample_that_breaks_one() -> None:
    thing = Batched()
    model = custom.wrap(thing, "mine", {"kind": "custom", "name": "mine", "revision": 2})
    replies = ask(model, [text_request(str(k), f"q{k}") for k in range(7)])
    assert thing.batches == [["0", "1", "2"], ["3", "4", "5"], ["3"], ["4"], ["5"], ["6"]]
    assert [r.text for r in replies] == ["q0", "q1", "q2", "q3", None, "q5", "q6"]
    assert replies[4].error is not None
    assert replies[4].error.message.startswith("RuntimeError: out of memory")
    about = model.about
    assert (about.dialect, about.needs_images, about.gives_boxes) == ("qwen3", False, False)
    assert about.identity == {"kind": "custom", "name": "mine", "revision": 2}


def test_a_batch_of_the_wrong_length_is_asked_again_one_by_one() -> None:
    class Short:
        def answer_batch(self, requests: list[Request]) -> list[str]:
            return [requests[0].prompt]

    replies = ask(custom.wrap(Short, "mine"), [text_request(str(k), f"q{k}") for k in range(3)])
    assert [reply.text for reply in replies] == ["q0", "q1", "q2"]


def written(tmp_path: Path, code: str) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(code, encoding="utf-8")
    return file


def test_load_takes_the_only_model_or_a_function(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "class Mine:\n    def answer(self, request): return 'a'\n"
        "def loud(request, mark='!'): return request.prompt + mark\n",
    )
    assert ask(custom.load(str(file)), [text_request()])[0].text == "a"
    assert custom.load(str(file)).about.identity["name"] == "mine.py:Mine"
    loud = custom.load(f"{file}:loud", {"mark": "?"})
    assert ask(loud, [Request("1", (Message("user", "hey"),))])[0].text == "hey?"


@pytest.mark.parametrize(
    ("code", "name", "error", "words"),
    [
        ("class Mine:\n    def answer(self, r): ...\n", ":Mne", UsageError, "Did you mean Mine?"),
        ("x = 1\n", "", UsageError, "holds no class with answer"),
        ("x = 1\n", ":x", UsageError, "cannot answer"),
        (
            "class A:\n def answer(self, r): ...\nclass B(A): ...\n",
            "",
            UsageError,
            "mine.py:A, mine.py:B",
        ),
        (
            "class A:\n def answer(self, r): ...\n def __init__(self, w): ...\n",
            "",
            ModelError,
            "TypeError",
        ),
        (
            "class A:\n batch_size = 0\n def answer_batch(self, r): ...\n",
            "",
            UsageError,
            "batch_size",
        ),
        ("1 / 0\n", ":A", UsageError, "ZeroDivisionError"),
    ],
)
def test_what_cannot_be_loaded_says_why(
    tmp_path: Path, code: str, name: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        custom.load(f"{written(tmp_path, code)}{name}")
    assert words in str(caught.value)


def deep(times: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(times):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"boxes": RawBoxes(((float("nan"), 0.0, 1.0, 1.0),), "xyxy-pixels")}, "boxes holds nan"),
        ({"boxes": RawBoxes(((0.0, 0.0, 1.0, 1.0),), "nonsense")}, "No form of boxes is named"),
        ({"boxes": RawBoxes(((0.0, 1.0),), "xyxy-pixels")}, "boxes"),  # type: ignore[arg-type]
        ({"text": 5}, "(text)"),
        ({"text": "5", "state": "fine"}, "(state)"),
        ({"text": "5", "state": "error"}, "go together"),
        ({"text": "5", "error": Failure("crash", "m")}, "go together"),
        ({"text": "5", "latency_s": float("nan")}, "latency_s holds nan"),
        ({"text": "5", "latency_s": -1.0}, "latency_s is -1.0"),
        ({"text": "5", "raw": {"x": 10**30}}, "raw holds a whole number"),
        ({"text": "5", "raw": {"x": float("inf")}}, "raw holds inf"),
        ({"text": "5", "raw": {"x": deep(3000)}}, "raw is nested"),
        ({"text": "5", "raw": {"x": deep(200)}}, "raw is nested"),
        ({"text": "5", "raw": {"x": object()}}, "object"),
        ({"text": "5", "usage": Usage(10**19, 1)}, "usage holds"),
        ({"text": "5", "usage": Usage(-1)}, "usage says -1 tokens"),
        ({"text": "5", "sent_size": (1.5, 2.5)}, "sent_size"),
        ({"text": "5", "seen_size": (0, 2)}, "seen_size"),
        ({"text": "5 \ud800"}, "surrogate"),
    ],
)
def test_a_bad_reply_of_its_own_is_that_samples_error(facts: Any, words: str) -> None:
    reply = ask_one(lambda _: Reply("", **facts))
    assert (reply.sample_id, reply.state) == ("1", "error")
    assert reply.error is not None
    assert reply.error.kind == "crash"
    assert words in reply.error.message
    assert "not valid" in reply.error.message


def test_a_reply_of_its_own_is_what_the_record_will_give_back() -> None:
    raw: Any = {"a": [1, 2.5, None], "b": {"c": "d"}}
    boxes = RawBoxes([[1, 2, 3, 4]], "xywh-ratio")  # type: ignore[arg-type]
    reply = ask_one(lambda _: Reply("", boxes=boxes, raw=raw, at=0.0))
    assert reply.boxes == RawBoxes(((1.0, 2.0, 3.0, 4.0),), "xywh-ratio")
    assert (reply.state, reply.raw, reply.at) == ("ok", raw, 0.0)
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply
    assert ask_one(lambda _: Reply("", text=" ")).state == "empty"
    assert ask_one(lambda _: Reply("", state="refused", text="no")).state == "refused"


def test_async_models_are_refused_before_anything_is_asked() -> None:
    class Awaited:
        async def answer(self, request: Request) -> str:
            return "a"

    class Many:
        async def answer_batch(self, requests: list[Request]) -> list[str]:
            return ["a"]

    async def function(request: Request) -> str:
        return "a"

    for thing in (Awaited, Awaited(), Many(), function, functools.partial(function)):
        with pytest.raises(UsageError, match=r"`async`.*Write `def`"):
            custom.of_object(thing)
    # one that only turns out to be async when it is asked costs its sample, without a warning
    reply = ask_one(lambda request, ask=function: ask(request))
    assert reply.error is not None
    assert "coroutine" in reply.error.message


def test_files_and_secrets_among_the_arguments(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        "class Mine:\n    identity = {'weights': 'v2'}\n"
        "    def __init__(self, **given): self.given = given\n"
        "    def answer(self, request): return str(self.given)\n",
    )
    weights, folder = tmp_path / "w.bin", tmp_path / "model"
    weights.write_bytes(b"1")
    folder.mkdir()
    (folder / "a.bin").write_bytes(b"a")
    args = {"weights": str(weights), "model": str(folder), "api_key": "sk-hush", "mode": "fast"}
    model = custom.load(str(file), args)
    identity = dict(model.about.identity)
    assert identity["args"] == {**args, "api_key": "[key]"}
    assert identity["identity"] == {"weights": "v2"}
    assert identity["files"]["weights"] == hashlib.sha256(b"1").hexdigest()
    assert identity["files"].keys() == {"weights", "model"}
    assert "'mode': 'fast'" in str(ask(model, [text_request()])[0].text)
    assert custom.load(str(file), args).about.identity == identity
    weights.write_bytes(b"2")
    assert custom.load(str(file), args).about.identity != identity
    weights.write_bytes(b"1")
    (folder / "b.bin").write_bytes(b"")
    assert custom.load(str(file), args).about.identity != identity
    with pytest.raises(UsageError, match=r"'net' is a builtins\.object"):
        custom.load(str(file), {"net": object()})
