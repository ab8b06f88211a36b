"""Models by name: `kind:name` on the command line, to a model that can be asked."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError, meant
from eyechart.registry import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eyechart.models import Model

BASELINES: Mapping[str, str] = {
    "pixels": "eyechart.models.pixels:PixelReader",
    "centre-box": "eyechart.models.baselines:CentreBox",
    "whole-image": "eyechart.models.baselines:WholeImage",
    "prior": "eyechart.models.baselines:Prior",
}
KINDS: Mapping[str, str] = {
    "openai:NAME": "an OpenAI-compatible endpoint (--base-url URL; key in OPENAI_API_KEY, if any)",
    "replay:FILE or RUN": "replies made elsewhere: JSON lines, VQA or COCO results, .locout, another run",
    "FILE.py:CLASS": "your own model, a class with answer(request)",
    "baseline:pixels": "reads the eye chart by classical image processing",
    "baseline:centre-box": "a box in the middle, half as wide and high as the picture",
    "baseline:whole-image": "a box around the whole picture",
    "baseline:prior": "the most frequent answer (--model-arg annotations=FILE to learn it), the centre box",
}


@dataclass(frozen=True, slots=True)
class Connection:
    """How a model is reached: none of it decides an answer, so none of it is in the fingerprint.

    `api_key` and the values of `headers` are secrets: they are sent and never written.
    """

    base_url: str | None = None
    api_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    concurrency: int = 16
    timeout_s: float = 120.0
    retry_s: float = 300.0
    subset: bool = False
    allow_short: bool = False


def is_own_file(spec: str) -> bool:
    """Whether a model is written as FILE.py or FILE.py:CLASS."""
    return spec.endswith(".py") or ".py:" in spec


def make(spec: str, args: Mapping[str, Any], connection: Connection) -> Model:
    """The model that `spec` names, not yet asked anything.

    Raises:
        UsageError: an unknown kind or name, or an option that it needs or does not know.
    """
    if is_own_file(spec):
        from eyechart.models.custom import load as load_own

        return load_own(spec, args)
    kind, colon, name = spec.partition(":")
    maker = _MAKERS.get(kind)
    if not colon or not name or maker is None:
        raise UsageError(_unknown(spec, kind))
    return maker(name, args, connection)


def _unknown(spec: str, kind: str) -> str:
    kinds = ", ".join(KINDS)
    if kind in _MAKERS:
        return f"{spec!r}: a name is missing after the colon. Models are: {kinds}."
    if kind in BASELINES:
        return f"{spec!r} is no model. Did you mean baseline:{kind}?"
    if "/" in kind or kind.startswith(("gpt", "claude", "gemini", "qwen", "Qwen")):
        return (
            f"{spec!r} is no model: its kind is missing. For an endpoint write openai:{spec} and "
            "--base-url URL."
        )
    return f"{spec!r} is no model.{meant(kind, [*_MAKERS, *BASELINES])} Models are: {kinds}."


def _openai(name: str, args: Mapping[str, Any], connection: Connection) -> Model:
    base_url, api_key = connection.base_url, connection.api_key
    if not base_url:
        # one key for one address: what the environment says of both goes together
        base_url = os.environ.get("OPENAI_BASE_URL")
        api_key = api_key or os.environ.get("OPENAI_API_KEY")
    if not base_url:
        raise UsageError(
            f"openai:{name} needs --base-url URL (or OPENAI_BASE_URL), such as "
            "http://127.0.0.1:8000/v1 for a local server."
        )
    made: Model = load("eyechart.models.openai:Endpoint")(
        name,
        base_url,
        api_key=api_key,
        headers=dict(connection.headers),
        concurrency=connection.concurrency,
        timeout_s=connection.timeout_s,
        retry_budget_s=connection.retry_s,
        **_accepted(f"openai:{name}", args, {"max_image_bytes": int}),
    )
    return made


def _replay(name: str, args: Mapping[str, Any], connection: Connection) -> Model:
    known = _accepted(f"replay:{name}", args, {"box_format": str})
    made: Model = load("eyechart.models.replay:Replay")(
        Path(name), subset=connection.subset, allow_short=connection.allow_short, **known
    )
    return made


def _baseline(name: str, args: Mapping[str, Any], _connection: Connection) -> Model:
    if name not in BASELINES:
        raise UsageError(
            f"No baseline is named {name!r}.{meant(name, BASELINES)} There are: "
            f"{', '.join('baseline:' + known for known in BASELINES)}."
        )
    types = {"annotations": Path, "questions": Path} if name == "prior" else {}
    made: Model = load(BASELINES[name])(**_accepted(f"baseline:{name}", args, types))
    return made


def _accepted(
    model: str, args: Mapping[str, Any], types: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    accepted = {}
    for name, value in args.items():
        if name not in types:
            raise UsageError(
                f"{model} has no argument {name!r}.{meant(name, types)} "
                f"It takes: {', '.join(types) or 'none'}."
            )
        try:
            accepted[name] = types[name](value)
        except (TypeError, ValueError):
            raise UsageError(f"--model-arg {name}={value}: not a {types[name].__name__}.") from None
    return accepted


_MAKERS: Mapping[str, Callable[[str, Mapping[str, Any], Connection], Model]] = {
    "openai": _openai,
    "replay": _replay,
    "baseline": _baseline,
}
