"""Writes the generated inputs: `python -m benchmarks.full_size --out DIR` in the checkout.

The same seed and scale give the same bytes. `--scale 0.01` writes a hundredth of everything.
"""

from __future__ import annotations

import argparse
import random
import time
from importlib import import_module
from pathlib import Path

PARTS = ("vqav2", "refcoco", "flickr30k", "counting", "boxes")


def write(out: Path, part: str, seed: int = 0, scale: float = 1.0) -> Path:
    """One part's files in a folder of its name; the folder."""
    folder = out / part
    folder.mkdir(parents=True, exist_ok=True)
    module = import_module(f"benchmarks.full_size.{part}")
    module.write(folder, random.Random(f"{seed} {part}"), scale)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    if not options.scale > 0:
        parser.error("--scale must be above 0")
    for part in options.only:
        begun = time.perf_counter()
        folder = write(options.out, part, options.seed, options.scale)
        print(f"{folder}: {time.perf_counter() - begun:.1f} s", flush=True)


if __name__ == "__main__":
    main()
