"""A curve is told in one line, and nothing else is taken for one."""

from __future__ import annotations

from eyechart.report import curve
from eyechart.report.sample import worth
from eyechart.values import Reading, Score

NAMES = [*(f"acc@{t / 100:g}" for t in range(50, 100, 5)), "acc@0.5:0.95", "mean_iou"]


def test_a_curve_is_the_thresholds_after_the_first() -> None:
    assert curve.steps(NAMES) == NAMES[1:10]
    assert curve.folded(NAMES) == ["acc@0.5", "acc@0.55 to 0.95", "acc@0.5:0.95", "mean_iou"]


def test_two_thresholds_and_other_names_are_no_curve() -> None:
    for names in (["acc@0.5", "acc@0.75", "iou"], ["recall@1", "recall@5", "recall@10"], []):
        assert curve.steps(names) == []
        assert curve.folded(names) == names
        assert curve.text(dict.fromkeys(names, 1.0)) == ""


def test_names_between_the_steps_stay() -> None:
    names = ["x", "acc@0.1", "acc@0.2", "y", "acc@0.3", "acc@0.4"]
    assert curve.folded(names) == ["x", "acc@0.1", "acc@0.2 to 0.4", "y"]


def test_neighbours_with_the_same_value_are_written_once() -> None:
    values = {name: 1.0 if k < 6 else 0.0 for k, name in enumerate(NAMES)}
    assert curve.text(values) == "acc@0.55 to 0.75 1.0000, acc@0.8 to 0.95 0.0000"
    values["acc@0.8"] = 0.5
    assert curve.text(values) == (
        "acc@0.55 to 0.75 1.0000, acc@0.8 0.5000, acc@0.85 to 0.95 0.0000"
    )


def test_a_score_is_its_values_and_its_curve() -> None:
    values = dict.fromkeys(NAMES, 1.0) | {"mean_iou": 0.9612}
    assert worth(Score("s", 0, "ok", values, Reading("ok"))) == [
        ("worth", "acc@0.5 1.0000, acc@0.5:0.95 1.0000, mean_iou 0.9612"),
        ("curve", "acc@0.55 to 0.95 1.0000"),
    ]
    plain = Score("s", 0, "ok", {"accuracy": 0.3}, Reading("ok"))
    assert worth(plain) == [("worth", "accuracy 0.3000")]
