"""A user's own model: a Python class, object or function that answers one request at a time."""

from __future__ import annotations

import inspect
import itertools
import math
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from eyechart.errors import EyechartError, ModelError, PictureError, UsageError, meant
from eyechart.io.images import file_digest
from eyechart.models import About, Keep, Model
from eyechart.registry import load_file
from eyechart.values import Box, Failure, RawBoxes, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BATCH = 8


def load(target: str, args: Mapping[str, Any] | None = None) -> Model:
    """The model that `FILE.py:NAME` names; `FILE.py` alone where it holds just one.

    `args` are handed to the class (or to each call of the function) by keyword. The identity is
    the file's sha256, the name and the args; what the file imports is not part of it.

    Raises:
        UsageError: no such file or name, or something that cannot answer.
        ModelError: the class could not be made; its own error is quoted.
    """
    file, _, name = target.rpartition(":") if not target.endswith(".py") else (target, "", "")
    path = Path(file)
    module = load_file(path)
    thing = getattr(module, name, None) if name else None
    if thing is None:
        name, thing = _only_model(module, path, name)
    full_name = f"{path.name}:{name}"
    identity = {
        "kind": "custom",
        "name": full_name,
        "sha256": file_digest(path.read_bytes()).removeprefix("sha256:"),
        "args": dict(args or {}),
    }
    return wrap(thing, full_name, identity, args)


def of_object(thing: Any) -> Model:
    """A model made of an object, class or function in memory.

    Its identity is its class's name and source, and those of its public attributes that are plain
    (text, numbers, truth values); or what its attribute `identity`, a mapping, says. Two models
    that differ in nothing of that share a run: give an `identity` where weights make the difference.
    """
    named = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    own = getattr(thing, "identity", None)
    if isinstance(own, Mapping):
        return wrap(thing, named.__name__, {"kind": "python", "name": named.__name__, **own})
    try:
        source = file_digest(inspect.getsource(named).encode()).removeprefix("sha256:")
    except (OSError, TypeError):
        source = ""
    plain = {
        name: value
        for name, value in sorted(getattr(thing, "__dict__", {}).items())
        if not name.startswith("_") and isinstance(value, str | int | float)
    }
    if named is thing:
        plain = {}
    return wrap(
        thing,
        named.__name__,
        {"kind": "python", "name": named.__name__, "source": source, "args": plain},
    )


def wrap(
    thing: Any,
    name: str,
    identity: Mapping[str, Any] | None = None,
    args: Mapping[str, Any] | None = None,
) -> Model:
    """A model made of a class, an object or a function.

    It has `answer(request)`, or is a function of the request, and returns the reply's text, a
    `Reply`, or a list of boxes (xyxy, pixels of the original picture; empty: there is no target).
    It may have `answer_batch(requests)`, which returns as many, with `batch_size` (8), and
    `dialect`, `gives_boxes` (False) and `needs_images` (True), which say what `About` says.

    Raises:
        UsageError: it has no way to answer.
        ModelError: the class could not be made; its own error is quoted.
    """
    given = dict(args or {})
    if inspect.isclass(thing):
        try:
            thing = thing(**given)
        except EyechartError:
            raise
        except Exception as error:
            raise ModelError(f"{name}: it could not be made: {_told(error)}") from error
        given = {}
    one = getattr(thing, "answer", None) or (thing if inspect.isroutine(thing) else None)
    many = getattr(thing, "answer_batch", None)
    if not callable(one) and not callable(many):
        raise UsageError(
            f"{name}: it cannot answer. Give a class with answer(self, request), or a function "
            "of the request, that returns text, a Reply or a list of boxes."
        )
    about = About(
        identity=dict(identity) if identity is not None else {"kind": "custom", "name": name},
        dialect=getattr(thing, "dialect", None),
        gives_boxes=bool(getattr(thing, "gives_boxes", False)),
        needs_images=bool(getattr(thing, "needs_images", True)),
    )
    size = getattr(thing, "batch_size", _BATCH) if callable(many) else 1
    if not isinstance(size, int) or size < 1:
        raise UsageError(f"{name}: its batch_size must be a whole number above 0, not {size!r}.")
    return _Custom(about, _one_by_one(one, many, given), many, size)


def _one_by_one(one: Any, many: Any, args: dict[str, Any]) -> Callable[[Request], Any]:
    if callable(one):
        answer = cast("Callable[..., Any]", one)
        return lambda request: answer(request, **args)
    return lambda request: next(iter(many([request])))


@dataclass(frozen=True, slots=True)
class _Custom:
    """The seam around a user's model: an exception in it costs one sample, not the run."""

    about: About
    one: Callable[[Request], Any]
    many: Callable[[list[Request]], Any] | None
    size: int

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        while batch := list(itertools.islice(requests, self.size)):
            for reply in self._together(batch) or map(self._alone, batch):
                keep(reply)

    def _together(self, batch: list[Request]) -> list[Reply] | None:
        """The replies to a batch, or None where it must be asked one by one."""
        if self.many is None or len(batch) == 1:
            return None
        started = time.perf_counter()
        try:
            answers = list(self.many(batch))
            took = time.perf_counter() - started
            if len(answers) != len(batch):
                return None
            return [_reply(*pair, took) for pair in zip(batch, answers, strict=True)]
        except ModelError:
            raise
        except Exception:
            # the one that broke the batch will break again, alone, and be named
            return None

    def _alone(self, request: Request) -> Reply:
        started = time.perf_counter()
        try:
            return _reply(request, self.one(request), time.perf_counter() - started)
        except ModelError:
            raise
        except PictureError as error:
            failure = Failure("picture", str(error))
        except Exception as error:
            failure = Failure("crash", _told(error))
        return Reply(request.sample_id, request.repeat, "error", error=failure, at=time.time())


def _reply(request: Request, answer: Any, took: float) -> Reply:
    """What the user's code returned, as the reply to this request."""
    if isinstance(answer, Reply):
        return msgspec.structs.replace(
            answer,
            sample_id=request.sample_id,
            repeat=request.repeat,
            at=answer.at or time.time(),
        )
    text, boxes = None, None
    if isinstance(answer, str):
        text = answer
    elif answer is not None:
        boxes = RawBoxes(_boxes(answer), "xyxy-pixels")
    return Reply(
        request.sample_id,
        request.repeat,
        "ok" if boxes is not None or (text and text.strip()) else "empty",
        text,
        boxes,
        latency_s=took,
        at=time.time(),
    )


def _boxes(answer: Any) -> tuple[Box, ...]:
    rows = answer.tolist() if hasattr(answer, "tolist") else answer
    wrong = f"answer() returned {_shown(answer)}: give text, a Reply or a list of boxes (xyxy)"
    if not isinstance(rows, list | tuple):
        raise TypeError(wrong)
    boxes = []
    for row in rows:
        numbers = row.tolist() if hasattr(row, "tolist") else row
        if not isinstance(numbers, list | tuple) or len(numbers) != 4:
            raise TypeError(wrong)
        x1, y1, x2, y2 = map(float, numbers)
        if not all(map(math.isfinite, (x1, y1, x2, y2))):
            raise ValueError(f"answer() returned a box that is not finite: {_shown(answer)}")
        boxes.append((x1, y1, x2, y2))
    return tuple(boxes)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _told(error: BaseException) -> str:
    """Type, message, and the line of code where it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{at}"


def _only_model(module: Any, path: Path, name: str) -> tuple[str, Any]:
    found = _candidates(module)
    if name:
        known = f" It holds: {', '.join(found)}." if found else ""
        raise UsageError(f"{path} has no {name!r}.{meant(name, found)}{known}")
    if len(found) != 1:
        shown = ", ".join(f"{path.name}:{each}" for each in found)
        raise UsageError(
            f"{path}: say which model is meant: {shown}."
            if found
            else f"{path}: it holds no class with answer(self, request)."
        )
    return found[0], getattr(module, found[0])


def _candidates(module: Any) -> Sequence[str]:
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and (hasattr(value, "answer") or hasattr(value, "answer_batch"))
    ]
