"""The user's own data, as the examples have them: down to the samples."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image as Pillow

from eyechart.benchmarks import Benchmark
from eyechart.benchmarks.own import from_jsonl
from eyechart.errors import DataError
from eyechart.formats.data import Data
from eyechart.registry import load_file
from eyechart.values import Answers, Count

EXAMPLES = Path(__file__).parents[2] / "examples"


def drawn(folder: Path, *names: str) -> None:
    for place, name in enumerate(names):
        Pillow.new("RGB", (40 + place, 30), (90, 40 * place, 0)).save(folder / name)


def test_a_jsonl_file_with_pictures_beside_it(tmp_path: Path) -> None:
    path = Path(shutil.copy(EXAMPLES / "my_vqa" / "my_vqa.jsonl", tmp_path))
    drawn(tmp_path, "sky.png", "door.png", "plates.png")
    found = from_jsonl(path)
    assert (found.name, found.task, found.protocol) == ("my_vqa", "answer", "vqa_v2")
    assert "{question}" in found.template.user
    data = Data(None)
    samples = list(found.rows(data, found.default_split))
    data.check_images()
    assert [sample.id for sample in samples] == ["sky", "door", "plates"]
    assert [sample.image.width for sample in samples] == [40, 41, 42]
    assert samples[2].tags == {"kind": "number"}
    target = samples[0].target
    assert isinstance(target, Answers)
    assert [answer.answer_id for answer in target.answers] == [1, 2, 3, 4, 5]


def test_missing_pictures_are_named_and_not_needed_for_replies(tmp_path: Path) -> None:
    path = Path(shutil.copy(EXAMPLES / "my_vqa" / "my_vqa.jsonl", tmp_path))
    data = Data(path)
    assert len(list(from_jsonl(path).rows(data, ""))) == 3
    with pytest.raises(DataError, match=r"3 pictures not found: sky\.png"):
        data.check_images()
    data = Data(path, need_images=False)
    assert len(list(from_jsonl(path).rows(data, ""))) == 3
    data.check_images()


@pytest.mark.parametrize(
    ("line", "protocol"),
    [
        ('"question": "?", "answer": "x"', "vqa_exact"),
        ('"question": "?", "answers": ["x", "y", "z"]', "vqa_exact"),
        ('"question": "?", "answers": ["x", "y", "z", "z"]', "vqa_v2"),
        ('"question": "?", "count": 3', "count_final"),
        ('"expression": "cup", "boxes": []', "rec"),
        ('"caption": "a cup"', "captions"),
        ('"expressions": ["the cup"], "box": [1, 2, 3, 4]', "captions"),
        ('"phrase": "a cup", "caption": "a cup on a shelf", "box": [1, 2, 3, 4]', "rec"),
    ],
)
def test_the_first_line_decides_task_and_protocol(tmp_path: Path, line: str, protocol: str) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"image": "a.png", ' + line + "}\n")
    found = from_jsonl(path)
    assert found.protocol == protocol
    (sample,) = found.rows(Data(path, need_images=False), "")
    assert sample.task == found.task
    assert found.template.user.format(**sample.asked)


def test_a_benchmark_in_one_python_file() -> None:
    path = EXAMPLES / "my_benchmark.py"
    assert len(path.read_text().splitlines()) < 30
    found = load_file(path).shelf
    assert isinstance(found, Benchmark)
    samples = list(found.rows(Data(None, need_images=False), ""))
    assert [sample.id for sample in samples] == ["cups-1", "books-1", "cups-2"]
    assert [sample.target for sample in samples] == [Count(4), Count(7), Count(0)]
