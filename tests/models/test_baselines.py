from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as Pillow

from eyechart.dialects import Sizes
from eyechart.dialects.tensors import read_boxes
from eyechart.errors import DataError, PictureError, UsageError
from eyechart.io.images import LazyPicture
from eyechart.models.baselines import CentreBox, Prior, WholeImage
from eyechart.values import Image, Message, Reply, Request, Task

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.models import Model


def ask(
    model: Model, prompt: str, picture: LazyPicture | None = None, task: Task | None = None
) -> Reply:
    kept: list[Reply] = []
    request = Request("s", (Message("user", prompt),), image=picture, repeat=2, task=task)
    model.answer(iter([request]), kept.append)
    (reply,) = kept
    assert (reply.sample_id, reply.repeat) == ("s", 2)
    return reply


def sized(width: int | None, height: int | None, data: bytes | None = None) -> LazyPicture:
    def read(_: Image) -> bytes:
        if data is None:
            raise PictureError("not at hand.")
        return data

    return LazyPicture(Image("a.png", width, height), read)


@pytest.mark.parametrize(
    ("model", "box"), [(CentreBox(), (160, 120, 480, 360)), (WholeImage(), (0, 0, 640, 480))]
)
def test_boxes_need_only_the_size(model: Model, box: tuple[int, ...]) -> None:
    reply = ask(model, "Where is the cup?", sized(640, 480))
    assert reply.boxes is not None
    assert read_boxes(reply.boxes, Sizes((640, 480))).boxes == (box,)
    assert reply.text == "yes"
    assert model.about.gives_boxes
    assert not model.about.needs_images


def test_an_unknown_size_is_read_from_the_picture_or_an_error() -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 8
    stream = io.BytesIO()
    Pillow.new("RGB", (30, 20)).save(stream, "JPEG", exif=exif)
    reply = ask(WholeImage(), "?", sized(None, None, stream.getvalue()))
    assert reply.boxes is not None
    assert list(reply.boxes.boxes) == [(0, 0, 20, 30)]
    failed = ask(WholeImage(), "?", sized(None, None))
    assert failed.error is not None
    assert failed.state == "error"
    assert failed.boxes is None
    assert failed.error.kind == "picture"


def test_the_untaught_prior() -> None:
    prior = Prior()
    assert ask(prior, "Is it red?\nAnswer in a word.").text == "yes"
    assert ask(prior, "How many cups are there?").text == "2"
    assert ask(CentreBox(), "How many cups are there?").text == "2"
    prior.refuse_if_same(["1"])


def vqa_files(tmp_path: Path, rows: list[tuple[str, str, str]]) -> tuple[Path, Path]:
    questions: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, (kind, question, answer) in enumerate(rows, start=100):
        questions.append({"question_id": number, "image_id": 1, "question": question})
        answers = [{"answer": one} for one in (answer, answer, "other")]
        annotations.append({"question_id": number, "question_type": kind, "answers": answers})
    paths = tmp_path / "q.json", tmp_path / "a.json"
    paths[0].write_text(json.dumps({"questions": questions}))
    paths[1].write_text(json.dumps({"annotations": annotations}))
    return paths


ROWS = [
    *[("what color is the", "What color is the cat?", answer) for answer in ("grey", "tan", "tan")],
    *[("what color", "What color are cats?", answer) for answer in ("red", "blue", "green")],
    *[("how many", f"How many cats {number}?", number) for number in ("9", "9", "3", "4", "1")],
    ("why", "Why?", "no reason"),
]


def test_question_types_are_openings_and_the_longest_wins(tmp_path: Path) -> None:
    _, annotations = vqa_files(tmp_path, ROWS)
    prior = Prior(annotations)
    assert prior.text_for("What color is the dog?\nAnswer in a word.") == "tan"
    # three answers as common: the alphabetically first
    assert prior.text_for("what  COLOR are dogs?") == "blue"
    assert prior.text_for("How many dogs?") == "9"
    # seen too rarely to be learnt: the commonest answer of all (9 and tan, twice each)
    assert prior.text_for("Why?") == "9"
    # no opening of it was learnt: the median of 1 3 4 9 9
    assert prior.text_for("Count the dogs.") == "4"
    assert prior.about.identity.keys() == {"kind", "name", "annotations_sha256"}


def test_openings_are_learnt_from_the_questions(tmp_path: Path) -> None:
    questions, annotations = vqa_files(tmp_path, ROWS)
    prior = Prior(annotations, questions)
    assert prior.text_for("What color is the dog?") == "tan"
    assert prior.text_for("What color are cats?") == "blue"
    assert prior.text_for("What is it?") == "tan"
    with pytest.raises(UsageError, match="`questions` needs `annotations`"):
        Prior(questions=questions)


def test_the_evaluated_questions_are_refused(tmp_path: Path) -> None:
    _, annotations = vqa_files(tmp_path, ROWS)
    prior = Prior(annotations)
    assert prior.prepare(["1", "2"]) == []
    with pytest.raises(UsageError, match="learnt from 2 of the questions"):
        prior.refuse_if_same(["1", "100", "101"])
    with pytest.raises(UsageError, match="which it is to answer"):
        prior.refuse_if_same(["1"], source=annotations)


def test_own_data_teach_too_and_their_row_numbers_prove_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    counts = [{"image": "a", "question": "How many cups?", "count": count} for count in (3, 5, 5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in counts))
    prior = Prior(path)
    assert prior.text_for("How many cups are there?") == "5"
    prior.refuse_if_same(["1", "2", "3"], source=None)
    with pytest.raises(UsageError, match=r"train\.jsonl"):
        prior.refuse_if_same(["1"], source=path)
    captions = tmp_path / "captions.jsonl"
    captions.write_text('{"image": "a", "caption": "a cup"}\n')
    with pytest.raises(DataError, match="no answers to learn from"):
        Prior(captions)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"question_id": 1}]')
    with pytest.raises(DataError, match=r"x\.json: Expected.*learns from VQA annotations"):
        Prior(path)
    with pytest.raises(DataError, match="no such file"):
        Prior(tmp_path / "nowhere.json")


def test_the_real_annotations_teach_the_same_twice(shared: Path) -> None:
    folder = shared / "data/vqa/vqav2"
    questions = folder / "v2_OpenEnded_mscoco_val2014_questions.subset5846.json.gz"
    annotations = folder / "v2_mscoco_val2014_annotations.subset5846.json.gz"
    asked = ["Is the man old?", "What color is the bus?", "How many people are there?", "Where?"]
    first, second = (Prior(annotations, questions) for _ in range(2))
    answers = [first.text_for(one) for one in asked]
    assert answers == [second.text_for(one) for one in asked]
    assert answers[0] in ("yes", "no")
    assert answers[2].isdigit()


@pytest.mark.parametrize("task", ["ground", "ground_phrases"])
@pytest.mark.parametrize(
    ("model", "box"),
    [
        (CentreBox(), (160, 120, 480, 360)),
        (WholeImage(), (0, 0, 640, 480)),
        (Prior(), (160, 120, 480, 360)),
    ],
)
def test_where_a_box_is_wanted_only_a_box_is_given(
    model: Model, box: tuple[int, ...], task: Task
) -> None:
    reply = ask(model, "the cup", sized(640, 480), task)
    assert reply.boxes is not None
    assert read_boxes(reply.boxes, Sizes((640, 480))).boxes == (box,)
    assert reply.text is None
    assert model.about.gives_boxes
    for picture in (sized(None, None), None):
        failed = ask(model, "the cup", picture, task)
        assert failed.error is not None
        assert (failed.state, failed.error.kind) == ("error", "picture")
        assert "size of its picture is not known" in failed.error.message
        assert "`width` and `height` in the data" in failed.error.message


@pytest.mark.parametrize("task", ["answer", "count", "caption", "refer"])
@pytest.mark.parametrize("model", [CentreBox(), WholeImage(), Prior()])
def test_where_words_are_wanted_only_words_are_given(model: Model, task: Task) -> None:
    for picture in (sized(640, 480), sized(None, None), None):
        reply = ask(model, "How many cups?", picture, task)
        assert (reply.state, reply.text, reply.boxes) == ("ok", "2", None)


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_copy_of_what_it_learnt_from_is_refused_by_its_content(tmp_path: Path) -> None:
    rows = [{"image": f"{k}.png", "question": f"what {k}?", "answer": str(k)} for k in range(9)]
    prior = Prior(jsonl(tmp_path / "train.jsonl", *rows))
    asked = [(f"{k}.png", f" what\n{k}? ") for k in range(9)]
    copy = jsonl(tmp_path / "copy.jsonl", {"image": "x", "question": "y", "answer": "z"}, *rows)
    numbers = [str(k) for k in range(1, 10)]
    with pytest.raises(UsageError, match=r"learnt from 9 of the questions .*split"):
        prior.prepare(numbers, copy, asked)
    with pytest.raises(UsageError, match="learnt from 1 of the questions"):
        prior.prepare(["another id"], copy, asked[:1])
    # other pictures, or other questions of the same picture
    assert prior.prepare(numbers, copy, [(f"val/{name}", text) for name, text in asked]) == []
    assert prior.prepare(numbers, copy, [("0.png", "where?"), ("0.png", "")]) == []


def test_ids_count_only_where_there_is_no_wording(tmp_path: Path) -> None:
    questions, annotations = vqa_files(tmp_path, ROWS)
    prior = Prior(annotations, questions)
    assert prior.prepare(["100"], None, [("other.jpg", "What color is the cat?")]) == []
    train = "COCO_train2014_000000000001.jpg"
    with pytest.raises(UsageError, match="1 of the questions"):
        prior.prepare(["7"], None, [(train, "What color is the cat?")])
    with pytest.raises(UsageError, match="1 of the questions"):
        Prior(annotations).prepare(["100"], None, [("other.jpg", "What?")])


def test_annotations_without_question_types_need_the_questions(tmp_path: Path) -> None:
    questions, annotations = vqa_files(tmp_path, ROWS)
    document = json.loads(annotations.read_text())
    for one in document["annotations"]:
        del one["question_type"]
    annotations.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"annotation 100 has no `question_type`.*questions=FILE"):
        Prior(annotations)
    assert Prior(annotations, questions).text_for("What color is the dog?") == "tan"
    del document["annotations"][1]["answers"]
    annotations.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"annotation 101 \(number 2 .*answers") as caught:
        Prior(annotations)
    assert "KeyError" not in str(caught.value)
