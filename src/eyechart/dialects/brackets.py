"""Boxes as four whole numbers in square brackets, `[[x1, y1, x2, y2]]`, in thousandths.

InternVL, CogVLM and CogAgent, GLM-4.1V and later, DeepSeek-VL2. Sources: OpenGVLab/InternVL
internvl_chat/eval/refcoco/evaluate_grounding.py; THUDM/CogVLM utils/utils/grounding_parser.py;
zai-org/GLM-V README.md; deepseek-ai/DeepSeek-VL2 deepseek_vl2/serve/app_modules/utils.py.
"""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from eyechart.dialects import Dialect, Sizes, bare, box_tags, number_lists
from eyechart.dialects.found import Found, Parser
from eyechart.dialects.frames import Frame
from eyechart.dialects.number_lists import Habits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eyechart.values import Box

    Span = tuple[int, int]
    Named = Sequence[tuple[str | None, Box]]

_THOUSAND, _RATIO, _DEEPSEEK = Frame("0-1000"), Frame("0-1"), Frame("0-999")

_OPENERS = re.compile(r"\[++")
_INNER = re.compile(r"\[[^\]]*+\]")
# what Python itself reads as a list of numbers: no zeros in front
_ITEM = r"\s*+[+-]?(?:(?:0++|[1-9][0-9]*+)(?![0-9.eE])|[0-9]++\.[0-9]*+|\.[0-9]++)\s*+"
_LITERAL = re.compile(rf"\[{_ITEM}(?:,{_ITEM})*+,?+\s*+\]")
_NO_WORDS = re.compile(r"[\[\]{}<>|=\\]")
_CLAUSES = re.compile(r"[.:;,!?]\s|\n")
_LAST_ARTICLE = re.compile(
    r".*\b(?=(?:an?|the)\s|(?<!the )(?:one|two|three|four|five|several|some)\s)", re.I
)
_LEADING = re.compile(
    r"\A(?:(?:with|in|on|at|of|to|by|near|from|under|behind|over|is|are|holding|wearing)\s+)+", re.I
)
_PLAIN, _GLUED = Habits(), Habits(words=box_tags.glued)


def _whole(frame: Frame, box: Box, sizes: Sizes) -> list[int]:
    return [round(value) for value in frame.write(box, sizes)]


# ---- InternVL


def internvl(argument: str) -> Dialect:
    """The dialect `internvl`: `<ref>a dog</ref><box>[[x1, y1, x2, y2]]</box>`, 0 to 1000.

    The authors' reader takes four numbers whose sum is below 4 as ratios; the tolerant one does not
    look at the numbers. Where the authors cannot read the first bracket, nothing counts.

    Raises:
        UsageError: anything after the colon.
    """
    bare("internvl", argument)
    return Dialect(
        name="internvl",
        about="<ref>a dog</ref><box>[[439, 278, 683, 871]]</box>, 0-1000",
        frame=_THOUSAND,
        syntax=_read_internvl,
        write=_write_internvl,
        source="OpenGVLab/InternVL internvl_chat/eval/refcoco/evaluate_grounding.py",
        to_box=_internvl_box,
    )


def _internvl_box(numbers: Sequence[float], sizes: Sizes, parser: Parser) -> Box:
    frame = _RATIO if parser == "authors" and sum(numbers) < 4 else _THOUSAND
    return frame.to_pixels(numbers, sizes)


def _read_internvl(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _GLUED)
    found = Found()
    spans: list[Span] = []
    for span, items in _four_items(text):
        try:
            box = tuple(map(float, items))
        except ValueError:
            if not found.boxes:
                # the first decides, and is scored as an empty box
                break
            found.dropped += 1
            continue
        found.boxes.append(box)
        spans.append(span)
    found.labels = box_tags.labelled(text, spans)
    return number_lists.as_authors(found, text, _GLUED)


def _four_items(text: str) -> Iterator[tuple[Span, list[str]]]:
    """What stands between brackets with three commas or more, within a line, as short as it can be.

    The fourth item reaches to the closing bracket, commas and all.
    """
    offset = 0
    for line in text.split("\n"):
        at = 0
        while (start := line.find("[", at)) >= 0:
            run = _OPENERS.match(line, start)
            places = [run.end() - 1 if run is not None else start]
            for mark in ",,,]":
                places.append(line.find(mark, places[-1] + 1))
                if places[-1] < 0:
                    break
            if places[-1] < 0:
                break
            at = places[-1] + 1
            items = [line[a + 1 : b] for a, b in pairwise(places)]
            yield (offset + start, offset + at), items
        offset += len(line) + 1


def _write_internvl(named: Named, sizes: Sizes) -> str:
    said = []
    for label, box in named:
        phrase = f"<ref>{label}</ref>" if label else ""
        numbers = ", ".join(map(str, _whole(_THOUSAND, box, sizes)))
        said.append(f"{phrase}<box>[[{numbers}]]</box>")
    return "".join(said)


# ---- CogVLM


def cogvlm(argument: str) -> Dialect:
    """The dialect `cogvlm-grounding`, of CogVLM, CogVLM2 and CogAgent: `a dog [[086,540,400,760]]`.

    Numbers from 000 to 999 in thousandths, several boxes with semicolons between. The authors'
    reader drops a box that holds anything but digits and commas, so also one with a space. Their
    label is the nearest noun phrase that spaCy finds before the box; here it is the words before,
    from the last article on.

    Raises:
        UsageError: anything after the colon.
    """
    bare("cogvlm-grounding", argument)
    return Dialect(
        name="cogvlm-grounding",
        about="a dog [[086,540,400,760]], 0-1000",
        frame=_THOUSAND,
        syntax=_read_cogvlm,
        write=_write_cogvlm,
        source="THUDM/CogVLM utils/utils/grounding_parser.py",
    )


def _read_cogvlm(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _IN_CAPTION)
    found = Found()
    spans: list[Span] = []
    for span in _double_brackets(text):
        for part in text[span[0] + 2 : span[1] - 2].split(";"):
            if not part.replace(",", "").isdecimal():
                continue
            numbers = [item for item in part.split(",") if item]
            if len(numbers) == 4 == part.count(",") + 1:
                found.boxes.append(tuple(map(float, numbers)))
                spans.append(span)
            else:
                found.dropped += 1
    found.labels = box_tags.labelled(text, spans, phrase_before)
    return number_lists.as_authors(found, text, _IN_CAPTION)


def _double_brackets(text: str) -> Iterator[Span]:
    """Where `[[...]]` stands with no closing bracket inside, opened as early as it can be."""
    at = 0
    while (start := text.find("[[", at)) >= 0:
        end = text.find("]", start + 2)
        if end < 0:
            return
        at = end
        if end > start + 2 and text.startswith("]]", end):
            at = end + 2
            yield start, at


def phrase_before(before: str, _first: bool) -> str | None:
    """The words of a caption that the box after them belongs to, or None where they are no words."""
    words = before[-200:]
    if _NO_WORDS.search(words):
        return None
    phrase = box_tags.without_lead(_CLAUSES.split(words)[-1])
    if phrase is None:
        return None
    article = _LAST_ARTICLE.match(phrase)
    phrase = phrase[article.end() :] if article is not None else _LEADING.sub("", phrase)
    return phrase.strip() or None


_IN_CAPTION = Habits(words=phrase_before)


def _write_cogvlm(named: Named, sizes: Sizes) -> str:
    said = []
    for label, group in groupby(named, key=lambda one: one[0]):
        boxes = ";".join(
            ",".join(f"{min(value, 999):03}" for value in _whole(_THOUSAND, box, sizes))
            for _, box in group
        )
        said.append(f"{label} [[{boxes}]]" if label else f"[[{boxes}]]")
    return " and ".join(said)


# ---- GLM-4.1V


def glm(argument: str) -> Dialect:
    """The dialect `glm-4.1v`, of GLM-4.1V, 4.5V and 4.6V: `<|begin_of_box|>[[...]]<|end_of_box|>`.

    The two tokens stand around any final answer, so they say nothing of a box; the style of the
    brackets varies. The authors publish no reader: both parsers read alike.

    Raises:
        UsageError: anything after the colon.
    """
    bare("glm-4.1v", argument)
    return Dialect(
        name="glm-4.1v",
        about="<|begin_of_box|>[[120,340,560,780]]<|end_of_box|>, 0-1000",
        frame=_THOUSAND,
        syntax=lambda text, _parser: number_lists.read(text, _PLAIN),
        write=_write_glm,
        source="zai-org/GLM-V README.md",
    )


def _write_glm(named: Named, sizes: Sizes) -> str:
    boxes = (",".join(map(str, _whole(_THOUSAND, box, sizes))) for _, box in named)
    return f"<|begin_of_box|>[{','.join(f'[{box}]' for box in boxes)}]<|end_of_box|>"


# ---- DeepSeek-VL2


def deepseek_vl2(argument: str) -> Dialect:
    """The dialect `deepseek-vl2`: `<|ref|>a dog<|/ref|><|det|>[[x1, y1, x2, y2]]<|/det|>`, 0 to 999.

    The authors' reader wants as many phrases as lists of boxes, and reads all or nothing.

    Raises:
        UsageError: anything after the colon.
    """
    bare("deepseek-vl2", argument)
    return Dialect(
        name="deepseek-vl2",
        about="<|ref|>a dog<|/ref|><|det|>[[580, 270, 999, 900]]<|/det|>, 0-999",
        frame=_DEEPSEEK,
        syntax=_read_deepseek,
        write=_write_deepseek,
        source="deepseek-ai/DeepSeek-VL2 deepseek_vl2/serve/app_modules/utils.py",
    )


def _read_deepseek(text: str, parser: Parser) -> Found:
    if parser == "tolerant":
        return number_lists.read(text, _GLUED)
    return number_lists.as_authors(_authors_deepseek(text), text, _GLUED)


def _authors_deepseek(text: str) -> Found:
    phrases = list(_held(text, "<|ref|>", "<|/ref|>"))
    lists = list(_held(text, "<|det|>", "<|/det|>"))
    found = Found()
    if len(phrases) != len(lists):
        return found
    for phrase, held in zip(phrases, lists, strict=True):
        inner = held[1:-1]
        for one in _INNER.findall(inner[: inner.rfind("]") + 1]):
            if not _LITERAL.fullmatch(one):
                return Found()
            numbers = [float(item.strip()) for item in one[1:-1].split(",") if item.strip()]
            if len(numbers) < 4:
                return Found()
            found.boxes.append(tuple(numbers[:4]))
            found.labels.append(phrase.strip() or None)
    return found


def _held(text: str, opening: str, closing: str) -> Iterator[str]:
    """What stands between two tags of a line, without further tags of that kind."""
    at, end = 0, -1
    while (start := text.find(opening, at)) >= 0:
        first = start + len(opening)
        if end < first:
            end = text.find(closing, first)
        if end < 0:
            return
        newline = text.find("\n", first, end)
        if newline >= 0:
            at = newline + 1
        else:
            at = end + len(closing)
            yield text[first:end].replace(opening, "")


def _write_deepseek(named: Named, sizes: Sizes) -> str:
    return "".join(
        f"<|ref|>{label or ''}<|/ref|><|det|>"
        f"[[{', '.join(map(str, _whole(_DEEPSEEK, box, sizes)))}]]<|/det|>"
        for label, box in named
    )
