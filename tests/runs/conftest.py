"""A small data set of one's own, and models that answer it as a test wants."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image as Pillow

from eyechart.models import About, Keep
from eyechart.values import Failure, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def write_counting(folder: Path, number: int = 12) -> Path:
    """`count.jsonl` with `number` questions on half as many pictures; the truth of row i is i."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for i in range(number):
        name = f"p{i // 2}.png"
        Pillow.new("RGB", (40 + i // 2, 30), (i * 9 % 256, 80, 120)).save(folder / name)
        tags = {"parity": "odd" if i % 2 else "even"}
        row = {"id": f"q{i}", "image": name, "question": f"How many, row {i}?", "count": i}
        rows.append(row | {"tags": tags})
    path = folder / "count.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    return write_counting(tmp_path / "data")


@dataclass
class Scripted:
    """A model of the seam that answers by a function and remembers what it was asked."""

    say: Callable[[Request], Any]
    name: str = "scripted"
    needs_images: bool = True
    asked: list[Request] = field(default_factory=list)

    @property
    def about(self) -> About:
        return About({"kind": "test", "name": self.name}, needs_images=self.needs_images)

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        for request in requests:
            self.asked.append(request)
            said = self.say(request)
            if isinstance(said, Exception):
                raise said
            if isinstance(said, Failure):
                keep(Reply(request.sample_id, request.repeat, state="error", error=said))
            elif isinstance(said, Reply):
                keep(said)
            else:
                keep(Reply(request.sample_id, request.repeat, text=said))


def number_in(request: Request) -> str:
    """The right answer to a question of `write_counting`."""
    return request.prompt.split("row ")[1].split("?")[0]
