"""Endpoints are tried again at once, so that no test waits for a server to recover."""

from __future__ import annotations

import pytest

from eyechart.models.openai import transport


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_FIRST_WAIT_S", 0.005)
    monkeypatch.setattr(transport, "_LONGEST_WAIT_S", 0.02)
