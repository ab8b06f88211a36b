"""Boxes of detectors printed as JSON with their scores and labels: MDETR, TransVG, Grounding DINO.

`{"boxes_cxcywh": [[cx, cy, w, h], ...], "scores": [...], "labels": [...]}`, or one `box_cxcywh`.
Sources: ashkamath/mdetr models/postprocessors.py; djiajunustc/TransVG datasets/transforms.py;
huggingface/transformers models/grounding_dino.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from eyechart.dialects import Dialect, Sizes, bare
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.values import Box

_RATIO, _SQUARE = Frame("0-1", "cxcywh"), Frame("transvg", "cxcywh")
_THRESHOLD = 0.25
_KEYS = ("boxes_cxcywh", "box_cxcywh")

_KEY = re.compile(r"""["']([A-Za-z_]{1,40})["']\s*+:""")
_LIST = re.compile(r"\[([^\[\]]*+)\]")
_OPEN_LIST = re.compile(r"\s*+\[([^\[\]]*+)(\]?)")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?|\.[0-9]{1,400}+)(?:[eE][+-]?[0-9]{1,4})?"
)
# beyond this a number is nothing that a picture has, and arithmetic with it overflows
_MOST = 1e100
_STRING = re.compile(r""""((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'""", re.DOTALL)


def mdetr(argument: str = "") -> Dialect:
    """The dialect `mdetr`: boxes cx, cy, w, h in 0-1, the best score first.

    Raises:
        UsageError: anything after the colon.
    """
    bare("mdetr", argument)
    return Dialect(
        name="mdetr",
        about='{"boxes_cxcywh": [[0.5, 0.5, 0.2, 0.4]], "scores": [0.9]}, ratios',
        frame=_RATIO,
        syntax=partial(syntax, None),
        write=partial(write, _RATIO),
        source="ashkamath/mdetr models/postprocessors.py",
    )


def transvg(argument: str = "") -> Dialect:
    """The dialect `transvg`: one box in 0-1 of a padded square, clipped to that square first.

    Raises:
        UsageError: anything after the colon.
    """
    bare("transvg", argument)
    return Dialect(
        name="transvg",
        about='{"box_cxcywh": [0.5, 0.5, 0.25, 0.5]}, ratios of the padded 640 px square',
        frame=_SQUARE,
        syntax=partial(syntax, None),
        write=partial(write, _SQUARE),
        source="djiajunustc/TransVG datasets/transforms.py",
        to_box=_clipped_to_square,
    )


def grounding_dino(argument: str = "") -> Dialect:
    """The dialect `grounding-dino[:<threshold>]`: as `mdetr`, boxes with a score above 0.25 alone.

    Raises:
        UsageError: a threshold that is no number from 0 to 1.
    """
    threshold = _THRESHOLD
    if argument:
        try:
            threshold = float(argument)
        except ValueError:
            threshold = math.nan
        if not 0 <= threshold <= 1:
            raise UsageError(
                f"grounding-dino:{argument}: the score that a box must exceed is a number from 0 "
                "to 1."
            )
    return Dialect(
        name="grounding-dino" if threshold == _THRESHOLD else f"grounding-dino:{threshold:g}",
        about='{"boxes_cxcywh": [[0.5, 0.5, 0.2, 0.4]], "scores": [0.62], "labels": ["a cat"]}, '
        f"ratios, score > {threshold:g}",
        frame=_RATIO,
        syntax=partial(syntax, threshold),
        write=partial(write, _RATIO),
        source="huggingface/transformers models/grounding_dino/processing_grounding_dino.py",
    )


def syntax(threshold: float | None, text: str, parser: Parser = "tolerant") -> Found:
    """Boxes, the best score first, those with a score up to `threshold` left out.

    An empty list, or one with no score above the threshold, is an answer: there is no such thing.
    The tolerant reader also takes JSON in prose, almost-JSON, and of JSON that was cut short the
    whole boxes; those whose score was cut off come last. No other keys are read: `boxes` alone
    would not say what its numbers are.
    """
    whole = _loaded(text)
    if whole is not None:
        return _ranked(_of_json(whole), threshold, exact=True)
    loose = _ranked(_of_text(text), threshold, exact=False)
    if parser == "authors" and (loose.boxes or loose.none):
        return Found(fault="author_parser_rejects", truncated=loose.truncated)
    return loose


def write(frame: Frame, named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    """These boxes as JSON, all with score 1: there are no scores to write."""
    boxes = [list(frame.write(box, sizes)) for _, box in named]
    if frame is _SQUARE and len(boxes) == 1:
        return json.dumps({"box_cxcywh": boxes[0]})
    said: dict[str, Any] = {"boxes_cxcywh": boxes, "scores": [1.0] * len(boxes)}
    if any(label is not None for label, _ in named):
        said["labels"] = [label for label, _ in named]
    return json.dumps(said, ensure_ascii=False)


def _clipped_to_square(numbers: Sequence[float], sizes: Sizes, _parser: Parser) -> Box:
    cx, cy, width, height = numbers
    corners = (cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2)
    return Frame("transvg").to_pixels([min(max(v, 0.0), 1.0) for v in corners], sizes)


@dataclass(slots=True)
class _Rows:
    """What a reply holds: boxes of any length (None: no such key), scores, labels."""

    boxes: list[list[Any]] | None = None
    scores: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    truncated: bool = False


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) and any(key in said for key in _KEYS) else None


def _of_json(said: dict[str, Any]) -> _Rows:
    boxes = _listed(next(said[key] for key in _KEYS if key in said))
    if boxes and not isinstance(boxes[0], list):
        boxes = [boxes]
    rows = [one if isinstance(one, list) else [one] for one in boxes if one != []]
    return _Rows(rows, _listed(said.get("scores")), _listed(said.get("labels")))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _of_text(text: str) -> _Rows:
    rows = _Rows(truncated=text.count("[") > text.count("]") or text.count("{") > text.count("}"))
    keys = list(_KEY.finditer(text))
    ends = [key.start() for key in keys[1:]] + [len(text)]
    for key, end in zip(keys, ends, strict=False):
        part, name = text[key.end() : end], key[1].lower()
        if name in _KEYS:
            rows.boxes = [] if rows.boxes is None else rows.boxes
            rows.boxes += _lists(part)
        elif name == "scores" and (open_list := _OPEN_LIST.match(part)):
            # the last number of a list that is cut may be cut itself
            rows.scores = _items(open_list[1])[: None if open_list[2] else -1]
        elif name == "labels":
            found = _STRING.findall(part)
            rows.labels = [double or single for double, single in found]
    if not keys and "[" in text:
        rows.boxes = _lists(text)
    return rows


def _lists(text: str) -> list[list[Any]]:
    """The innermost lists of a text that are closed and not empty."""
    return [items for content in _LIST.findall(text) if (items := _items(content))]


def _items(content: str) -> list[Any]:
    parts = [part.strip() for part in content.split(",")]
    if not parts[-1]:
        parts.pop()
    return [float(part) if _NUMBER.fullmatch(part) else part for part in parts]


def _ranked(rows: _Rows, threshold: float | None, *, exact: bool) -> Found:
    """Boxes by falling score; where `exact`, every box needs its score and label, if any has one."""
    found = Found(truncated=rows.truncated)
    if not rows.boxes:
        found.none = rows.boxes is not None and not rows.truncated
        found.fault = "truncated" if rows.truncated else "no_box"
        found.reason = "" if rows.truncated else f"no {_KEYS[0]}"
        return found
    boxes = rows.boxes
    if exact:
        for name, column in (("scores", rows.scores), ("labels", rows.labels)):
            if column and len(column) != len(boxes):
                found.fault, found.reason = (
                    "wrong_count",
                    f"{len(boxes)} boxes, {len(column)} {name}",
                )
                return found
    if not all(map(_is_number, rows.scores)):
        found.fault, found.reason = "not_numeric", "a score is no number"
        return found
    places = [
        place for place, box in enumerate(boxes) if len(box) == 4 and all(map(_is_number, box))
    ]
    found.dropped = len(boxes) - len(places)
    if not places:
        words = not all(_is_number(value) for box in boxes for value in box)
        lengths = sorted({len(box) for box in boxes})
        found.fault, found.dropped = ("not_numeric" if words else "wrong_count"), 0
        found.reason = "" if words else f"a box has four numbers, here {lengths[0]}"
        return found
    _rank(found, rows, places, threshold)
    return found


def _rank(found: Found, rows: _Rows, places: list[int], threshold: float | None) -> None:
    scores = [float(score) for score in rows.scores]
    known = [place for place in places if place < len(scores)]
    known.sort(key=lambda place: -scores[place])
    if threshold is not None:
        known = [place for place in known if scores[place] > threshold]
    order = known + [place for place in places if place >= len(scores)]
    found.none = not order
    for place in order:
        found.boxes.append(tuple(map(float, (rows.boxes or [])[place])))
        label = rows.labels[place] if place < len(rows.labels) else None
        # an escape of half a character is no text that can be kept
        said = None if label is None else str(label).encode("utf-8", "replace").decode()
        found.labels.append(said)
    if len(known) == len(order):
        found.scores = [scores[place] for place in order]


def _is_number(value: Any) -> bool:
    """Whether a value of JSON is a finite number, small enough to reckon with."""
    return type(value) in (int, float) and -_MOST < value < _MOST
