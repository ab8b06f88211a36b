"""Files and folders that a model names: what is in them is part of what it is."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.models.test_identity import Holder, record, told

from eyechart.models.identity import named_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyechart.values import Request


def outer(request: Request, **given: Any) -> str:
    return str(given)


def two_functions(first: str, second: str) -> Callable[[Request], str]:
    def make(ck: str) -> Callable[[], str]:
        return lambda: ck

    a, b = make(first), make(second)
    return lambda request: a() + b()


def test_a_checkpoint_that_is_replaced_in_place(tmp_path: Path) -> None:
    file = tmp_path / "w.bin"
    file.write_bytes(b"1")
    first = told(Holder(weights=file)), told(Holder(weights=str(file)))
    assert first[0]["files"].keys() == {"weights"}
    file.write_bytes(b"2")
    assert all(a != b for a, b in zip(first, (told(Holder(weights=file)),
                                              told(Holder(weights=str(file)))), strict=True))  # fmt: skip


def test_a_folder_is_known_by_names_sizes_and_times(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.bin").write_bytes(b"1")
    before = told(Holder(weights=tmp_path))
    run = tmp_path / "run"
    run.mkdir()
    for name in ("spec.json", "replies.jsonl", "report.json"):
        (run / name).write_bytes(b"{}")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "x").write_bytes(b"1")
    assert told(Holder(weights=tmp_path)) == before
    (tmp_path / "a" / "x.bin").rename(tmp_path / "a" / "y.bin")
    assert told(Holder(weights=tmp_path)) != before


@pytest.mark.parametrize("value", ["", " ", "a\0b", "x" * 5000, "no such file"])
def test_texts_that_name_no_file(value: str) -> None:
    assert "files" not in told(Holder(a=value))


@pytest.mark.parametrize(
    "holds",
    [
        lambda a, b: Holder(l=[a, b]),
        lambda a, b: Holder(l=(b, a)),
        lambda a, b: Holder(l={a, b}),
        lambda a, b: Holder(l={(a, 1), (b, 2)}),
        lambda a, b: Holder(l=[[a], [b]]),
        lambda a, b: Holder(l=[{"ck": a}, {"ck": b}]),
        lambda a, b: Holder(l={"x": [Path(a)], "y": [b]}),
        lambda a, b: Holder(p=Holder(ck=a), q=Holder(ck=b)),
        lambda a, b: functools.partial(outer, l=[a, b]),
        two_functions,
    ],
)
def test_each_of_several_checkpoints_counts(
    tmp_path: Path, holds: Callable[[str, str], Any]
) -> None:
    one, two = tmp_path / "ckz", tmp_path / "ck2"
    seen = []
    # changed one by one, and swapped
    for contents in ((b"1", b"2"), (b"3", b"2"), (b"1", b"3"), (b"2", b"1")):
        one.write_bytes(contents[0])
        two.write_bytes(contents[1])
        seen.append(record(holds(str(one), str(two))))
        assert seen[-1] == record(holds(str(one), str(two)))
    assert len(set(seen)) == 4


def test_files_in_lists_and_mappings_of_arguments(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    a, b, c = (str(tmp_path / name) for name in "abc")
    found = named_files({"deep": [a, {"x": [b]}], "ck": c, "api_key": a, "n": 1, "o": object()})
    assert found == {
        "deep.0": hashlib.sha256(b"a").hexdigest(),
        "deep.1.x.0": hashlib.sha256(b"b").hexdigest(),
        "ck": hashlib.sha256(b"c").hexdigest(),
    }
