"""What the tests share: the folder of real data, and the conformance vectors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conformance.frame import register

# a busy machine is no fault
settings.register_profile("eyechart", deadline=None)
settings.load_profile("eyechart")

_HERE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    folder: Path = config.getoption("--vectors")
    if not any(folder.rglob("*.jsonl")):
        raise pytest.UsageError(f"--vectors {folder}: no folder with *.jsonl files.")
    # from here the account of compared vectors also hears of tests that run in several processes
    register(config)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--vectors",
        type=Path,
        default=_HERE / "vectors",
        metavar="DIR",
        help="folder of conformance vectors (JSON lines) to hold the scorers against",
    )


@pytest.fixture(scope="session")
def vectors(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.config.getoption("--vectors")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; the test is skipped where there is none."""
    beside = Path(os.environ.get("EYECHART_SHARED", _HERE.parent.parent / "shared"))
    if not beside.is_dir():
        pytest.skip(f"no real data at {beside} (set EYECHART_SHARED)")
    return beside
