"""A benchmark by the name a user gives, its arguments held to their types, its rows made safe."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart import benchmarks
from eyechart.errors import EyechartError, UsageError, meant
from eyechart.registry import load_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eyechart.benchmarks import Benchmark
    from eyechart.formats.data import Data
    from eyechart.values import Sample


def named(name: str) -> tuple[Benchmark, str]:
    """The benchmark and split of `name[/split]`, FILE.jsonl or FILE.py[:name].

    Raises:
        UsageError: there is none.
    """
    if ".jsonl" in Path(name).suffixes:
        from eyechart.benchmarks.own import from_jsonl

        return from_jsonl(Path(name)), ""
    path, _, attribute = name.rpartition(":") if ".py:" in name else (name, "", "")
    if not path.endswith(".py"):
        if "," in name:
            raise UsageError(f"{name}: benchmarks are separated by spaces, not by commas.")
        return benchmarks.find(name)
    attribute, _, split = attribute.partition("/")
    module = load_file(Path(path))
    own = {one.name: one for one in vars(module).values() if isinstance(one, benchmarks.Benchmark)}
    if not own:
        raise UsageError(
            f"{path}: defines no benchmark; put @eyechart.benchmark(...) on a function."
        )
    if attribute and attribute not in own:
        raise UsageError(f"{path}: has no benchmark {attribute!r}; it has {', '.join(own)}.")
    found = own[attribute] if attribute else next(iter(own.values()))
    if split and found.splits and split not in found.splits:
        raise UsageError(
            f"{path}: {found.name} has no split {split!r}.{meant(split, found.splits)} "
            f"Its splits: {', '.join(found.splits)}."
        )
    return found, split or found.default_split


def is_own(name: str) -> bool:
    """Whether a name is that of a file of the user's, which knows where its data are."""
    return ".jsonl" in Path(name).suffixes or ".py" in name


def typed_args(benchmark: Benchmark, given: Mapping[str, Any]) -> dict[str, Any]:
    """The benchmark's arguments, each of the type of its default.

    Raises:
        UsageError: an unknown argument, or a value of another type.
    """
    args = dict(benchmark.args)
    for name, value in given.items():
        if name not in args:
            raise UsageError(
                f"{benchmark.name} has no --benchmark-arg {name!r}.{meant(name, args)} "
                f"It takes: {', '.join(args) or 'none'}."
            )
        kind = Any if args[name] is None else type(args[name])
        try:
            args[name] = msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError:
            called = {int: "whole number", float: "number", bool: "true or false", str: "text"}
            raise UsageError(
                f"--benchmark-arg {name}={value!r}: not a {called.get(kind, kind.__name__)}."
            ) from None
    return args


def rows(benchmark: Benchmark, data: Data, split: str, args: Mapping[str, Any]) -> list[Sample]:
    """All samples of a benchmark; a bug in a user's own file is told with its file and line.

    Raises:
        EyechartError: as the benchmark raises it.
        UsageError: the user's own code failed.
    """
    try:
        return list(benchmark.rows(data, split, **args))
    except EyechartError:
        raise
    except (Exception, SystemExit) as error:
        if benchmark.rows.__module__.startswith("eyechart."):
            raise
        file = getattr(sys.modules.get(benchmark.rows.__module__), "__file__", None)
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == file]
        where = f"{own[-1].filename}, line {own[-1].lineno}: " if own else ""
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(f"{where}benchmark {benchmark.name} failed: {message}") from error
