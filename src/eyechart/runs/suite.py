"""A suite file: models and benchmarks, each with its own arguments, to one order for each pair."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import UsageError
from eyechart.io import yaml_text
from eyechart.io.files import read_text
from eyechart.models.find import Connection
from eyechart.runs.order import Order


class ModelEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A model of a suite. `api_key_env` names the variable that holds its key."""

    model: str
    args: dict[str, Any] = {}
    generation: dict[str, Any] = {}
    preset: str | None = None
    dialect: str | None = None
    parser: str | None = None
    seen: str | None = None
    image_policy: str | None = None
    reasoning: str | None = None
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    concurrency: int = 16
    timeout_s: float = 120.0
    retry_s: float = 300.0
    no_images: bool = False
    subset: bool = False
    allow_short: bool = False
    price: tuple[float, float] | None = None


class BenchmarkEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A benchmark of a suite; paths are seen from the suite file."""

    benchmark: str
    split: str | None = None
    data: str | None = None
    images: str | None = None
    limit: int | str | None = None
    ids: str | None = None
    args: dict[str, Any] = {}
    generation: dict[str, Any] = {}
    prompt: str | None = None
    system: str | None = None
    protocol: str | None = None
    dialect: str | None = None
    parser: str | None = None
    reasoning: str | None = None
    box_policy: str | None = None
    protocol_args: dict[str, Any] = {}
    filters: list[dict[str, Any] | str] | dict[str, Any] = []
    repeats: int = 1


class Suite(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    models: list[ModelEntry | str]
    benchmarks: list[BenchmarkEntry | str]
    out: str | None = None


def read(path: Path) -> tuple[Path | None, list[Order]]:
    """Where run folders go (None: not said), and one order for each model and benchmark.

    Raises:
        DataError, UsageError: no YAML, an unknown key, a wrong value; names the line and the key.
    """
    suite = yaml_text.load(path, Suite, error=UsageError)
    if not suite.models or not suite.benchmarks:
        raise UsageError(f"{path}: a suite needs at least one model and one benchmark.")
    base = path.parent
    orders = [
        _order(_model(model), _benchmark(benchmark), base)
        for model in suite.models
        for benchmark in suite.benchmarks
    ]
    return (base / suite.out if suite.out else None), orders


def _model(entry: ModelEntry | str) -> ModelEntry:
    return ModelEntry(entry) if isinstance(entry, str) else entry


def _benchmark(entry: BenchmarkEntry | str) -> BenchmarkEntry:
    return BenchmarkEntry(entry) if isinstance(entry, str) else entry


def _order(model: ModelEntry, benchmark: BenchmarkEntry, base: Path) -> Order:
    filters = benchmark.filters
    steps = (
        [{name: options} for name, options in filters.items()]
        if isinstance(filters, dict)
        else filters
    )
    return Order(
        model=_seen_from(base, model.model),
        benchmark=_benchmark_name(base, benchmark),
        data=_path(base, benchmark.data),
        images=_path(base, benchmark.images),
        ids=_path(base, benchmark.ids),
        limit=None if benchmark.limit is None else str(benchmark.limit),
        prompt=_text(base, benchmark.prompt),
        system=_text(base, benchmark.system),
        dialect=benchmark.dialect or model.dialect,
        protocol=benchmark.protocol,
        reasoning=benchmark.reasoning or model.reasoning,
        parser=benchmark.parser or model.parser,
        seen=model.seen,
        image_policy=model.image_policy,
        preset=_preset(base, model.preset),
        box_policy=benchmark.box_policy,
        protocol_args=benchmark.protocol_args,
        filters=steps,
        generation={**model.generation, **benchmark.generation},
        model_args=_model_args(base, model),
        benchmark_args=benchmark.args,
        repeats=benchmark.repeats,
        no_images=model.no_images,
        prices=model.price,
        connection=Connection(
            base_url=model.base_url or os.environ.get("OPENAI_BASE_URL"),
            api_key=os.environ.get(model.api_key_env),
            concurrency=model.concurrency,
            timeout_s=model.timeout_s,
            retry_s=model.retry_s,
            subset=model.subset,
            allow_short=model.allow_short,
        ),
    )


def _preset(base: Path, name: str | None) -> str | None:
    """A preset's name; a file of the user's is seen from the suite's folder."""
    if name is None or not name.endswith((".yaml", ".yml")):
        return name
    return str(base / Path(name).expanduser())


def _text(base: Path, value: str | None) -> str | None:
    """The text itself, or with `@FILE` what the file holds."""
    if value is None or not value.startswith("@"):
        return value
    return read_text(base / value[1:]).rstrip("\n")


def _path(base: Path, name: str | None) -> Path | None:
    return None if name is None else base / Path(name).expanduser()


def _benchmark_name(base: Path, entry: BenchmarkEntry) -> str:
    """The name with its split; a file of the user's is seen from the suite's folder."""
    name, split = entry.benchmark, f"/{entry.split}" if entry.split else ""
    file, colon, attribute = _python_file(name)
    if file:
        # a split of a benchmark in a Python file stands after its name
        chosen = f":{attribute}{split}" if colon else (f":{split}" if split else "")
        return f"{base / Path(file).expanduser()}{chosen}"
    if ".jsonl" in Path(name).suffixes:
        return str(base / Path(name).expanduser())
    return name + split


def _python_file(name: str) -> tuple[str, str, str]:
    """`FILE.py`, and what follows a colon; an empty file name where it is none."""
    if name.endswith(".py"):
        return name, "", ""
    file, colon, attribute = name.rpartition(":")
    return (file, colon, attribute) if file.endswith(".py") else ("", "", "")


def _model_args(base: Path, model: ModelEntry) -> dict[str, Any]:
    if not model.model.startswith("baseline:"):
        return model.args
    files = ("annotations", "questions")
    return {k: str(base / v) if k in files else v for k, v in model.args.items()}


def _seen_from(base: Path, model: str) -> str:
    file, colon, attribute = _python_file(model)
    if file:
        return f"{base / Path(file).expanduser()}{colon}{attribute}"
    kind, _, name = model.partition(":")
    if kind == "replay" and (base / Path(name).expanduser()).exists():
        return f"replay:{base / Path(name).expanduser()}"
    return model
