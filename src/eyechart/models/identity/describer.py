"""Code and values of a model, described so that equal descriptions mean equal models."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.models.identity.atoms import NOTHING, atom, code_of, global_names, sha256
from eyechart.models.identity.files import digest_of
from eyechart.text.secrets import MASK, is_secret_name, secret_places

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 60
# what these base classes hold is in their subclass's own attributes
_HARMLESS_BASES = frozenset({"abc", "typing", "typing_extensions", "enum", "msgspec"})


class Unknown(Exception):
    """A value that has no plain form; the message goes on from its name."""


class Describer:
    """Turns values to plain ones; `module` is the one whose functions and classes are followed."""

    def __init__(self, module: str) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._module = module
        self._seen: dict[int, Any] = {}
        self._depth = 0

    def code(self, thing: Any) -> Any:
        """What a model runs."""
        if isinstance(thing, functools.partial):
            return self.code(thing.func)
        if inspect.ismethod(thing):
            return [self._function(thing.__func__), self._class(class_of(thing.__self__))]
        if inspect.isbuiltin(thing):
            return name_of(thing)
        if inspect.isroutine(thing):
            return self.plain(thing, "it")
        return self._class(class_of(thing))

    def args(self, thing: Any) -> dict[str, Any]:
        """What a model holds."""
        if isinstance(thing, functools.partial):
            given = {**{str(place): one for place, one in enumerate(thing.args)}, **thing.keywords}
            return {**self.args(thing.func), **self.held(given.items(), "argument")}
        if inspect.ismethod(thing):
            return self.args(thing.__self__)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            return {}
        return self.attributes(thing, "attribute")

    def attributes(self, thing: Any, what: str, inside: str = "") -> dict[str, Any]:
        """An object's attributes, those in slots and fields of structures included."""
        found: dict[str, Any] = {}
        for cls in reversed(type(thing).__mro__):
            slots = vars(cls).get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                hidden = slot.startswith("__") and not slot.endswith("__")
                name = f"_{cls.__name__.lstrip('_')}{slot}" if hidden else slot
                if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                    found[name] = getattr(thing, name)
        found.update({name: getattr(thing, name, None) for name in _struct_fields(thing)})
        found.update(getattr(thing, "__dict__", {}))
        return self.held(found.items(), what, self._has_foreign_base(type(thing)), inside)

    def held(
        self,
        items: Iterable[tuple[str, Any]],
        what: str,
        strict: bool = False,
        inside: str = "",
    ) -> dict[str, Any]:
        """Named values; those with `_` that have no plain form are passed over, unless `strict`.

        `inside` is the name, with a full stop, of what they belong to.
        """
        made = {}
        for name, value in sorted(items, key=lambda item: item[0]):
            if is_secret_name(name):
                made[name] = self.masked(value)
                continue
            try:
                made[name] = self.plain(value, inside + name)
            except Unknown as error:
                if strict or not name.startswith("_"):
                    inner = str(error)
                    raise Unknown(
                        inner if inner.startswith("its ") else f"its {what} {name!r} {inner}"
                    ) from None
        return made

    def masked(self, _value: Any) -> str:
        """What stands for a secret."""
        return MASK

    def plain(self, value: Any, name: str, files: bool = True) -> Any:
        """A value as JSON can hold it, the same for equal values only."""
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise Unknown("is nested too deeply")
            if files and isinstance(value, str | PurePath):
                digest = digest_of(value)
                if digest:
                    self._files.setdefault(name, {})[ascii(str(value))] = digest
            made = atom(value)
            for form in (self._container, self._runs, self._instance):
                made = form(value, name) if made is NOTHING else made
            if made is NOTHING:
                raise Unknown(f"is a {type(value).__module__}.{type(value).__qualname__}")
            return made
        finally:
            self._depth -= 1

    @property
    def files(self) -> dict[str, str]:
        """Digests of the files that values name, by the values' names.

        Where several share a name, as those in a set do, it is that of all their names and digests.
        """
        return {
            name: next(iter(found.values())) if len(found) == 1 else sha256(found)
            for name, found in self._files.items()
        }

    def _container(self, value: Any, name: str) -> Any:
        if isinstance(value, Mapping) and type(value).__module__ in ("builtins", "collections", ""):
            rows = [
                [
                    self.plain(key, name),
                    self.masked(one) if _is_secret(key) else self.plain(one, f"{name}.{key}"),
                ]
                for key, one in value.items()
            ]
            named = all(isinstance(row[0], str) for row in rows)
            return dict(rows) if named else {"$map": sorted(rows, key=sha256)}
        if isinstance(value, list | tuple):
            hidden = secret_places(value)
            return [
                self.masked(one) if place in hidden else self.plain(one, f"{name}.{place}")
                for place, one in enumerate(value)
            ]
        if isinstance(value, set | frozenset):
            return {"$set": sorted((self.plain(one, name) for one in value), key=sha256)}
        return NOTHING

    def _runs(self, value: Any, name: str) -> Any:
        """Functions, classes, and what wraps them."""
        if isinstance(value, functools.partial | functools.partialmethod):
            given = self.held(value.keywords.items(), "argument", inside=f"{name}.")
            return [self.plain(value.func, name), self.plain(value.args, name), given]
        if inspect.ismethod(value):
            return [self.plain(value.__self__, name), self._function(value.__func__)]
        if isinstance(value, FunctionType):
            return self._function(value)
        if inspect.isclass(value):
            return self._class(value)
        return self._wrapper(value, name)

    def _wrapper(self, value: Any, name: str) -> Any:
        if hasattr(value, "__wrapped__") and callable(value):
            return self.plain(value.__wrapped__, name)
        # a descriptor of the user's own has the form of a routine, but no name
        if inspect.isroutine(value) and hasattr(value, "__name__"):
            return {"$name": name_of(value), "of": getattr(value, "__module__", "")}
        return NOTHING

    def _instance(self, value: Any, name: str) -> Any:
        """An object whose attributes are all that it is: a record, or of a class of the module."""
        cls = type(value)
        known = isinstance(value, SimpleNamespace | msgspec.Struct) or dataclasses.is_dataclass(cls)
        mine = cls.__module__ == self._module and not self._has_foreign_base(cls)
        if not known and not mine:
            return NOTHING
        what = f"attribute {name!r}:"
        return self._once(
            value, lambda: [self._class(cls), self.attributes(value, what, f"{name}.")]
        )

    def _once(self, value: Any, describe: Callable[[], Any]) -> Any:
        """A description; of one that stands in itself, or was described before, the number."""
        if id(value) not in self._seen:
            # the value is kept, so that no other gets its address
            self._seen[id(value)] = (len(self._seen), value)
            return describe()
        return {"$seen": self._seen[id(value)][0]}

    def _function(self, function: Any) -> Any:
        return self._once(function, lambda: self._described(function))

    def _described(self, function: Any) -> Any:
        code = function.__code__
        cells = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:  # not filled yet
                continue
        names = code.co_varnames[: code.co_argcount][::-1]
        defaults = dict(zip(names, (function.__defaults__ or ())[::-1], strict=False))
        told = [
            sha256(code_of(code)),
            self.held(cells.items(), "variable"),
            self.held({**defaults, **(function.__kwdefaults__ or {})}.items(), "default"),
            self.held(vars(function).items(), "function's attribute"),
        ]
        if function.__module__ == self._module:
            told.append(self.held(self._globals(function), "global name"))
        return told

    def _globals(self, function: Any) -> Iterator[tuple[str, Any]]:
        """The names of its module that a function reads, without what was imported by name."""
        for name in sorted(set(global_names(function.__code__))):
            value = function.__globals__.get(name)
            foreign = (
                isinstance(value, ModuleType | logging.Logger)
                or getattr(type(value), "__module__", "") in ("typing", "__future__")
                or inspect.isroutine(value)
                or inspect.isclass(value)
            ) and getattr(value, "__module__", None) != self._module
            if name in function.__globals__ and not name.startswith("__") and not foreign:
                yield name, value

    def _class(self, cls: type) -> Any:
        if cls.__module__ != self._module:
            return {"$name": f"{cls.__module__}.{cls.__qualname__}"}
        return self._once(cls, lambda: [self._members(one) for one in cls.__mro__])

    def _members(self, cls: type) -> Any:
        told = {"$name": f"{cls.__module__}.{cls.__qualname__}"}
        if cls.__module__ != self._module:
            return told
        return [told, self.held(_members(cls), "class attribute")]

    def _has_foreign_base(self, cls: type) -> bool:
        return any(
            base.__module__ not in (self._module, *_HARMLESS_BASES) and base not in (cls, object)
            for base in cls.__mro__
        )


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """A class's functions and data, without what Python or `dataclass` added."""
    generated = "__dataclass_fields__" in vars(cls)
    for name, value in vars(cls).items():
        if isinstance(value, property):
            yield name, [value.fget, value.fset, value.fdel]
            continue
        inner = getattr(value, "__func__", value)
        if isinstance(value, functools.cached_property):
            inner = value.func
        if name == "identity" or inspect.isdatadescriptor(inner):
            continue
        if name.startswith("__") and name.endswith("__"):
            ours = isinstance(inner, FunctionType) and not name.startswith("__annotat")
            if not ours or (generated and inner.__code__.co_filename == "<string>"):
                continue
        yield name, inner


def _struct_fields(thing: Any) -> tuple[str, ...]:
    return thing.__struct_fields__ if isinstance(thing, msgspec.Struct) else ()


def class_of(thing: Any) -> type:
    """A class itself, or an object's."""
    return thing if inspect.isclass(thing) else type(thing)


def _is_secret(key: Any) -> bool:
    return isinstance(key, str) and is_secret_name(key)


def name_of(thing: Any) -> str:
    """The name of a function or class, or of an object's class."""
    if isinstance(thing, functools.partial):
        return name_of(thing.func)
    if inspect.ismethod(thing):
        return f"{name_of(class_of(thing.__self__))}.{thing.__name__}"
    named = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    return str(getattr(named, "__name__", type(named).__name__))
