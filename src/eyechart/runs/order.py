"""What a user asks for: one model, one benchmark, and every choice that goes with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eyechart.models.find import Connection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from eyechart.models import Model


@dataclass(frozen=True, slots=True)
class Order:
    """An evaluation as ordered. `model` is a name or a model of the caller's own.

    `preset` names a model family (`presets`) or a YAML file, whose settings hold where nothing else is
    said. `seen` says what the model's own preprocessing makes of what is sent
    (`io.resizing.Resize`), `image_policy` what is sent (`io.resizing.ImagePolicy`). `limit` is `N` (a fixed pseudo-random choice, each part of any larger one) or `first:N`. What is
    None is left to the preset, the dialect or the benchmark, in that order.
    """

    model: str | Model
    benchmark: str
    data: Path | None = None
    images: Path | None = None
    limit: str | None = None
    ids: Path | None = None
    prompt: str | None = None
    system: str | None = None
    dialect: str | None = None
    protocol: str | None = None
    reasoning: str | None = None
    parser: str | None = None
    seen: str | None = None
    image_policy: str | None = None
    preset: str | None = None
    box_policy: str | None = None
    protocol_args: Mapping[str, Any] = field(default_factory=dict)
    filters: Sequence[str | Mapping[str, Any]] | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    benchmark_args: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    no_images: bool = False
    prices: tuple[float, float] | None = None
    connection: Connection = field(default_factory=Connection)
