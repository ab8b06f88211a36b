"""The face: what `import eyechart` promises, and that it loads nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import eyechart


def test_the_names_are_sorted_and_there() -> None:
    assert eyechart.__all__ == sorted(eyechart.__all__)
    for name in eyechart.__all__:
        assert getattr(eyechart, name).__doc__, name
    assert set(eyechart.__all__) <= set(dir(eyechart))


def test_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = eyechart.runn


def test_importing_it_loads_no_heavy_package() -> None:
    code = (
        "import sys, eyechart, eyechart.benchmarks; eyechart.benchmarks.known(); "
        "sys.exit(sorted({'numpy', 'aiohttp', 'PIL', 'rich', 'jinja2'} & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
