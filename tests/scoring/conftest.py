"""Reads the conformance vectors for the tests of the scorers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Records = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def records(vectors: Path) -> Records:
    """All records of a file of vectors; another folder given by --vectors may lack some."""

    def read(name: str) -> list[dict[str, Any]]:
        path = vectors / f"{name}.jsonl"
        if not path.is_file() and vectors != Path(__file__).parents[1] / "vectors":
            pytest.skip(f"no {path}")
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert found, f"{path} is empty"
        return found

    return read
