"""Benchmarks: one file each, with only what is true of that benchmark.

Where its rows are, what is asked, what is right, which protocol, a citation.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eyechart.errors import UsageError, meant
from eyechart.values import Sample, Task, Template

Rows = Callable[..., Iterator[Sample]]

_known: dict[str, Benchmark] = {}
_aliases: dict[str, tuple[str, str | None]] = {}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What eyechart knows of a benchmark.

    `rows(data, split, **args)` yields the samples in file order. `splits` maps each known split to
    its number of samples, or to None where that is not fixed. `data` says in a line which files it
    reads. `args` are the `--benchmark-arg` names with their defaults (their types are held).
    `builtin` needs no `--data`.
    """

    name: str
    task: Task
    protocol: str
    template: Template
    rows: Rows
    version: int = 1
    splits: Mapping[str, int | None] = field(default_factory=dict)
    args: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""
    data: str = ""
    citation: str = ""
    builtin: bool = False

    @property
    def default_split(self) -> str:
        """The split taken where none is named; empty where there are none."""
        return next(iter(self.splits), "")


def benchmark(
    name: str, *, aliases: Mapping[str, str | None] | None = None, **facts: Any
) -> Callable[[Rows], Benchmark]:
    """Makes a benchmark of a function that yields samples: `@benchmark("mine", task=..., ...)`.

    `aliases` maps other tools' names to a split of this one, or to None for the default.
    """

    def made(rows: Rows) -> Benchmark:
        built = Benchmark(
            name=name, rows=rows, about=facts.pop("about", rows.__doc__ or ""), **facts
        )
        # a user's own is reached by its file, and must not take the place of a built-in one
        if not rows.__module__.startswith(f"{__name__}."):
            return built
        _known[name] = built
        for alias, split in (aliases or {}).items():
            _aliases[alias] = (name, split)
        return built

    return made


def known() -> Mapping[str, Benchmark]:
    """All built-in benchmarks by name; loading them loads no heavy package."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(_known.items()))


def _load_likely(name: str) -> None:
    """Loads the one module that the name begins with, where there is one: the others take time."""
    modules = [one.name for one in pkgutil.iter_modules(__path__) if name.startswith(one.name)]
    if modules:
        importlib.import_module(f"{__name__}.{max(modules, key=len)}")


def find(name: str) -> tuple[Benchmark, str]:
    """The benchmark and split that `name[/split]` or another tool's alias means.

    Raises:
        UsageError: no such benchmark or split; the message names the nearest.
    """
    _load_likely(name)
    everything = _known if name.partition("/")[0] in _known else known()
    if name in _aliases:
        target, alias_split = _aliases[name]
        found = everything[target]
        return found, alias_split if alias_split is not None else found.default_split
    base, _, split = name.partition("/")
    if base in _aliases and _aliases[base][1] is None:
        base = _aliases[base][0]
    if name in everything:
        found = everything[name]
        return found, found.default_split
    if base not in everything:
        names = [*everything, *_aliases]
        raise UsageError(
            f"No benchmark is named {name!r}.{meant(name, names) or meant(base, names)} "
            "`eyechart list benchmarks` shows them; your own data go in as FILE.jsonl or FILE.py."
        )
    found = everything[base]
    if split and split not in found.splits:
        raise UsageError(
            f"{base} has no split {split!r}.{meant(split, found.splits)} "
            f"Its splits: {', '.join(found.splits) or 'none'}."
        )
    return found, split or found.default_split
