"""Throws hostile texts at every dialect: what must hold of any reading, and an atheris harness for it.

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install atheris -e .
    /tmp/fuzz/bin/python -m tools.fuzz_dialects CORPUS_FOLDER -max_total_time=300 -max_len=4000

Run from the folder of the project. CORPUS_FOLDER may be empty or new: it is made, and filled with the
replies of tests/vectors/dialects. What follows it goes to libFuzzer as it is. A text that breaks
a rule ends the run with the rule, the dialect and the text; libFuzzer keeps it as `crash-...`, and
giving that file's name in place of the folder reads it again. A text over which a dialect spends more
than a second for every million characters ends the run as well, where it is long enough to tell.

`MARKS` and `reading_of` are used by tests/dialects/test_fuzz.py and benchmarks/dialect_speed.py.
"""

from __future__ import annotations

import json
import math
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.dialects import FAMILIES, Dialect, Sizes, find
from eyechart.dialects.found import FAULTS, PARSERS
from eyechart.dialects.frames import SCALES
from eyechart.values import RawBoxes, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VECTORS = Path(__file__).parent.parent / "tests/vectors/dialects/dialects.jsonl"
SIZES = Sizes((640, 427), (640, 427), (644, 420))
GIVEN = RawBoxes(((0.5, 0.5, 0.2, 0.4), (0.25, 0.6, 0.3, 0.5)), "cxcywh-ratio")
FLAGS = {"swapped", "outside", "flat", "dropped"}
# families whose name means more than one dialect
ARGUMENTS = {
    "json": (*SCALES, "0-1000,yxyx", "pixels,xywh", "0-1,cxcywh"),
    "kosmos-2": ("", "16"),
    "ofa": ("", "384"),
}
_SLOW_S = 1e-6
_LEAST_S = 0.5

# what families write around their numbers, whole and broken, and what goes wrong in JSON and numbers
# fmt: off
MARKS: tuple[str, ...] = (
    "<grounding>", "<phrase>", "</phrase>", "<object>", "</object>", "<patch_index_0044>",
    "</delimiter_of_multi_objects/>", "<patch_index_", "<delim>", "<p>", "</p>", "</image>",
    "<ref>", "</ref>", "<box>", "</box>", "<|ref|>", "<|/ref|>", "<|det|>", "<|/det|>",
    "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>",
    "<|begin_of_box|>", "<|end_of_box|>", "<bin_102>", "<bin_", "<loc_54>", "<loc0722>", "<loc",
    "<seg010>", "<seg>", "<g_s>", "<g_e>", "<roi>", "</roi>", "<r1>", "<12>", "<unk>", "{<", ">}",
    "<point ", "<points ", 'x="61.5"', 'y1="20"', ' x2="', "x=", 'alt="', "</point>", "</points>",
    "click(", "pyautogui.click(x=0.8, y=0.2)", "p=453,678", "Click(12.5, 33.0)", "<point x=61 y=4>",
    "<think>", "</think>", "<answer>", "</answer>", "◁think▷", "<|im_end|>", "</s>", "<s>", "<pad>",
    "```json\n", "```", "```\n", "// ", "#", "json",
    '{"bbox_2d": [', '"bbox_2d"', '"box_2d"', "'bbox_2d'", '"point_2d": [', '"label": "', '"label"',
    '"boxes_cxcywh"', '"scores"', '"labels"', '"objects"', '"x_min"', '"x_bin"', '"bbox": null',
    "[", "]", "{", "}", "(", ")", "[[", "]]", "[[[", "),(", "), (", ";", ",", ", ", ":", "&", "-[",
    '"', "'", "\\", '\\"', "\\u0041", '"\\ud800"', "\\ud83d\\ude00", "“", "”", "null", "None", "[]",
    "0", "1", "12", "999", "1000", "1023", "-1", "-", "+", ".", "..", "0.5", ".5", "5.", "1e3",
    "1e999", "-1e999", "NaN", "Infinity", "-inf", "0x1F", "1_000", "007", "9" * 40, "9" * 400,
    "１２３", "［", "］", "，", "٣", "²", "½", "一", "\ufeff", "\u200b", "\u2028", "\x00", "\x1c",
    "\x1f", "\x85",
    " ", "\t", "\n", "\r\n", "\xa0", "　", "a", "the dog ", "no ", "I cannot ", "无", "dog-", "é",
    "[1, 2, 3, 4]", "[1,2", "(1,2),(3,4)", "[0.1,0.2,0.3,0.4]", "<1><2><3><4>", "<0001>", "</",
)
# fmt: on


def specs() -> Iterator[str]:
    """Every dialect by name, and some with what may stand after the colon."""
    for family in FAMILIES:
        for argument in ARGUMENTS.get(family, ("",)):
            yield f"{family}:{argument}" if argument else family


def every_dialect() -> list[Dialect]:
    """Every dialect with either parser."""
    return [find(spec, parser) for spec in specs() for parser in PARSERS]


def replies() -> list[Mapping[str, object]]:
    """The records of the conformance file of dialects."""
    return [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]


def reading_of(dialect: Dialect, text: str) -> Reading:
    """The dialect's reading of a text, held against what must be true of any.

    Raises:
        AssertionError: a rule is broken; names the rule, the dialect and the text.
    """
    given = GIVEN if dialect.beside is not None else None
    reading = dialect.read(text, SIZES, given)
    for rule in broken(reading, dialect):
        said = text if len(text) < 2000 else f"{text[:1000]} ... {text[-1000:]}"
        raise AssertionError(f"{dialect.name} ({dialect.parser}): {rule}\n{said!r}\n{reading}")
    return reading


def broken(reading: Reading, dialect: Dialect) -> Iterator[str]:
    """The rules that a reading breaks."""
    yield from _broken_words(reading)
    yield from _broken_shapes(reading)
    if dialect.parser == "tolerant":
        width, height = SIZES.original
        for x1, y1, x2, y2 in reading.boxes:
            # the arithmetic of a frame may leave the edge by a millionth
            if not (-1e-3 <= x1 <= x2 <= width * 1.00001 and -1e-3 <= y1 <= y2 <= height * 1.00001):
                yield "a tolerantly read box is in order and within the picture"
    try:
        msgspec.json.encode(reading)
    except UnicodeEncodeError as error:
        yield f"it cannot be written down: {error}"


def _broken_words(reading: Reading) -> Iterator[str]:
    if reading.status not in ("ok", "none", "malformed", "refused"):
        yield f"the status is {reading.status}"
    if reading.status == "malformed" and not (reading.fault in FAULTS and reading.reason):
        yield f"malformed needs a known fault and a reason, not {reading.fault!r}"
    if reading.status in ("ok", "none") and reading.fault:
        yield "a fault of what was read"
    if reading.fault == "truncated" and not reading.truncated:
        yield "cut off, and not marked so"
    if not FLAGS.issuperset(reading.flags) or len(set(reading.flags)) < len(reading.flags):
        yield f"flags {reading.flags}"


def _broken_shapes(reading: Reading) -> Iterator[str]:
    shapes: Sequence[tuple[float, ...]] = (*reading.boxes, *reading.points)
    if (reading.status == "ok") != bool(shapes):
        yield "ok means boxes or points, and they mean ok"
    if not all(math.isfinite(value) for shape in shapes for value in shape):
        yield "numbers are finite"
    if any(len(box) != 4 for box in reading.boxes) or any(len(p) != 2 for p in reading.points):
        yield "a box has four numbers, a point two"
    if reading.labels and len(reading.labels) != len(shapes):
        yield f"{len(reading.labels)} labels for {len(shapes)} boxes and points"
    if reading.scores and len(reading.scores) != len(reading.boxes):
        yield f"{len(reading.scores)} scores for {len(reading.boxes)} boxes"


def _harness(dialects: Sequence[Dialect], data: bytes) -> None:
    # the first byte is no part of the text: one dialect a text is ten times as fast as all of them
    if not data:
        return
    text = data[1:].decode("utf-8", "ignore")
    for dialect in dialects[data[0] % len(dialects) :: len(dialects)]:
        begun = time.process_time()
        reading_of(dialect, text)
        took = time.process_time() - begun
        if took > max(_LEAST_S, _SLOW_S * len(text)):
            raise AssertionError(f"{dialect.name} ({dialect.parser}): {took:.2f} s for {text!r}")


def _seed(folder: Path, dialects: Sequence[Dialect]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = [dialect.name for dialect in dialects]
    for number, record in enumerate(replies()):
        family = str(record["dialect"])
        first = names.index(family) if family in names else 0
        for at in (first, first + 1):
            reply = bytes([at]) + str(record["reply"]).encode()
            (folder / f"vector-{number:03}-{at % 2}").write_bytes(reply)


def main() -> None:
    """Runs atheris with the arguments of libFuzzer, the corpus folder first."""
    atheris: Any = import_module("atheris")
    arguments = sys.argv[1:]
    words = Path(arguments[0] if arguments else ".").parent / "marks.dict"
    with atheris.instrument_imports(include=["eyechart"]):
        dialects = every_dialect()
        for dialect in dialects:
            # loads what a reading loads, so that it is instrumented
            reading_of(dialect, "[1, 2, 3, 4]")
    if arguments and not arguments[0].startswith("-") and not Path(arguments[0]).is_file():
        _seed(Path(arguments[0]), dialects)
        quoted = ("".join(f"\\x{byte:02x}" for byte in mark.encode()) for mark in MARKS)
        words.write_text("".join(f'"{mark}"\n' for mark in quoted))
        arguments.append(f"-dict={words}")
    atheris.Setup([sys.argv[0], *arguments], lambda data: _harness(dialects, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
