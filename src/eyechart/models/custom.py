"""A user's own model: a Python class, object or function that answers one request at a time."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from eyechart.errors import EyechartError, ModelError, PictureError, UsageError, meant
from eyechart.io.images import file_digest
from eyechart.models import About, Keep, Model, identity
from eyechart.models.own_reply import checked
from eyechart.models.secrets import Secrets
from eyechart.registry import load_file
from eyechart.values import Box, Failure, FailureKind, RawBoxes, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_BATCH = 8


def declared(target: str) -> About:
    """What the class or function that `FILE.py:NAME` names says of itself, before it is made.

    Raises:
        UsageError: no such file or name.
    """
    thing, _, name = _named(target)
    gives = bool(getattr(thing, "gives_boxes", False))
    needs = bool(getattr(thing, "needs_images", True))
    # what a class settles only when it is made cannot be known yet
    unsettled = inspect.isclass(thing) and "gives_boxes" not in vars(thing)
    return About(
        {"kind": "custom", "name": name},
        dialect=getattr(thing, "dialect", None),
        gives_boxes=gives or unsettled,
        needs_images=needs,
    )


def _named(target: str) -> tuple[Any, Path, str]:
    """The thing itself, its file, and `FILE.py:NAME` without the file's folders."""
    file, _, name = target.rpartition(":") if not target.endswith(".py") else (target, "", "")
    path = Path(file)
    module = load_file(path)
    thing = getattr(module, name, None) if name else None
    if thing is None:
        name, thing = _only_model(module, path, name)
    return thing, path, f"{path.name}:{name}"


def load(target: str, args: Mapping[str, Any] | None = None) -> Model:
    """The model that `FILE.py:NAME` names; `FILE.py` alone where it holds just one.

    `args` are handed to the class (or to each call of the function) by keyword. The identity is
    the file's sha256, the name, the args (those with secret names as `[key]`), the digests of the
    files and folders that args name, and what the class's attribute `identity`, a mapping, says;
    what the file imports is not part of it.

    Raises:
        UsageError: no such file or name, or something that cannot answer.
        ModelError: the class could not be made; its own error is quoted.
    """
    thing, path, full_name = _named(target)
    given = dict(args or {})
    told = {
        "kind": "custom",
        "name": full_name,
        "sha256": file_digest(path.read_bytes()).removeprefix("sha256:"),
        "args": identity.plain_values(given, full_name),
    }
    own, files = identity.own_word(thing, full_name), identity.named_files(given)
    if own is not None:
        told["identity"] = own
    return wrap(thing, full_name, told | ({"files": files} if files else {}), given)


def of_object(thing: Any) -> Model:
    """A model made of an object, class or function in memory.

    Two models that differ in their code or in what they hold have different identities (see
    `identity.of_object`); where what they hold cannot be told apart, as a network cannot, their
    attribute `identity`, a mapping, must say it.

    Raises:
        UsageError: it cannot answer, or it holds what cannot be told apart; names the attribute.
        ModelError: the class could not be made; its own error is quoted.
    """
    _check_answers(thing, identity.name_of(thing))
    told = identity.of_object(thing)
    return wrap(thing, str(told["name"]), told)


def wrap(
    thing: Any,
    name: str,
    told: Mapping[str, Any] | None = None,
    args: Mapping[str, Any] | None = None,
) -> Model:
    """A model made of a class, an object or a function.

    It has `answer(request)`, or is a function of the request, and returns the reply's text (a
    number is taken as its text), a `Reply`, or a list of boxes (xyxy, pixels of the original
    picture; empty: there is no target). `told` is its identity.
    It may have `answer_batch(requests)`, which returns as many, with `batch_size` (8), and
    `dialect`, `gives_boxes` (False) and `needs_images` (True), which say what `About` says.

    Raises:
        UsageError: it has no way to answer, or one that is `async`.
        ModelError: the class could not be made; its own error is quoted.
    """
    given = dict(args or {})
    _check_answers(thing, name)
    hidden = identity.secrets_of(thing, given)
    if inspect.isclass(thing):
        thing = _made(thing, name, given, Secrets(hidden))
        hidden += identity.secrets_of(thing, {})
        given = {}
        _check_answers(thing, name)
    one, many = _ways(thing)
    about = About(
        identity=dict(told) if told is not None else {"kind": "custom", "name": name},
        dialect=getattr(thing, "dialect", None),
        gives_boxes=bool(getattr(thing, "gives_boxes", False)),
        needs_images=bool(getattr(thing, "needs_images", True)),
    )
    size = getattr(thing, "batch_size", _BATCH) if callable(many) else 1
    if not isinstance(size, int) or size < 1:
        raise UsageError(f"{name}: its batch_size must be a whole number above 0, not {size!r}.")
    return _Custom(about, _one_by_one(one, many, given), many, size, Secrets(hidden))


def _made(thing: Any, name: str, given: dict[str, Any], secrets: Secrets) -> Any:
    try:
        return thing(**given)
    except KeyboardInterrupt:
        raise
    except EyechartError as error:
        raise _hushed(error, secrets) from (None if secrets else error.__cause__)
    except BaseException as error:  # `sys.exit` in it is no reason to end
        words = secrets.in_message(f"{name}: it could not be made: {_told(error)}")
        raise ModelError(words) from (None if secrets else error)


def _hushed(error: EyechartError, secrets: Secrets) -> EyechartError:
    """The error that the user's code raised, its message without any secret."""
    error.args = tuple(secrets.in_message(x) if isinstance(x, str) else x for x in error.args)
    return error


def _ways(thing: Any) -> tuple[Any, Any]:
    """How it answers one request, and several; None where it does not."""
    is_function = inspect.isroutine(thing) or isinstance(thing, functools.partial)
    one = thing if is_function else getattr(thing, "answer", None)
    many = getattr(thing, "answer_batch", None)
    return (one if callable(one) else None), (many if callable(many) else None)


def _check_answers(thing: Any, name: str) -> None:
    one, many = _ways(thing)
    if one is None and many is None:
        raise UsageError(
            f"{name}: it cannot answer. Give a class with answer(self, request), or a function "
            "of the request, that returns text, a Reply or a list of boxes."
        )
    for way in (one, many):
        if inspect.iscoroutinefunction(way) or inspect.isasyncgenfunction(way):
            raise UsageError(
                f"{name}: {getattr(way, '__name__', 'answer')} is `async`, and models are asked "
                "by plain calls. Write `def`, with asyncio.run(...) inside where it must await; "
                "answer_batch(requests) can await many at once."
            )


def _one_by_one(one: Any, many: Any, args: dict[str, Any]) -> Callable[[Request], Any]:
    if callable(one):
        answer = cast("Callable[..., Any]", one)
        return lambda request: answer(request, **args)
    return lambda request: next(iter(many([request])))


@dataclass(frozen=True, slots=True)
class _Custom:
    """The seam around a user's model: an exception in it costs one sample, not the run.

    What the model holds under a secret name is `[key]` in its replies and in its errors.
    """

    about: About
    one: Callable[[Request], Any]
    many: Callable[[list[Request]], Any] | None
    size: int
    secrets: Secrets

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
            replies = [_reply(*pair, took) for pair in zip(batch, answers, strict=True)]
            return [self.secrets.in_whole(reply) for reply in replies]
        except ModelError as error:
            raise _hushed(error, self.secrets) from (None if self.secrets else error.__cause__)
        except KeyboardInterrupt:
            raise
        except BaseException:
            # the one that broke the batch will break again, alone, and be named
            return None

    def _alone(self, request: Request) -> Reply:
        started = time.perf_counter()
        kind: FailureKind
        try:
            reply = _reply(request, self.one(request), time.perf_counter() - started)
            return self.secrets.in_whole(reply)
        except ModelError as error:
            raise _hushed(error, self.secrets) from (None if self.secrets else error.__cause__)
        except KeyboardInterrupt:
            raise
        except PictureError as error:
            kind, message = "picture", str(error)
        except BaseException as error:  # `sys.exit` in it costs the sample, as any other
            kind, message = "crash", _told(error)
        failure = Failure(kind, self.secrets.in_message(message))
        return Reply(request.sample_id, request.repeat, "error", error=failure, at=time.time())


def _reply(request: Request, answer: Any, took: float) -> Reply:
    """What the user's code returned, as the reply to this request."""
    if isinstance(answer, Reply):
        reply = msgspec.structs.replace(
            answer,
            sample_id=request.sample_id,
            repeat=request.repeat,
            at=time.time() if answer.at is None else answer.at,
        )
        return checked(reply)
    text, boxes = _number(answer), None
    if isinstance(answer, str):
        text = str(answer)
    elif text is None and answer is not None:
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


def _number(answer: Any) -> str | None:
    """The text of an answer that is a number, of Python or of numpy; None for any other."""
    if getattr(answer, "ndim", None) == 0 and hasattr(answer, "item"):
        answer = answer.item()
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return None
    if not math.isfinite(answer):
        raise ValueError(f"answer() returned {answer}, which is not finite")
    return str(answer)


def _boxes(answer: Any) -> tuple[Box, ...]:
    wrong = f"answer() returned {_shown(answer)}: give text, a Reply or a list of boxes (xyxy)"
    if inspect.iscoroutine(answer):
        answer.close()  # else Python warns that it was never awaited
        raise TypeError(f"{wrong}; it is a coroutine, and nobody awaits it")
    rows = answer.tolist() if hasattr(answer, "tolist") else answer
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
    try:
        words = str(error)
    except Exception:
        words = "its message cannot be read"
    return f"{type(error).__name__}: {words}{at}"


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
