"""Files: what is wrong with one is said with its name and line."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from eyechart.errors import DataError, RunError
from eyechart.io import files

if TYPE_CHECKING:
    from pathlib import Path


def test_json_with_byte_order_mark_crlf_and_gzip(tmp_path: Path) -> None:
    text = b'\xef\xbb\xbf{\r\n "a": [1, 2]\r\n}'
    plain, packed = tmp_path / "a.json", tmp_path / "b.json"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))  # gzip is told by its bytes, not by the name
    assert files.read_json(plain) == files.read_json(packed) == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"a\.json: is empty"),
        (b'{"a": 1,\n "b": NaN}', r"a\.json, line 2: .*NaN and Infinity are not JSON"),
        (b'{"a": 1,\n "b": ', r"a\.json, line 2: .*ends too early"),
        (b'{"a": "\xff"}', r"a\.json, line 1: not valid JSON"),
        (b"\x1f\x8b\x08broken", r"a\.json: broken gzip file"),
    ],
)
def test_bad_json_names_file_and_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        files.read_json(path)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        files.read_json(tmp_path / "none.json")
    with pytest.raises(DataError, match="is a folder"):
        files.read_json(tmp_path)


def test_json_lines_count_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\r\n{"a":2}\r\n')
    assert list(files.read_jsonl(path)) == [(1, {"a": 1}), (3, {"a": 2})]
    path.write_bytes(b'{"a":1}\n{"a":')
    with pytest.raises(DataError, match=r"a\.jsonl, line 2"):
        list(files.read_jsonl(path))


def test_a_line_of_another_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n["a"]\n')
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: Expected `object`"):
        list(files.read_jsonl(path, dict[str, int]))


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deep" / "a.json"
    files.write_whole(path, b"old")

    def fail(_handle: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr("eyechart.io.files.os.fsync", fail)
    with pytest.raises(RunError, match=r"a\.json: cannot be written \(no space\)"):
        files.write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [one.name for one in path.parent.iterdir()] == ["a.json"]
