"""The two small classes of the tutorials."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import eyechart

if TYPE_CHECKING:
    from pathlib import Path

TRUE = [100, 50, 300, 200]  # 200 x 150
# overlap / (true area + predicted area - overlap)
PAIRS = [
    ([105, 50, 325, 230], 29250 / (30000 + 39600 - 29250), 0.725),
    ([100, 65, 325, 215], 27000 / (30000 + 33750 - 27000), 0.735),
    ([100, 75, 335, 220], 25000 / (30000 + 34075 - 25000), 0.640),
]


def test_three_boxes() -> None:
    evaluator = eyechart.GroundingEvaluator(iou_threshold=0.5)
    for predicted, exact, printed in PAIRS:
        found = evaluator.evaluate_sample(predicted, TRUE)
        assert found["iou"] == evaluator.compute_iou(predicted, TRUE) == pytest.approx(exact)
        assert f"{found['iou']:.3f}" == f"{printed:.3f}"
        assert found["correct"] is True
    assert evaluator.accuracy() == 1.00
    evaluator.evaluate_sample([300, 200, 310, 210], TRUE)
    assert evaluator.accuracy() == 0.75
    assert eyechart.GroundingEvaluator(iou_threshold=0.7).evaluate_sample(*PAIRS[2][:1], TRUE) == {
        "iou": pytest.approx(PAIRS[2][1]),
        "correct": False,
    }


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    def answers(*given: str) -> list[dict[str, object]]:
        return [{"answer": one, "answer_id": i, "answer_confidence": "yes"}
                for i, one in enumerate(given, 1)]  # fmt: skip

    questions = [
        {"question_id": 1, "image_id": 9, "question": "What is it?"},
        {"question_id": 2, "image_id": 9, "question": "Is it red?"},
        {"question_id": 3, "image_id": 8, "question": "How many?"},
    ]
    annotations = [
        {"question_id": 1, "answer_type": "other", "question_type": "what is",
         "answers": answers(*["cat"] * 3, *["dog"] * 7)},
        {"question_id": 2, "answer_type": "yes/no", "question_type": "is it",
         "answers": answers(*["yes"] * 10)},
        {"question_id": 3, "answer_type": "number", "question_type": "how many",
         "answers": answers("2", *["3"] * 9)},
    ]  # fmt: skip
    (tmp_path / "q.json").write_text(json.dumps({"questions": questions}))
    (tmp_path / "a.json").write_text(json.dumps({"annotations": annotations}))
    return tmp_path / "a.json", tmp_path / "q.json"


def test_all_and_some_questions(files: tuple[Path, Path]) -> None:
    evaluator = eyechart.VQAEvaluator(annotation_file=files[0], question_file=files[1])
    results = [
        {"question_id": 1, "answer": "The cat"},  # 3 of 10 agree: 0.9
        {"question_id": 2, "answer": "Yes"},  # unanimous answers are taken as they stand: 0
        {"question_id": 3, "answer": "two"},  # 1 of 10 agrees: 0.3
    ]
    found = evaluator.evaluate(results)
    assert found["accuracy"] == pytest.approx((0.9 + 0.0 + 0.3) / 3)
    assert found["per_question"] == pytest.approx({1: 0.9, 2: 0.0, 3: 0.3})
    assert found["per_answer_type"] == pytest.approx({"other": 0.9, "yes/no": 0.0, "number": 0.3})
    assert found["per_question_type"]["how many"] == pytest.approx(0.3)
    some = evaluator.evaluate(results[:1])
    assert (some["accuracy"], some["n"]) == (pytest.approx(0.9), 1)


def test_results_from_a_file_and_a_repeated_question(files: tuple[Path, Path]) -> None:
    path = files[0].parent / "r.json"
    path.write_text(
        json.dumps([{"question_id": 1, "answer": "x"}, {"question_id": 1, "answer": "dog"}])
    )
    found = eyechart.VQAEvaluator(*files).evaluate(path)
    assert (found["accuracy"], found["n"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "no results"),
        ([{"question_id": 77, "answer": "x"}], "such as 77"),
        ([{"question": 1, "answer": "x"}], "result 1 .* question_id"),
        ([{"question_id": "one", "answer": "x"}], "such as one"),
        ({"1": "x"}, "list"),
        # text of None would be "None", which means 0 and may be right
        ([{"question_id": 1, "answer": None}], "result 1 .* no answer"),
        ([{"question_id": 1.9, "answer": "x"}], "result 1"),
    ],
)
def test_results_that_cannot_be_used(
    files: tuple[Path, Path], results: object, message: str
) -> None:
    with pytest.raises(eyechart.EyechartError, match=message):
        eyechart.VQAEvaluator(*files).evaluate(results)  # type: ignore[arg-type]


def test_a_box_of_three_numbers() -> None:
    with pytest.raises(ValueError, match="four numbers"):
        eyechart.GroundingEvaluator().compute_iou([1, 2, 3], TRUE)
    with pytest.raises(ValueError, match="iou_threshold"):
        eyechart.GroundingEvaluator(iou_threshold=50)


def test_nothing_counted() -> None:
    assert eyechart.GroundingEvaluator().accuracy() == 0.0


def test_no_prediction_is_a_wrong_one() -> None:
    evaluator = eyechart.GroundingEvaluator()
    assert evaluator.evaluate_sample(None, TRUE) == {"iou": 0.0, "correct": False}
    assert evaluator.accuracy() == 0.0
