"""Two runs, compared pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.runs.conftest import Scripted, number_in

import eyechart
from eyechart.errors import SpecMismatch
from eyechart.values import Failure

if TYPE_CHECKING:
    from pathlib import Path


def _run(counting: Path, out: Path, name: str, wrong: set[str], **options: Any) -> Path:
    model = Scripted(lambda r: "99" if number_in(r) in wrong else number_in(r), name)
    return eyechart.run(model, str(counting), out=out, **options).path


def test_the_difference_is_b_minus_a(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path, "a", {"0", "1", "2", "3", "4"})
    b = _run(counting, tmp_path, "b", {"0", "11"})
    found = eyechart.compare(a, b)
    one = found.metrics["accuracy"]
    assert (found.a, found.b, found.n, found.groups) == ("test:a", "test:b", 12, 6)
    assert (one.a, one.b) == (7 / 12, 10 / 12)
    assert one.difference == pytest.approx(3 / 12)
    assert (one.wins, one.losses, one.ties) == (4, 1, 7)
    # two-sided sign test of 4 against 1: 2 * (1 + 5) / 2^5
    assert one.mcnemar_p == pytest.approx(0.375)
    assert one.verdict == "not distinguishable"


def test_a_run_against_itself(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path, "a", {"3"})
    one = eyechart.compare(a, a).metrics["accuracy"]
    assert (one.difference, one.ties, one.mcnemar_p) == (0.0, 12, 1.0)
    assert one.low is not None
    assert one.high is not None
    assert one.low < 0 < one.high


def test_other_samples_truths_or_protocols_are_refused(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path, "a", set())
    b = _run(counting, tmp_path, "b", set(), limit=5)
    with pytest.raises(SpecMismatch, match="other samples: 12 and 5, 7 only in"):
        eyechart.compare(a, b)
    c = _run(counting, tmp_path, "c", set(), protocol="countqa")
    with pytest.raises(SpecMismatch, match=r"count_final v2, .* by countqa v1"):
        eyechart.compare(a, c)
    counting.write_text(counting.read_text().replace('"count": 3', '"count": 33', 1))
    d = _run(counting, tmp_path, "d", set())
    with pytest.raises(SpecMismatch, match="'q3' asks or holds true"):
        eyechart.compare(a, d)


def test_runs_read_in_two_ways_are_refused_and_gaps_are_told(
    counting: Path, tmp_path: Path
) -> None:
    a = _run(counting, tmp_path, "a", {"3"})
    b = _run(counting, tmp_path, "b", {"3"}, filters=["remove_until=</x>"])
    with pytest.raises(SpecMismatch, match="read in two ways: filters"):
        eyechart.compare(a, b)
    gaps = Scripted(lambda r: Failure("server", "down") if "4" in r.prompt else number_in(r), "c")
    c = eyechart.run(gaps, str(counting), out=tmp_path, prompt="Well: {question}").path
    warnings = eyechart.compare(a, c).warnings
    assert any("test:c has no reply to 1 of 12" in warning for warning in warnings)
    assert any("differ in prompt" in warning for warning in warnings)


def test_a_choice_that_is_the_default_is_no_difference(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path, "a", {"3"})
    b = _run(counting, tmp_path, "b", {"3"}, reasoning="strip")
    assert eyechart.compare(a, b).metrics["accuracy"].ties == 12


def test_other_pictures_under_the_same_names_are_refused(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path / "a", "a", set())
    picture = counting.parent / "p0.png"
    picture.write_bytes(picture.read_bytes() + b"\0")
    b = _run(counting, tmp_path / "b", "b", set())
    with pytest.raises(SpecMismatch, match="differ in the picture of sample 'q0'"):
        eyechart.compare(a, b)


def test_another_prompt_is_told_also_between_kinds_of_models(
    counting: Path, tmp_path: Path
) -> None:
    a = _run(counting, tmp_path, "a", set())
    b = eyechart.run("baseline:prior", str(counting), out=tmp_path, prompt="So: {question}").path
    assert any("differ in prompt" in warning for warning in eyechart.compare(a, b).warnings)


def test_one_picture_alone_tells_nothing_apart(counting: Path, tmp_path: Path) -> None:
    a = _run(counting, tmp_path, "a", {"0", "1"}, limit="first:2")
    b = _run(counting, tmp_path, "b", set(), limit="first:2")
    one = eyechart.compare(a, b).metrics["accuracy"]
    assert (one.difference, one.low, one.high) == (1.0, None, None)
    assert one.verdict == "not distinguishable"
