"""Values that would spoil a run: no finite number, no text, no name, or a secret in plain sight."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError
from eyechart.text.secrets import is_secret_name, without_secrets

if TYPE_CHECKING:
    from eyechart.runs.order import Order

_DEEPEST = 32
_NUMBERS: dict[str, type | tuple[type, ...]] = {
    "temperature": (int, float),
    "top_p": (int, float),
    "max_tokens": int,
    "max_completion_tokens": int,
    "seed": int,
}


def values(order: Order) -> None:
    """Refuses what could not be written down, or should not be.

    Raises:
        UsageError: names the option and what is wrong with its value.
    """
    if order.repeats < 1:
        raise UsageError(f"repeats must be 1 or more, not {order.repeats}.")
    for option, given in (
        ("--gen", dict(order.generation)),
        ("--model-arg", dict(order.model_args)),
        ("--benchmark-arg", dict(order.benchmark_args)),
        ("--filter", list(order.filters or ())),
        ("--price", order.prices),
        ("--timeout", order.connection.timeout_s),
        ("--retry-for", order.connection.retry_s),
        ("--prompt", order.prompt),
        ("--system", order.system),
        ("MODEL", order.model if isinstance(order.model, str) else None),
        ("BENCHMARK", order.benchmark),
    ):
        _writable(option, given)
    prices(order.prices)
    for name, kinds in _NUMBERS.items():
        value = order.generation.get(name)
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise UsageError(f"--gen {name}={value}: not a {'whole ' * (kinds is int)}number.")
    # a model's own arguments may be secret: their identity holds a mask in place of them
    for option, recorded in (
        ("--gen", order.generation),
        ("--benchmark-arg", order.benchmark_args),
    ):
        _no_secret(option, recorded)


def prices(given: tuple[float, float] | None) -> None:
    """Refuses prices below 0.

    Raises:
        UsageError: one is.
    """
    if given is not None and not all(math.isfinite(price) and price >= 0 for price in given):
        raise UsageError(f"--price {given[0]},{given[1]}: a price is a number from 0 on.")


def _writable(option: str, value: Any, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise UsageError(f"{option}: its value is nested more than {_DEEPEST} deep.")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{option}: {value} is no finite number.")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"{option}: {value!r} is not Unicode text; write it in UTF-8."
            ) from None
    elif isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str):
                raise UsageError(f"{option}: the key {name!r} is not text; put it into quotes.")
            _writable(option, name, depth + 1)
            _writable(f"{option} {name}" if depth == 0 else option, one, depth + 1)
    elif isinstance(value, list | tuple):
        for one in value:
            _writable(option, one, depth + 1)


def _no_secret(option: str, value: Any, name: str = "") -> None:
    """What decides an answer is written down, so it must not be a secret."""
    hidden = isinstance(value, str) and without_secrets(value) != value
    if hidden or (name and is_secret_name(name)):
        raise UsageError(
            f"{option} {name}: the settings of a run are written down, and this looks like a "
            "secret. Send it with --header, or as OPENAI_API_KEY."
        )
    if isinstance(value, list | tuple):
        for one in value:
            _no_secret(option, one)
    elif hasattr(value, "items"):
        for key, one in value.items():
            _no_secret(option, one, str(key))
