"""How long each dialect takes over hostile texts: one fragment, repeated to a million characters.

    python -m benchmarks.dialect_speed [--dialect qwen3-vl] [--worst 5]

The fragments are all marks of all families, and the pieces of every reply in tests/vectors/dialects.
Each is repeated to 30,000 characters; the worst of them again to 100,000 and to 1,000,000. One line
a dialect and parser: CPU seconds of the worst, their ratio (linear is about 10), and the fragment.
A million characters of any fragment are to be read in under a second; the exit status is 1 where one
is not.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from functools import cache
from typing import TYPE_CHECKING

from tools.fuzz_dialects import GIVEN, MARKS, SIZES, replies

from eyechart.dialects import FAMILIES, find
from eyechart.dialects.found import PARSERS

if TYPE_CHECKING:
    from eyechart.dialects import Dialect

MILLION = 1_000_000
_PIECE = re.compile(r"<[^<>]*>|\w+|\s+|[^\w\s]")
_LONGEST_RUN = 2


@cache
def fragments() -> tuple[str, ...]:
    """All that is repeated: marks, whole replies, and runs of one or two of their pieces.

    Numbers in the pieces are made alike, so that a form occurs once.
    """
    found = dict.fromkeys(MARKS)
    for record in replies():
        reply = str(record["reply"])
        found[reply] = None
        pieces = _PIECE.findall(re.sub(r"[0-9]+", "7", reply))
        for length in range(1, _LONGEST_RUN + 1):
            for at in range(len(pieces) - length + 1):
                found["".join(pieces[at : at + length])] = None
    return tuple(one for one in found if one)


def families() -> tuple[str, ...]:
    """One dialect of every family: the frames of `json` and its kin share a syntax."""
    return tuple("json:pixels" if family == "json" else family for family in FAMILIES)


def repeated(fragment: str, length: int) -> str:
    """The fragment again and again, `length` characters of it."""
    return (fragment * (length // len(fragment) + 1))[:length]


def seconds(dialect: Dialect, text: str) -> float:
    """CPU seconds of one reading."""
    given = GIVEN if dialect.beside is not None else None
    begun = time.process_time()
    dialect.read(text, SIZES, given)
    return time.process_time() - begun


def worst_of(dialect: Dialect, number: int) -> tuple[float, float, str]:
    """Seconds at 100,000 and at a million characters of the fragment that takes longest."""
    took = {one: seconds(dialect, repeated(one, 30_000)) for one in fragments()}
    slowest = sorted(took, key=lambda one: -took[one])[:number]
    rows = []
    for fragment in slowest:
        tenth = seconds(dialect, repeated(fragment, MILLION // 10))
        # what is quadratic would take minutes
        whole = seconds(dialect, repeated(fragment, MILLION)) if tenth < 1 else float("inf")
        rows.append((whole, tenth, fragment))
    whole, tenth, fragment = max(rows)
    return tenth, whole, fragment


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--dialect", action="append", help="only this one; may be repeated")
    parser.add_argument("--worst", type=int, default=5, help="fragments taken to a million")
    asked = parser.parse_args()
    print(f"{len(fragments())} fragments; seconds for the worst one")
    print(f"{'dialect':24} {'parser':9} {'100,000':>8} {'1,000,000':>9} {'ratio':>6}  fragment")
    slow = 0
    for spec in asked.dialect or families():
        for manner in PARSERS:
            tenth, whole, fragment = worst_of(find(spec, manner), asked.worst)
            slow += whole >= 1
            ratio = whole / max(tenth, 1e-9)
            shown = repr(fragment if len(fragment) < 50 else f"{fragment[:47]}...")
            print(
                f"{spec:24} {manner:9} {tenth:8.3f} {whole:9.3f} {ratio:6.1f}  {shown}", flush=True
            )
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
