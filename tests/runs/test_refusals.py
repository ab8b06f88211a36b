"""What cannot work is refused in one line, before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.runs.conftest import Scripted, number_in

import eyechart
from eyechart.errors import UsageError
from eyechart.values import Failure, Request

if TYPE_CHECKING:
    from pathlib import Path

RATE = Failure("rate_limit", "slow down", status=429, attempts=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": "How many?"}, "no slot"),
        ({"prompt": "{qestion}"}, r"slot \{qestion\} .* Did you mean question\?"),
        ({"prompt": "{question} {"}, "brace"),
        ({"prompt": "{question.__class__}"}, "slot"),
        ({"protocol": "vqa_v2"}, "does not score the task 'count'"),
        ({"protocol": "count_finl"}, "Did you mean count_final"),
        ({"filters": ["remove_untl=x"]}, "Did you mean remove_until"),
        ({"limits": 5}, r"No option is named 'limits'\. Did you mean limit\?"),
        ({"images": "nowhere"}, "no such folder"),
    ],
)
def test_a_mistake_ends_in_one_line_before_anything_is_asked(
    counting: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    model = Scripted(number_in)
    with pytest.raises(eyechart.EyechartError, match=message) as caught:
        eyechart.run(model, str(counting), out=tmp_path / "runs", **options)
    assert "\n" not in str(caught.value)
    assert model.asked == []
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0}, "repeats must be 1 or more"),
        ({"prices": (float("nan"), 1.0)}, "no finite number"),
        ({"generation": {"temperature": float("inf")}}, "no finite number"),
        ({"generation": {"api_key": "sk-1"}}, "looks like a secret"),
        ({"prompt": "{question!r}"}, "a format"),
        ({"prompt": "{question:>9}"}, "a format"),
        ({"limit": "9" * 5000}, "above 0"),
    ],
)
def test_values_that_would_spoil_a_run_are_refused(
    counting: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path / "runs", **options)
    assert not (tmp_path / "runs").exists()


def test_a_bug_in_ones_own_benchmark_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import eyechart\n\n"
        "@eyechart.benchmark('mine', task='count', protocol='countqa', builtin=True,\n"
        "                    template=eyechart.Template('{question}'))\n"
        "def mine(data, split):\n"
        "    yield {}['missing']\n"
    )
    with pytest.raises(UsageError, match=r"mine\.py, line 6: benchmark mine failed: KeyError"):
        eyechart.run(Scripted(number_in), str(path), out=tmp_path / "runs")


@pytest.mark.parametrize(
    "generation",
    [
        {"metadata": {"api_key": "sk-1"}},
        {"tools": [{"headers": {"Authorization": "Bearer sk-1"}}]},
        {"callback": "https://user:sk-1@host/x"},
    ],
)
def test_secrets_deep_in_settings_are_refused(
    counting: Path, tmp_path: Path, generation: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="looks like a secret") as caught:
        eyechart.run(Scripted(number_in), str(counting), out=tmp_path, generation=generation)
    assert "sk-1" not in str(caught.value)


def test_boxes_need_a_declared_dialect(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--dialect"):
        eyechart.run(Scripted(lambda _: "[1, 2, 3, 4]"), "chart/locate", out=tmp_path, limit=1)


def test_missing_pictures_are_all_named_before_the_run(counting: Path, tmp_path: Path) -> None:
    (counting.parent / "p1.png").unlink()
    (counting.parent / "p4.png").unlink()
    model = Scripted(number_in)
    with pytest.raises(
        eyechart.EyechartError, match=r"2 pictures not found: p1\.png, p4\.png .*--no-images"
    ):
        eyechart.run(model, str(counting), out=tmp_path / "runs")
    assert model.asked == []
    blind = eyechart.run(model, str(counting), out=tmp_path / "runs", no_images=True)
    assert blind.report.asked.images == "none"


def test_a_reading_that_fails_leaves_the_run_as_it_was(tmp_path: Path) -> None:
    class Two:
        gives_boxes = True

        def answer(self, request: Request) -> list[tuple[int, int, int, int]]:
            return [(0, 0, 9, 9), (3, 3, 30, 30)]

    run = eyechart.run(Two(), "chart/locate", out=tmp_path, benchmark_args={"n": 4})
    before = (run.path / "spec.json").read_bytes()
    with pytest.raises(eyechart.EyechartError, match="score"):
        eyechart.score(run.path, box_policy="highest")  # these boxes have no scores
    assert (run.path / "spec.json").read_bytes() == before
    assert eyechart.score(run.path, box_policy="union").reading.box_policy == "union"
    assert eyechart.score(run.path, box_policy="none").reading.box_policy is None
