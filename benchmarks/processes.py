"""Runs commands as whole processes and says what each has cost."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Cost:
    """Seconds on the wall, CPU seconds of all threads, and peak memory in MiB; 0 if not measured."""

    wall: float
    cpu: float = 0.0
    rss: float = 0.0

    def __str__(self) -> str:
        if not self.rss:
            return f"{1000 * self.wall:.1f} ms"
        return f"{self.wall:.2f} s, CPU {self.cpu:.2f} s, {self.rss:,.0f} MiB"


class Failed(Exception):
    """A command that did not end well; the end of what it said."""


def run(
    command: Sequence[str | os.PathLike[str]], cwd: Path = ROOT, bytecode: Path | None = None
) -> Cost:
    """One process from its start to its end, output thrown away.

    Compiled modules are kept in the folder `bytecode`, whatever the environment says of them: an
    installed program has its own, so the first run there is not to be counted.

    Raises:
        Failed: its exit status is not 0.
    """
    environment = dict(os.environ)
    if bytecode is not None:
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(bytecode)
    begun = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{said[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _MAXRSS_BYTES / 2**20)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(one) for one in zip(*map(_figures, costs), strict=True)))


def _figures(cost: Cost) -> tuple[float, float, float]:
    return cost.wall, cost.cpu, cost.rss
