"""Verdicts of now beside verdicts of before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart import api
from eyechart.errors import UsageError
from eyechart.report.changes import Verdict

if TYPE_CHECKING:
    from pathlib import Path


def replies(folder: Path, number: int = 12) -> Path:
    """The truth of every even row, the next number for every odd one, `-1` for the last."""
    path = folder / "replies.jsonl"
    said = [i + i % 2 for i in range(number - 1)] + [-1]
    path.write_text("".join(f'{{"id": "q{i}", "reply": "{one}"}}\n' for i, one in enumerate(said)))
    return path


def test_the_samples_whose_verdict_changed_are_listed(counting: Path, tmp_path: Path) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    scores = run.path / "scores" / "count_final.jsonl"
    report, found = api.score_against(scores, run.path, protocol="countqa")
    assert report.protocol.name == "countqa"
    assert (found.before, found.now, found.n) == ("accuracy", "accuracy", 12)
    # a sign is no digit: EvalScope's adapter reads 1, and a negative count is none
    (only,) = found.changed
    assert only.sample_id == "q11"
    assert (only.before, only.now) == (Verdict("malformed", 0.0), Verdict("ok", 0.0))


def test_nothing_changes_against_itself(counting: Path, tmp_path: Path) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    _, found = api.score_against(run.path / "scores" / "count_final.jsonl", run.path)
    assert (found.n, found.only_before, found.only_now, found.changed) == (12, 0, 0, [])


def test_scores_of_a_part_say_what_is_missing(counting: Path, tmp_path: Path) -> None:
    source = f"replay:{replies(tmp_path)}"
    part = api.run(source, str(counting), out=tmp_path / "a", limit="first:5")
    whole = api.run(source, str(counting), out=tmp_path / "b")
    _, found = api.score_against(part.path / "scores" / "count_final.jsonl", whole.path)
    assert (found.n, found.only_before, found.only_now) == (5, 0, 7)


def test_what_holds_no_scores_is_refused(counting: Path, tmp_path: Path) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    with pytest.raises(UsageError, match=r"such as .*count_final\.jsonl"):
        api.score_against(run.path, run.path)
    other = tmp_path / "other.jsonl"
    other.write_text(
        '{"sample_id": "z", "repeat": 0, "status": "ok", "values": {"accuracy": 1.0}, '
        '"reading": {"status": "ok"}}\n'
    )
    with pytest.raises(UsageError, match="of other samples"):
        api.score_against(other, run.path)


def test_an_error_is_known_only_where_something_was_read(counting: Path, tmp_path: Path) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    figures = run.report.metrics
    # five of eleven read replies are one too many; the twelfth says nothing
    assert figures["accuracy"].n == 12
    assert figures["accuracy"].value == pytest.approx(6 / 12)
    assert figures["mae"].n == 11
    assert figures["mae"].value == pytest.approx(5 / 11)
    assert figures["bias"].value == pytest.approx(5 / 11)
    assert figures["rmse"].value == pytest.approx((5 / 11) ** 0.5)
    low, high = figures["rmse"].low, figures["rmse"].high
    assert low is not None
    assert high is not None
    assert 0 <= low < figures["rmse"].value < high
    by_id = {score.sample_id: score.values for score in run.scores()}
    assert "mae" not in by_id["q11"]
    assert (by_id["q1"]["mae"], by_id["q1"]["rmse"], by_id["q1"]["bias"]) == (1.0, 1.0, 1.0)
    frame = run.to_pandas()
    assert frame["mae"].isna().tolist() == [False] * 11 + [True]


def test_errors_are_compared_where_both_said_something(counting: Path, tmp_path: Path) -> None:
    first = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "a")
    second = api.run("baseline:prior", str(counting), out=tmp_path / "b")
    found = api.compare(first.path, second.path).metrics
    # the prior says 2 to everything: off by |2 - i|; over the eleven rows that both answered
    assert found["mae"].a == pytest.approx(5 / 11)
    assert found["mae"].b == pytest.approx(sum(abs(2 - i) for i in range(11)) / 11)
    squares = sum((2 - i) ** 2 for i in range(11)) / 11
    assert found["rmse"].b == pytest.approx(squares**0.5)
    # who won is told by the errors themselves: of rows 0 to 10 the first is right on the six even
    # ones and one off on the others; the prior is right on row 2 alone, and one off on 1 and 3
    assert (found["rmse"].wins, found["rmse"].losses, found["rmse"].ties) == (0, 8, 3)
    assert [found["mae"].wins, found["mae"].losses, found["mae"].ties] == [0, 8, 3]
    assert found["bias"].higher_is_better is None
    assert found["accuracy"].b == pytest.approx(1 / 12)


def test_a_run_against_itself_leaves_the_spread_of_an_error_unknown(
    counting: Path, tmp_path: Path
) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    found = api.compare(run.path, run.path).metrics
    assert (found["mae"].low, found["mae"].high) == (None, None)
    assert found["mae"].verdict == "not distinguishable"
    low, high = found["accuracy"].low, found["accuracy"].high
    assert low is not None
    assert high is not None
    assert low < 0 < high


def test_another_protocol_forgets_what_was_said_of_thinking(counting: Path, tmp_path: Path) -> None:
    run = api.run(f"replay:{replies(tmp_path)}", str(counting), out=tmp_path / "runs")
    assert api.score(run.path, reasoning="keep").reading.reasoning == "keep"
    assert api.score(run.path, protocol="countqa").reading.reasoning == "keep"
    assert api.score(run.path, protocol="count_final").reading.reasoning == "strip"
