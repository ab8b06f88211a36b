"""Opens conformance vectors for the tests, each of which compares every record of its files.

    def test_decoding(records: Records) -> None:      # from tests.conformance.frame import Records
        for record in records("kosmos2_decode"):
            assert boxes(record["text"]) == record["boxes"]

`records(name)` gives the parsed records of `<name>.jsonl` in the folder of `--vectors DIR` (by
default tests/vectors) as a sequence, and skips the test where DIR has no such file. A record counts
as compared when it was taken out of the sequence. When the whole of tests/conformance has run, in
one process or several (-n), a file to be reproduced (`frame.REPRODUCED`) that nobody opened, or of
which a record was left out, fails the run. Files for information only are not asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conformance.frame import NAME, Coverage, register

if TYPE_CHECKING:
    from tests.conformance.frame import Records


def pytest_configure(config: pytest.Config) -> None:
    register(config)


@pytest.fixture(scope="session")
def records(request: pytest.FixtureRequest) -> Records:
    coverage = request.config.pluginmanager.get_plugin(NAME)
    assert isinstance(coverage, Coverage)
    return coverage.open
