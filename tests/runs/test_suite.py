"""Suite files: what they order, and how a mistake in one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.errors import UsageError
from eyechart.runs import suite

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
out: results
models:
  - baseline:pixels
  - model: openai:my-model
    base_url: http://127.0.0.1:8000/v1
    api_key_env: MY_KEY
    generation: {temperature: 0.2, max_tokens: 64}
    args: {max_image_bytes: 1000}
benchmarks:
  - chart/locate
  - benchmark: countqa
    split: test
    data: data/countqa
    limit: 50
    filters: {remove_until: {delimiter: "</think>"}, regex: {regex_pattern: '(\\d+)'}}
    generation: {max_tokens: 16}
    prompt: "{question} Just a number."
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "suite.yaml"
    path.write_text(text)
    return path


def test_every_model_meets_every_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    out, orders = suite.read(_write(tmp_path, GOOD))
    assert out == tmp_path / "results"
    assert [(order.model, order.benchmark) for order in orders] == [
        ("baseline:pixels", "chart/locate"),
        ("baseline:pixels", "countqa/test"),
        ("openai:my-model", "chart/locate"),
        ("openai:my-model", "countqa/test"),
    ]
    last = orders[-1]
    assert last.generation == {"temperature": 0.2, "max_tokens": 16}
    assert last.model_args == {"max_image_bytes": 1000}
    assert last.data == tmp_path / "data/countqa"
    assert last.limit == "50"
    assert last.prompt == "{question} Just a number."
    assert last.connection.base_url == "http://127.0.0.1:8000/v1"
    assert last.connection.api_key == "secret"
    assert last.filters == [
        {"remove_until": {"delimiter": "</think>"}},
        {"regex": {"regex_pattern": r"(\d+)"}},
    ]
    assert orders[0].connection.api_key != "secret"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("limit: 50", "limt: 50", r"line 14: unknown key 'limt'\. Did you mean limit\?"),
        ("models:\n", "model:\n", r"line 2: unknown key 'model'\. Did you mean models\?"),
        ("limit: 50", "limit: [50]", r"line 14: Expected `int \| str \| null`, got `array`"),
        ("    api_key_env: MY_KEY\n", "    api_key: sk-1\n", r"line 6: unknown key 'api_key'"),
        ("out: results", "out: [results", r"line \d+: not YAML"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError, match=r"suite\.yaml, " + message):
        suite.read(_write(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize("text", ["", "just text", "- a list", "models: []\nbenchmarks: [a]\n"])
def test_what_is_no_suite(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"suite\.yaml"):
        suite.read(_write(tmp_path, text))
