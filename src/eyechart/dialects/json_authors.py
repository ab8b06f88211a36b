"""How the authors' own code reads JSON with boxes, where they published any.

Each reader gives what that code takes, and None where it takes nothing: where it raises an error.
A box with a number missing or with words for numbers is an error too, and is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eyechart.dialects.found import Found
from eyechart.dialects.json_literal import json_value, python_value
from eyechart.dialects.json_points import element_points
from eyechart.dialects.json_tokens import well_formed

Reader = Callable[[str], Found | None]
Tolerant = Callable[[str], Found]


def rejecting(text: str, read: Reader, tolerant: Tolerant) -> Found:
    """What the authors' reader finds; else why nothing, as a `tolerant` reader sees it.

    A reply in which boxes stand that the reader does not take is in a form that the authors reject.
    """
    found = read(text)
    if found is not None and (found.boxes or found.points or found.none):
        return found
    there = tolerant(text)
    if found is not None and found.fault:
        found.truncated = there.truncated
        return found
    if there.boxes or there.points:
        return Found(
            fault="author_parser_rejects",
            reason="the authors' own reader takes nothing from this form",
            truncated=there.truncated,
        )
    return there


def qwen25(text: str) -> Found | None:
    """As Qwen2.5-VL's cookbook does, without its int(), which is for drawing.

    What a fence marked json holds, as a Python literal; if it is none, all up to the last `"}` with
    the list closed behind it. One object stands for a list of one. Points are one XML element.
    Source: QwenLM/Qwen2.5-VL cookbooks/spatial_understanding.ipynb.
    """
    if "<point" in text:
        tags = element_points(text.replace("```xml", "").replace("```", ""))
        return Found(points=tags.points, point_labels=tags.labels) if tags is not None else None
    inside, cut = _fenced(text), False
    try:
        rows = python_value(inside)
    except ValueError:
        # from the first character on, where there is no such end: as the cookbook has it
        end = inside.rfind('"}') + len('"}')
        cut = True
        try:
            rows = python_value(inside[:end] + "]")
        except ValueError:
            return None
    found = _rows(rows if isinstance(rows, list) else [rows], "bbox_2d", "point_2d")
    if cut and not rows:
        return None
    if cut and found is not None:
        found.truncated = not inside[end:].lstrip().startswith("]")
    return found


def qwen3(text: str) -> Found | None:
    """As the ODinW-13 evaluation does, and points as the cookbook.

    The fences' marks are deleted and the rest is a Python literal: a list of objects, each with a
    label. An object without four numbers is left out.
    Source: QwenLM/Qwen3-VL evaluation/ODinW-13/run_odinw.py, cookbooks/spatial_understanding.ipynb.
    """
    if "point_2d" in text and "bbox_2d" not in text:
        return _qwen3_points(text)
    found = Found()
    try:
        rows = python_value(text.replace("```json", "").replace("```", "").lstrip(" \t\n"))
        if not isinstance(rows, list):
            return None
        for row in rows:
            box = row.get("bbox_2d", [])
            if len(box) != 4:
                found.dropped += 1
                continue
            found.boxes.append(box)
            found.labels.append(_label(row["label"]))
    except (ValueError, AttributeError, TypeError, KeyError):
        return None
    found.none = not rows
    numbers = [_numbers(box, 4) for box in found.boxes]
    faults = [box for box in numbers if isinstance(box, str)]
    if faults:
        return Found(fault=faults[0])
    found.boxes = [box for box in numbers if not isinstance(box, str)]
    if not found.boxes and found.dropped:
        return Found(fault="wrong_count" if any("bbox_2d" in row for row in rows) else "no_box")
    return found


def _qwen3_points(text: str) -> Found | None:
    found = Found()
    if "```json" in text:
        text = text.split("```json", 2)[1].split("```", 1)[0]
    try:
        rows = json_value(text)
        for row in rows:
            if "point_2d" in row:
                x, y = row["point_2d"]
                point = _numbers([x, y], 2)
                if isinstance(point, str):
                    return Found(fault=point)
                found.points.append((point[0], point[1]))
                found.point_labels.append(_label(row.get("label")))
    except (ValueError, AttributeError, TypeError, KeyError):
        return None
    return found


def gemini(text: str) -> Found | None:
    """As Gemini's cookbook does, without its int(), which is for drawing.

    What a fence marked json holds, or all, is a JSON list of objects.
    Source: google-gemini/cookbook quickstarts/Spatial_understanding.ipynb.
    """
    try:
        rows = json_value(_fenced(text))
    except ValueError:
        return None
    return _rows(rows, "box_2d", "point") if isinstance(rows, list) else None


def _fenced(text: str) -> str:
    """What follows the first line that is exactly ```json, up to the next fence; else the text."""
    lines = text.splitlines()
    if "```json" not in lines:
        return text
    return "\n".join(lines[lines.index("```json") + 1 :]).split("```", 1)[0]


def _rows(rows: list[Any], box_key: str, point_key: str) -> Found | None:
    """The boxes and points of a list of objects; the first that fails makes the whole fail."""
    found = Found(none=not rows)
    for row in rows:
        if not isinstance(row, dict):
            return None
        is_box = box_key in row
        numbers = _numbers(row.get(box_key if is_box else point_key), 4 if is_box else 2)
        if isinstance(numbers, str):
            return Found(fault=numbers) if is_box or point_key in row else None
        if is_box:
            found.boxes.append(numbers)
            found.labels.append(_label(row.get("label")))
        else:
            found.points.append((numbers[0], numbers[1]))
            found.point_labels.append(_label(row.get("label")))
    return found


def _numbers(value: Any, count: int) -> tuple[float, ...] | str:
    """The first `count` numbers of a list, which is all that is looked at, or the fault."""
    if not isinstance(value, list):
        return "not_numeric"
    if len(value) < count:
        return "wrong_count"
    numbers = value[:count]
    if not all(isinstance(number, int | float) for number in numbers):
        return "not_numeric"
    if not all(abs(number) < 1e100 for number in numbers):
        return "not_finite"
    return tuple(map(float, numbers))


def _label(value: Any) -> str | None:
    return well_formed(value) if isinstance(value, str) else None
