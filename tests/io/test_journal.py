"""The journal survives being cut anywhere, and refuses what was damaged in the middle."""

from __future__ import annotations

import multiprocessing
import os
from typing import TYPE_CHECKING

import pytest

from eyechart.errors import CorruptRun, RunBusy, RunError
from eyechart.io import journal
from eyechart.io.journal import Journal, Lock
from eyechart.values import Reply

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event
    from pathlib import Path


def _write(path: Path, names: list[str]) -> None:
    with Journal(path) as record:
        for name in names:
            record.append(Reply(name, text=f"é {name}\nline"))


def _names(path: Path) -> list[str]:
    return [reply.sample_id for reply in journal.read(path, Reply)]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a", "b"])
    _write(path, ["c"])
    assert _names(path) == ["a", "b", "c"]
    assert path.read_bytes().count(b"\n") == 3


def test_cut_at_every_byte_the_whole_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a", "b", "c"])
    whole = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 0x0A]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends)
        assert _names(path) == ["a", "b", "c"][:kept]
        _write(path, ["d"])
        assert _names(path) == [*["a", "b", "c"][:kept], "d"]


def test_a_tail_of_zero_bytes_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a"])
    with path.open("ab") as stream:
        stream.write(b"\0" * 4096)
    _write(path, ["b"])
    assert _names(path) == ["a", "b"]


def test_a_long_torn_line_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a"])
    with path.open("ab") as stream:
        stream.write(b'{"sample_id": "' + b"x" * 300_000)
    _write(path, ["b"])
    assert _names(path) == ["a", "b"]


def test_a_bad_line_in_the_middle_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a", "b", "c"])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:9] + b"\n" + lines[2])
    with pytest.raises(CorruptRun, match=r"replies\.jsonl, line 2: not a whole record"):
        _names(path)


def test_nothing_where_there_is_no_file(tmp_path: Path) -> None:
    assert _names(tmp_path / "none.jsonl") == []


def _hold(path: Path, ready: Event, done: Event) -> None:
    held = Lock(path)
    ready.set()
    done.wait(10)
    held.release()


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / ".lock", ready, done))
    other.start()
    try:
        assert ready.wait(20)
        with pytest.raises(RunBusy, match="another process is writing"):
            Lock(tmp_path / ".lock")
    finally:
        done.set()
        other.join()
    Lock(tmp_path / ".lock").release()


def test_after_a_short_write_nothing_more_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "replies.jsonl"
    record = Journal(path)
    record.append(Reply("a"))
    write = os.write
    monkeypatch.setattr(
        "eyechart.io.journal.os.write", lambda handle, line: write(handle, line[:9])
    )
    with pytest.raises(RunError, match="is the disk full"):
        record.append(Reply("b"))
    monkeypatch.undo()
    with pytest.raises(RunError, match="is the disk full"):
        record.append(Reply("c"))
    with pytest.raises(RunError):
        record.close()
    _write(path, ["d"])
    assert _names(path) == ["a", "d"]


def test_a_disk_that_does_not_flush_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Journal(tmp_path / "replies.jsonl")
    record.append(Reply("a"))

    def fails(_handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("eyechart.io.journal.os.fsync", fails)
    with pytest.raises(RunError, match="Input/output error"):
        record.close()


def test_a_last_line_that_is_json_but_no_reply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    _write(path, ["a"])
    with path.open("ab") as stream:
        stream.write(b'{"sample": 1}\n')
    with pytest.raises(CorruptRun, match="line 2"):
        _names(path)
