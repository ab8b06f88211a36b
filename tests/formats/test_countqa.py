from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eyechart.errors import DataError, PictureError, UsageError
from eyechart.formats.countqa import parse_parquet_source, read, read_parquet_image

ROWS: list[dict[str, Any]] = [
    {
        "image": {"bytes": f"picture {number}".encode(), "path": f"{number}.jpg"},
        "questions": ["How many cups?", "How many plates?"][: 1 + number % 2],
        "answers": ["12", "0"][: 1 + number % 2],
        "is_focused": number == 0,
        "categories": ["Kitchen", "Toys"][: 1 + number % 2],
    }
    for number in range(7)
]


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=3)
    return path


def test_rows_of_a_parquet_file(tmp_path: Path) -> None:
    path = parquet(tmp_path / "test.parquet", ROWS)
    rows = list(read(path))
    assert len(rows) == 7
    assert rows[1].questions == ("How many cups?", "How many plates?")
    assert rows[1].counts == (12, 0)
    assert (rows[0].is_focused, rows[1].is_focused) == (True, False)
    assert rows[1].categories == ("Kitchen", "Toys")
    assert rows[1].image == "1.jpg"
    assert rows[6].source == f"parquet:{path}#6"
    assert parse_parquet_source(rows[6].source) == (path, 6)


@pytest.mark.parametrize(
    "source",
    ["", "a.png", "parquet:a.parquet", "parquet:#1", "parquet:a#", "parquet:a#x", "parquet:a#-1"],
)
def test_other_sources_name_no_row(source: str) -> None:
    with pytest.raises(PictureError, match="parquet:PATH#ROW"):
        parse_parquet_source(source)
    assert parse_parquet_source("parquet:/a#b/c.parquet#12") == (Path("/a#b/c.parquet"), 12)


def test_pictures_come_in_any_order(tmp_path: Path) -> None:
    path = parquet(tmp_path / "test.parquet", ROWS)
    for number in (6, 0, 5, 2, 3):
        assert read_parquet_image(path, number) == f"picture {number}".encode()
    with pytest.raises(PictureError, match="no row 7; it has 7"):
        read_parquet_image(path, 7)
    with pytest.raises(PictureError, match=r"nowhere\.parquet"):
        read_parquet_image(tmp_path / "nowhere.parquet", 0)


def test_pictures_as_bare_bytes(tmp_path: Path) -> None:
    rows = [{**row, "image": row["image"]["bytes"]} for row in ROWS]
    path = parquet(tmp_path / "test.parquet", rows)
    assert [row.image for row in read(path)] == [""] * 7
    assert read_parquet_image(path, 4) == b"picture 4"


def test_the_same_rows_as_json_lines(tmp_path: Path) -> None:
    packed = list(read(parquet(tmp_path / "test.parquet", ROWS)))
    path = tmp_path / "countqa.jsonl"
    lines = [{**row, "image": f"{number}.jpg"} for number, row in enumerate(ROWS)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    plain = list(read(path))
    for one, other in zip(packed, plain, strict=True):
        assert (one.image, one.questions, one.counts) == (
            other.image,
            other.questions,
            other.counts,
        )
        assert (one.is_focused, one.categories) == (other.is_focused, other.categories)
    assert plain[0].source == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"answers": ["15.0"]}, "'15.0' is not a whole number"),
        ({"answers": ["1,500"]}, "'1,500' is not a whole number"),
        ({"answers": [-1]}, "-1 is not a whole number"),
        ({"answers": []}, "1 questions and 0 answers"),
        ({"answers": [None]}, r"answers\[0\]"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    path = tmp_path / "countqa.jsonl"
    row = {"image": "a.jpg", "questions": ["How many?"], "answers": ["1"]}
    path.write_text("\n".join(json.dumps(one) for one in (row, {**row, **change})))
    with pytest.raises(DataError, match=f"line 2.*{told}"):
        list(read(path))


def test_missing_columns_and_broken_files(tmp_path: Path) -> None:
    path = parquet(tmp_path / "test.parquet", [{"image": b"x", "question": "?"}])
    with pytest.raises(DataError, match="no column answers, questions"):
        list(read(path))
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(DataError, match="not a readable parquet file"):
        list(read(path))


def test_without_pyarrow_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = parquet(tmp_path / "test.parquet", ROWS)
    real = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(UsageError, match=r"pip install eyechart\[parquet\]"):
        list(read(path))
