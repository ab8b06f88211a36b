"""Texts that point to boxes given as numbers beside them: Groma, LLaVA-Grounding.

Sources: FoundationVision/Groma groma/eval/eval_rec.py; UX-Decoder/LLaVA-Grounding
llava/eval/LLaVA_G_Eval.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, chat_tokens, marks
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.values import Box, RawBoxes

# both families' boxes
_CENTRES = Frame("0-1", "cxcywh")
# the scales that need no size of a picture
_RATIOS = ("0-1", "0-100", "0-999", "0-1000")

# a phrase, or an index into the proposals (counted from 0)
_GROMA = re.compile(
    r"<p>(?P<label>[^<]*+)(?:</p>)?|<\s*+r\s*+(?P<index>[0-9]{1,9})\s*+>|(?P<open><roi>)"
)
# a phrase, or a place for the next box
_LLAVA = re.compile(r"<g_s>(?P<label>[^<]*+)(?:<g_e>)?|(?P<seg><seg>)")


def groma(argument: str = "") -> Dialect:
    """The dialect `groma`: `<p>two cups</p><roi><r0><r2></roi>` and proposals beside it.

    Raises:
        UsageError: anything after the colon.
    """
    bare("groma", argument)
    return Dialect(
        name="groma",
        about="<p>two cups</p><roi><r0><r2></roi>, indices into boxes cx, cy, w, h in 0-1 beside it",
        frame=_CENTRES,
        syntax=groma_syntax,
        write=groma_write,
        source="FoundationVision/Groma groma/eval/eval_rec.py",
        beside=groma_beside,
    )


def groma_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """A text alone: no index stands for anything."""
    return groma_beside(text, None, parser)


def groma_beside(text: str, given: RawBoxes | None, parser: Parser = "tolerant") -> Found:
    """The proposals that `<rN>` picks, N from 0; what points beyond them is left out."""
    return _read(_groma_places(_plain(text, parser)), text, given, "proposal <rN>")


def groma_write(named: Sequence[tuple[str | None, Box]], _sizes: Sizes) -> str:
    """The text for these boxes, given beside it in this order."""
    return " ".join(
        (f"<p>{label}</p>" if label else "") + f"<roi><r{place}></roi>"
        for place, (label, _) in enumerate(named)
    )


def llava_grounding(argument: str = "") -> Dialect:
    """The dialect `llava-grounding`: `<g_s> a bat <g_e> <seg>` and boxes beside it.

    Raises:
        UsageError: anything after the colon.
    """
    bare("llava-grounding", argument)
    return Dialect(
        name="llava-grounding",
        about="<g_s> a bat <g_e> <seg>, the n-th <seg> being the n-th box cx, cy, w, h in 0-1 "
        "beside it",
        frame=_CENTRES,
        syntax=llava_grounding_syntax,
        write=llava_grounding_write,
        source="UX-Decoder/LLaVA-Grounding llava/eval/LLaVA_G_Eval.py",
        beside=llava_grounding_beside,
    )


def llava_grounding_syntax(text: str, parser: Parser = "tolerant") -> Found:
    """A text alone: no `<seg>` stands for anything."""
    return llava_grounding_beside(text, None, parser)


def llava_grounding_beside(text: str, given: RawBoxes | None, parser: Parser = "tolerant") -> Found:
    """The n-th box for the n-th `<seg>`, with the phrase before it."""
    return _read(_llava_places(_plain(text, parser)), text, given, "<seg>")


def llava_grounding_write(named: Sequence[tuple[str | None, Box]], _sizes: Sizes) -> str:
    """The text for these boxes, given beside it in this order."""
    return " ".join((f"<g_s> {label} <g_e> " if label else "") + "<seg>" for label, _ in named)


def _plain(text: str, parser: Parser) -> str:
    return chat_tokens.without(text) if parser == "tolerant" else text


def _groma_places(text: str) -> Iterator[tuple[int, str | None]]:
    """Each index with its phrase: the one directly before its `<roi>`."""
    label, last, fresh = None, 0, False
    for match in _GROMA.finditer(text):
        if match["label"] is not None:
            label, fresh = match["label"].strip() or None, True
        elif match["open"]:
            if not fresh or text[last : match.start()].strip():
                label = None
            fresh = False
        else:
            yield int(match["index"]), label
        last = match.end()


def _llava_places(text: str) -> Iterator[tuple[int, str | None]]:
    """Each `<seg>` by its number with the phrase before it, which goes with one alone."""
    label, number = None, 0
    for match in _LLAVA.finditer(text):
        if match["label"] is not None:
            label = match["label"].strip() or None
        else:
            yield number, label
            label, number = None, number + 1


def _read(
    places: Iterator[tuple[int, str | None]], text: str, given: RawBoxes | None, mark: str
) -> Found:
    found = Found(truncated=marks.is_cut(text))
    pointers = list(places)
    if not pointers:
        found.fault, found.reason = (
            ("truncated", "") if found.truncated else ("no_box", f"no {mark}")
        )
        return found
    if given is None:
        found.fault = "index_out_of_range"
        found.reason = f"the text points to boxes ({mark}), and none are given beside it"
        return found
    try:
        boxes = _centres(given)
    except UsageError as error:
        return Found(fault="invalid_box", reason=str(error))
    for index, label in pointers:
        if index < len(boxes):
            found.boxes.append(boxes[index])
            found.labels.append(label)
        else:
            found.dropped += 1
    if not found.boxes:
        found.fault, found.dropped = "index_out_of_range", 0
        found.reason = f"{mark} beyond the {len(boxes)} boxes given beside the text"
    return found


def _centres(given: RawBoxes) -> Sequence[tuple[float, ...]]:
    """The boxes given beside a text as cx, cy, w, h in 0-1.

    Raises:
        UsageError: a form that is not known, or one that needs the size of a picture.
    """
    from eyechart.dialects.tensors import frame_of

    frame = frame_of(given.format)
    if frame == _CENTRES:
        return given.boxes
    if frame.scale not in _RATIOS:
        raise UsageError(
            f"the boxes beside the text are {given.format}; they must be parts of the picture's "
            "width and height, such as cxcywh-ratio or xyxy-ratio"
        )
    one = Sizes((1, 1))
    return [_CENTRES.write(frame.to_pixels(box, one), one) for box in given.boxes]
