"""Boxes as runs of location tokens: OFA, Florence-2, PaliGemma.

Four tokens in a row are a box, further ones of the same run the next; one to three that are left
over are no box. Sources: OFA-Sys/OFA tasks/mm_tasks/refcoco.py; huggingface/transformers
models/florence2; google-research/big_vision evaluators/proj/paligemma/transfers/segmentation.py.
"""

from __future__ import annotations

import math
import re
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, marks
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.values import Box

# bins of OFA count in units of this side, whatever the side of the picture that it was fed
_OFA_SIDE = 512
_OFA, _FLORENCE, _PALIGEMMA = Frame("0-999"), Frame("centres-1000"), Frame("0-1023", "yxyx")


def _runs(token: str, between: str, digits: str = "[0-9]{1,9}") -> re.Pattern[str]:
    """Four tokens (four groups), or the one to three that are left of a run (no group)."""
    box = between.join([token.replace("#", f"({digits})")] * 4)
    one = token.replace("#", digits)
    return re.compile(f"{box}|{one}(?:{between}{one}){{0,2}}+", re.IGNORECASE)


_LOOSE = r"[\s,]*+"
_OFA_RUN = _runs(r"<\s*+bin_?\s*+#\s*+>", _LOOSE)
_LOC_RUN = _runs(r"<\s*+loc_?\s*+#\s*+>", _LOOSE)
_FLORENCE_RUN = _runs("<loc_#>", "")
_PALIGEMMA_RUN = _runs("<loc#>", "", "[0-9]{4}")
_ENDS = re.compile("</?s>|<pad>")
_POLYGON = re.compile(r"<poly>(?:<loc_[0-9]{1,9}>|<sep>|[\s,]++)*+(?:</poly>)?+")
_SEGMENT = re.compile(r"(?:<seg_?[0-9]{1,9}>\s*+)++", re.IGNORECASE)


def _boxes(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Begin, end and numbers of each box; no numbers for what is left of a run."""
    for match in pattern.finditer(text):
        yield match.start(), match.end(), tuple(map(int, match.groups() if match[1] else ()))


# ---- OFA


def ofa(argument: str = "") -> Dialect:
    """The dialect `ofa[:<side>]`: `<bin_102> <bin_145> <bin_540> <bin_876>`, bins 0 to 999.

    A bin counts in units of 512 pixels (`max_image_size`); where the model was fed squares of
    another side, such as 384, its last bin lies beyond the picture, and the side must be said.

    Raises:
        UsageError: a side that is no whole number from 1 to 512.
    """
    side = argument or str(_OFA_SIDE)
    if not (side.isascii() and side.isdigit() and 0 < int(side[:6]) <= _OFA_SIDE):
        raise UsageError(
            f"ofa:{argument}: the side of the square that the model was fed is a whole number of "
            f"pixels from 1 to {_OFA_SIDE}."
        )
    fed = int(side)
    own = fed == _OFA_SIDE
    return Dialect(
        name="ofa" if own else f"ofa:{fed}",
        about="<bin_102> <bin_145> <bin_540> <bin_876>, bin/999 of each side"
        + ("" if own else f", counted in 512 px of a picture fed at {fed} px"),
        frame=_OFA,
        syntax=ofa_syntax,
        write=partial(ofa_write, fed),
        source="OFA-Sys/OFA tasks/mm_tasks/refcoco.py",
        to_box=None if own else partial(_fed_box, fed),
    )


def ofa_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Runs of four bins; one box has no label."""
    return marks.read(text, parser, _ofa_found, _ofa_found)


def ofa_write(fed: int, named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """The bins of these boxes; the family has no words beside them."""
    scale = fed / _OFA_SIDE
    rows = (marks.bins([v * scale for v in _OFA.write(box, sizes)], 999) for _, box in named)
    return " ".join(f"<bin_{value}>" for row in rows for value in row)


def _ofa_found(text: str) -> Found:
    found, tokens = Found(), 0
    for begin, end, numbers in _boxes(_OFA_RUN, text):
        if numbers:
            found.boxes.append(numbers)
            found.labels.append(None)
        else:
            tokens += text.count("<", begin, end)
            found.dropped += 1
    return marks.explain(found, tokens, text, "<bin_N>")


def _fed_box(fed: int, numbers: Sequence[float], sizes: Sizes, _parser: Parser) -> Box:
    return _OFA.to_pixels([value * _OFA_SIDE / fed for value in numbers], sizes)


# ---- Florence-2


def florence2(argument: str = "") -> Dialect:
    """The dialect `florence-2`: `the car<loc_54><loc_375><loc_906><loc_707>`.

    Raises:
        UsageError: anything after the colon.
    """
    bare("florence-2", argument)
    return Dialect(
        name="florence-2",
        about="the car<loc_54><loc_375><loc_906><loc_707>, (bin + 0.5)/1000 of each side",
        frame=_FLORENCE,
        syntax=florence2_syntax,
        write=florence2_write,
        source="huggingface/transformers models/florence2/processing_florence2.py",
    )


def florence2_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Runs of location tokens after their phrase; polygons are left out.

    The authors' reader drops boxes without a phrase (but for region proposals) and the characters
    of a phrase that are not ASCII. Its list of words that are no phrase ("it", "the image" ...) is
    a setting of one task and not applied.
    """
    return marks.read(text, parser, _florence_found, _florence_authors)


def florence2_write(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """Each phrase once, then its boxes: floor(1000 * v / side), as the authors encode."""
    said = []
    for label, group in groupby(named, key=lambda one: one[0]):
        said.append(label or "")
        for _, box in group:
            # floor, not round: the frame's numbers are those of the bins' middles
            values = [math.floor(v + 0.5 + 1e-9) for v in _FLORENCE.write(box, sizes)]
            said += [f"<loc_{value}>" for value in marks.bins(values, 999)]
    return "".join(said)


def _florence_found(text: str) -> Found:
    text, polygons = _POLYGON.subn("", text)
    found, tokens, last, label = Found(dropped=polygons), 0, 0, None
    for begin, end, numbers in _boxes(_LOC_RUN, text):
        gap = text[last:begin]
        if gap.strip(" \n\t,"):
            label = gap.rpartition(">")[2].strip(" \n\t,;") or None
        last = end
        if numbers:
            found.boxes.append(numbers)
            found.labels.append(label)
        else:
            tokens += text.count("<", begin, end)
            found.dropped += 1
    if polygons and not tokens and not found.boxes:
        return Found(fault="no_box", reason="a polygon and no box", truncated=marks.is_cut(text))
    return marks.explain(found, tokens, text, "<loc_N>")


def _florence_authors(text: str) -> Found:
    text, polygons = _POLYGON.subn("", _ENDS.sub("", text))
    found, last, label = Found(dropped=polygons), 0, None
    for begin, end, numbers in _boxes(_FLORENCE_RUN, text):
        if begin > last:
            label = _phrase_of_authors(text[last:begin])
        last = end
        if numbers and label is not None:
            found.boxes.append(numbers)
            found.labels.append(label or None)
        else:
            found.dropped += 1
    found.truncated = marks.is_cut(text)
    return found


def _phrase_of_authors(gap: str) -> str | None:
    """The phrase that the authors' patterns find before a box; None where they find none."""
    phrase = gap.rpartition("<")[2]
    # their dot does not match a line end
    if not phrase or "\n" in phrase.lstrip():
        return None
    return phrase.strip().encode("ascii", "ignore").decode()


# ---- PaliGemma


def paligemma(argument: str = "") -> Dialect:
    """The dialect `paligemma`: `<loc0722><loc0047><loc0895><loc0378> car ; ...`, y before x.

    Raises:
        UsageError: anything after the colon.
    """
    bare("paligemma", argument)
    return Dialect(
        name="paligemma",
        about="<loc0722><loc0047><loc0895><loc0378> car, y first, index/1023 of each side",
        frame=_PALIGEMMA,
        syntax=paligemma_syntax,
        write=paligemma_write,
        source="google-research/big_vision evaluators/proj/paligemma/transfers/segmentation.py",
    )


def paligemma_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """Four tokens, then sixteen of a mask (passed over), then the label, up to a semicolon.

    The authors take tokens of exactly four digits, and a box only if its numbers are 0 to 1023 and
    its second corner lies below and right of the first.
    """
    return marks.read(text, parser, _paligemma_found, _paligemma_authors, json="yxyx")


def paligemma_write(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """Each box with its label behind it: round(1023 * v / side) in four digits."""
    said = []
    for label, box in named:
        values = marks.bins(_PALIGEMMA.write(box, sizes), 1023)
        said.append("".join(f"<loc{v:04}>" for v in values) + (f" {label}" if label else ""))
    return " ; ".join(said)


def _paligemma_found(text: str) -> Found:
    return _paligemma(_LOC_RUN, text)


def _paligemma_authors(text: str) -> Found:
    found = _paligemma(_PALIGEMMA_RUN, text)
    if not found.boxes:
        return Found()
    kept = [
        (box, label)
        for box, label in zip(found.boxes, found.labels, strict=True)
        if max(box) <= 1023 and box[2] > box[0] and box[3] > box[1]
    ]
    if not kept:
        return Found(
            fault="invalid_box",
            reason="a box needs numbers up to 1023 and its second corner below and right",
        )
    found.dropped += len(found.boxes) - len(kept)
    found.boxes, found.labels = [box for box, _ in kept], [label for _, label in kept]
    return found


def _paligemma(pattern: re.Pattern[str], text: str) -> Found:
    found, tokens, last, behind = Found(), 0, 0, False
    for begin, end, numbers in _boxes(pattern, text):
        if behind:
            found.labels.append(_label_behind(text[last:begin]))
        last, behind = end, bool(numbers)
        if numbers:
            found.boxes.append(numbers)
        else:
            tokens += text.count("<", begin, end)
            found.dropped += 1
    if behind:
        found.labels.append(_label_behind(text[last:]))
    return marks.explain(found, tokens, text, "<locNNNN>")


def _label_behind(gap: str) -> str | None:
    gap = _SEGMENT.sub("", gap).partition(";")[0]
    return gap.partition("<")[0].strip(" \n\t\r,.") or None
