"""Boxes as two corners in round brackets, `(x1,y1),(x2,y2)`: Qwen-VL and Qwen2-VL.

Sources: QwenLM/Qwen-VL README.md, TUTORIAL.md and eval_mm/evaluate_grounding.py (which divides by
999); for Qwen2-VL QwenLM/Qwen3-VL qwen-vl-finetune/tools/process_bbox.ipynb (which divides by 1000).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, box_tags, number_lists
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.dialects.number_lists import Habits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.values import Box

_QWEN_VL, _QWEN2_VL = Frame("0-999"), Frame("0-1000")
_QUAD = re.compile("<quad>[^<]*+")
_HABITS = Habits(quads=True, words=box_tags.glued)
_HABITS_2 = Habits(words=box_tags.glued)


def qwen_vl(argument: str) -> Dialect:
    """The dialect `qwen-vl`: `<ref>a dog</ref><box>(x1,y1),(x2,y2)</box>`, 0 to 999.

    The authors' reader takes brackets with nothing but a comma between; where it cannot read the
    first, nothing counts. A quadrilateral is read as the box around it, by the tolerant reader
    alone.

    Raises:
        UsageError: anything after the colon.
    """
    bare("qwen-vl", argument)
    return Dialect(
        name="qwen-vl",
        about="<ref>a dog</ref><box>(451,379),(731,806)</box>, 0-999",
        frame=_QWEN_VL,
        syntax=_read_qwen_vl,
        write=partial(_write, _QWEN_VL, "<ref>{}</ref>", "<box>({},{}),({},{})</box>"),
        source="QwenLM/Qwen-VL eval_mm/evaluate_grounding.py",
    )


def qwen2_vl(argument: str) -> Dialect:
    """The dialect `qwen2-vl`: the corners of `qwen-vl` in other tags, 0 to 1000.

    Its authors publish no reader: both parsers read alike.

    Raises:
        UsageError: anything after the colon.
    """
    bare("qwen2-vl", argument)
    return Dialect(
        name="qwen2-vl",
        about="<|object_ref_start|>a dog<|object_ref_end|><|box_start|>(228,320),(961,970)"
        "<|box_end|>, 0-1000",
        frame=_QWEN2_VL,
        syntax=_read_qwen2_vl,
        write=partial(
            _write,
            _QWEN2_VL,
            "<|object_ref_start|>{}<|object_ref_end|>",
            "<|box_start|>({},{}),({},{})<|box_end|>",
        ),
        source="QwenLM/Qwen3-VL qwen-vl-finetune/tools/process_bbox.ipynb",
    )


def _read_qwen_vl(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _HABITS)
    found = Found()
    spans: list[tuple[int, int]] = []
    whole, text = text, _QUAD.sub(" ", text)
    for start, middle, end in _brackets(text):
        box = _corners(text[start + 1 : middle], text[middle + 3 : end])
        if box is not None:
            found.boxes.append(box)
            spans.append((start, end + 1))
        elif not found.boxes:
            # the first decides, and is scored as an empty box
            break
        else:
            found.dropped += 1
    found.labels = box_tags.labelled(text, spans)
    return number_lists.as_authors(found, whole, _HABITS)


def _read_qwen2_vl(text: str, _parser: Parser) -> Found:
    return number_lists.read(text, _HABITS_2)


def _brackets(text: str) -> Iterator[tuple[int, int, int]]:
    """Where `(`, `),(` and `)` stand in each pair of brackets of a line, as short as they can be.

    The first bracket is the first of its line that is not used up, so that words before the
    numbers spoil a box, as they do for the authors.
    """
    at = 0
    while (middle := text.find("),(", at)) >= 0:
        line = text.rfind("\n", at, middle) + 1
        start = text.find("(", max(at, line), middle)
        end = text.find(")", middle + 3)
        newline = text.find("\n", middle + 3, end if end >= 0 else None)
        if end < 0:
            return
        if start >= 0 and newline < 0:
            yield start, middle, end
            at = end + 1
        else:
            at = middle + 2 if start < 0 else newline + 1


def _corners(first: str, second: str) -> tuple[float, ...] | None:
    try:
        x1, y1 = map(float, first.split(","))
        x2, y2 = map(float, second.split(","))
    except ValueError:
        return None
    return x1, y1, x2, y2


def _write(
    frame: Frame,
    phrase: str,
    form: str,
    named: Sequence[tuple[str | None, Box]],
    sizes: Sizes,
) -> str:
    said = []
    for label, box in named:
        numbers = (round(value) for value in frame.write(box, sizes))
        said.append((phrase.format(label) if label else "") + form.format(*numbers))
    return "".join(said)
