"""A comparison is one table of all metrics, and one sentence on the metric that counts."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from eyechart.report import terminal
from eyechart.report.comparison import Comparison, verdict


def _printed(compared: Comparison) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, markup=False, emoji=False, highlight=False)
    terminal.comparison(compared, console)
    return stream.getvalue()


def _flat(text: str) -> str:
    return " ".join(text.split())


def test_comparison_gives_the_verdict_in_words(compared: Comparison) -> None:
    text = _flat(_printed(compared))
    assert "metric A B B - A 95 % interval verdict" in text
    assert "acc@0.5 74.3 % 75.6 % +1.30 points +0.60 to +2.00 B better" in text
    assert "iou 70.2 % 70.2 % -0.05 points -0.40 to +0.30 unclear" in text
    assert "unclear: the interval holds 0 or is not known, A and B are not distinguishable" in text
    assert "acc@0.5 by sample: B wins 420, loses 279, ties 10,135; McNemar p <0.001" in text
    assert "On acc@0.5, checkpoint-4000 (B) is better than Qwen2.5-VL-7B-Instruct " in text
    assert "(A): B - A is +1.30 points, 95 % interval +0.60 to +2.00." in text
    assert text.count("McNemar") == text.count("wins") == 1
    assert text.index("acc@0.5 74.3") < text.index("iou 70.2")
    assert "WARNING: The two runs used different prompts." in text


def test_comparison_is_a_row_a_metric(compared: Comparison) -> None:
    lines = _printed(compared).splitlines()
    rows = [line for line in lines if line.endswith(("B better", "unclear ")) and "points" in line]
    assert [row.split()[0] for row in rows] == ["acc@0.5", "iou"]


@pytest.mark.parametrize(
    ("low", "high", "words", "short"),
    [
        (-0.02, -0.01, "old (A) is better than new (B): B - A is", "A better"),
        (0.01, 0.02, "new (B) is better than old (A): B - A is", "B better"),
        (-0.01, 0.02, "new (B) and old (A) are not distinguishable: B - A is", "unclear"),
    ],
)
def test_verdict_as_a_sentence_and_a_word(
    compared: Comparison, low: float, high: float, words: str, short: str
) -> None:
    said = msgspec.structs.replace(
        compared.metrics["iou"], low=low, high=high, verdict=verdict(low, high)
    )
    one = msgspec.structs.replace(
        compared, a="old", b="new", primary="iou", n=1, groups=1, metrics={"iou": said}
    )
    text = _printed(one)
    assert f"On iou, {words} -0.05 points, 95 % interval" in _flat(text)
    assert short in text
    assert ("unclear:" in text) == (short == "unclear")
    assert "McNemar" not in text
    assert "1 sample in both, paired; intervals clustered by 1 picture\n" in text
