"""Reads whole numbers in Chinese characters: 二十三, 两千〇五, 1万2千, 3.5万, 三百五."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖", range(1, 10), strict=True)),
    **dict(zip("〇两兩貳參陸", (0, 2, 2, 2, 3, 6), strict=True)),
}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_ALL = "".join([*_DIGITS, *_UNITS, *_MYRIADS])
_MULTIPLIERS = "".join([*_UNITS, *_MYRIADS])
_NUMERAL = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12}(?:\.\d{1,4})?)"

# every repetition is bounded: a chain that breaks off is tried again from each of its parts
PATTERN = (
    rf"(?:{_NUMERAL}(?=[{_MULTIPLIERS}]))?[{_ALL}]{{1,20}}"
    rf"(?:\d{{1,4}}[{_MULTIPLIERS}][{_ALL}]{{0,20}}){{0,3}}"
)
_PART = re.compile(rf"{_NUMERAL}|[{_ALL}]")

# ordinals, days, fractions, and words in which a character of a number is no number
_BEFORE = re.compile(r"(?:第|几|(?<!总)数|分之|星期|周|礼拜|唯|统|之|另|同|某)\Z")
_AFTER = re.compile(r"[月年日号岁几角维]|边形|分之|世纪")
_WORDS = {
    "一": "些样起下般共定旦直致边侧面旁端会点切律番并体种",
    "二": "手",
    "两": "边侧旁端者方",
    "三": "明轮脚",
    "四": "周边面处方",
    "五": "颜官金",
    "十": "分字足",
    "百": "分货",
    "千": "克米",
}


def value(text: str) -> tuple[int, str] | None:
    """The number that a match of `PATTERN` stands for, and why it is no count, if it is none.

    None where it is no whole number, or none at all (a lone 百).
    """
    if all(character in _DIGITS for character in text):
        digits = [_DIGITS[character] for character in text]
        if len(digits) == 2 and 0 < digits[0] == digits[1] - 1:
            return digits[1], "a range, not a count"
        return (int("".join(map(str, digits))), "") if len(digits) <= 18 else None
    found = _sum(_PART.findall(text))
    return (int(found), "") if found is not None and found.denominator == 1 else None


def _sum(parts: list[str]) -> Fraction | None:
    total = section = Fraction(0)
    number: Fraction | None = None
    unit = last_myriad = 0
    for part in parts:
        if part in _MYRIADS:
            if number is None and not section:
                return None
            section += number or 0
            # 一百万亿: the larger takes all that stands before it
            if last_myriad and _MYRIADS[part] > last_myriad:
                total = (total + section) * _MYRIADS[part]
            else:
                total += section * _MYRIADS[part]
            unit = last_myriad = _MYRIADS[part]
            section, number = Fraction(0), None
        elif part in _UNITS:
            if number is None and _UNITS[part] != 10:
                return None
            section += (1 if number is None else number) * _UNITS[part]
            unit, number = _UNITS[part], None
        elif _DIGITS.get(part) == 0:
            unit, number = 0, None
        else:
            if number is not None:
                return None
            number = Fraction(_DIGITS[part] if part in _DIGITS else part.replace(",", ""))
    if number is not None and unit > 10 and parts[-1] in _DIGITS:
        # 三百五 is 350, 一万二 is 12,000
        number *= unit // 10
    return total + section + (number or 0)


def is_number(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]`, a match of `PATTERN`, is no part of another word (一些, 第三, 十月)."""
    if _BEFORE.search(text, max(0, start - 3), start) or _AFTER.match(text, end):
        return False
    run, following = text[start:end], text[end : end + 1]
    barred = following != "" and following in _WORDS.get(run[-1], "")
    # 十分 is no number, 三十分 is one
    return not barred or (len(run) > 1 and run[-1] in _UNITS)


def is_one(text: str) -> bool:
    """Whether the number is a lone 一, which stands for the article too."""
    return text == "一"
