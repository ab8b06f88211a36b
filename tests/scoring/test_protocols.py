from __future__ import annotations

import subprocess
import sys

import pytest

from eyechart.errors import UsageError
from eyechart.scoring import PROTOCOLS, find, known


@pytest.mark.parametrize("name", known())
def test_every_protocol_is_whole(name: str) -> None:
    protocol = find(name)
    assert protocol.name == name
    assert protocol.primary in [metric.name for metric in protocol.metrics]
    assert protocol.version >= 1
    assert protocol.source
    assert protocol.score([], []).keys() == {metric.name for metric in protocol.metrics}


def test_known_is_sorted() -> None:
    assert list(known()) == sorted(PROTOCOLS)


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean vqa_v2"):
        find("vqa-v2")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rec", {"policy": "any"}),
        ("kosmos2", {"grid": 16}),
        ("countqa", {"filters": {"remove_until": {"delimiter": "</think>"}}}),
    ],
)
def test_options_are_kept(name: str, options: dict[str, object]) -> None:
    assert find(name, options).options == options


@pytest.mark.parametrize(("name", "option"), [("rec", "polcy"), ("vqa_v2", "grid")])
def test_an_option_that_is_not_taken(name: str, option: str) -> None:
    with pytest.raises(UsageError, match=option):
        find(name, {option: 1})


def test_naming_the_protocols_loads_no_numpy() -> None:
    code = "import sys, eyechart.scoring as s; s.known(); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
