"""What tells one model in memory from another: its code and what it holds, as plain values."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from eyechart.errors import UsageError
from eyechart.models.identity.atoms import sha256
from eyechart.models.identity.describer import Describer, Unknown, class_of, name_of
from eyechart.models.identity.hidden import Gatherer
from eyechart.text.secrets import MASK, is_secret_name

__all__ = ["name_of", "named_files", "of_object", "own_word", "plain_values", "secrets_of"]

# a longer value is known by its digest, so that the record stays readable
_LONGEST = 400


def of_object(thing: Any) -> dict[str, Any]:
    """The identity of a class, an object or a function in memory.

    `code` is the SHA-256 of what it runs: the bytecode of its functions (methods of its class and
    of base classes in the same module), their defaults, the variables around them, and the global
    names of the module that they read, followed through functions and classes of that module. What
    is imported from other modules is known by its name only. `args` are an object's attributes
    (slots too), the `__self__` of a bound method, or what a `functools.partial` was given, and
    `files` the digests of files that they name (see `files.digest_of`).

    Attributes whose names begin with `_` belong to it like others, but one that has no plain form
    is passed over (a client, a handle, weights). Where a class has bases from other modules
    nothing is passed over, since those may hide anything there. What an object changes while it
    answers (a counter, a cache of plain values) makes it another model. Values with secret names
    are `[key]`.

    Raises:
        UsageError: something has no plain form, such as a network; it names the attribute.
    """
    name = name_of(thing)
    own = own_word(thing, name)
    told: dict[str, Any] = {"kind": "python", "name": name}
    if own is not None:
        return {**told, **own}
    said = getattr(thing, "identity", None)
    if said is not None and not callable(said) and not isinstance(said, property):
        raise UsageError(f"{name}: its `identity` must be a mapping, not {type(said).__name__}.")
    describer = Describer(_module(thing))
    try:
        args = describer.args(thing)
        code = sha256(describer.code(thing))
    except (Unknown, RecursionError) as error:
        what = str(error) if isinstance(error, Unknown) else "something that is nested too deeply"
        raise UsageError(
            f"{name}: {what}, which cannot be told from another of its kind. Give "
            "the class (or function) an attribute `identity = {...}` that tells models apart, such "
            "as the checkpoint's name."
        ) from None
    told |= {"code": code, "args": {key: _short(value) for key, value in args.items()}}
    return told | ({"files": describer.files} if describer.files else {})


def own_word(thing: Any, what: str) -> dict[str, Any] | None:
    """What the attribute `identity` of a model, or of the object a method is bound to, says.

    Which method, and what a `functools.partial` was given, are told beside it. None where there is
    no such mapping.

    Raises:
        UsageError: it holds what has no plain form; `what` names the model.
    """
    own = getattr(thing, "identity", None)
    if isinstance(own, Mapping):
        return plain_values(own, f"{what}.identity")
    if isinstance(thing, functools.partial):
        inner, given = own_word(thing.func, what), {"given": [list(thing.args), thing.keywords]}
        return None if inner is None else {**inner, **plain_values(given, what)}
    if inspect.ismethod(thing):
        inner = own_word(thing.__self__, what)
        return None if inner is None else {**inner, "method": thing.__name__}
    return None


def secrets_of(thing: Any, args: Mapping[str, Any]) -> list[str]:
    """The texts that a model and its arguments hold under secret names, or in web addresses.

    They are those that the identity shows as `[key]`: in attributes, what a function was given or
    reads around it, and the global names of its module that it reads.
    """
    gatherer = Gatherer(_module(thing))
    gatherer.held(args.items(), "argument")
    for walk in (gatherer.args, gatherer.code):
        with suppress(Exception):  # a user's own object may raise anything when it is looked at
            walk(thing)
    return gatherer.found


def plain_values(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """A mapping as the record can hold it; values with secret names become `[key]`.

    Raises:
        UsageError: a value has no plain form; `what` and its name say which.
    """
    describer, made = Describer(""), {}
    for key, value in values.items():
        try:
            hidden = is_secret_name(str(key))
            made[str(key)] = MASK if hidden else describer.plain(value, str(key), False)
        except (Unknown, RecursionError) as error:
            raise UsageError(
                f"{what}: {key!r} {error}; text, numbers, lists and mappings can be recorded."
            ) from None
    return made


def named_files(values: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the files and folders that values name, by the values' names.

    A value is text or a path; those in lists (`name.0`) and mappings (`name.key`) count too.
    """
    describer = Describer("")
    with suppress(Unknown, RecursionError):
        describer.held(values.items(), "argument")
    return describer.files


def _module(thing: Any) -> str:
    if isinstance(thing, functools.partial):
        return _module(thing.func)
    if inspect.ismethod(thing):
        return _module(class_of(thing.__self__))
    named = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    return str(getattr(named, "__module__", ""))


def _short(value: Any) -> Any:
    return value if len(msgspec.json.encode(value)) <= _LONGEST else {"$sha256": sha256(value)}
