"""A user's own file or model that ends the program, or has an odd name."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING

import pytest
from tests.models.asking import text_request

from eyechart.errors import ModelError, UsageError
from eyechart.models import custom
from eyechart.registry import load_file

if TYPE_CHECKING:
    from pathlib import Path

    from eyechart.values import Reply, Request

MODEL = "class Mine:\n    def answer(self, request): return 'a'\n"


def written(folder: Path, code: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(code, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "code", ["import sys\nsys.exit(3)\n", "raise SystemExit(3)\n", MODEL + "exit(3)\n"]
)
def test_a_file_that_ends_the_program(tmp_path: Path, code: str) -> None:
    file = written(tmp_path, code, "ending.py")
    with pytest.raises(UsageError) as caught:
        custom.load(str(file))
    assert str(caught.value) == (
        f"{file}: it ends the program while it is loaded (SystemExit: 3). Put what only a script "
        "does under `if __name__ == '__main__':`."
    )
    assert "eyechart_user_ending" not in sys.modules


def test_a_class_that_ends_the_program(tmp_path: Path) -> None:
    code = "import sys\n" + MODEL + "    def __init__(self): sys.exit('no GPU')\n"
    with pytest.raises(
        ModelError, match=r"could not be made: SystemExit: no GPU \(mine.py, line 4"
    ):
        custom.load(str(written(tmp_path, code)))


class Ending:
    batch_size = 2

    def answer(self, request: Request) -> str:
        if request.sample_id == "1":
            sys.exit(3)
        return "a"


class EndingBatches(Ending):
    def answer_batch(self, requests: list[Request]) -> list[str]:
        return [self.answer(request) for request in requests]


@pytest.mark.parametrize("thing", [Ending, EndingBatches])
def test_an_answer_that_ends_the_program_costs_one_sample(thing: type) -> None:
    replies: list[Reply] = []
    requests = [text_request(str(n)) for n in range(4)]
    custom.of_object(thing).answer(iter(requests), replies.append)
    assert [reply.state for reply in replies] == ["ok", "error", "ok", "ok"]
    error = replies[1].error
    assert error is not None
    assert error.kind == "crash"
    assert error.message.startswith("SystemExit: 3 (test_custom_ends.py, line ")


def test_an_error_whose_message_breaks_is_told_all_the_same() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    def answer(request: Request) -> str:
        raise Odd

    replies: list[Reply] = []
    custom.of_object(answer).answer(iter([text_request()]), replies.append)
    assert replies[0].error is not None
    assert replies[0].error.message.startswith("Odd: its message cannot be read (")


def test_interrupts_in_a_batch_or_when_made_pass_through() -> None:
    class Made:
        def __init__(self) -> None:
            raise KeyboardInterrupt

        def answer(self, request: Request) -> str:
            return ""

    class Batch:
        def answer_batch(self, requests: list[Request]) -> list[str]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        custom.of_object(Made)
    requests = [text_request(str(n)) for n in range(2)]
    with pytest.raises(KeyboardInterrupt):
        custom.of_object(Batch).answer(iter(requests), lambda _: None)


@pytest.mark.parametrize("name", ["my.model.py", "a b-c.py", "2.0.py", ".py.py"])
def test_a_file_name_with_dots_or_blanks(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, MODEL, name)
    for target in (str(file), f"{file}:Mine"):
        assert custom.load(target).about.identity["name"] == f"{name}:Mine"
    made = load_file(file).Mine()
    assert type(pickle.loads(pickle.dumps(made))) is type(made)


@pytest.mark.parametrize("name", ["model.txt", "model", "x.so", "x.pyc", ".py", "x.PY3"])
def test_a_file_that_is_not_python_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, MODEL, name)
    with pytest.raises(UsageError) as caught:
        load_file(file)
    assert str(caught.value) == f"{file}: not a Python file (its name must end in .py)."
