"""Keeps account of the conformance vectors: which records the tests have looked at, and which not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, overload

import pytest

Record = dict[str, Any]
Records = Callable[[str], Sequence[Record]]

HERE = Path(__file__).parent
NAME = "conformance vectors"
# what eyechart reproduces to the digit; every other file is for information and need not be read
REPRODUCED = (
    *("box_iou", "captions", "cases", "countqa*", "dialects/*", "flickr_entities*", "kosmos2_*"),
    *("mdetr_*", "refer_api", "vqa_v2_*"),
)
# totals over the records of another file: without that file nothing can be compared
OVER = {"countqa_totals": "countqa", "vqa_v2_totals": "vqa_v2_cases"}
_SENT = "conformance"
_FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


class Vector(Sequence[Record]):
    """The records of a file; notes the place of each one that is taken out of it."""

    def __init__(self, records: list[Record], seen: set[int]) -> None:
        self._records, self._seen = records, seen

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...
    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        record = self._records[place]
        self._seen.add(place % len(self))
        return record

    def __iter__(self) -> Iterator[Record]:
        return (self[place] for place in range(len(self)))


def parse(path: Path) -> list[Record]:
    """The records of a file of JSON lines.

    Raises:
        ValueError: a line is not a JSON object; names file and line.
    """
    records = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            record = json.loads(line) if line.strip() else None
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        if record is not None:
            if not isinstance(record, dict):
                raise ValueError(f"{path}, line {number}: not a JSON object")
            records.append(record)
    return records


def register(config: pytest.Config) -> None:
    """Begins the account of a run, once."""
    if not config.pluginmanager.hasplugin(NAME):
        config.pluginmanager.register(Coverage(config), NAME)


class Coverage:
    """A pytest plugin: opens files for tests, and fails a whole run that left a record unread.

    Where tests run in several processes, each sends its account to the one that started it.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.folder: Path = config.getoption("--vectors")
        self.given = self.folder.resolve() != HERE.parent / "vectors"
        self.seen: dict[str, set[int]] = {}
        self.modules: set[str] = set()
        self.selected = not any("::" in argument for argument in config.args)
        self.lacking: list[str] = []

    def open(self, name: str) -> Vector:
        """The records of `<name>.jsonl`; the test is skipped where the folder lacks the file."""
        path = self.folder / f"{name}.jsonl"
        if not path.is_file():
            if self.given:
                pytest.skip(f"{self.folder} has no {path.name}")
            pytest.fail(f"{path} is missing")
        try:
            records = parse(path)
        except ValueError as error:
            pytest.fail(str(error))
        return Vector(records, self.seen.setdefault(name, set()))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self.modules |= {item.path.name for item in items if item.path.parent == HERE}

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        # by name or by an earlier failure; what is slow is left out of every ordinary run
        if any(i.path.parent == HERE and i.get_closest_marker("slow") is None for i in items):
            self.selected = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        sent = getattr(node, "workeroutput", {}).get(_SENT)
        if sent is not None:
            self.modules.update(sent["modules"])
            self.selected = self.selected and sent["selected"]
            for name, seen in sent["seen"].items():
                self.seen.setdefault(name, set()).update(seen)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[_SENT] = {
                "modules": sorted(self.modules),
                "selected": self.selected,
                "seen": {name: sorted(seen) for name, seen in self.seen.items()},
            }
        elif self._whole(session) and exitstatus in _FINISHED:
            self.lacking = list(self._unread())
            if self.lacking:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.seen and (self.given or self.lacking):
            terminalreporter.section(f"{NAME} in {self.folder}")
            for name, seen in sorted(self.seen.items()):
                terminalreporter.line(f"{name}: {len(seen):,} records")
        for line in self.lacking:
            terminalreporter.line(f"FAILED {line}", red=True)

    def _whole(self, session: pytest.Session) -> bool:
        """Whether every test of the folder has run."""
        everything = {path.name for path in HERE.glob("test_*.py")}
        broken_off = session.shouldfail or session.shouldstop or self.config.option.collectonly
        return self.selected and not broken_off and everything <= self.modules

    def _unread(self) -> Iterator[str]:
        for path in sorted(self.folder.rglob("*.jsonl")):
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            if not any(fnmatch(name, pattern) for pattern in REPRODUCED):
                continue
            over = OVER.get(name)
            if over is not None and not (self.folder / f"{over}.jsonl").is_file():
                continue
            try:
                total, seen = len(parse(path)), self.seen.get(name)
            except ValueError as error:
                yield str(error)
                continue
            if seen is None:
                yield f"{path}: no test has read it"
            elif len(seen) < total:
                unseen = next(place for place in range(total) if place not in seen)
                yield (
                    f"{path}: {len(seen):,} of {total:,} records were compared; "
                    f"record {unseen + 1} was not"
                )
