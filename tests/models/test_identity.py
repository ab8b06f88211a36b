"""Models in memory: those that differ are told apart, and those that do not are not."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import linecache
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from tests.models.asking import text_request

from eyechart.errors import UsageError
from eyechart.models import custom

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.values import Request

LIMIT = 3


def told(thing: Any) -> dict[str, Any]:
    """The identity as the record holds it."""
    found = dict(custom.of_object(thing).about.identity)
    assert json.loads(json.dumps(found)) == found
    return found


def record(thing: Any) -> str:
    return json.dumps(told(thing), sort_keys=True)


class Holder:
    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def answer(self, request: Request) -> str:
        return str(vars(self))

    def ask(self, request: Request) -> str:
        return self.answer(request)

    def given(self, request: Request, **more: Any) -> str:
        return str(more)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Config:
    name: str
    size: int = 1


class Slotted:
    __slots__ = ("__hidden", "checkpoint")

    def __init__(self, checkpoint: str, hidden: str = "") -> None:
        self.checkpoint, self.__hidden = checkpoint, hidden

    def answer(self, request: Request) -> str:
        return self.checkpoint + self.__hidden


class Structure(msgspec.Struct):
    checkpoint: str

    def answer(self, request: Request) -> str:
        return self.checkpoint


class Base:
    def answer(self, request: Request) -> str:
        return self.word()

    def word(self) -> str:
        return ""


def heir(word: str) -> type:
    middle = type("Middle", (Base,), {"word": lambda self: word, "__module__": __name__})
    return type("Heir", (middle,), {"__module__": __name__})


def closure(value: Any) -> Callable[[Request], str]:
    def answer(request: Request) -> str:
        return str(value)

    return answer


def with_default(given: Any, keyword: Any) -> Callable[..., str]:
    def answer(request: Request, one: Any = given, *, two: Any = keyword) -> str:
        return f"{one}{two}"

    return answer


def outer(request: Request, **given: Any) -> str:
    return str(given)


def shouting(function: Callable[..., str]) -> Callable[..., str]:
    @functools.wraps(function)
    def loud(request: Request) -> str:
        return function(request).upper()

    return loud


class Word:
    """A descriptor, which looks like a method but has no name."""

    def __init__(self, word: object) -> None:
        self.word = word

    def __get__(self, owner: object, kind: type | None = None) -> object:
        return self.word


def partly(word: object) -> type:
    class Partly:
        def say(self, request: Request, word: object) -> str:
            return str(word)

        answer = functools.partialmethod(say, word=word)

    return Partly


def notebook(source: str) -> Any:
    """What the source defines as `made`, where no file holds the source."""
    space: dict[str, Any] = {"__name__": "notebook_of_nobody"}
    exec(compile(source, "<cell>", "exec"), space)
    linecache.clearcache()
    return space["made"]


CLASS = "class M:\n    kind = {}\n    def answer(self, r):\n        return {}\nmade = M()"
GLOBAL = "WORD = {!r}\ndef inner(): return WORD\ndef made(r): return inner()"

PAIRS: dict[str, Callable[[int], Any]] = {
    "text": lambda k: Holder(a=str(k)),
    "whole number": lambda k: Holder(a=k),
    "number and truth": lambda k: Holder(a=[True, 1][k]),
    "number and its text": lambda k: Holder(a=["1", 1][k]),
    "fraction": lambda k: Holder(a=k + 0.5),
    "not finite": lambda k: Holder(a=float(["nan", "inf"][k])),
    "large": lambda k: Holder(a=10**30 + k),
    "none": lambda k: Holder(a=[None, "None"][k]),
    "path": lambda k: Holder(a=PurePosixPath(str(k))),
    "path and text": lambda k: Holder(a=["x", PurePosixPath("x")][k]),
    "bytes": lambda k: Holder(a=bytes([k])),
    "enum": lambda k: Holder(a=list(Colour)[k]),
    "list": lambda k: Holder(a=[1, [2, k]]),
    "tuple": lambda k: Holder(a=(1, (2, k))),
    "set": lambda k: Holder(a={1, k + 2}),
    "mapping": lambda k: Holder(a={"b": {"c": k}}),
    "mapping of numbers": lambda k: Holder(a={k: 1}),
    "long": lambda k: Holder(a="x" * 1000 + str(k)),
    "array": lambda k: Holder(a=np.array([1, k])),
    "array's shape": lambda k: Holder(a=np.zeros([(2, 3), (3, 2)][k])),
    "record": lambda k: Holder(a=Config("x", k)),
    "namespace": lambda k: Holder(a=SimpleNamespace(b=k)),
    "object of its module": lambda k: Holder(a=Holder(b=k)),
    "function": lambda k: Holder(a=closure(k)),
    "underscore": lambda k: Holder(_a=k),
    "slots": lambda k: Slotted(str(k)),
    "private slots": lambda k: Slotted("", str(k)),
    "structure": lambda k: Structure(str(k)),
    "base class": lambda k: heir(str(k))(),
    "class without object": lambda k: heir(str(k)),
    "closure": closure,
    "closure's list": lambda k: closure([k]),
    "closure's closure": lambda k: closure(closure(k)),
    "default": lambda k: with_default(k, 0),
    "keyword default": lambda k: with_default(0, k),
    "two on one line": lambda k: [lambda r: "1", lambda r: "2"][k],
    "bound method": lambda k: Holder(a=k).ask,
    "partial": lambda k: functools.partial(outer, word=str(k)),
    "partial of method": lambda k: functools.partial(Holder(a=k).ask),
    "wrapped": lambda k: shouting(closure(k)),
    "remembered": lambda k: functools.lru_cache(closure(k)),
    "code without source": lambda k: notebook(CLASS.format(0, f"'{k}'")),
    "class attribute": lambda k: notebook(CLASS.format(k, "self.kind")),
    "global name": lambda k: notebook(GLOBAL.format(k)),
    "partial method": partly,
    "descriptor": lambda k: type("M", (Base,), {"w": Word(k), "__module__": __name__}),
    "method's object's own word": lambda k: Holder(identity={"weights": k}).ask,
    "method with an own word": lambda k: [
        Holder(identity={"w": 1}).ask,
        Holder(identity={"w": 1}).answer,
    ][k],
    "partial with an own word": lambda k: functools.partial(Holder(identity={"w": 1}).given, a=k),
    "pairs": lambda k: Holder(a=[("what is the key", k), ("size", k)]),
    "own word": lambda k: Holder(identity={"weights": k}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_models_that_differ_are_told_apart(name: str) -> None:
    make = PAIRS[name]
    assert record(make(0)) != record(make(1))
    assert record(make(0)) == record(make(0))


def test_what_is_recorded_can_be_read() -> None:
    found = told(Holder(checkpoint="a", sizes=(1, 2), folder=PurePosixPath("b/c")))
    assert found.keys() == {"kind", "name", "code", "args"}
    assert (found["kind"], found["name"]) == ("python", "Holder")
    assert found["args"] == {"checkpoint": "a", "sizes": [1, 2], "folder": {"$path": "b/c"}}
    assert told(Holder().ask)["name"] == "Holder.ask"
    assert told(functools.partial(outer, word="x"))["args"] == {"word": "x"}
    assert told(Holder(identity={"name": "mine", "step": 3})) == {
        "kind": "python",
        "name": "mine",
        "step": 3,
    }


def test_secrets_never_enter() -> None:
    def hidden(value: str) -> list[Any]:
        inner = {"headers": {"Authorization": value}, "url": f"https://me:{value}@h/?api_key=x"}
        api_key = value
        return [
            told(Holder(api_key=value, hfToken=value, config=inner)),
            told(Holder(identity={"name": "m", "password": value})),
            told(functools.partial(outer, secret=value)),
            told(lambda request: api_key),
            told(Holder(headers=[("Authorization", value)], pair=["x-api-key", value])),
            told(Holder(argv=["serve", "--api-key", value, "--port", "1"])),
        ]

    assert hidden("sk-hush-1") == hidden("sk-hush-2")
    assert "hush" not in json.dumps(hidden("sk-hush-1"))
    assert hidden("")[0]["args"]["config"]["url"] == "https://[key]@h/?api_key=[key]"


class Network:
    """What cannot be told from another: a class of C, or one that comes from elsewhere."""

    __module__ = "somebodys.networks"


class Subclassed(Network):
    def __init__(self) -> None:
        self._parameters = {"w": object()}

    def answer(self, request: Request) -> str:
        return ""


def test_what_cannot_be_told_apart_must_be_named() -> None:
    for thing, where in (
        (Holder(net=Network()), r"Holder: its attribute 'net' is a somebodys\.networks\.Network"),
        (Holder(nets=[Network()]), "its attribute 'nets'"),
        (Holder(inner=Holder(net=Network())), "'inner': 'net'"),
        (Holder(net=Network()).ask, "attribute 'net'"),
        (closure(Network()), "its variable 'value'"),
        (with_default(Network(), 0), "its default 'one'"),
        (functools.partial(outer, word=object()), "its argument 'word'"),
        (notebook("net = object()\ndef made(r): return net"), "its global name 'net'"),
        (notebook("class M:\n  net = object()\n  def answer(self, r): ...\nmade = M()"),
         "its class attribute 'net'"),
        (Subclassed(), "its attribute '_parameters'"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=where) as caught:
            custom.of_object(thing)
        assert "identity = {...}" in str(caught.value)
    with pytest.raises(UsageError, match=r"identity: 'net' is a builtins\.object"):
        custom.of_object(Holder(identity={"net": object()}))
    with pytest.raises(UsageError, match="`identity` must be a mapping, not str"):
        custom.of_object(Holder(identity="mine"))


def test_handles_behind_an_underscore_are_passed_over() -> None:
    assert told(Holder(_client=object(), a=1)) == told(Holder(_client=Network(), a=1))
    assert told(Holder(_client=object(), a=1)) != told(Holder(_client=object(), a=2))


def test_a_value_that_holds_itself_ends() -> None:
    knot: list[Any] = []
    knot.append(knot)
    with pytest.raises(UsageError, match="nested too deeply"):
        custom.of_object(Holder(knot=knot))
    mirror = Holder()
    mirror.me = mirror  # type: ignore[attr-defined]
    assert told(mirror) == told(mirror)


def test_only_what_it_reads_of_its_module_counts() -> None:
    def reads(request: Request) -> int:
        return LIMIT

    before = told(reads), told(outer)
    globals()["LIMIT"] = 4
    try:
        after = told(reads), told(outer)
    finally:
        globals()["LIMIT"] = 3
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_a_partial_method_answers() -> None:
    for thing in (partly("x"), partly("x")(), partly("x")().answer):
        replies: list[Any] = []
        custom.of_object(thing).answer(iter([text_request()]), replies.append)
        assert [reply.text for reply in replies] == ["x"]


def test_the_own_word_of_a_methods_object() -> None:
    net = Holder(net=Network(), identity={"weights": "v2"})
    assert told(net.ask) == {
        "kind": "python", "name": "Holder.ask", "weights": "v2", "method": "ask"
    }  # fmt: skip
    partial = told(functools.partial(net.given, size=1, token="hush"))
    assert partial["given"] == [[], {"size": 1, "token": "[key]"}]
    named = type("Named", (Holder,), {"identity": {"weights": "v3"}})
    assert told(named(net=Network()).ask)["weights"] == "v3"
