"""The chart's truth as plain numbers, for endpoints that are simulated."""

from __future__ import annotations

from functools import cache

import pytest
from tests.probe.endpoints import Seen, digest

from eyechart.chart import single
from eyechart.models.openai import transport


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_FIRST_WAIT_S", 0.005)
    monkeypatch.setattr(transport, "_LONGEST_WAIT_S", 0.02)


@cache
def truths(seed: int = 0) -> dict[str, Seen]:
    """By the digest of a picture's bytes: its size, the true box, what the object is called."""
    found = {}
    for index in range(single.MOST):
        scene = single.compose(seed, index)
        x1, y1, x2, y2 = map(float, scene.target.box)
        size = (scene.width, scene.height)
        found[digest(single.read(seed, index))] = Seen(size, (x1, y1, x2, y2), scene.expression)
    return found
