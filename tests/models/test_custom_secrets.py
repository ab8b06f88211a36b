"""What a user's own model holds under a secret name is in no reply and no error."""

from __future__ import annotations

import base64
import functools
import json
import traceback
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.models.asking import text_request

from eyechart.errors import EyechartError, ModelError, PictureError, UsageError
from eyechart.models import Model, custom
from eyechart.models.identity import secrets_of
from eyechart.models.secrets import HIDDEN_NOTE
from eyechart.values import Failure, RawBoxes, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = "sk-very'hush\\key-1"
CORES = (KEY, "very", "hush", "key-1", base64.b64encode(b"very'hush\\key-1").decode()[4:-4])


def ask(model: Model, times: int = 1) -> list[Reply]:
    replies: list[Reply] = []
    model.answer(iter([text_request(str(n)) for n in range(times)]), replies.append)
    return replies


def leaks(written: str) -> list[str]:
    return [core for core in CORES if core in written]


def of_file(tmp_path: Path, answer: str, init: str = "pass", **args: Any) -> Model:
    file = tmp_path / "mine.py"
    file.write_text(
        "from eyechart.errors import ModelError, UsageError, PictureError\n"
        "from eyechart.values import *\n"
        "class Mine:\n"
        "    def __init__(self, api_key):\n"
        f"        {init}\n"
        "        self.k = api_key\n"
        "    def answer(self, request):\n"
        f"        {answer}\n"
    )
    return custom.load(str(file), args or {"api_key": KEY})


@pytest.mark.parametrize(
    "answer",
    [
        "raise RuntimeError(f'401 for {self.k}')",
        "raise KeyError(self.k)",
        "raise PictureError('no ' + self.k)",
        "raise SystemExit(self.k)",
        "return 'my key is ' + self.k",
        "return [self.k]",
        "return Reply('', text='a', reasoning=self.k, finish_reason=self.k, notes=(self.k,))",
        "return Reply('', text='a', raw={self.k: [{'sent': self.k}]})",
        "return Reply('', state='error', error=Failure('http', self.k))",
        "return Reply('', boxes=RawBoxes(((0, 0, 1, 1),), 'xyxy-pixels', labels=(self.k,)))",
        "return Reply('', boxes=RawBoxes(((0, 0, 1, 1),), self.k))",
        "import base64; return base64.b64encode(self.k.encode()).decode()",
    ],
)
def test_no_reply_of_a_file_holds_its_secret(tmp_path: Path, answer: str) -> None:
    written = msgspec.json.encode(ask(of_file(tmp_path, answer))).decode()
    assert "[key]" in written
    assert leaks(written) == []


@pytest.mark.parametrize("error", ["RuntimeError", "KeyError", "UsageError", "ModelError"])
@pytest.mark.parametrize("where", ["answer", "init"])
def test_no_error_of_a_file_holds_its_secret(tmp_path: Path, error: str, where: str) -> None:
    line = f"raise {error}(f'bad {{api_key}}')"
    if where == "answer":
        error, line = "ModelError", "raise ModelError(f'bad {self.k}') from KeyError(self.k)"
    expected = UsageError if error == "UsageError" else ModelError
    with pytest.raises(expected) as caught:
        ask(of_file(tmp_path, **{"answer": "pass", where: line}))
    assert "bad [key]" in str(caught.value)
    # as a notebook shows it, with what it came from
    shown = "".join(traceback.format_exception_only(caught.value))
    assert leaks(shown) == []
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


class Mine:
    def __init__(self, answer: Callable[[Any], Any], **held: Any) -> None:
        self.way = answer
        vars(self).update(held)

    def answer(self, request: Request) -> Any:
        return self.way(self)


@pytest.mark.parametrize(
    ("held", "get"),
    [
        ({"api_key": KEY}, lambda m: m.api_key),
        ({"_hfToken": KEY}, lambda m: m._hfToken),
        ({"config": {"headers": {"Authorization": f"Bearer {KEY}"}}},
         lambda m: m.config["headers"]["Authorization"].removeprefix("Bearer ")),
        ({"hdr": [("Authorization", KEY)]}, lambda m: m.hdr[0][1]),
        ({"argv": ["serve", "--api-key", KEY, "-v"]}, lambda m: m.argv[2]),
        ({"api_keys": (KEY, "other-key-22")}, lambda m: m.api_keys[0]),
        ({"url": "https://me:very-secret-1@h/v1"}, lambda m: m.url[11:24]),
        ({"url": "https://h/v1?a=1&api_key=very-secret-1"}, lambda m: m.url[-13:]),
        ({"password": 1234567890123}, lambda m: m.password),
        ({"net": object(), "token": KEY, "identity": {"name": "m"}}, lambda m: m.token),
    ],
)  # fmt: skip
def test_no_reply_of_an_object_holds_its_secret(held: Any, get: Callable[[Any], Any]) -> None:
    def fails(mine: Mine) -> str:
        raise ValueError(get(mine))

    thing = Mine(get, **held)
    secret = str(get(thing))
    said, failed = ask(custom.of_object(thing))[0], ask(custom.of_object(Mine(fails, **held)))[0]
    assert (said.text, said.notes) == ("[key]", (HIDDEN_NOTE,))
    assert failed.error is not None
    assert failed.error.message.startswith("ValueError: [key] (")
    assert secret not in json.dumps(dict(custom.of_object(thing).about.identity))


def test_secrets_of_functions() -> None:
    api_key = KEY

    def answer(request: Request, token: str = "default-token-1") -> str:
        return f"{api_key} {token} {PASSWORD}"

    def outer(request: Request, secret: str) -> str:
        return secret

    assert ask(custom.of_object(answer))[0].text == "[key] [key] [key]"
    assert ask(custom.of_object(functools.partial(outer, secret=KEY)))[0].text == "[key]"
    bound = Mine(lambda mine: mine.api_key, api_key=KEY).answer
    assert ask(custom.of_object(bound))[0].text == "[key]"


PASSWORD = "global-pass-1"


class Batched:
    batch_size = 2
    token = KEY

    def answer_batch(self, requests: list[Request]) -> list[str]:
        return [self.token for _ in requests]


def test_batches_and_class_attributes() -> None:
    assert [reply.text for reply in ask(custom.of_object(Batched), 3)] == ["[key]"] * 3


def test_what_is_no_secret_is_left_alone() -> None:
    held = {
        "max_tokens": "sk-harmless-1",
        "box_token": "<|box|>",
        "sep_keys": ["[SEP]"],
        "vocabulary_tokens": [f"word-{n}-x" for n in range(60)],
        "api_key": "EMPTY",
    }
    text = "sk-harmless-1 <|box|> [SEP] word-7-x EMPTY"
    [reply] = ask(custom.of_object(Mine(lambda _: text, **held)))
    assert (reply.text, reply.notes) == (text, ())


def test_the_search_for_secrets_bears_any_object() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def __call__(self) -> None: ...

    knot: dict[str, Any] = {"token": KEY}
    knot["me"] = knot
    thing = Mine(str, a=Hostile(), knot=knot, z_token="another-token-1")
    assert {KEY, "another-token-1"} <= set(secrets_of(thing, {}))


def test_errors_without_a_secret_keep_their_cause(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        of_file(tmp_path, "pass", "raise KeyError('x')", api_key="")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("kind", [PictureError, UsageError, ModelError])
def test_an_error_keeps_its_type(tmp_path: Path, kind: type[EyechartError]) -> None:
    with pytest.raises(kind, match=r"^no \[key\]$"):
        of_file(tmp_path, "pass", f"raise {kind.__name__}('no ' + api_key)")


def test_a_failure_of_the_users_own_is_kept_but_for_the_secret(tmp_path: Path) -> None:
    answer = "return Reply('', state='error', error=Failure('http', 'x ' + self.k, 401, 2))"
    assert ask(of_file(tmp_path, answer))[0].error == Failure("http", "x [key]", 401, 2)
    boxes = RawBoxes(((0.0, 0.0, 1.0, 1.0),), "xyxy-pixels", (), ("[key]",))
    answer = "return Reply('', boxes=RawBoxes(((0, 0, 1, 1),), 'xyxy-pixels', labels=(self.k,)))"
    assert ask(of_file(tmp_path, answer))[0].boxes == boxes
