"""Several orders in one go: all checked before the first request, then carried out in turn."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eyechart.errors import EyechartError, MissingPictures, UsageError
from eyechart.models.find import is_own_file
from eyechart.runs import execute
from eyechart.runs.plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from eyechart.models import About, Keep
    from eyechart.runs.ask import Watching
    from eyechart.runs.folder import RunFolder
    from eyechart.runs.order import Order
    from eyechart.values import Request


@dataclass(frozen=True, slots=True)
class _Unmade:
    """Stands for a model of the user's own until its turn comes: it may hold weights."""

    about: About

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        """It is never asked."""
        raise AssertionError("a model that is not made yet was asked")


def check(orders: Sequence[Order], out: Path, where: str = "") -> None:
    """Makes each order definite once, so that the last mistake is found before the first request.

    `where` begins a message, such as the suite's file; missing pictures are listed under `out`.

    Raises:
        UsageError: two orders that would be one run.
        EyechartError: what `plan` raises, with the order named.
    """
    seen: set[str] = set()
    for order in orders:
        with _named(order, where, out):
            name = plan(_light(order), check_only=True).spec.folder_name
            if name in seen:
                raise UsageError(
                    "stands twice with the same prompt and settings, and would be one run. Score a "
                    "run again by another protocol or filter with `eyechart score`."
                )
        seen.add(name)


def carry_out(
    orders: Sequence[Order],
    out: Path,
    watch: Callable[[int, str], Watching],
    failed: Callable[[EyechartError], None] | None = None,
    where: str = "",
) -> Iterator[RunFolder]:
    """Asks one order after the other; each folder comes as soon as it is done.

    `failed` is told of an order that could not be made, and the next one is asked; without it the
    first failure ends all.

    Raises:
        EyechartError: what went wrong, with the order named.
    """
    for order in orders:
        try:
            with _named(order, where, out):
                folder = execute.into_folder(plan(order), out, watch)
        except EyechartError as error:
            if failed is None:
                raise
            failed(error)
            continue
        yield folder


def _light(order: Order) -> Order:
    model = order.model
    if not isinstance(model, str) or not is_own_file(model):
        return order
    from eyechart.models import custom

    about = custom.declared(model)
    identity = {**about.identity, "file": model, "args": dict(order.model_args)}
    return replace(order, model=_Unmade(replace(about, identity=identity)))


@contextmanager
def _named(order: Order, where: str, out: Path) -> Iterator[None]:
    """Puts the order's name before the message of what goes wrong in it."""
    try:
        yield
    except EyechartError as error:
        if isinstance(error, MissingPictures):
            error.list_in(out / "missing-pictures.txt")
        model = order.model if isinstance(order.model, str) else "the model"
        parts = [part for part in (where, f"{model} on {order.benchmark}") if part]
        error.args = (f"{', '.join(parts)}: {error}",)
        raise
