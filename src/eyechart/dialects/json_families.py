"""The families that write boxes as JSON: their frames, their keys, and how each writes them."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare
from eyechart.dialects.boxes_json import syntax
from eyechart.dialects.frames import Frame
from eyechart.dialects.json_authors import gemini as gemini_reader
from eyechart.dialects.json_authors import qwen3, qwen25, rejecting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.dialects.found import Found, Parser
    from eyechart.dialects.json_authors import Reader
    from eyechart.values import Box


def qwen2_5_vl(argument: str) -> Dialect:
    """Qwen2.5-VL: `bbox_2d` in pixels of the picture as its preprocessing made it; XML points."""
    return _family(
        "qwen2.5-vl",
        argument,
        about='[{"bbox_2d": [x1, y1, x2, y2], "label": ..}] in pixels of the resized picture',
        frame=Frame("seen"),
        reader=qwen25,
        wording=("bbox_2d", 0, True),
        orders=True,
        source="QwenLM/Qwen2.5-VL cookbooks/spatial_understanding.ipynb",
    )


def qwen3_vl(argument: str) -> Dialect:
    """Qwen3-VL: the same JSON in thousandths of width and height."""
    return _family(
        "qwen3-vl",
        argument,
        about='[{"bbox_2d": [x1, y1, x2, y2], "label": ..}] in thousandths of width and height',
        frame=Frame("0-1000"),
        reader=qwen3,
        wording=("bbox_2d", 0, True),
        source="QwenLM/Qwen3-VL evaluation/ODinW-13/run_odinw.py, cookbooks",
    )


def mimo_vl(argument: str) -> Dialect:
    """MiMo-VL: `bbox_2d` in pixels of the picture as its preprocessing made it."""
    return _family(
        "mimo-vl",
        argument,
        about='{"bbox_2d": [x1, y1, x2, y2]} in pixels of the resized picture',
        frame=Frame("seen"),
        wording=("bbox_2d", 0, False),
        source="lirang04/GroundingME smart_resize_mimo",
    )


def gemini(argument: str) -> Dialect:
    """Gemini: `box_2d` in thousandths, y first; `point` likewise."""
    return _family(
        "gemini",
        argument,
        about='[{"box_2d": [y1, x1, y2, x2], "label": ..}] in thousandths, y first',
        frame=Frame("0-1000", "yxyx"),
        reader=gemini_reader,
        wording=("box_2d", 0, True),
        orders=True,
        source="google-gemini/cookbook quickstarts/Spatial_understanding.ipynb",
    )


def kimi_vl(argument: str) -> Dialect:
    """Kimi-VL: `bbox_2d` as ratios, three decimals; clicks as Python calls."""
    return _family(
        "kimi-vl",
        argument,
        about='{"bbox_2d": [0.280, 0.500, 0.520, 0.700]} as ratios of width and height',
        frame=Frame("0-1"),
        wording=("bbox_2d", 3, False),
        source="MoonshotAI/Kimi-VL issues 52 and 56 (users' reports)",
    )


def claude(argument: str) -> Dialect:
    """Claude: `[x1, y1, x2, y2]` in pixels of the picture after its own downscaling."""
    return _family(
        "claude",
        argument,
        about="[x1, y1, x2, y2] in pixels of the picture after Claude's own downscaling",
        frame=Frame("seen"),
        wording=("", 0, False),
        source="platform.claude.com vision-coordinates page",
    )


def gpt(argument: str) -> Dialect:
    """GPT: no form of its own; JSON as prompted, in pixels of the picture that was sent."""
    return _family(
        "gpt",
        argument,
        about='{"bbox": [x1, y1, x2, y2]} as prompted, in pixels of the picture as it was sent',
        frame=Frame("sent"),
        wording=("bbox", 0, True),
        source="a convention of eyechart: no form is documented",
    )


def moondream(argument: str) -> Dialect:
    """Moondream's API: `x_min, y_min, x_max, y_max` or `x, y` as ratios; its bins too."""
    return Dialect(
        name=_checked("moondream", argument),
        about='{"objects": [{"x_min": .., "y_min": .., "x_max": .., "y_max": ..}]} as ratios',
        frame=Frame("0-1"),
        syntax=partial(syntax, bins=True),
        write=_write_moondream,
        source="vikhyat/moondream moondream/torch/moondream.py",
    )


def _checked(name: str, argument: str) -> str:
    bare(name, argument)
    return name


def _family(
    name: str,
    argument: str,
    *,
    about: str,
    frame: Frame,
    wording: tuple[str, int, bool],
    source: str,
    reader: Reader | None = None,
    orders: bool = False,
) -> Dialect:
    """One of the families.

    `reader` is the authors' own; where none is published both parsers read alike. `wording` is the key, the decimals, and whether boxes stand in a list.
    """

    def read(text: str, parser: Parser) -> Found:
        if reader is None or parser == "tolerant":
            return syntax(text, parser, order=frame.order)
        return rejecting(text, reader, partial(syntax, parser=parser, order=frame.order))

    return Dialect(
        name=_checked(name, argument),
        about=about,
        frame=frame,
        syntax=read,
        write=partial(_write, frame, *wording),
        source=source,
        orders_corners=orders,
    )


def _write(
    frame: Frame,
    key: str,
    decimals: int,
    listed: bool,
    named: Sequence[tuple[str | None, Box]],
    sizes: Sizes,
) -> str:
    rows = []
    for label, box in named:
        numbers = [_number(value, decimals) for value in frame.write(box, sizes)]
        values = f"[{', '.join(numbers)}]"
        said = f', "label": {json.dumps(label, ensure_ascii=False)}' if label is not None else ""
        rows.append(f'{{"{key}": {values}{said}}}' if key else values)
    if key and not listed and len(rows) == 1:
        return rows[0]
    body = ",\n\t".join(rows)
    if not key:
        return "\n".join(rows) if rows else "[]"
    return f"```json\n[\n\t{body}\n]\n```" if rows else "```json\n[]\n```"


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" if decimals else str(round(value))


def _write_moondream(named: Sequence[tuple[str | None, Box]], sizes: Sizes) -> str:
    names = ("x_min", "y_min", "x_max", "y_max")
    boxes = [Frame("0-1").write(box, sizes) for _, box in named]
    return json.dumps({"objects": [dict(zip(names, box, strict=True)) for box in boxes]})
